"""Check the built site: alternatives for images, links, and no third party.

    python -m tools.site_check [_build/html]

Links are followed inside the site only, so the check needs no network.
"""

import argparse
import re
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag

from tools.toc import Toc

ROOT = Path(__file__).parents[1]
IMAGE_PATH = re.compile(r"\S+\.(png|svg|jpe?g|gif|webp)$", re.IGNORECASE)
CSS_URL = re.compile(r"(?:url\(|@import\s+)\s*['\"]?([^'\")\s;]+)")
# What makes a browser fetch something, unlike a link that somebody has to follow.
FETCHED = {
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "source": ("src", "srcset"),
    "iframe": ("src",),
    "object": ("data",),
    "embed": ("src",),
    "video": ("src", "poster"),
    "audio": ("src",),
}
SCRIPTED = re.compile(r"MathJax|require(?:\.min)?\.js|unpkg\.com|cdnjs|jsdelivr")


@cache
def soup(page: Path) -> BeautifulSoup:
    """Parse a page, once."""
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


@cache
def anchors(page: Path) -> frozenset[str]:
    """Collect what a link can point to in a page."""
    tags = soup(page).find_all(lambda tag: tag.has_attr("id") or tag.has_attr("name"))
    return frozenset(
        value for tag in tags for value in (tag.get("id"), tag.get("name"))
    )


def images(page: Path) -> list[str]:
    """Find images and formulas that a screen reader cannot make sense of."""
    found = []
    for image in soup(page).find_all("img"):
        alt = image.get("alt")
        decorative = alt == "" and image.get("role") in ("presentation", "none")
        if not (alt or decorative):
            found.append(f"image {image.get('src')} has no alt text; describe it")
        elif alt and IMAGE_PATH.fullmatch(alt):
            found.append(f"image {image.get('src')} has a file path as alt text")
    for drawing in soup(page).find_all("svg"):
        named = drawing.find("title") or drawing.get("aria-label")
        if not named and not _hidden(drawing):
            found.append("an svg has neither a title nor an aria-label; describe it")
    for formula in soup(page).find_all("math"):
        if formula.get("role", "math") not in ("math", "presentation", "none"):
            found.append(f"a formula has the role {formula['role']!r}; take it out")
        if not formula.find("annotation"):
            found.append("a formula does not carry its LaTeX source")
    for raw in soup(page).select(".math"):
        if raw.name != "math" and not raw.find("math"):
            found.append(f"the formula {raw.get_text()[:40]!r} was not converted")
    return found


def _hidden(tag: Tag) -> bool:
    return any(
        ancestor.get("aria-hidden") == "true" for ancestor in (tag, *tag.parents)
    )


def _is_external(address: str) -> bool:
    parts = urlsplit(address.strip())
    return parts.scheme in ("http", "https", "ftp") or bool(parts.netloc)


def third_parties(page: Path) -> list[str]:
    """Find what a page would fetch from elsewhere."""
    found = []
    for name, attributes in FETCHED.items():
        for tag in soup(page).find_all(name):
            for attribute in attributes:
                address = tag.get(attribute, "")
                canonical = name == "link" and "canonical" in tag.get("rel", [])
                if not canonical and _is_external(address.split(",")[0]):
                    found.append(f"<{name}> fetches {address}; serve it from the site")
    for tag in soup(page).find_all("script"):
        text = f"{tag.get('src', '')} {tag.string or ''}"
        if match := SCRIPTED.search(text):
            found.append(f"a script mentions {match[0]}; the site needs none of it")
    for tag in soup(page).find_all("style"):
        found += _css(tag.string or "")
    return found


def _css(text: str) -> list[str]:
    return [
        f"a style sheet fetches {address}; serve it from the site"
        for address in CSS_URL.findall(text)
        if _is_external(address)
    ]


def links(page: Path, site: Path) -> list[str]:
    """Find links inside the site, and files it needs, that lead nowhere."""
    found = []
    for tag in soup(page).find_all(["a", "link", "script", "img"]):
        address = tag.get("href") or tag.get("src") or ""
        parts = urlsplit(address)
        if parts.scheme or parts.netloc or not address:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if target.is_dir():
            target /= "index.html"
        if not target.is_file() or not target.is_relative_to(site.resolve()):
            found.append(f"{address} leads nowhere; mend the link")
        elif parts.fragment and target.suffix == ".html":
            if unquote(parts.fragment) not in anchors(target):
                found.append(f"{address}: the page has no such anchor; mend the link")
    return found


def pages_missing(site: Path, toc: Toc, root: Path) -> list[str]:
    """Find pages of the table of contents that were not built."""
    expected = [page.relative_to(root).with_suffix(".html") for page in toc.pages()]
    return [
        f"{page}: in the table of contents, but not built; run `make site`"
        for page in expected
        if not (site / page).is_file()
    ]


def problems(site: Path) -> list[str]:
    """Find everything that is wrong with the pages and style sheets of a site."""
    site = site.resolve()
    found = []
    pages = sorted(page for page in site.rglob("*.html") if "_static" not in page.parts)
    if not pages:
        return [f"{site} holds no page; run `make site`"]
    for page in pages:
        faults = images(page) + third_parties(page) + links(page, site)
        found += [f"{page.relative_to(site)}: {fault}" for fault in faults]
    for sheet in sorted(site.rglob("*.css")):
        faults = _css(sheet.read_text(encoding="utf-8"))
        found += [f"{sheet.relative_to(site)}: {fault}" for fault in faults]
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.site_check")
    parser.add_argument("site", nargs="?", type=Path, default=ROOT / "_build" / "html")
    site = parser.parse_args(arguments).site
    found = pages_missing(site, Toc.load(ROOT), ROOT) + problems(site)
    print("\n".join(found), end="\n" if found else "")
    print(f"{len(list(site.rglob('*.html')))} pages, {len(found)} problems")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
