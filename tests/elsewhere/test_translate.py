"""A translator reaches every sentence of a page, and markup survives."""

import shutil
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tools import translate

ROOT = Path(__file__).parents[2]
PAGE = "chapters/06_one_phrase"
SMALL = "chapters/bibliography"
# While it starts, the builder looks at every object of the process, those of torch too.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.distributed:FutureWarning")


@pytest.fixture(scope="module")
def translated(tmp_path_factory):
    """Build a book of two real pages, the first in pseudo-translation."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "chapters").mkdir()
    for name in (f"{PAGE}.ipynb", f"{SMALL}.md", "chapters/references.bib"):
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "assets", folder / "assets")
    shutil.copy(ROOT / "_config.yml", folder)
    (folder / "_toc.yml").write_text(
        f"format: jb-book\nroot: {PAGE}\nchapters:\n  - file: {SMALL}\n"
    )
    built = folder / "_build"
    return built, translate.pseudo_site(folder, PAGE, built)


def article(page: Path) -> BeautifulSoup:
    """Give what a reader reads of a page."""
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").article


def test_catalogue_has_the_words_of_the_page(translated):
    built, _ = translated
    text = (built / "gettext" / f"{PAGE}.pot").read_text(encoding="utf-8")
    assert 'msgid "One sentence"' in text and "chapters/06_one_phrase" in text


def test_every_paragraph_and_heading_is_translated(translated):
    _, page = translated
    found = article(page).select("h1, h2, h3, section p")
    assert len(found) > 10
    for tag in found:
        text = tag.get_text(" ", strip=True)
        assert translate.LEFT in text, text


def test_formulas_code_and_links_survive(translated):
    _, page = translated
    body = article(page)
    assert body.find("math") and "softmax" in body.select_one("div.cell_input").text
    # A page that was not translated stays as it was.
    assert translate.LEFT not in article(page.parent / "bibliography.html").text


def test_page_says_which_language_it_is_in(translated):
    _, page = translated
    assert '<html lang="en-XA"' in page.read_text(encoding="utf-8")


def test_unknown_page_is_an_error(translated, monkeypatch):
    built, _ = translated
    monkeypatch.setattr(translate, "catalogues", lambda root, output: [])
    with pytest.raises(ValueError, match="no page 'chapters/nowhere'"):
        translate.pseudo_site(built.parent, "chapters/nowhere", built)
