"""The first cell of every notebook, which makes `sdpa` importable on Colab.

    python -m tools.setup_cell [notebook ...]

puts the cell where it is missing or out of date. Everywhere else than on Colab the cell
does nothing, and the site does not show it. It installs without dependencies: Colab has
NumPy, torch and matplotlib, and its versions stay as they are.

The cell of the source does not know where the source lies. `tools.publish` writes that
into a copy.
"""

import sys

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from tools import canonical, notebooks
from tools.hygiene import SETUP

# Colab has what these need in turn. What it has already, pip leaves alone.
MISSING_ON_COLAB = ("anywidget", "psygnal")
UNKNOWN = 'PACKAGES = ""'
SOURCE = f"""\
# @title Set-up for Google Colab; anywhere else this cell does nothing
import importlib.util
import subprocess
import sys

{UNKNOWN}  # the book's Colab button opens a copy that says what to install
if "google.colab" in sys.modules and not importlib.util.find_spec("sdpa"):
    if not PACKAGES:
        what = "{" ".join(MISSING_ON_COLAB)} git+https://github.com/YOUR-NAME/YOUR-BOOK"
        raise RuntimeError(f"use the book's Colab button, or set PACKAGES = {{what!r}}")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, *PACKAGES.split()], check=True)
    importlib.invalidate_caches()"""


def cell() -> NotebookNode:
    """Make the cell as it is in the source, executed without effect."""
    made = new_code_cell(SOURCE, id=SETUP, execution_count=1)
    made.metadata["tags"] = ["remove-cell"]
    return made


def _renumber(notebook: NotebookNode, step: int) -> None:
    """Shift the execution counts of cells and of their results."""
    for one in notebook.cells:
        for counted in [one, *one.get("outputs", [])]:
            if counted.get("execution_count"):
                counted.execution_count += step


def insert(notebook: NotebookNode) -> NotebookNode:
    """Put the cell in front, in the place of an older one; change it in place."""
    others = [one for one in notebook.cells if one.get("id") != SETUP]
    if len(others) == len(notebook.cells):
        _renumber(notebook, 1)
    notebook.cells = [cell(), *others]
    return notebook


def published(text: str, address: str) -> str:
    """Write into the text of a notebook what its first cell is to install.

    Parameters
    ----------
    text
        The notebook file.
    address
        Where pip finds the package, such as `git+https://…@COMMIT`.

    Raises
    ------
    ValueError
        If the notebook does not begin with the cell.
    """
    notebook = canonical.loads(text)
    if not notebook.cells or notebook.cells[0].source != SOURCE:
        raise ValueError("no set-up cell; run python -m tools.setup_cell")
    packages = " ".join([*MISSING_ON_COLAB, address])
    known = UNKNOWN.replace('""', f'"{packages}"')
    notebook.cells[0].source = SOURCE.replace(UNKNOWN, known)
    return canonical.dumps(notebook)


def main(arguments: list[str]) -> int:
    """Insert the cell where it is missing; return the exit code."""
    try:
        for path in notebooks.find(arguments):
            before = path.read_text(encoding="utf-8")
            after = canonical.dumps(insert(canonical.loads(before)))
            if after != before:
                path.write_text(after, encoding="utf-8")
                print(f"set-up cell written to {path}")
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
