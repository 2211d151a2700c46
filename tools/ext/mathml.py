r"""Formulas without JavaScript: LaTeX becomes MathML Core while the site is built.

Browsers draw MathML Core themselves, so a page with formulas loads no script and
cannot show raw LaTeX while it waits for one. What this module adds to `math-core`:

* the LaTeX source stays inside the formula as an annotation, so it can be copied;
* a command that is not known stops the build, and names the file and the formula;
* ``\boxed`` becomes a group with the class ``boxed``, which ``book.css`` frames, and
  primes get the class ``prime``;
* the maths font is cut down to the characters that the built pages use.
"""

import re
from pathlib import Path

from docutils import nodes
from docutils.utils import get_source_line
from math_core import LatexError, LatexToMathML
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.math import get_node_equation_number

from tools.ext.fonts import subset_font

FONT = Path(__file__).parents[2] / "assets" / "fonts" / "latinmodern-math.woff2"
# MyST-NB numbers the lines of a notebook cell from this multiple of the cell.
LINES_PER_CELL = 10_000
# Environments that number themselves; Sphinx does the numbering here.
NUMBERED = re.compile(r"\\(begin|end)\{(align|equation|gather|multline)\}")
MATH = re.compile(r"<math\b.*?</math>", re.DOTALL)
ANNOTATION = re.compile(r"<annotation\b.*?</annotation>", re.DOTALL)
OPENING = re.compile(r"[(\[“‘\"'—–-]+$")
CLOSING = re.compile(r"[)\].,;:!?”’\"'%—–-]+")
REPLACEMENTS = {
    '<menclose notation="box">': '<mrow class="boxed">',
    "</menclose>": "</mrow>",
    # a prime has a form of its own for where scripts stand, which has to be asked for
    "<mo>′</mo>": '<mo class="prime">′</mo>',
}
# Letters whose slanted form stands apart from the others.
SLANTED = {"h": "\N{PLANCK CONSTANT}"} | dict(zip("∇∂ϵϑϰϕϱϖ", "𝛻𝜕𝜖𝜗𝜘𝜙𝜚𝜛", strict=True))

_converter = LatexToMathML(annotation=True, fancy_error=False)


class FormulaError(SphinxError):
    """A formula that cannot be converted."""

    category = "Formula error"


def convert(latex: str, *, display: bool = False) -> str:
    r"""Convert one formula to MathML Core.

    Parameters
    ----------
    latex
        The formula, without its dollar signs.
    display
        Whether it stands on a line of its own.

    Raises
    ------
    ValueError
        If the formula holds a command or an environment that is not known.

    Examples
    --------
    >>> convert("x")[:26]
    '<math><semantics><mi>x</mi'
    >>> 'class="boxed"' in convert(r"\boxed{x}")
    True
    """
    try:
        mathml = _converter.convert_with_local_state(latex, displaystyle=display)
    except LatexError as error:
        raise ValueError(str(error)) from None
    for old, new in REPLACEMENTS.items():
        mathml = mathml.replace(old, new)
    return mathml


def align(latex: str, *, raw: bool = False) -> str:
    r"""Give a display formula the environment that its line breaks need.

    Parameters
    ----------
    latex
        A display formula; a blank line or ``\\`` breaks it.
    raw
        Whether it brings its own environment, which then must not number itself.

    Examples
    --------
    >>> align("a &= b\\\\ c &= d")
    '\\begin{aligned}a &= b\\\\ c &= d\\end{aligned}'
    >>> align(r"\begin{align}a\end{align}", raw=True)
    '\\begin{align*}a\\end{align*}'
    """
    if raw:
        return NUMBERED.sub(r"\\\1{\2*}", latex)
    lines = [part.strip() for part in latex.split("\n\n") if part.strip()]
    joined = r"\\".join(lines)
    outside = re.sub(r"\\begin\{(\w+\*?)\}.*?\\end\{\1\}", "", joined, flags=re.DOTALL)
    if r"\\" in outside:
        return rf"\begin{{aligned}}{joined}\end{{aligned}}"
    return joined


def where(node: nodes.Node) -> str:
    """Say in words where a node stands: the file, and the cell of a notebook."""
    source, line = get_source_line(node)
    if line and line >= LINES_PER_CELL:
        cell, line = divmod(line, LINES_PER_CELL)
        return f"{source}, cell {cell}, line {line}"
    return f"{source}, line {line}" if line else str(source)


def _converted(node: nodes.Element, latex: str, *, display: bool) -> str:
    try:
        return convert(latex, display=display)
    except ValueError as error:
        raise FormulaError(
            f"{where(node)}: the formula {latex!r} cannot be converted: {error} "
            "Write it with commands that math-core knows."
        ) from None


def keep_together(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Tie inline formulas to the punctuation that touches them.

    A browser may break a line on either side of a formula, and would leave a comma or
    a closing bracket alone on the next line.
    """
    for formula in list(doctree.findall(nodes.math)):
        parent, position = formula.parent, formula.parent.index(formula)
        before = parent[position - 1] if position else None
        after = parent[position + 1] if position + 1 < len(parent) else None
        opening = OPENING.search(before) if isinstance(before, nodes.Text) else None
        closing = CLOSING.match(after) if isinstance(after, nodes.Text) else None
        if not (opening or closing):
            continue
        tied = nodes.inline(classes=["math-tied"])
        parent.replace(formula, tied)
        tied += [nodes.Text(opening[0])] if opening else []
        tied += formula
        if opening:
            parent.replace(before, nodes.Text(before[: opening.start()]))
        if closing:
            tied += nodes.Text(closing[0])
            parent.replace(after, nodes.Text(after[closing.end() :]))


def visit_math(translator, node: nodes.math) -> None:
    """Write an inline formula."""
    translator.body.append(_converted(node, node.astext(), display=False))
    raise nodes.SkipNode


def visit_math_block(translator, node: nodes.math_block) -> None:
    """Write a display formula in a box of its own, which scrolls when it is wide."""
    latex = align(node.astext(), raw=node.get("nowrap", False))
    mathml = _converted(node, latex, display=True)
    classes = "math math-display"
    if node.get("number"):
        classes += " math-numbered"
    translator.body.append(translator.starttag(node, "div", CLASS=classes))
    translator.body.append(f'<div class="math-scroll" tabindex="0">{mathml}</div>')
    if node.get("number"):
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def italic(char: str) -> str:
    """Give the slanted form in which a browser draws a one-letter identifier.

    Examples
    --------
    >>> italic("x"), italic("h"), italic("α"), italic("∂"), italic("+")
    ('𝑥', 'ℎ', '𝛼', '𝜕', '+')
    """
    if char in SLANTED:
        return SLANTED[char]
    for first, last, start in (
        ("A", "Z", 0x1D434),
        ("a", "z", 0x1D44E),
        ("Α", "Ω", 0x1D6E2),
        ("α", "ω", 0x1D6FC),
    ):
        if first <= char <= last:
            return chr(start + ord(char) - ord(first))
    return char


def characters(html: str) -> set[str]:
    """Collect the characters that the formulas of a page draw.

    Examples
    --------
    >>> sorted(characters("<p>no</p><math><mi>x</mi><mo>=</mo></math>"))
    ['=', 'x', '𝑥']
    >>> "√" in characters("<math><msqrt><mi>x</mi></msqrt></math>")
    True
    """
    found: set[str] = set()
    for formula in MATH.findall(html):
        drawn = re.sub(r"<[^>]*>", "", ANNOTATION.sub("", formula))
        drawn = re.sub(r"&(\w+|#\w+);", "&<>", drawn)
        found.update(drawn)
        if "<msqrt" in formula or "<mroot" in formula:
            found.add("√")  # drawn by the browser, not written in the markup
    return found | {italic(char) for char in found}


def write_font(app: Sphinx, exception: Exception | None) -> None:
    """Write the subset of the maths font next to the style sheet that names it."""
    if exception or app.builder.format != "html":
        return
    used: set[str] = set()
    for page in Path(app.outdir).rglob("*.html"):
        used |= characters(page.read_text(encoding="utf-8"))
    target = Path(app.outdir) / "_static" / FONT.name
    target.write_bytes(subset_font(FONT, used | set("0123456789")))


def setup(app: Sphinx) -> dict:
    """Register the renderer; `html_math_renderer: mathml` chooses it."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.connect("doctree-resolved", keep_together)
    app.connect("build-finished", write_font)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
