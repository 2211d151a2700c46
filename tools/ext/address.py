"""What a site needs once it has an address: canonical links, a sitemap, a card.

The address comes from the environment, `BOOK_SITE_URL=https://… make site`, since the
same book may be published in several places. Without it nothing is added: a site that
does not know where it lies must not say so.
"""

import os
import re
from html import escape, unescape
from pathlib import Path
from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.errors import ConfigError

VARIABLE = "BOOK_SITE_URL"
CARD = "_static/card.png"
TITLE = re.compile(r"<title>(.*?)(?: (?:&#8212;|—) .*?)?</title>", re.DOTALL)
FIRST_TEXT = re.compile(r"</h1>.*?<p>(?!<em>About)(.*?)</p>", re.DOTALL)
UNLISTED = {"search.html", "genindex.html", "py-modindex.html"}
LONGEST = 200


def site_address(value: str) -> str:
    """Check an address, and end it with a slash.

    Raises
    ------
    ValueError
        If it is not a complete http or https address.

    Examples
    --------
    >>> site_address("https://example.org/book")
    'https://example.org/book/'
    """
    parts = urlsplit(value)
    complete = parts.scheme in ("http", "https") and parts.netloc
    if not complete or parts.query or parts.fragment:
        raise ValueError(
            f"{VARIABLE} is {value!r}, expected an address such as "
            "https://example.org/book/; correct it or unset it"
        )
    return value.rstrip("/") + "/"


def configure(app: Sphinx, config) -> None:
    """Tell Sphinx the address; it writes the canonical links itself."""
    if value := os.environ.get(VARIABLE, ""):
        try:
            config.html_baseurl = site_address(value)
        except ValueError as error:
            raise ConfigError(str(error)) from None


def summary(page: str) -> str:
    """Give the first sentence or two of a page, without markup, as HTML source."""
    found = FIRST_TEXT.search(page)
    if not found:
        return ""
    text = re.sub(r"<annotation\b.*?</annotation>|<[^>]*>", "", found[1], flags=re.S)
    text = re.sub(r"\s+", " ", unescape(text).replace("\u2061", "")).strip()
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(" ", 1)[0] + " …"
    return escape(text)


def describe(page: str, address: str, base: str) -> str:
    """Add what search engines and previews show to the head of a page.

    Parameters
    ----------
    page
        The HTML source.
    address
        Its path in the site.
    base
        The address of the site; empty when it has none.
    """
    title = TITLE.search(page)
    if not title or 'property="og:title"' in page:
        return page
    tags = [("property", "og:type", "article"), ("property", "og:title", title[1])]
    if text := summary(page):
        tags += [("name", "description", text), ("property", "og:description", text)]
    if base:
        tags += [
            ("property", "og:url", base + address),
            ("property", "og:image", base + CARD),
            ("name", "twitter:card", "summary_large_image"),
        ]
    lines = "".join(
        f'\n    <meta {kind}="{name}" content="{content}" />'
        for kind, name, content in tags
    )
    return page.replace(title[0], title[0] + lines, 1)


def write_sitemap(site: Path, base: str) -> None:
    """List the pages for search engines, or leave no list without an address."""
    target = site / "sitemap.xml"
    target.unlink(missing_ok=True)
    if not base:
        return
    pages = sorted(page.relative_to(site).as_posix() for page in site.rglob("*.html"))
    listed = [
        page
        for page in pages
        if page not in UNLISTED and not page.startswith("_") and page != "index.html"
    ]
    entries = "".join(f"<url><loc>{escape(base + page)}</loc></url>" for page in listed)
    target.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>\n',
        encoding="utf-8",
    )
