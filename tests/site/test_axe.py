"""axe-core finds nothing on any page, in any theme, at any size."""

import os

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.site.pages import PAGES, SIZES, settle, wait_until

VIOLATIONS = {"resultTypes": ["violations"]}
COLOURS = ["color-contrast", "link-in-text-block"]
# Structure does not depend on the theme, nor colour on the size of the window, and
# looking at the colours takes nearly all the time: BOOK_AXE=full crosses everything.
ONLY_COLOURS = VIOLATIONS | {"runOnly": {"type": "rule", "values": COLOURS}}
BUT_COLOURS = VIOLATIONS | {"rules": {rule: {"enabled": False} for rule in COLOURS}}
MODES = [
    ("desktop", "light", VIOLATIONS),
    ("desktop", "dark", ONLY_COLOURS),
    ("phone", "light", BUT_COLOURS),
    ("zoomed", "light", BUT_COLOURS),
]
if os.environ.get("BOOK_AXE") == "full":
    MODES = [(size, theme, VIOLATIONS) for size in SIZES for theme in ("light", "dark")]
# axe looks at each of thousands of coloured words of code for seconds. Words of the
# same class in the same kind of box look the same: one of them is enough.
ONE_OF_A_KIND = """() => {
  const seen = new Set();
  for (const word of document.querySelectorAll(".highlight span, .sig span")) {
    if (word.childElementCount) continue;
    const box = word.closest(".cell_input, .cell_output, dt, .highlight").className;
    const kind = [word.className, word.parentElement.className, box].join("|");
    if (seen.has(kind)) word.replaceWith(word.textContent);
    seen.add(kind);
  }
  document.querySelectorAll("details").forEach(box => box.open = true);
}"""
DEBOUNCE = 400  # ms after which the theme looks at what scrolls


def violations(page, options=VIOLATIONS) -> list[str]:
    """Say in a line each what axe finds on a page as it stands."""
    results = Axe().run(page, options=options).response["violations"]
    return [
        f"{found['id']}: {found['help']}: {node['target']} {node['html'][:150]}"
        for found in results
        for node in found["nodes"]
    ]


@pytest.mark.parametrize("path", PAGES)
def test_page_has_no_violation(path, address, context):
    page = context(color_scheme="light", reduced_motion="reduce").new_page()
    page.goto(f"{address}/{path}")
    settle(page)
    page.evaluate(ONE_OF_A_KIND)
    found = []
    for size, scheme, options in MODES:
        page.set_viewport_size(SIZES[size])
        page.emulate_media(color_scheme=scheme)
        wait_until(page, f"document.documentElement.dataset.theme == '{scheme}'")
        page.wait_for_timeout(DEBOUNCE)
        found += [f"{size}, {scheme}: {line}" for line in violations(page, options)]
    assert not found, "\n".join(found)


def test_fault_is_found(context):
    page = context().new_page()
    page.set_content("<html lang='en'><title>T</title><main><h1>H</h1><img src='x'>")
    assert any(line.startswith("image-alt") for line in violations(page))
