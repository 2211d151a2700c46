"""Run the training experiments at length, and write the file that the book reads.

Run it from the root of the project: ``python -m benchmarks.experiments``, or ``make
experiments``. Finished cells are kept in a working file: stop it whenever you like,
and start it again to go on. `--help` lists the options.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from sdpa.training import FreeQueries, Retrieval, Sorting, run_cells, save

WORK = Path("_build/experiments.jsonl")
SEEDS = 12
WIDTHS = (4, 16, 64, 256, 1024)
BOTH = ("sqrt", "none")
ALL = ("sqrt", "none", "inverse")


def grid(kind: type, widths: Sequence[int], scales: Sequence[str], **options) -> list:
    """List one experiment's configurations at every width and scale.

    Only the last step is kept, so that nothing is measured on the way.
    """
    every = kind.steps
    return [
        kind(d_k=d_k, scale=scale, log_every=every, **options)
        for d_k in widths
        for scale in scales
    ]


def configurations() -> list[object]:
    """List every configuration of the long run."""
    adam = {"optimiser": "adam", "learning_rates": (0.01, 0.1, 1.0)}
    slower = {"optimiser": "adam", "learning_rates": (0.001, 0.01, 0.1)}
    sgd = {"learning_rates": (0.001, 0.01, 0.1, 1.0, 10.0)}
    return [
        *grid(FreeQueries, (*WIDTHS, 4096), ALL),
        *grid(FreeQueries, WIDTHS, BOTH, loss="log"),
        *grid(FreeQueries, WIDTHS[:4], BOTH, **adam),
        *grid(Retrieval, WIDTHS[1:], BOTH, **sgd),
        *grid(Retrieval, WIDTHS[1:], BOTH, fresh=True, **sgd),
        *grid(Retrieval, WIDTHS[1:], BOTH, **slower),
        *grid(Sorting, WIDTHS, ALL, learning_rates=(0.0003, 0.001, 0.003, 0.01)),
    ]


class Bar:
    """A progress bar on one line, with the time that is left."""

    def __init__(self, width: int = 30):
        self.width = width
        self.start = None  # the time, and how many were done, when work began

    def __call__(self, done: int, total: int) -> None:
        """Draw it."""
        now = perf_counter()
        if self.start is None:
            self.start = (now, done)
        full = self.width * done // total
        speed = (now - self.start[0]) / max(done - self.start[1], 1)
        left = f"{speed * (total - done) / 60:5.1f} min left"
        bar = "█" * full + "·" * (self.width - full)
        end = "\n" if done == total else ""
        print(f"\r{bar} {done}/{total} {left}", end=end, file=sys.stderr, flush=True)


def main() -> None:
    """Run what is missing, and write the book's file when all is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, default=WORK, help="working file")
    parser.add_argument("--processes", type=int, default=2, help="cells at a time")
    parser.add_argument("--fresh", action="store_true", help="forget finished cells")
    options = parser.parse_args()
    if options.fresh:
        options.work.unlink(missing_ok=True)
    results = run_cells(
        configurations(),
        range(SEEDS),
        options.work,
        processes=options.processes,
        progress=Bar(),
    )
    save(results)


if __name__ == "__main__":
    main()
