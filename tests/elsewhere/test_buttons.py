"""Each button leads to a file that is there; without an address there is none."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup

from tests.site.pages import faults, settle
from tools.compressed import served
from tools.toc import Toc

ROOT = Path(__file__).parents[2]
FORGES = {"github.com", "gitlab.com", "mybinder.org", "colab.research.google.com"}
CONFIG = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
extensions = ["myst_nb", "sphinx_book_theme", "tools.ext.buttons"]
html_theme = "sphinx_book_theme"
project = "tiny"
nb_execution_mode = "off"
"""
PAGE = """# Page

```{only} repository
With buttons.
```
```{only} not repository
Without buttons.
```
"""
NOTEBOOK = (
    '{"cells": [{"cell_type": "markdown", "id": "title", "metadata": {}, '
    '"source": "# Notebook"}], "metadata": {"kernelspec": {"name": "python3", '
    '"display_name": "Python 3"}}, "nbformat": 4, "nbformat_minor": 5}'
)


def outside(page: Path) -> list[str]:
    """List the links of a page that leave for a forge or a place that runs it."""
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    found = [tag["href"] for tag in soup.select(".article-header-buttons a[href]")]
    return [link for link in found if urlsplit(link).netloc in FORGES]


def settings(**variables: str) -> dict[str, str]:
    """Give an environment with these addresses and no other."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("BOOK_", "GITHUB_"))
    }
    return kept | variables


@pytest.fixture
def build(tmp_path):
    """Give a function that builds a book of two pages, and gives their links."""
    source = tmp_path / "source"
    (source / "chapters").mkdir(parents=True)
    (source / "conf.py").write_text(CONFIG)
    (source / "index.md").write_text(
        PAGE + "\n```{toctree}\nchapters/note\n```\n", encoding="utf-8"
    )
    (source / "chapters" / "note.ipynb").write_text(NOTEBOOK)

    def run(output="site", **variables):
        command = [sys.executable, "-m", "sphinx", "-q", str(source)]
        done = subprocess.run(
            [*command, str(tmp_path / output)],
            env=settings(**variables),
            capture_output=True,
            text=True,
            check=False,
        )
        pages = [
            tmp_path / output / name for name in ("index.html", "chapters/note.html")
        ]
        return done, *pages

    return run


def test_without_an_address_nothing_leads_away(build):
    done, page, notebook = build()
    assert done.returncode == 0, done.stderr
    assert outside(page) == outside(notebook) == []
    assert "Without buttons." in page.read_text()
    assert "With buttons." not in page.read_text()


def test_address_of_a_branch_on_gitlab(build):
    done, page, notebook = build(
        BOOK_REPOSITORY="git@gitlab.com:team/sub/book.git", BOOK_BRANCH="fix/typo"
    )
    assert done.returncode == 0, done.stderr
    base = "https://gitlab.com/team/sub/book"
    assert outside(page) == [
        base,
        f"{base}/-/edit/fix/typo/index.md",
        f"{base}/-/issues/new?issue%5Btitle%5D=Mistake+in+index.md",
    ]
    assert [link for link in outside(notebook) if "gitlab.com" not in link] == [
        "https://mybinder.org/v2/gl/team%2Fsub%2Fbook/fix%2Ftypo"
        "?urlpath=lab/tree/chapters/note.ipynb"
    ]


def test_changed_address_changes_pages_that_were_built(build):
    build(GITHUB_REPOSITORY="ann/book", GITHUB_REF_NAME="main")
    done, page, notebook = build(BOOK_REPOSITORY="https://github.com/bob/fork")
    assert done.returncode == 0, done.stderr
    assert outside(page)[0] == "https://github.com/bob/fork"
    assert not any("ann" in link for link in outside(page) + outside(notebook))
    assert "With buttons." in page.read_text()


def test_wrong_address_stops_the_build(build):
    done, *_ = build(BOOK_REPOSITORY="ann/book")
    assert done.returncode != 0 and "expected an address on GitHub" in done.stderr


@pytest.fixture(scope="module")
def forked(tmp_path_factory) -> Path:
    """Build the whole book as a branch of a fork on GitHub."""
    folder = tmp_path_factory.mktemp("fork")
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", "."]
    paths = f"{ROOT / 'src'}{os.pathsep}{ROOT}"
    done = subprocess.run(
        [*command, "--all", "-n", "-q", "--path-output", str(folder)],
        cwd=ROOT,
        env=settings(
            BOOK_REPOSITORY="git@github.com:bob/fork.git",
            BOOK_BRANCH="spring/term",
            PYTHONPATH=paths,
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "_build" / "html"


def tracked() -> set[str]:
    """List the files that a push would bring; all files where git is not there."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return set(listed.stdout.splitlines()) or {
        path.relative_to(ROOT).as_posix() for path in ROOT.glob("chapters/*")
    }


def target(link: str) -> str:
    """Give the path in the repository that a link leads to."""
    parts = urlsplit(link)
    if parts.netloc == "mybinder.org":
        assert parts.path == "/v2/gh/bob/fork/spring%2Fterm"
        return unquote(parse_qs(parts.query)["urlpath"][0]).removeprefix("lab/tree/")
    if parts.netloc == "colab.research.google.com":
        start = "/github/bob/fork/blob/published-spring-term/"
    elif "/issues/" in parts.path:
        return parse_qs(parts.query)["title"][0].removeprefix("Mistake in ")
    else:
        start = "/bob/fork/edit/spring/term/"
    assert parts.path.startswith(start), link
    return unquote(parts.path.removeprefix(start))


def test_every_button_of_every_page_leads_to_its_source(forked):
    files = tracked()
    for source in Toc.load(ROOT).pages():
        path = source.relative_to(ROOT)
        links = outside(forked / path.with_suffix(".html"))
        leading = [link for link in links if link != "https://github.com/bob/fork"]
        assert len(links) - len(leading) == 1
        assert len(leading) == (4 if path.suffix == ".ipynb" else 2)
        assert {target(link) for link in leading} == {path.as_posix()} <= files


def test_notebook_of_every_page_can_be_downloaded(forked):
    for source in Toc.load(ROOT).notebooks():
        page = forked / source.relative_to(ROOT).with_suffix(".html")
        soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
        link = soup.select_one("a.btn-download-source-button")["href"]
        assert (page.parent / link).resolve().read_bytes() == source.read_bytes()


def test_generated_pages_have_no_source(forked):
    assert outside(forked / "search.html") == outside(forked / "genindex.html") == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_open_menus_are_accessible_and_fit(forked, context, theme, width):
    size = {"width": width, "height": 700}
    page = context(color_scheme=theme, viewport=size).new_page()
    with served(forked) as address:
        found, asked = faults(page), []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{address}/chapters/06_one_phrase.html")
        settle(page)
        for name in ("Run this page elsewhere", "Source of this page"):
            page.get_by_role("button", name=name).click()
            menu = page.locator(".dropdown-menu.show")
            box = menu.bounding_box()
            assert 0 <= box["x"] and box["x"] + box["width"] <= width
            icons = menu.locator("i").evaluate_all(
                "all => all.map(i => getComputedStyle(i, '::before').content)"
            )
            assert all(re.fullmatch(r'"[\ue000-\uf8ff]"', icon) for icon in icons)
            assert Axe().run(page).response["violations"] == []
        assert not found and all(url.startswith(address) for url in asked)
