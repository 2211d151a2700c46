"""What a stored notebook must be like before it is published.

Each check gives a list of messages that say which cell, what is wrong and what to do.
nbval compares outputs with a fresh run, but passes a notebook that was never executed
and ignores images; these checks see to the rest.
"""

import ast
import re
from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from tools import canonical

MAX_CELLS = 40
MAX_LINES = 15  # a code cell
MAX_BYTES = 300_000
MIN_ALT = 40  # characters of alt text
EXERCISE = "exercise"  # the tag of a cell that may define functions
SETUP = "colab"  # the id of the first cell, which no reader of the site sees
CELL_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# What front ends and nbformat make up when nobody chose an id.
RANDOM_ID = re.compile(r"(cell-\d+|(?=.*\d)[0-9a-f]{8}|[0-9a-f-]{36})")
ANSI = re.compile(r"\x1b\[[0-9;]*m")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
RUN = "run `make notebooks`"


def plain(text: str) -> str:
    """Drop the colours of a terminal."""
    return ANSI.sub("", text)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """Give the cells that hold code, in order."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def cell_ids(notebook: NotebookNode) -> list[str]:
    """Find cells whose id is missing, made up by a machine, or taken."""
    found, seen = [], set()
    for number, cell in enumerate(notebook.cells, start=1):
        name = cell.get("id", "")
        if not CELL_ID.fullmatch(name) or RANDOM_ID.fullmatch(name):
            found.append(
                f"cell number {number} has the id {name!r}; give it one that says "
                "what the cell is for, in the letters a-z, digits and hyphens"
            )
        elif name in seen:
            found.append(f"cell number {number} repeats the id {name!r}; rename it")
        seen.add(name)
    return found


def execution(notebook: NotebookNode) -> list[str]:
    """Find cells that were not executed in order, raised or warned."""
    found = []
    for number, cell in enumerate(code_cells(notebook), start=1):
        if cell.execution_count != number:
            found.append(
                f"cell {cell.get('id')}: execution count {cell.execution_count}, "
                f"expected {number}; {RUN}"
            )
        for output in cell.outputs:
            if output.output_type == "error":
                found.append(f"cell {cell.get('id')} raised {output.ename}; mend it")
            elif output.get("name") == "stderr":
                found.append(
                    f"cell {cell.get('id')} wrote to stderr: "
                    f"{plain(output.text).strip()[:80]!r}; mend what it warns of"
                )
    return found


def size(notebook: NotebookNode) -> list[str]:
    """Find a notebook with too many cells, and cells with too many lines."""
    found = []
    if len(notebook.cells) > MAX_CELLS:
        found.append(
            f"{len(notebook.cells)} cells, at most {MAX_CELLS}; split the page"
        )
    for cell in code_cells(notebook):
        lines = len(cell.source.splitlines())
        if lines > MAX_LINES:
            found.append(
                f"cell {cell.get('id')}: {lines} lines, at most {MAX_LINES}; "
                "move logic to src/sdpa"
            )
    return found


def source(notebook: NotebookNode) -> list[str]:
    """Find definitions outside exercises, and imports after the first code cell."""
    found = []
    cells = [cell for cell in code_cells(notebook) if cell.get("id") != SETUP]
    for number, cell in enumerate(cells):
        name = cell.get("id")
        try:
            tree = ast.parse(cell.source)
        except SyntaxError as error:
            found.append(f"cell {name}: not plain Python: {error.msg}; no magics here")
            continue
        nodes = list(ast.walk(tree))
        defines = any(isinstance(node, DEFINITIONS) for node in nodes)
        if defines and EXERCISE not in cell.metadata.get("tags", []):
            found.append(
                f"cell {name} defines a function or class; move it to src/sdpa, or "
                f"tag the cell {EXERCISE!r}"
            )
        imports = any(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)
        if number and imports:
            found.append(f"cell {name} imports; move that to the first code cell")
    return found


def results(notebook: NotebookNode) -> list[str]:
    """Find cells that print more than one result."""
    found = []
    for cell in code_cells(notebook):
        printed = sum(output.output_type == "stream" for output in cell.outputs)
        if printed > 1 or len(cell.outputs) - printed > 1:
            found.append(
                f"cell {cell.get('id')} has {len(cell.outputs)} outputs; print one "
                "result a cell, and show at most one figure or value besides"
            )
    return found


def figures(notebook: NotebookNode) -> list[str]:
    """Find images without a caption, or without alt text that says something."""
    found = []
    for cell in code_cells(notebook):
        if not any(has_image(output) for output in cell.outputs):
            continue
        shown = cell.metadata.get("mystnb", {})
        alt = shown.get("image", {}).get("alt", "").strip()
        caption = shown.get("figure", {}).get("caption", "").strip()
        where = f"cell {cell.get('id')}: the image"
        if not caption:
            found.append(f"{where} has no caption; set mystnb.figure.caption")
        if len(alt) < MIN_ALT:
            found.append(
                f"{where} has {len(alt)} characters of alt text; say in mystnb.image."
                f"alt what there is to see, in {MIN_ALT} characters or more"
            )
        elif alt == caption:
            found.append(f"{where} has its caption as alt text; say what is to see")
    return found


def has_image(output: NotebookNode) -> bool:
    """Tell whether an output is drawn as an image."""
    return any(kind.startswith("image/") for kind in output.get("data", {}))


def valid(notebook: NotebookNode) -> list[str]:
    """Find departures from the notebook format."""
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        return [f"no valid notebook: {error.message.splitlines()[0]}; {RUN}"]
    return []


def canonical_form(text: str) -> list[str]:
    """Find a notebook that something else than `make notebooks` has written."""
    if text != canonical.dumps(canonical.normalise(canonical.loads(text))):
        return [f"metadata or format were edited by hand; {RUN}"]
    return []


CHECKS: tuple[Callable[[NotebookNode], list[str]], ...] = (
    execution,
    size,
    source,
    results,
    figures,
)


def problems(path: Path) -> list[str]:
    """Find everything that keeps a notebook file from being published."""
    try:
        text = path.read_text(encoding="utf-8")
        notebook = canonical.loads(text)
    except ValueError as error:
        return [str(error)]
    found = cell_ids(notebook)
    if not found:  # nbformat makes up ids that are missing
        found += valid(notebook) + canonical_form(text)
    found += [problem for check in CHECKS for problem in check(notebook)]
    if len(text.encode()) > MAX_BYTES:
        found.append(f"{len(text.encode())} bytes, at most {MAX_BYTES}; draw less")
    return found
