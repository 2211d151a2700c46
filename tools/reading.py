"""How long a page takes to read, and whether it says so."""

import re
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from tools import canonical, markdown
from tools.hygiene import has_image
from tools.toc import Toc

WORDS_PER_MINUTE = 200
SECONDS = {"formula": 10, "code": 15, "figure": 15}
HIDDEN = {"hide-cell", "hide-input", "remove-cell", "remove-input"}
# "*About 5 minutes.*", and on the root page more around it.
STATED = re.compile(r"\*[^*\n]*\bAbout (\d+) minutes?\b[^*\n]*\*")
WORD = re.compile(r"\w[\w'’-]*")


def seconds(cell: NotebookNode) -> float:
    """Estimate how long a cell takes to read."""
    if cell.cell_type == "code":
        shown = not HIDDEN & set(cell.metadata.get("tags", []))
        figures = sum(has_image(output) for output in cell.outputs)
        return SECONDS["code"] * shown + SECONDS["figure"] * figures
    prose = markdown.read(cell.source)
    words = sum(len(WORD.findall(text)) for text in prose.text)
    words += len(prose.formulas)  # read as a word
    return 60 * words / WORDS_PER_MINUTE + SECONDS["formula"] * len(prose.displays)


def cells(path: Path) -> list[NotebookNode]:
    """Give the cells of a page; a Markdown page is one cell."""
    if path.suffix == ".ipynb":
        return canonical.load(path).cells
    return [new_markdown_cell(path.read_text(encoding="utf-8"))]


def minutes(path: Path) -> int:
    """Estimate how long a page takes to read, in minutes, at least one."""
    return max(1, round(sum(map(seconds, cells(path))) / 60))


def stated(path: Path) -> int | None:
    """Find the reading time that a page gives, in minutes."""
    for cell in cells(path):
        if cell.cell_type == "markdown" and (match := STATED.search(cell.source)):
            return int(match[1])
    return None


def problems(path: Path, toc: Toc) -> list[str]:
    """Find a reading time that is missing or off by more than a minute."""
    if path == toc.root:
        expected = sum(stated(page) or minutes(page) for page in toc.parts[0])
    elif any(path in part for part in toc.parts[:2]):
        expected = minutes(path)
    else:
        return []
    found = stated(path)
    if found is None or abs(found - expected) > 1:
        unit = "minute" if expected == 1 else "minutes"
        says = "no reading time" if found is None else f"*About {found} minutes.*"
        return [f"{says}; write *About {expected} {unit}.*"]
    return []
