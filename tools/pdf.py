"""Print the whole chapter to one PDF, and link it from the built site.

    python -m tools.pdf [_build/html]

The articles of all pages become one page, and Chromium prints it: tagged, with
bookmarks, page numbers, and answers unfolded.
"""

import argparse
import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Browser

from tools.browser import BrowserMissingError, launched
from tools.toc import Toc

ROOT = Path(__file__).parents[1]
NAME = "chapter.pdf"
WHOLE = "_whole.html"
FOOTER = (
    '<div style="width: 100%; text-align: center; font: 8px sans-serif;'
    ' color: #5b6770">'
    '<span class="pageNumber"></span> / <span class="totalPages"></span></div>'
)
LINK = '<p class="pdf-link"><a href="{}">The whole chapter as a PDF</a></p>'
FOOT = '<div class="bd-footer-content__inner container">'
PDF_LINK = re.compile(r'<p class="pdf-link">.*?</p>\n?')


def prefix(path: str) -> str:
    """Give what makes the ids of a page unique in the whole.

    Examples
    --------
    >>> prefix("chapters/01_soft_lookup.html")
    'chapters-01_soft_lookup--'
    """
    return path.removesuffix(".html").replace("/", "-") + "--"


def adopt(article: Tag, path: str, pages: set[str]) -> None:
    """Make the ids and links of an article fit the page that holds all articles."""
    for tag in article.find_all(id=True):
        tag["id"] = prefix(path) + tag["id"]
    for tag in article.find_all(["a", "use"], href=True):
        parts = urlsplit(tag["href"])
        if parts.scheme or parts.netloc:
            continue
        folder = Path(path).parent
        target = (folder / unquote(parts.path)) if parts.path else Path(path)
        name = _normal(target)
        if name in pages:
            tag["href"] = "#" + prefix(name) + parts.fragment
        elif parts.path:
            del tag["href"]  # a file beside the page: nothing that paper could open
    for tag in article.find_all(attrs={"clip-path": True}):
        tag["clip-path"] = tag["clip-path"].replace("url(#", f"url(#{prefix(path)}")
    for image in article.find_all("img", src=True):
        image["src"] = _normal(Path(path).parent / unquote(image["src"]))
    for box in article.find_all("details"):
        if "fold" in box.get("class", []):
            box["open"] = ""
        else:
            box.decompose()  # the code of a figure: it is in the notebook
    for control in article.select("button, .headerlink, .selftest-sheet"):
        control.decompose()


def _normal(path: Path) -> str:
    parts: list[str] = []
    for part in path.as_posix().split("/"):
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def whole(site: Path, paths: list[str]) -> str:
    """Give the HTML source of one page with the articles of all of them."""
    sheets: dict[str, None] = {}  # in order: a page may have some of its own
    titles, bodies = [], []
    for path in paths:
        page = BeautifulSoup((site / path).read_text("utf-8"), "html.parser")
        for sheet in page.select("link[rel=stylesheet]"):
            sheets[sheet["href"].replace("../", "")] = None
        titles.append(page.title.string)
        article = page.select_one("article")
        adopt(article, path, set(paths))
        article["id"] = prefix(path)
        bodies.append(str(article))
    links = "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in sheets)
    return (
        '<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        f"<title>{titles[0]}</title>{links}<style>"
        "article { break-before: page } article:first-of-type { break-before: auto }"
        " body { background: #fff; display: block }</style></head>"
        f'<body><main class="bd-content">{"".join(bodies)}</main></body></html>'
    )


def write(site: Path, paths: list[str], browser: Browser) -> Path:
    """Print the pages of a site to one PDF inside it, with a browser that runs."""
    page_file, target = site / WHOLE, site / NAME
    page_file.write_text(whole(site, paths), encoding="utf-8")
    try:
        page = browser.new_page(color_scheme="light")
        page.goto(page_file.as_uri())
        page.evaluate("document.fonts.ready")
        page.pdf(
            path=target,
            format="A4",
            scale=0.75,  # letters as large as in a printed book
            margin=dict.fromkeys(("top", "right", "bottom", "left"), "18mm"),
            print_background=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=FOOTER,
            tagged=True,
            outline=True,
        )
        page.close()
    finally:
        page_file.unlink()
    return target


def link(site: Path, paths: list[str]) -> None:
    """Link the PDF at the foot of every page."""
    for path in paths:
        page = site / path
        up = "../" * path.count("/")
        text = PDF_LINK.sub("", page.read_text(encoding="utf-8"))
        linked = text.replace(FOOT, f"{FOOT}\n{LINK.format(up + NAME)}", 1)
        page.write_text(linked, encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.pdf")
    parser.add_argument("site", nargs="?", type=Path, default=ROOT / "_build" / "html")
    site = parser.parse_args(arguments).site.resolve()
    pages = Toc.load(ROOT).pages()
    paths = [page.relative_to(ROOT).with_suffix(".html").as_posix() for page in pages]
    if missing := [path for path in paths if not (site / path).is_file()]:
        print(f"{site} lacks {missing[0]}; run `make site` first", file=sys.stderr)
        return 1
    try:
        with launched() as browser:
            target = write(site, paths, browser)
    except BrowserMissingError as error:
        print(error, file=sys.stderr)
        return 1
    link(site, paths)
    print(f"The chapter is in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
