"""Read MyST Markdown for what a reader sees: words, formulas and numbers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_blocks import myst_block_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

# Directives whose body is prose; the arguments of the first kind are prose as well.
TITLED = {"admonition", "dropdown", "figure", "table", "list-table"}
BOXED = {"attention", "caution", "danger", "error", "hint", "important", "note"}
BOXED |= {"seealso", "tip", "warning", "margin", "glossary"}
DIRECTIVE = re.compile(r"\{([\w:.-]+)\}\s*(.*)")
OPTION = re.compile(r"\s*:[\w-]+:.*")
TAG = re.compile(r"<[^>]*>")

_parser = (
    MarkdownIt("commonmark")
    .enable("table")
    .use(front_matter_plugin)
    .use(myst_block_plugin)
    .use(myst_role_plugin)
    .use(dollarmath_plugin, allow_labels=True, double_inline=True)
    .use(amsmath_plugin)
    .use(deflist_plugin)
    .use(colon_fence_plugin)
)


@dataclass
class Prose:
    """What a reader sees of a piece of Markdown.

    Parameters
    ----------
    text
        Paragraphs, headings and table cells, without code, links' targets or roles.
    formulas
        LaTeX sources of inline formulas.
    displays
        LaTeX sources of display formulas.
    front
        The front matter of a page.
    """

    text: list[str] = field(default_factory=list)
    formulas: list[str] = field(default_factory=list)
    displays: list[str] = field(default_factory=list)
    front: dict = field(default_factory=dict)


def read(markdown: str) -> Prose:
    """Read a page or a cell.

    Examples
    --------
    >>> read("Of `64` [keys](page_12.md), $m$ count.").text
    ['Of  keys,  count.']
    """
    prose = Prose()
    for token in _parser.parse(markdown):
        _block(token, prose)
    return prose


def _block(token: Token, prose: Prose) -> None:
    if token.type == "inline":
        prose.text.append("".join(_inline(token, prose)))
    elif token.type in ("math_block", "math_block_label", "amsmath"):
        prose.displays.append(token.content)
    elif token.type == "html_block":
        prose.text.append(TAG.sub(" ", token.content))
    elif token.type == "front_matter":
        prose.front = yaml.safe_load(token.content) or {}
    elif token.type in ("fence", "colon_fence"):
        _directive(token, prose)


def _inline(token: Token, prose: Prose) -> Iterator[str]:
    for child in token.children or []:
        if child.type == "text":
            yield child.content
        elif child.type in ("softbreak", "hardbreak"):
            yield " "
        elif child.type == "math_inline_double":
            prose.displays.append(child.content)
        elif child.type == "math_inline":
            prose.formulas.append(child.content)
        elif child.type == "image":
            prose.text.append(child.content)


def _directive(token: Token, prose: Prose) -> None:
    """Read the body of a directive when it is prose or a formula."""
    match = DIRECTIVE.fullmatch(token.info.strip())
    if not match:
        return  # a block of code
    name, argument = match[1], match[2]
    lines = token.content.splitlines()
    if lines and lines[0].strip() == "---" and "---" in lines[1:]:
        lines = lines[lines.index("---", 1) + 1 :]
    while lines and OPTION.fullmatch(lines[0]):
        lines.pop(0)
    body = "\n".join(lines)
    if name == "math":
        prose.displays.append(body)
    elif name in TITLED | BOXED:
        title = argument if name in TITLED - {"figure"} else ""
        inner = read(f"{title}\n\n{body}")
        prose.text += inner.text
        prose.formulas += inner.formulas
        prose.displays += inner.displays
