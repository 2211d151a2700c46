"""Live views on pages that have any: their scripts and style, and nothing elsewhere.

A notebook cell that shows a view is stored with the view's still form, an element with
`data-sdpa-view` and the state. Here the page gets the script that brings it to life.
"""

import re

from sphinx.application import Sphinx

from sdpa.views import _sources

VIEW = re.compile(r'\bdata-sdpa-view="([a-z-]+)"')
FOLDER = "views"


def write(app: Sphinx) -> None:
    """Write the scripts and the style sheet where pages can load them."""
    if app.builder.format != "html":
        return
    folder = app.outdir / "_static" / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    files = {f"{name}.js": _sources.script(name) for name in _sources.names()}
    files |= {"common.js": _sources.common_script(), "views.css": _sources.style()}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def load(app: Sphinx, pagename, templatename, context, doctree) -> None:
    """Let a page load the scripts of the views that it holds.

    Raises
    ------
    ValueError
        If a page holds a view that there is not; execute its notebook anew.
    """
    shown = sorted(set(VIEW.findall(context.get("body", ""))))
    if unknown := set(shown) - set(_sources.names()):
        raise ValueError(
            f"{pagename} holds the view {', '.join(sorted(unknown))}, expected one of "
            f"{', '.join(_sources.names())}; run `make notebooks`"
        )
    if shown:
        app.add_css_file(f"{FOLDER}/views.css")
    for name in ["common", *shown] if shown else []:
        app.add_js_file(f"{FOLDER}/{name}.js", loading_method="defer")


def setup(app: Sphinx) -> dict:
    """Register the scripts of the views."""
    app.connect("builder-inited", write)
    app.connect("html-page-context", load)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
