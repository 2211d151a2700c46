"""The forms of the self-test: built from the question bank, where a page asks for them.

A notebook says `<div data-self-test="d"></div>` where the form of question (d) belongs,
and `sheet` instead of a letter for the panel with the total. Jupyter shows nothing
there. The page gets one script, one style sheet, and a file for each set of practice
numbers, which is loaded when somebody asks for it.
"""

import re
from html import escape
from itertools import count

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import SphinxError

from sdpa.selftest import bank, page_sources

PLACE = re.compile(r'<div data-self-test="([\w-]*)"></div>')
FORM = 'class="selftest"'
FOLDER = "selftest"
WITHOUT_SCRIPTS = (
    "<noscript><p>Here is a form for people whose browser runs scripts. A notebook "
    "with <code>check</code>, or <code>sdpa check</code>, grades the same "
    "answers.</p></noscript>"
)


class FormError(SphinxError):
    """A form that cannot be built."""

    category = "Self-test error"


def form(letter: str) -> str:
    """Build the form of a question.

    Examples
    --------
    >>> form("c").count("<input ")
    2
    """
    item, base = bank()["items"][letter], f"selftest-{letter}"
    fields = "".join(
        _field(f"{base}-{name}", name, field) for name, field in item["fields"].items()
    )
    rows = _ROWS if any(f["type"] == "rows" for f in item["fields"].values()) else ""
    return (
        f'<form {FORM} id="{base}" data-item="{letter}" novalidate autocomplete="off">'
        f"<fieldset><legend>Your answer to ({letter})</legend>"
        f'<p class="selftest-question" data-question>{escape(item["question"])}</p>'
        f"{fields}{rows}</fieldset>"
        '<div class="selftest-actions">'
        f'<button type="submit">Check ({letter})</button>'
        '<button type="button" data-action="hint">Hint</button></div>'
        '<div role="status" data-hints></div>'
        '<div role="status" data-verdict></div>'
        f"</form>{WITHOUT_SCRIPTS}"
    )


_ROWS = (
    '<div class="selftest-actions">'
    '<button type="button" data-action="more">A row more in each</button>'
    '<button type="button" data-action="fewer" disabled>A row less in each</button>'
    "</div>"
)


def _field(base: str, name: str, field: dict) -> str:
    """Build label, hint, control and a place for an error message."""
    label = escape(field["label"])
    hint = (
        f'<span class="selftest-hint" id="{base}-hint">{escape(field["hint"])}</span>'
    )
    error = f'<span class="selftest-error" id="{base}-error"></span>'
    described = f'aria-describedby="{base}-hint {base}-error"'
    attributes = f'class="selftest-field" data-field="{name}"'
    if field["type"] in ("text", "option"):
        return (
            f'<div {attributes}><label for="{base}">{label}</label>{hint}'
            f"{_single(base, described, field)}{error}</div>"
        )
    return (
        f"<fieldset {attributes} {described}><legend>{label}</legend>{hint}"
        f'<div class="selftest-cells">{_cells(base, field)}</div>{error}</fieldset>'
    )


def _single(base: str, described: str, field: dict) -> str:
    if field["type"] == "text":
        return f'<input type="text" id="{base}" {described} {_TYPING}>'
    options = "".join(
        f'<option value="{i}">{escape(str(option))}</option>'
        for i, option in enumerate(field["options"])
    )
    blank = '<option value="">(choose)</option>'
    return f'<select id="{base}" {described}>{blank}{options}</select>'


_TYPING = 'spellcheck="false" autocapitalize="off" autocorrect="off"'


def _cells(base: str, field: dict) -> str:
    """Build an input for each entry of a list, of a row, or of a choice of places."""
    kind, number = "text", count(1)
    if field["type"] == "indices":
        kind = "checkbox"
    inputs = "".join(
        f'<label><span>{escape(word)}</span><input type="{kind}" '
        f'id="{base}-{next(number)}" {_TYPING if kind == "text" else ""}></label>'
        for word in field["cells"]
    )
    return f'<div class="selftest-row">{inputs}</div>'


SHEET = (
    '<form class="selftest selftest-sheet" id="selftest-sheet" novalidate '
    'autocomplete="off"><fieldset><legend>Your answer sheet</legend>'
    "<p data-total>Nothing was checked yet.</p>"
    '<div class="selftest-field" data-field="student">'
    '<label for="selftest-student">Your id</label>'
    '<span class="selftest-hint" id="selftest-student-hint">Only for a sheet that you '
    "hand in.</span>"
    '<input type="text" id="selftest-student" '
    f'aria-describedby="selftest-student-hint selftest-student-error" {_TYPING}>'
    '<span class="selftest-error" id="selftest-student-error"></span></div>'
    '<div class="selftest-field"><label for="selftest-file">A sheet to restore</label>'
    '<span class="selftest-hint" id="selftest-file-hint">Replaces what is filled in '
    "now.</span>"
    '<input type="file" id="selftest-file" accept=".json,application/json" '
    'aria-describedby="selftest-file-hint"></div></fieldset>'
    '<div class="selftest-actions">'
    '<button type="submit">Download the sheet</button>'
    '<button type="button" data-action="new">New numbers</button>'
    '<button type="button" data-action="book" disabled>The book’s numbers</button>'
    '<button type="button" data-action="clear">Clear the answers</button></div>'
    '<div role="status" data-message></div>'
    "</form>"
)


def place(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put forms where the page asks for them; other formats have none.

    Raises
    ------
    FormError
        If there is no such question.
    """
    for node in list(doctree.findall(nodes.raw)):
        match = PLACE.search(node.astext())
        if match is None:
            continue
        if app.builder.format != "html":
            node.parent.remove(node)
            continue
        name, letters = match[1], "".join(bank()["items"])
        if name != "sheet" and name not in [*letters]:
            raise FormError(
                f"{docname}: there is no form {name!r}; write one of the letters "
                f"{letters}, or sheet"
            )
        html = SHEET if name == "sheet" else form(name)
        node.replace_self(nodes.raw("", html, format="html"))


def write(app: Sphinx) -> None:
    """Write scripts and style where a page can load them."""
    if app.builder.format != "html":
        return
    folder = app.outdir / "_static" / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "form.js": page_sources.form_script(),
        "form.css": page_sources.style(),
        **{
            f"variant-{seed}.js": page_sources.variant_script(seed)
            for seed in page_sources.SEEDS
        },
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def load(app: Sphinx, pagename, templatename, context, doctree) -> None:
    """Let a page with forms load their script and style."""
    if FORM in context.get("body", ""):
        app.add_css_file(f"{FOLDER}/form.css")
        app.add_js_file(f"{FOLDER}/form.js", loading_method="defer")


def accept(app: Sphinx, config) -> None:
    """Pass over the answers that `check` keeps as data beside what it shows."""
    config.suppress_warnings = [*config.suppress_warnings, "mystnb.unknown_mime_type"]


def setup(app: Sphinx) -> dict:
    """Register the forms."""
    app.connect("config-inited", accept)
    app.connect("builder-inited", write)
    app.connect("doctree-resolved", place)
    app.connect("html-page-context", load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
