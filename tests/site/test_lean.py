"""Figures become part of a page, and what no page uses goes."""

from types import SimpleNamespace

import pytest
from fontTools.ttLib import TTFont
from sphinx.errors import ConfigError

from tools import browser, pdf
from tools.ext import address, drawings, lean, site
from tools.toc import Toc

DRAWING = """<?xml version="1.0"?>
<svg width="72pt" height="36pt" viewBox="0 0 72 36" xmlns="http://www.w3.org/2000/svg">
<metadata>Matplotlib</metadata><defs><style>*{}</style></defs>
<g id="unused"><path id="a" style="fill: #1F2933"/><use xlink:href="#a"/></g>
<text style="font: 10px 'DejaVu Sans', sans-serif; fill: #5b6770">x</text></svg>"""


def test_figure_follows_the_theme():
    found = drawings.inline(DRAWING, "A line", "figure-1")
    assert 'aria-label="A line"' in found and 'width="96" height="48"' in found
    assert "var(--book-ink)" in found and "var(--book-muted)" in found
    assert 'id="figure-1-a"' in found and 'href="#figure-1-a"' in found
    for gone in ("unused", "metadata", "<style", "xmlns", "DejaVu"):
        assert gone not in found


def test_figure_of_other_colours_keeps_them_on_a_card():
    found = drawings.inline(DRAWING.replace("#1F2933", "#123456"), "A line", "f")
    assert "figure-card" in found and "#123456" in found and "#5b6770" in found


def test_drawing_without_size_is_refused():
    with pytest.raises(ValueError, match="viewBox"):
        drawings.inline("<svg></svg>", "A line", "f")


def test_image_without_words_is_left_for_the_check(tmp_path):
    page = '<img alt="" src="_images/a.svg" />'
    assert drawings.inline_all(page, tmp_path) == page


@pytest.mark.parametrize(
    ("markup", "kept"),
    [('<div class="sd-tab-set">', True), ('<div class="other-sd-x">', False)],
)
def test_style_goes_where_nothing_uses_it(markup, kept):
    head = '<link rel="stylesheet" href="_static/sphinx-design.min.css?v=1" />'
    assert ("sphinx-design" in lean.drop_unused(head + markup)) is kept


def test_policy_stands_before_everything_else_and_once():
    page = site.restrict('<head><meta charset="utf-8" /><script></script>')
    assert page.index("Content-Security-Policy") < page.index("<script")
    assert site.restrict(page) == page and "unsafe-eval" not in page


def configured(monkeypatch, value: str) -> str:
    """Give the address that a value of the variable leads to."""
    monkeypatch.setenv(address.VARIABLE, value)
    config = SimpleNamespace(html_baseurl="")
    address.configure(None, config)
    return config.html_baseurl


def test_site_knows_its_address_only_when_told(monkeypatch, tmp_path):
    assert configured(monkeypatch, "") == ""
    assert configured(monkeypatch, "https://e.org/b") == "https://e.org/b/"
    with pytest.raises(ConfigError, match="BOOK_SITE_URL is 'e.org'"):
        configured(monkeypatch, "e.org")
    for name in ("page.html", "search.html", "index.html"):
        (tmp_path / name).write_text("")
    address.write_sitemap(tmp_path, "https://e.org/b/")
    listed = (tmp_path / "sitemap.xml").read_text()
    assert listed.count("<loc>") == 1 and "https://e.org/b/page.html" in listed
    address.write_sitemap(tmp_path, "")
    assert not (tmp_path / "sitemap.xml").exists()


def test_card_needs_an_address():
    page = "<title>Page &#8212; Book</title><h1>Page</h1><p>Text &amp; more.</p>"
    assert "og:image" not in address.describe(page, "page.html", "")
    told = address.describe(page, "page.html", "https://e.org/")
    assert 'content="https://e.org/_static/card.png"' in told
    assert 'content="Text &amp; more."' in told and 'content="Page"' in told


def test_named_browser_has_to_exist(monkeypatch):
    monkeypatch.setenv(browser.VARIABLE, "/no/such/program")
    with pytest.raises(browser.BrowserMissingError, match="/no/such/program"):
        browser.find()


def test_chapter_is_printed_whole(book, chromium):
    root = pdf.ROOT
    names = [
        page.relative_to(root).with_suffix(".html").as_posix()
        for page in Toc.load(root).pages()
    ]
    text = pdf.whole(book, names)
    assert text.count("<article") == len(names) and "<details class" in text
    assert text.count("selftest/form.css") == 1  # what one page needs alone
    printed = pdf.write(book, names[:2], chromium).read_bytes()
    assert printed.startswith(b"%PDF")
    for part in (b"/StructTreeRoot", b"/Outlines", b"/Lang"):
        assert part in printed
    (book / pdf.NAME).unlink()


def test_icon_that_a_style_sheet_holds_as_a_letter_stays(tmp_path):
    fonts = tmp_path / "_static/vendor/fontawesome/webfonts"
    fonts.mkdir(parents=True)
    sheet = tmp_path / "_static/theme.css"
    sheet.write_text(':root{--info:"\uf05a"} a:before{content:"\\f071"}')
    lean.write_icons(tmp_path)
    kept = TTFont(fonts / f"{lean.SOLID}.woff2").getBestCmap()
    assert {0xF05A, 0xF071} <= kept.keys() and len(kept) < 10
