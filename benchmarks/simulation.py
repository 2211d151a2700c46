"""Compare the simulator's speed with that of the random generator alone.

Run it from the root of the project: ``python benchmarks/simulation.py``. Rounds of the
two alternate, so that a busy machine slows both alike; the median ratio is what counts.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np

from sdpa import simulate_dot_products

COORDINATES = 8_000_000  # in a round: half for q, half for k
ROUNDS = 15
WIDTHS = (4, 16, 64, 256, 1024)
BUFFER = 1 << 14


def generate(rng: np.random.Generator) -> None:
    """Draw Gaussian coordinates, into one buffer that stays in the cache."""
    buffer = np.empty(BUFFER)
    for _ in range(COORDINATES // BUFFER):
        rng.standard_normal(out=buffer)


def simulate(rng: np.random.Generator, d_k: int) -> None:
    """Draw as many coordinates, and summarise their dot products."""
    simulate_dot_products(d_k, COORDINATES // (2 * d_k), rng=rng)


def seconds(task: Callable[..., None], *arguments: object) -> float:
    """Processor time of one call, in seconds: other processes count for little."""
    start = process_time()
    task(*arguments)
    return process_time() - start


def main() -> None:
    """Print a line for each width: coordinates a second, and the ratio of times."""
    rng = np.random.default_rng(0)
    print("  d_k  ours, M/s  generator, M/s  time ratio (median)")
    for d_k in WIDTHS:
        seconds(generate, rng), seconds(simulate, rng, d_k)  # warm up
        rounds = [
            (seconds(simulate, rng, d_k), seconds(generate, rng)) for _ in range(ROUNDS)
        ]
        ours, raw = (
            COORDINATES / median(times) / 1e6 for times in zip(*rounds, strict=True)
        )
        ratio = median(a / b for a, b in rounds)
        print(f"{d_k:5} {ours:10.0f} {raw:15.0f} {ratio:20.2f}")


if __name__ == "__main__":
    main()
