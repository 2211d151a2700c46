"""Execute the notebooks of the book, or check that they are fit to publish.

    python -m tools.notebooks run   [notebook ...]
    python -m tools.notebooks check [notebook ...]

`run` is the only writer of executed notebooks. Running twice gives the same bytes:
no times are recorded, widget ids follow the order of creation, memory addresses are
masked, and what a front end adds to the metadata is dropped. A notebook is written
only when every cell succeeded.
"""

import argparse
import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from tools import canonical, hygiene
from tools.reproducible import REPRODUCIBLE

ROOT = Path(__file__).parents[1]
TIMEOUT = 600  # seconds a cell


class CellFailed(Exception):
    """A cell that raised, as a message for whoever ran the notebook."""


def find(paths: list[str]) -> list[Path]:
    """Give the notebooks asked for, or all of the chapters'.

    Raises
    ------
    ValueError
        If a path is not there, or there is nothing to do.
    """
    found = [Path(path) for path in paths] or sorted(ROOT.glob("chapters/*.ipynb"))
    missing = [str(path) for path in found if not path.is_file()]
    if missing:
        raise ValueError(f"no such notebook: {', '.join(missing)}; check the path")
    if not found:
        raise ValueError(f"no notebook in {ROOT / 'chapters'}; name one")
    return found


def _name_widgets(text: str, widget_ids: list[str], stem: str) -> str:
    """Give widgets ids that depend on the notebook and the order of creation."""
    for position, random_id in enumerate(widget_ids):
        stable = hashlib.md5(f"{stem}/{position}".encode()).hexdigest()
        text = text.replace(random_id, stable)
    return text


def _failure(path: Path, notebook: NotebookNode, error: Exception) -> CellFailed:
    """Say which cell failed and how, from the outputs that it left."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                tail = hygiene.plain("\n".join(output.traceback)).splitlines()[-12:]
                return CellFailed(f"{path}: cell {cell.id} raised\n" + "\n".join(tail))
    return CellFailed(f"{path}: {type(error).__name__}: {error}")


def execute(path: Path) -> str:
    """Execute a notebook and give the text to store.

    Raises
    ------
    CellFailed
        If a cell raises, takes too long or ends the kernel.
    ValueError
        If the file is not a notebook, or a cell lacks a proper id.
    """
    notebook = canonical.load(path)
    if problems := hygiene.cell_ids(notebook):
        raise ValueError("\n".join(f"{path}: {problem}" for problem in problems))
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.metadata.pop("widgets", None)
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],  # no word about TCP on this machine
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent.resolve())}},
        timeout=TIMEOUT,
    )
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise _failure(path, notebook, error) from None
    text = canonical.dumps(canonical.normalise(notebook))
    text = _name_widgets(text, list(client.widget_state), path.stem)
    # Read again: the widgets' new ids sort differently.
    text = canonical.mask_addresses(text)
    return canonical.dumps(canonical.loads(text))


def run(paths: list[Path]) -> int:
    """Execute notebooks in place; return how many failed."""
    failed = 0
    for path in paths:
        start = time.perf_counter()
        try:
            text = execute(path)
        except (CellFailed, ValueError) as error:
            print(f"FAILED  {path}\n{error}", file=sys.stderr, flush=True)
            failed += 1
            continue
        changed = text != path.read_text(encoding="utf-8")
        if changed:
            path.write_text(text, encoding="utf-8")
        seconds = time.perf_counter() - start
        state = "written  " if changed else "unchanged"
        print(f"{state}  {seconds:5.1f} s  {path}", flush=True)
    return failed


def check(paths: list[Path]) -> int:
    """Print what is wrong with stored notebooks; return how many have a fault."""
    failed = 0
    for path in paths:
        problems = hygiene.problems(path)
        failed += bool(problems)
        for problem in problems:
            print(f"{path}: {problem}")
    return failed


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.notebooks", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("task", choices=["run", "check"])
    parser.add_argument("notebooks", nargs="*", help="default: all in chapters/")
    options = parser.parse_args(arguments)
    try:
        paths = find(options.notebooks)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as profile:  # nobody's own start-up files
        os.environ.update(REPRODUCIBLE, IPYTHONDIR=profile)
        failed = {"run": run, "check": check}[options.task](paths)
    print(f"{len(paths) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
