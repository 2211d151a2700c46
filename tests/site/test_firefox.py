"""Every page also works in Firefox: formulas, figures, boxes, views, forms, search.

Left out of `make test`, which needs one browser only: `make test-browsers`.
"""

import pytest

from tests.site.pages import CHAPTERS, OPERATE, PAGES, wait
from tools import firefox as engine

pytestmark = pytest.mark.firefox

LAPTOP, NARROW = (1280, 800), (360, 740)
# What of a page a reader could not see: formulas, figures and pictures without a size.
UNSEEN = """() => {
  const small = element => {
    const box = element.getBoundingClientRect();
    return box.width < 2 || box.height < 2;
  };
  const inside = [...document.querySelectorAll(
    "article math, article .figure, article img")];
  return inside.filter(element => small(element) || element.naturalWidth === 0)
    .map(element => element.outerHTML.slice(0, 120));
}"""
UNFOLD = """() => {
  const boxes = [...document.querySelectorAll("article details")];
  for (const box of boxes) if (!box.open) box.querySelector("summary").click();
  return boxes.filter(box => !box.open).length;
}"""
# A formula that is still arriving is told to lack parts, so ask when it is complete.
INCOMPLETE = """() => {
  const parts = { mfrac: 2, mroot: 2, msub: 2, msup: 2, munder: 2, mover: 2,
    msubsup: 3, munderover: 3 };
  return [...document.querySelectorAll(Object.keys(parts))]
    .filter(element => element.children.length !== parts[element.localName])
    .map(element => element.outerHTML);
}"""
ARRIVING = "javascript: Invalid markup: Incorrect number of children"
TOO_WIDE = """() => document.documentElement.scrollWidth
  > document.documentElement.clientWidth"""


@pytest.fixture(scope="module")
def firefox():
    """Start Firefox; a machine without it fails."""
    with engine.launched() as running:
        yield running


@pytest.fixture
def opened(firefox):
    """Give a function that opens an address in a tab, and close the tabs."""
    tabs = []

    def run(address: str, size=LAPTOP) -> engine.Page:
        tabs.append(firefox.open(address))
        tabs[-1].resize(*size)
        return tabs[-1]

    yield run
    for tab in tabs:
        tab.close()


def strangers(page: engine.Page, base: str) -> list[str]:
    """Give the addresses outside the site that a page asked."""
    own = (base, "data:", "blob:")
    return [url for url in page.requests if not url.startswith(own)]


def errors(page: engine.Page) -> list[str]:
    """Give the errors and warnings of a page."""
    return [line for line in page.errors if not line.startswith(ARRIVING)]


@pytest.mark.parametrize("path", PAGES)
def test_page_works(path, address, opened):
    page = opened(f"{address}/{path}")
    page.evaluate("document.fonts.ready.then(() => 0)")
    assert page.evaluate(UNFOLD) == 0
    assert page.evaluate(UNSEEN) == []
    assert page.evaluate(INCOMPLETE) == []
    failed = "[...document.fonts].filter(font => font.status === 'error').length"
    assert page.evaluate(failed) == 0
    page.evaluate(OPERATE)
    page.resize(*NARROW)
    assert not page.evaluate(TOO_WIDE)
    assert not strangers(page, address)
    assert errors(page) == []


@pytest.mark.parametrize("path", CHAPTERS)
def test_downloaded_page_works(path, book, opened):
    page = opened((book / path).as_uri())
    page.evaluate("document.fonts.ready.then(() => 0)")
    assert page.evaluate(UNFOLD) == 0
    assert page.evaluate(UNSEEN) == []
    page.evaluate(OPERATE)
    assert not strangers(page, book.as_uri())
    assert errors(page) == []


def test_formulas_are_drawn_in_the_font_of_the_book(address, opened):
    page = opened(f"{address}/{CHAPTERS[1]}")
    page.evaluate("document.fonts.ready.then(() => 0)")
    width = "document.querySelector('article math').getBoundingClientRect().width"
    own = page.evaluate(width)
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend',"
        "'<style>math { font-family: monospace !important }</style>')"
    )
    assert page.evaluate(width) != own


def test_latex_of_a_formula_is_copied(address, opened):
    page = opened(f"{address}/{CHAPTERS[1]}")
    page.click(".math-display .copy-latex")
    label = "document.querySelector('.math-display .copy-latex').textContent"
    wait(page, f"{label} === 'Copied'")
    assert errors(page) == []


def test_theme_is_chosen(address, opened):
    page = opened(f"{address}/{CHAPTERS[1]}")
    before = page.evaluate("document.documentElement.dataset.mode")
    page.click(".theme-switch-button")
    wait(page, f"document.documentElement.dataset.mode !== '{before}'")


@pytest.mark.parametrize("kind", ["http", "file"])
def test_search_finds(kind, book, address, opened):
    base = address if kind == "http" else book.as_uri()
    page = opened(f"{base}/{CHAPTERS[0]}")
    page.click(".search-button-field")
    wait(page, "document.activeElement.matches('input[type=search]')")
    page.press("softmax")
    page.press("Enter")
    wait(page, "location.pathname.endsWith('/search.html')")
    wait(page, "document.querySelectorAll('#search-results li a').length >= 3")
    assert not strangers(page, base)
    assert errors(page) == []


def test_fault_is_heard(address, opened):
    page = opened(f"{address}/{CHAPTERS[0]}")
    page.evaluate("void setTimeout(() => { throw new Error('a fault') })")
    page.evaluate("void fetch('https://example.org/').catch(() => 0)")
    page.evaluate("new Promise(done => setTimeout(done, 200))")
    heard = "\n".join(page.errors)
    assert "a fault" in heard and "example.org" in heard
