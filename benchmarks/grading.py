"""How many sheets and notebooks a second are graded, and in how much memory.

``python -m benchmarks.grading`` prints a table; ``--sheets 100000`` shows that memory
stays bounded, and ``--write`` stores the table. Submissions are made in a temporary
folder, and graded by a process of its own, whose time and memory are its own as well:
one process, one thread, all the way from files to gradebook, feedback and report.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sdpa.selftest.classes import grade_class
from sdpa.selftest.records import Settings, grade_file
from tests.grading.samples import GOOD, answers, code, kept, notebook, sheet

KILOBYTES = 50  # of a notebook
REPORT = Path(__file__).parent / "results" / "grading.md"
TARGETS = {"sheets": 1000, "notebooks": 500}


def make_sheet(i: int) -> bytes:
    """Make one of a class: formulas of its own, and a third of them with slips."""
    rng = random.Random(i)
    k = rng.randrange(2, 10**6)
    own = {
        "c": {"variance": f"{k}*d_k*sigma**4/{k}"},
        "d": {"weights": [w + rng.uniform(-5e-4, 5e-4) for w in (0.198, 0.401, 0.401)]},
        "e": {"formula": f"4*T**2*d_k*h*{k}/{k}"},
    }
    if i % 3 == 0:
        own["b"] = {name: [[rng.randint(-3, 3), 1]] for name in ("Q1", "Q2")}
        own["c"] |= {"divisor": f"d_k*{k}/{k}"}
        own["d"] |= {"weights": [0.155362, 0.422319, 0.422319]}
    return sheet(f"s{i:06}", answers(**own))


def make_notebook(i: int) -> bytes:
    """Make a notebook of about 50 kB with all answers in outputs."""
    content = json.loads(make_sheet(i))["answers"]
    cells = [code(f"x = {i}\n" * 20, kept(x, content[x])) for x in GOOD]
    filler = code("plot()")
    picture = {"output_type": "display_data", "data": {"image/png": "i" * 40}}
    filler["outputs"] = [picture]
    filler["source"] = ["# a line of source\n"] * 40
    size = len(json.dumps(filler)) + 2
    return notebook(*cells, *[filler] * (KILOBYTES * 1000 // size), student=f"n{i:06}")


MAKERS = {"sheets": (make_sheet, ".json"), "notebooks": (make_notebook, ".ipynb")}


def in_memory(kind: str, count: int) -> dict:
    """Grade bytes that are in memory already: the grader alone."""
    make, suffix = MAKERS[kind]
    files = [(f"{i}{suffix}", make(i)) for i in range(count)]
    grade_file(*files[0], Settings())
    return _measured(lambda: [grade_file(*file, Settings()) for file in files], count)


def on_disk(kind: str, count: int) -> dict:
    """Grade a folder in a process of its own."""
    make, suffix = MAKERS[kind]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "class")
        folder.mkdir()
        for i in range(count):
            (folder / f"{i:06}{suffix}").write_bytes(make(i))
        command = [sys.executable, "-m", "benchmarks.grading", "--grade", name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def grade_folder(name: str) -> dict:
    """Grade a folder in this process, with the time and the memory that it took."""
    count = len(os.listdir(Path(name, "class")))
    out = Path(name, "out")
    return _measured(lambda: grade_class([Path(name, "class")], out), count)


def _measured(work, count: int) -> dict:
    """Do it once, with the seconds of the processor, of the clock, and the peak."""
    processor, clock = time.process_time(), time.perf_counter()
    work()
    return {
        "count": count,
        "processor": time.process_time() - processor,
        "clock": time.perf_counter() - clock,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def table(sheets: int, notebooks: int) -> list[str]:
    """Measure, and return the rows of a table."""
    rows = [
        "| what | files | a second of processor | a second of clock | peak |",
        "| --- | --- | --- | --- | --- |",
    ]
    for kind, count in (("sheets", sheets), ("notebooks", notebooks)):
        few = min(count, 2000)
        for where, found in (
            ("grader alone", min((in_memory(kind, few) for _ in range(3)), key=_time)),
            ("files to feedback pages", on_disk(kind, few)),
            *([("files to feedback pages", on_disk(kind, count))] * (count > few)),
        ):
            n, peak = found["count"], f"{found['peak']:.0f} MiB"
            row = f"| {kind}, {where} | {n:,} | {n / found['processor']:,.0f} | "
            rows.append(row + f"{n / found['clock']:,.0f} | {peak} |")
            print(rows[-1], flush=True)
    return rows


def _time(found: dict) -> float:
    return found["processor"]


def report(rows: list[str]) -> str:
    """Return the page that is stored."""
    targets = ", ".join(f"{n:,} {kind}" for kind, n in TARGETS.items())
    return "\n".join(
        [
            "# Grading: how fast, and in how much memory",
            "",
            "`python -m benchmarks.grading --sheets 100000 --write` measured this on "
            f"one core: Python {platform.python_version()}, {platform.machine()}, load "
            f"{os.getloadavg()[1]:.1f} on {os.cpu_count()} processors. A sheet has "
            f"about 1 kB, a notebook {KILOBYTES} kB; every sheet has formulas and "
            "numbers of its own, and a third have slips. The target is a rate on one "
            f"core of {targets}.",
            "",
            *rows,
            "",
            "From files to feedback pages, two files are made for each student, and "
            "what the file system takes for that is counted. Memory grows by a row of "
            "the gradebook for each student.",
            "",
        ]
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sheets", type=int, default=2000)
    parser.add_argument("--notebooks", type=int, default=400)
    parser.add_argument("--write", action="store_true", help="store the table")
    parser.add_argument("--grade", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.grade:
        print(json.dumps(grade_folder(options.grade)))
        return
    rows = table(options.sheets, options.notebooks)
    if options.write:
        REPORT.write_text(report(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
