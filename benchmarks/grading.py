"""How many sheets and notebooks a second are graded, and in how much memory.

``python -m benchmarks.grading`` prints a table; ``--sheets 100000`` shows that memory
stays bounded. The submissions are made in a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

from sdpa.selftest.batch import grade_all
from sdpa.selftest.classes import grade_class
from sdpa.selftest.journal import Journal
from sdpa.selftest.records import Settings, grade_file
from sdpa.selftest.submissions import Submissions
from tests.grading.samples import GOOD, answers, code, kept, notebook, sheet

KILOBYTES = 50  # of a notebook


def make_sheet(i: int) -> bytes:
    """Make one of a class: a third of them with slips."""
    slips = {"d": {"weights": [0.155362, 0.422319, 0.422319]}, "c": {"divisor": "d_k"}}
    return sheet(f"s{i:06}", answers(**slips) if i % 3 == 0 else GOOD)


def make_notebook(i: int) -> bytes:
    """Make a notebook of about 50 kB with all answers in outputs."""
    cells = [code(f"x = {i}\n" * 20, kept(letter)) for letter in GOOD]
    filler = code("plot()")
    picture = {"output_type": "display_data", "data": {"image/png": "i" * 40}}
    filler["outputs"] = [picture]
    filler["source"] = ["# a line of source\n"] * 40
    size = len(json.dumps(filler)) + 2
    return notebook(*cells, *[filler] * (KILOBYTES * 1000 // size), student=f"n{i:06}")


def rate(count: int, work) -> float:
    """Return how many of `count` are done in a second of processor time, best of 3."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return count / min(times)


def in_memory(kind: str, make, suffix: str, count: int) -> None:
    """Grade bytes that are in memory already."""
    files = [(f"{i}{suffix}", make(i)) for i in range(count)]
    settings = Settings()
    grade_file(*files[0], settings)

    def work():
        for name, data in files:
            grade_file(name, data, settings)

    size = sum(len(data) for _, data in files) / len(files) / 1000
    print(f"{kind:34} {rate(count, work):8.0f}/s   ({size:.1f} kB each)")


def on_disk(count: int) -> None:
    """Grade a folder of sheets: reading, journal, gradebook, feedback, report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "class")
        folder.mkdir()
        for i in range(count):
            (folder / f"s{i:06}.json").write_bytes(make_sheet(i))
        start = time.process_time()
        with Submissions([folder]) as found, Journal(Path(name, "j"), "v") as journal:
            grade_all(found.sources, journal, Settings())
        middle = time.process_time()
        grade_class([folder], Path(name, "out"))
        end = time.process_time()
    print(f"{'sheets, files to journal':34} {count / (middle - start):8.0f}/s")
    print(f"{'sheets, files to feedback pages':34} {count / (end - middle):8.0f}/s")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sheets", type=int, default=2000)
    parser.add_argument("--notebooks", type=int, default=200)
    options = parser.parse_args()
    in_memory("sheets, in memory", make_sheet, ".json", min(options.sheets, 2000))
    in_memory("notebooks, in memory", make_notebook, ".ipynb", options.notebooks)
    on_disk(options.sheets)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{'peak memory':34} {peak:8.0f} MiB")


if __name__ == "__main__":
    main()
