"""Which pages the browser tests open, and how."""

from pathlib import Path

from tools.toc import Toc

ROOT = Path(__file__).parents[2]
_TOC = Toc.load(ROOT)
# Paths in the built site, and those that have a notebook to download.
CHAPTERS = [
    page.relative_to(ROOT).with_suffix(".html").as_posix() for page in _TOC.pages()
]
NOTEBOOKS = [
    page.relative_to(ROOT).with_suffix(".html").as_posix() for page in _TOC.notebooks()
]
GENERATED = ["search.html", "genindex.html", "py-modindex.html"]
PAGES = [*CHAPTERS, *GENERATED]

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}
# What a window of 1280 px shows at 200 %: half as many CSS pixels, twice as dense.
ZOOMED = {"width": 640, "height": 400}
SIZES = {"desktop": DESKTOP, "phone": PHONE, "zoomed": ZOOMED}


def settle(page) -> None:
    """Wait until fonts are there and the scripts of the page have run."""
    page.evaluate("document.fonts.ready")
    wait_until(page, "document.readyState === 'complete'")


def wait_until(page, expression: str) -> None:
    """Wait until an expression holds; Playwright's own way needs `unsafe-eval`."""
    for _ in range(100):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{page.url}: it never came true that {expression}")


def faults(page) -> list[str]:
    """Collect what goes wrong on a page from now on: requests, errors, refusals."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(f"error: {error}"))
    page.on(
        "console",
        lambda message: (
            found.append(f"console: {message.text}")
            if message.type in ("error", "warning")
            else None
        ),
    )
    page.on("requestfailed", lambda request: found.append(f"failed: {request.url}"))
    return found
