"""What the theme leaves to tidy up: files that nothing on the page needs."""

import re
from pathlib import Path

from sphinx.application import Sphinx

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
    # the sidebar is no landmark
    '<div id="pst-primary-sidebar" ': (
        '<div role="complementary" aria-label="Book" id="pst-primary-sidebar" '
    ),
}
CITATION = re.compile(r"\[([a-z]+\d{4}[a-z]?)\]_")


def tidy(app: Sphinx, exception: Exception | None) -> None:
    """Take what is redundant out of the pages, and maps for debugging off the site."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    for page in site.rglob("*.html"):
        before = page.read_text(encoding="utf-8")
        after = REDUNDANT.sub("", before)
        for old, new in REPLACEMENTS.items():
            after = after.replace(old, new)
        if after != before:
            page.write_text(after, encoding="utf-8")
    scripts = site / "_static" / "scripts"
    for unused in {*scripts.glob("fontawesome.js*"), *scripts.glob("*.map")}:
        unused.unlink()


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
    app.connect("build-finished", tidy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
