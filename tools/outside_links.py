"""Ask every other site that the book links to whether the page is still there.

    python -m tools.outside_links [_build/html]

This is no part of `make test`: it needs a network, and what it finds is nobody's fault
here. What leads to a service that would start something, such as Binder, is not asked.
"""

import argparse
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import urldefrag, urlsplit
from urllib.request import Request, urlopen

from tools.site_check import ROOT, soup

SECONDS = 20
AT_ONCE = 8
BROWSER = {"User-Agent": "Mozilla/5.0 (compatible; link check of a book)"}
# Opening one of these builds an image or asks for a login, and tells nothing.
UNASKED = {"mybinder.org", "colab.research.google.com"}
# Not for programs, or not right now: neither there nor gone.
UNCLEAR = {401, 403, 429, 503}
GET_ONLY = {404, 405, 501}  # some servers know no HEAD


def collect(site: Path) -> dict[str, list[str]]:
    """Find the links that leave a site, with the pages that hold them."""
    found = defaultdict(list)
    for page in sorted(site.rglob("*.html")):
        for anchor in soup(page).find_all("a", href=True):
            address = urldefrag(anchor["href"].strip()).url
            parts = urlsplit(address)
            if parts.scheme in ("http", "https") and parts.hostname not in UNASKED:
                where = page.relative_to(site).as_posix()
                if where not in found[address]:
                    found[address].append(where)
    return dict(found)


def _status(address: str, method: str) -> int | str:
    try:
        request = Request(address, headers=BROWSER, method=method)
        with urlopen(request, timeout=SECONDS) as answer:
            return answer.status
    except HTTPError as error:
        return error.code
    except (URLError, OSError, ValueError) as error:
        return str(getattr(error, "reason", error)) or type(error).__name__


def ask(address: str) -> int | str:
    """Give the status of an address, or why there is none."""
    status = _status(address, "HEAD")
    return _status(address, "GET") if status in GET_ONLY else status


def is_gone(status: int | str) -> bool:
    """Tell whether an answer means that the page is not there.

    Examples
    --------
    >>> is_gone(404), is_gone(200), is_gone(403), is_gone("timed out")
    (True, False, False, True)
    """
    return isinstance(status, str) or (status >= 400 and status not in UNCLEAR)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.outside_links")
    parser.add_argument("site", nargs="?", type=Path, default=ROOT / "_build" / "html")
    links = collect(parser.parse_args(arguments).site.resolve())
    with ThreadPoolExecutor(AT_ONCE) as pool:
        statuses = dict(zip(links, pool.map(ask, links), strict=True))
    gone = [address for address in links if is_gone(statuses[address])]
    for address in gone:
        print(
            f"{address}: {statuses[address]}; linked from {', '.join(links[address])}"
        )
    unclear = sum(status in UNCLEAR for status in statuses.values())
    print(f"{len(links) - len(gone)} passed, {len(gone)} failed, {unclear} unclear")
    return int(bool(gone))


if __name__ == "__main__":
    sys.exit(main())
