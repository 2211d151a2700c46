"""axe-core finds nothing on any page, in any theme, at any size."""

import re

import pytest

from tests.site import barriers
from tests.site.pages import CHAPTERS, PAGES, settle

# One fault for each mode, and one of the whole page for each size.
FAULTS = """
  html[data-theme="light"] .desktop-light, html[data-theme="dark"] .desktop-dark {
    @media (min-width: 1000px) { color: var(--fault) } }
  html[data-theme="light"] .zoomed-light, html[data-theme="dark"] .zoomed-dark {
    @media (min-width: 500px) and (max-width: 999px) { color: var(--fault) } }
  html[data-theme="light"] .phone-light, html[data-theme="dark"] .phone-dark {
    @media (max-width: 499px) { color: var(--fault) } }
  html[data-theme="light"] { --fault: #ddd }
  html[data-theme="dark"] { --fault: #333 }
  .fault button { display: none }
  @media (min-width: 1000px) { .fault .desktop { display: inline } }
  @media (min-width: 500px) and (max-width: 999px) {
    .fault .zoomed { display: inline } }
  @media (max-width: 499px) { .fault .phone { display: inline } }
"""


@pytest.fixture
def opened(address, context):
    """Give a function that opens a page and prepares it for axe."""

    def run(path: str):
        page = context(color_scheme="light", reduced_motion="reduce").new_page()
        page.goto(f"{address}/{path}")
        settle(page)
        barriers.prepare(page)
        return page

    return run


def kinds(lines: list[str]) -> set[str]:
    """Give the tags, with their classes, that some findings are about."""
    return {re.search(r"<[a-z]+(?: class=\"[^\"]*\")?", line)[0] for line in lines}


@pytest.mark.parametrize("path", PAGES)
def test_page_has_no_violation(path, opened):
    found = barriers.in_every_mode(opened(path))
    assert not found, "\n".join(": ".join(line) for line in found)


def test_fault_of_each_mode_is_found_in_that_mode_alone(opened):
    page = opened(CHAPTERS[0])
    words = "".join(
        f"<span class='{size}-{theme}'>{size} {theme}</span> "
        for size, theme in barriers.MODES
    )
    buttons = "".join(
        f"<button class='{size}'></button>" for size in ("desktop", "phone", "zoomed")
    )
    page.evaluate(
        """([style, body]) => {
          const sheet = document.createElement("style");
          sheet.textContent = style;
          document.head.append(sheet);
          const fault = document.createElement("p");
          fault.className = "fault";
          fault.innerHTML = body;
          document.querySelector("article h1").after(fault);
        }""",
        [FAULTS, words + buttons],
    )
    found = barriers.in_every_mode(page)
    for size, theme in barriers.MODES:
        here = [line for *mode, line in found if mode == [size, theme]]
        pale = [line for line in here if line.startswith("color-contrast")]
        assert len(pale) == 1 and f"{size}-{theme}" in pale[0], here
        nameless = [line for line in here if line.startswith("button-name")]
        # The rules about structure run in light.
        assert len(nameless) == (theme == "light"), here
        assert not nameless or f'class="{size}"' in nameless[0]


def test_two_of_a_kind_stand_for_all(opened):
    """What axe finds in all words it finds in two of each kind."""
    page = opened(CHAPTERS[1])
    page.add_style_tag(
        content=".highlight .mi, .bd-article figcaption * { opacity: .3 }"
    )
    sampled = barriers.violations(page, barriers.ONLY_COLOURS)
    page.evaluate("axe.configure({rules: [{id: 'color-contrast', selector: '*'}]})")
    whole = barriers.violations(page, barriers.ONLY_COLOURS)
    words, asked = ".highlight span", ".highlight span[data-kind]"
    assert 0 < page.locator(asked).count() < page.locator(words).count() / 4
    assert kinds(sampled) == kinds(whole) != set()


def test_target_that_a_finger_misses_is_found(opened):
    page = opened(CHAPTERS[0])
    page.add_style_tag(
        content=".fault a { display: inline-block; width: 8px; height: 8px }"
    )
    page.evaluate(
        "document.querySelector('article h1').insertAdjacentHTML('afterend',"
        "'<div class=fault><a href=#a>a</a><a href=#b>b</a></div>')"
    )
    assert any(line.startswith("target-size") for line in barriers.violations(page))
