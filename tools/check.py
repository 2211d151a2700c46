"""Check everything that can be checked; what `make test` runs.

Each step says its name before it starts. A step that fails does not stop the others,
so one run shows all there is to mend. A missing tool is a failure, never a skip.
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tools.notebooks import REPRODUCIBLE
from tools.toc import Toc

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
PYTHON = (sys.executable, "-m")
PARALLEL = ("-n", "2", "--dist", "loadfile", "--quiet")
CONCISE = ("--quiet", "--output-format", "concise")
NEEDED = (
    "torch matplotlib hypothesis nbval xdist ruff bs4 jupyter_book math_core "
    "playwright axe_playwright_python typer rich distributed sympy jsonschema "
    "anywidget jupyterlab check_jsonschema"
)


@dataclass(frozen=True)
class Step:
    """One check: what it is for, and the command that does it.

    Parameters
    ----------
    name
        What to print before it starts.
    command
        The command and its arguments; it fails by its exit code.
    no_skips
        Whether it is a run of pytest in which a skipped test is a failure.
    """

    name: str
    command: tuple[str, ...]
    no_skips: bool = False


def steps() -> list[Step]:
    """List the checks, the quick ones first."""
    notebooks = [str(path.relative_to(ROOT)) for path in Toc.load(ROOT).notebooks()]
    imports = "; ".join(f"import {name}" for name in NEEDED.split())
    ruff = str(BIN / "ruff")
    nbval = ("-p", "tools.nbval_semicolons", "--nbval", "--nbval-current-env")
    sanitised = ("--nbval-sanitize-with", "tools/nbval.cfg")
    return [
        Step("everything is installed", (sys.executable, "-c", imports)),
        Step("style", (ruff, "check", *CONCISE, ".")),
        Step("format", (ruff, "format", "--check", *CONCISE, ".")),
        Step("notebooks are fit to publish", (*PYTHON, "tools.notebooks", "check")),
        Step("numbers and reading times", (*PYTHON, "tools.prose")),
        Step("tests and doctests", (*PYTHON, "pytest", *PARALLEL), no_skips=True),
        Step(
            "stored outputs equal a fresh run",
            (*PYTHON, "pytest", *PARALLEL, *nbval, *sanitised, *notebooks),
            no_skips=True,
        ),
        Step(
            "the site builds without a warning",
            (str(BIN / "jupyter-book"), "build", ".")
            + ("--all", "-W", "-n", "--keep-going", "-q"),
        ),
        Step("the built site", (*PYTHON, "tools.site_check")),
    ]


def skipped(report: Path) -> int:
    """Count the skipped tests in a report of pytest."""
    suites = ElementTree.parse(report).getroot().iter("testsuite")
    return sum(int(suite.get("skipped", 0)) for suite in suites)


def passes(step: Step) -> bool:
    """Run a step, and say how it went."""
    print(f"\n== {step.name}", flush=True)
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        extra = (f"--junit-xml={report}",) if step.no_skips else ()
        # An empty profile: nobody's start-up files, and no trace in their history.
        environment = {**os.environ, **REPRODUCIBLE, "IPYTHONDIR": folder}
        code = subprocess.run(
            step.command + extra, cwd=ROOT, env=environment, check=False
        ).returncode
        passed = code == 0
        if passed and step.no_skips and (count := skipped(report)):
            print(f"{count} tests were skipped; install or provide what they need")
            passed = False
    seconds = time.perf_counter() - start
    print(f"-- {'passed' if passed else 'FAILED'} in {seconds:.0f} s", flush=True)
    return passed


def main() -> int:
    """Run all steps; return the exit code."""
    results = {step.name: passes(step) for step in steps()}
    failed = [name for name, passed in results.items() if not passed]
    print(f"\n== {len(results)} checks")
    for name in failed:
        print(f"FAILED  {name}")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
