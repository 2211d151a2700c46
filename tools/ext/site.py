"""What the theme leaves to tidy up, once all pages are written."""

import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from tools.ext import address, drawings, lean, purge

# Draws the icons a second time, in 1.5 MB of JavaScript; the web font draws them.
REDUNDANT = re.compile(
    r"\s*(<!-- So that users can add custom icons -->)?"
    r"\s*<script[^>]*scripts/fontawesome\.js[^>]*></script>"
)
# What screen readers trip over, and what takes its place.
REPLACEMENTS = {
    # hides what the button says, "Show the code"
    ' aria-label="Toggle hidden content"': "",
    # a deprecated role, and a list that holds other things than items
    ' role="doc-biblioentry"': "",
    '<div role="list" class="citation-list">': '<div class="citation-list">',
    # a theme that only a late script decides is drawn twice, and never without one
    'data-theme="auto"': 'data-theme="light"',
    'dataset.theme = localStorage.getItem("theme") || "auto";': (
        'dataset.theme = ["light", "dark"].find((mode) => '
        'mode === localStorage.getItem("mode")) || '
        '(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");'
    ),
    # the sidebar is no landmark
    '<div id="pst-primary-sidebar" ': (
        '<div role="complementary" aria-label="Book" id="pst-primary-sidebar" '
    ),
}
# Everything comes from the site itself; `file:` is the site when the folder was
# downloaded. Nothing may be evaluated from text.
POLICY = "; ".join(
    (
        "default-src 'self' file:",  # Firefox fetches the next page ahead
        "object-src 'none'",
        "frame-src 'none'",
        "script-src 'self' file: 'unsafe-inline'",
        "style-src 'self' file: 'unsafe-inline'",
        "img-src 'self' file: data: blob:",
        "font-src 'self' file: data:",
        "connect-src 'self' file:",
        "form-action 'self' file:",
        "base-uri 'none'",
    )
)
CHARSET = re.compile(r'<meta charset="utf-8"\s*/?>', re.IGNORECASE)
ENTRANCE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="{policy}" />
<meta http-equiv="refresh" content="0; url={target}" />
<title>Scaled dot-product attention</title></head>
<body><main><h1>Scaled dot-product attention</h1>
<p><a href="{target}">To the first page</a></p></main></body></html>
"""
# The search looks for the anchor of a result as if it were a style selector, in which
# the dot of a module's name means something else.
SEARCH_ANCHOR = (
    'querySelector(`[role="main"] ${anchor}`)',
    "getElementById(decodeURIComponent(anchor.slice(1)))",
)
CITATION = re.compile(r"\[([a-z]+\d{4}[a-z]?)\]_")


def fold(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Let the browser fold away what has the class `dropdown`; it needs no script."""
    if app.builder.format != "html":
        return
    for box in list(doctree.findall(nodes.Admonition)):
        if "dropdown" not in box["classes"]:
            continue
        kept = [name for name in box["classes"] if name != "dropdown"]
        names = " ".join(["admonition", "fold", *kept])
        ids = "".join(f'<span id="{name}"></span>' for name in box["ids"])
        title, *body = box.children
        opening = f'{ids}<details class="{names}"><summary class="admonition-title">'
        start = box.parent.index(box)
        box.parent[start : start + 1] = [
            nodes.raw("", opening, format="html"),
            *title.children,
            nodes.raw("", "</summary>", format="html"),
            *body,
            nodes.raw("", "</details>", format="html"),
        ]


def restrict(page: str) -> str:
    """Forbid a page to load anything from elsewhere, and to evaluate text."""
    if "Content-Security-Policy" in page:
        return page
    tag = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}" />'
    return CHARSET.sub(lambda charset: f"{charset[0]}\n    {tag}", page, count=1)


def tidy_page(page: str, path: str, site: Path, base: str) -> str:
    """Give the tidy form of a page; tidying it again changes nothing."""
    page = REDUNDANT.sub("", page)
    for old, new in REPLACEMENTS.items():
        page = page.replace(old, new)
    page = drawings.inline_all(page, (site / path).parent)
    page = lean.drop_unused(page)
    return restrict(address.describe(page, path, base))


def write_entrance(site: Path, root: str) -> None:
    """Write the page that leads from the folder of the site to the first page."""
    if root != "index" and (site / f"{root}.html").is_file():
        text = ENTRANCE.format(policy=POLICY, target=f"{root}.html")
        (site / "index.html").write_text(text, encoding="utf-8")


def tidy(app: Sphinx, exception: Exception | None) -> None:
    """Tidy up the pages, then the files they use."""
    if exception or app.builder.format != "html":
        return
    site, base = Path(app.outdir), app.config.html_baseurl
    for page in site.rglob("*.html"):
        before = page.read_text(encoding="utf-8")
        after = tidy_page(before, page.relative_to(site).as_posix(), site, base)
        if after != before:
            page.write_text(after, encoding="utf-8")
    search = site / "_static" / "searchtools.js"
    if search.is_file():
        search.write_text(search.read_text("utf-8").replace(*SEARCH_ANCHOR), "utf-8")
    write_entrance(site, app.config.root_doc)
    lean.remove_files(site)
    purge.purge_theme(site)
    lean.write_icons(site)
    lean.embed_fonts(site)
    lean.remove_empty_folders(site)
    address.write_sitemap(site, base)


def cite(app, what, name, obj, options, lines: list[str]) -> None:
    """Turn the `[key]_` of a docstring into a citation, and keep |x| as it is."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")) and "``" not in line:
            line = line.replace("|", r"\|")  # no substitution: an absolute value
        lines[number] = CITATION.sub(r":cite:t:`\1`", line)


def setup(app: Sphinx) -> dict:
    """Register the clean-up."""
    # Jupyter Book sets it whether or not the extension that reads it is loaded.
    app.add_config_value("comments_config", {}, "html")
    app.connect("autodoc-process-docstring", cite, priority=100)  # before napoleon
    app.connect("doctree-resolved", fold)
    app.connect("config-inited", address.configure)
    app.connect("build-finished", tidy, priority=900)  # after every extension
    return {"parallel_read_safe": True, "parallel_write_safe": True}
