r"""Check that every number in the prose was computed, and every reading time is right.

    python -m tools.prose [page ...]        default: every page of _toc.yml

The rule. In the Markdown cells, captions and alt texts of a notebook, each decimal
number, each percentage and each whole number from 13 must

* stand in what a code cell *above* printed, or the one that *comes next* after the
  sentence (the cell it announces), after rounding that to as many decimals
  as the prose gives; or
* stand as a literal in the source of such a cell; or
* be declared in the notebook's metadata as a fact from outside, with a reason:
  `"sdpa": {"constants": {"2017": "year of the paper"}}`.

A caption or an alt text may also use the cell that it belongs to. Signs do not count.
`12 %` may be printed as 0.12, `82 thousand` as 81993, `1/64` and `2^{30}` as their
values or by their parts, and a whole number from 100 may be rounded to two digits or
more. Not counted: code, link targets, roles, indices, and what names a place, such as
§4, section 6.2 or page 12. A declared constant that no prose uses is an error.

A Markdown page has no cells: its numbers must be computed by any notebook of the book,
or be declared in its front matter, `constants: {"3.11": "oldest Python that works"}`.

Reading time. Pages of the first two parts say `*About N minutes.*`, where N is one
minute for 200 words, and 10 s for a display formula, 15 s for a shown code cell and
15 s for a figure; it may be off by one. The root page gives the sum of what the first
part's pages say, in such a line of its own.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path

from nbformat import NotebookNode

from tools import canonical, markdown, quantities, reading
from tools.hygiene import code_cells, has_image
from tools.markdown import TAG, Prose
from tools.toc import Toc

ROOT = Path(__file__).parents[1]


@dataclass
class Sources:
    """The numbers that a page may use.

    Parameters
    ----------
    computed
        What code printed, or has as a literal.
    constants
        Declared facts, by how they are written.
    used
        Those of the constants that some prose used.
    """

    computed: set[Decimal] = field(default_factory=set)
    constants: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def declares(self, number: quantities.Number) -> bool:
        """Look for a number among the declared facts, and note its use."""
        found = False
        for key in self.constants:
            try:
                value = Decimal(key.replace(",", "").lstrip("-\N{MINUS SIGN}"))
            except InvalidOperation:
                continue
            if value in (number.value, number.digits and number.digits.value):
                self.used.add(key)
                found = True
        return found

    def supports(self, number: quantities.Number) -> bool:
        """Tell whether a number may stand in the prose."""
        if self.declares(number) or quantities.stands(number, self.computed):
            return True
        parts = number.parts
        return bool(parts) and all(self.supports(part) for part in parts)


def printed(cell: NotebookNode) -> str:
    """Give what a code cell shows as text."""
    shown = []
    for output in cell.outputs:
        if output.output_type == "stream":
            shown.append(output.text)
        elif "data" in output:
            kinds = ["text/html"] if has_image(output) else ["text/html", "text/plain"]
            shown += [TAG.sub(" ", output.data.get(kind, "")) for kind in kinds]
    return "\n".join(shown)


def computed(cell: NotebookNode) -> set[Decimal]:
    """Give the numbers that a code cell prints, or has as literals."""
    found = set(quantities.values(printed(cell)))
    try:
        return found | set(quantities.literals(cell.source))
    except SyntaxError:
        return found  # the notebook check reports it


def numbers(prose: Prose) -> Iterator[quantities.Number]:
    """Give the numbers of some prose, in its text and in its formulas."""
    for text in prose.text:
        yield from quantities.find(text)
    for formula in prose.formulas + prose.displays:
        yield from quantities.find_in_formula(formula)


def drawn(cell: NotebookNode) -> Prose:
    """Give the caption and the alt text of a cell's figure."""
    shown = cell.metadata.get("mystnb", {})
    caption = markdown.read(shown.get("figure", {}).get("caption", ""))
    caption.text.append(shown.get("image", {}).get("alt", ""))
    return caption


def _advice(number: quantities.Number, cells: list[NotebookNode]) -> str:
    """Say what to do about a number, given the code cells below it."""
    for cell in cells:
        if quantities.stands(number, computed(cell)):
            return f"only cell {cell.id}, further below, computes it; move that up"
    return "compute and print it above, or next, or declare it in sdpa.constants"


def notebook_numbers(notebook: NotebookNode) -> list[str]:
    """Find the numbers of a notebook that nothing supports."""
    sources = Sources(constants=notebook.metadata.get("sdpa", {}).get("constants", {}))
    found = []
    for position, cell in enumerate(notebook.cells):
        below = [later for later in notebook.cells[position:] if "outputs" in later]
        sources.computed.update(*map(computed, below[:1]))
        if cell.cell_type == "code":
            prose = drawn(cell)
        else:
            prose = markdown.read(reading.STATED.sub("", cell.source))
        found += [
            f"cell {cell.id}: the number {number.text}: {_advice(number, below)}"
            for number in numbers(prose)
            if not sources.supports(number)
        ]
    return list(dict.fromkeys(found)) + unused(sources)


def page_numbers(text: str, everywhere: set[Decimal]) -> list[str]:
    """Find the numbers of a Markdown page that no notebook supports."""
    prose = markdown.read(reading.STATED.sub("", text))
    constants = {str(key): why for key, why in prose.front.get("constants", {}).items()}
    sources = Sources(everywhere, constants)
    found = [
        f"the number {number.text}: no notebook computes it; let one do so, or declare "
        "it under `constants:` in the front matter"
        for number in numbers(prose)
        if not sources.supports(number)
    ]
    return list(dict.fromkeys(found)) + unused(sources)


def unused(sources: Sources) -> list[str]:
    """Find declared constants that no prose uses."""
    return [
        f"the constant {key!r} is declared, but no prose uses it; take it out"
        for key in sources.constants.keys() - sources.used
    ]


def check(toc: Toc, pages: list[Path]) -> list[str]:
    """Find everything that is wrong with the numbers and times of some pages."""
    everywhere = {
        value
        for path in toc.notebooks()
        for cell in code_cells(canonical.load(path))
        for value in computed(cell)
    }
    found = []
    for path in pages:
        if path.suffix == ".ipynb":
            problems = notebook_numbers(canonical.load(path))
        else:
            problems = page_numbers(path.read_text(encoding="utf-8"), everywhere)
        problems += reading.problems(path, toc)
        found += [f"{path}: {problem}" for problem in problems]
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.prose")
    parser.add_argument("pages", nargs="*", type=Path)
    options = parser.parse_args(arguments)
    toc = Toc.load(ROOT)
    pages = options.pages or toc.pages()
    found = check(toc, pages)
    print("\n".join(found), end="\n" if found else "")
    print(f"{len(pages)} pages, {len(found)} problems")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
