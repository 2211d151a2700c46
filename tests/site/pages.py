"""Which pages the browser tests open, and how."""

import time
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

# Moves, changes and presses every control of the views and forms of a page.
OPERATE = """async () => {
  const say = (control, ...names) => names.forEach(
    name => control.dispatchEvent(new Event(name, { bubbles: true })));
  const turn = control => {
    const type = control.type;
    if (type === "range") for (const end of ["max", "min"]) {
      control.value = control[end];
      say(control, "input", "change");
    } else if (["checkbox", "radio", "submit", "button"].includes(type)) {
      control.click();
    } else if (control.matches("select")) {
      control.selectedIndex = control.options.length - 1;
      say(control, "input", "change");
    } else if (control.matches("input:not([type=file]), textarea")) {
      control.value = "1";
      say(control, "input", "change");
    }
  };
  const own = "article :is([data-sdpa-view], form:not([role=search], .bd-search))";
  const controls = `:is(input, select, textarea, button):not([disabled])`;
  const found = [...document.querySelectorAll(`${own} ${controls}`)]
    .filter(control => control.type !== "reset");
  for (const control of found) {
    turn(control);
    await new Promise(done => setTimeout(done, 20));
  }
  return found.length;
}"""


def settle(page) -> None:
    """Wait until fonts are there and the scripts of the page have run."""
    page.evaluate("document.fonts.ready")
    wait_until(page, "document.readyState === 'complete'")


def wait(page, expression: str) -> None:
    """Wait until an expression holds, in any browser."""
    end = time.monotonic() + 10
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"it never came true that {expression}"
        time.sleep(0.05)


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
