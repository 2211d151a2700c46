"""Pages can be read and used: on a phone, by keyboard, by ear, and taken home."""

import pytest

from tests.site.pages import (
    CHAPTERS,
    DESKTOP,
    NOTEBOOKS,
    PAGES,
    PHONE,
    SIZES,
    settle,
    wait_until,
)

HEADINGS = """() => [...document.querySelectorAll("article :is(h1,h2,h3,h4,h5,h6)")]
  .map(heading => Number(heading.tagName[1]))"""


@pytest.mark.parametrize("path", PAGES)
def test_page_fits_its_window(path, address, context):
    page = context(viewport=PHONE).new_page()
    page.goto(f"{address}/{path}")
    for size in SIZES.values():
        page.set_viewport_size(size)
        settle(page)
        root = "document.documentElement"
        assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")
        scrolling = """() => [...document.querySelectorAll(".cell_input pre")]
          .filter(code => code.scrollWidth > code.clientWidth + 1).length"""
        assert page.evaluate(scrolling) == 0


@pytest.mark.parametrize("path", CHAPTERS)
def test_structure_is_in_order(path, address, context):
    page = context(viewport=DESKTOP, java_script_enabled=True).new_page()
    page.goto(f"{address}/{path}")
    levels = page.evaluate(HEADINGS)
    assert levels[0] == 1 and levels.count(1) == 1
    jumps = [b for a, b in zip(levels, levels[1:], strict=False) if b > a + 1]
    assert not jumps
    headless = "[...document.querySelectorAll('article table')].filter(t => !t.tHead)"
    assert page.evaluate(f"{headless}.length") == 0
    neighbours = page.locator("a.left-prev, a.right-next").count()
    assert neighbours == (1 if path in (CHAPTERS[0], CHAPTERS[-1]) else 2)


@pytest.mark.parametrize("path", NOTEBOOKS)
def test_notebook_can_be_downloaded(path, address, context):
    page = context().new_page()
    page.goto(f"{address}/{path}")
    link = page.locator("a.btn-download-source-button")
    target = link.evaluate("link => link.href")
    answer = page.request.get(target)
    assert answer.ok and answer.json()["nbformat"] == 4


def test_keyboard_goes_in_order_and_is_always_seen(address, context):
    page = context(viewport=DESKTOP, reduced_motion="reduce").new_page()
    page.goto(f"{address}/{CHAPTERS[1]}")
    settle(page)
    page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.textContent")
    assert first == "Skip to main content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    inside = page.evaluate("document.activeElement.closest('main') !== null")
    assert inside
    visible = """() => {
      const style = getComputedStyle(document.activeElement);
      const box = document.activeElement.getBoundingClientRect();
      return style.outlineStyle != "none" && parseFloat(style.outlineWidth) >= 2
        && style.opacity > 0 && box.width > 0
        && box.bottom > 0 && box.top < innerHeight;
    }"""
    stops = 0
    while page.evaluate("document.activeElement != document.body") and stops < 120:
        where = "document.activeElement.outerHTML.slice(0, 200)"
        assert page.evaluate(visible), page.evaluate(where)
        page.keyboard.press("Tab")
        stops += 1
    assert 20 < stops


def test_latex_of_a_formula_is_copied(address, context):
    page = context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    page.goto(f"{address}/{CHAPTERS[1]}")
    formula = page.locator(".math-display").first
    formula.locator("button").click()
    source = formula.locator("annotation").text_content()
    assert page.evaluate("navigator.clipboard.readText()") == source
    assert formula.locator("button").text_content() == "Copied"


def test_code_is_copied(address, context):
    page = context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    page.goto(f"{address}/{CHAPTERS[1]}")
    cell = page.locator(".cell_input .highlight").first
    cell.hover()
    cell.locator("button.copybtn").click()
    code = page.evaluate("navigator.clipboard.readText()")
    assert code.strip() == cell.locator("pre").inner_text().strip()


def test_theme_is_followed_and_chosen(address, context):
    page = context(color_scheme="dark").new_page()
    page.goto(f"{address}/{CHAPTERS[1]}")
    wait_until(page, "document.documentElement.dataset.theme == 'dark'")
    text = page.locator(".figure text").first
    dark = text.evaluate("text => getComputedStyle(text).fill")
    page.emulate_media(color_scheme="light")
    wait_until(page, "document.documentElement.dataset.theme == 'light'")
    assert text.evaluate("text => getComputedStyle(text).fill") != dark
    page.locator(".theme-switch-button").first.click()
    wait_until(page, "document.documentElement.dataset.mode != 'auto'")


def test_figure_colours_keep_their_contrast(address, context):
    """Text of figures has 4.5:1 against the page, in light and in dark."""
    ratio = """() => {
      const light = colour => {
        const canvas = document.createElement("canvas").getContext("2d");
        canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
          .map(v => v / 255)
          .map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b;
      };
      const paper = light(getComputedStyle(document.body).backgroundColor);
      const style = getComputedStyle(document.documentElement);
      return ["ink", "muted", "query", "key", "value", "weight"].map(name => {
        const ink = light(style.getPropertyValue("--book-" + name));
        return (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05);
      });
    }"""
    for scheme in ("light", "dark"):
        page = context(color_scheme=scheme).new_page()
        page.goto(f"{address}/{CHAPTERS[1]}")
        assert min(page.evaluate(ratio)) >= 4.5


def test_motion_is_reduced_on_request(address, context):
    page = context(reduced_motion="reduce").new_page()
    page.goto(f"{address}/{CHAPTERS[1]}")
    moving = """() => [...document.querySelectorAll("*")].filter(element =>
      getComputedStyle(element).transitionDuration.split(",")
        .some(time => parseFloat(time) > 0)).length"""
    assert page.evaluate(moving) == 0


def test_answer_is_unfolded_for_a_link_into_it(address, context):
    page = context().new_page()
    page.goto(f"{address}/{CHAPTERS[1]}")
    page.evaluate("document.querySelector('details.fold p').id = 'inside'")
    page.evaluate("location.hash = '#inside'")
    wait_until(page, "document.querySelector('details.fold').open")


def test_latex_can_be_copied_with_a_finger(address, context):
    """Without a mouse nothing is hovered: the button is there, beside the formula."""
    options = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    page = context(permissions=["clipboard-read", "clipboard-write"], **options)
    page = page.new_page()
    page.goto(f"{address}/{CHAPTERS[1]}")
    settle(page)
    formula = page.locator(".math-display").first
    button = formula.locator("button")
    assert button.evaluate("button => getComputedStyle(button).opacity") == "1"
    box, drawn = button.bounding_box(), formula.locator("math").bounding_box()
    assert box["width"] >= 24 and box["height"] >= 24
    assert box["y"] + box["height"] <= drawn["y"] + 4
    button.tap()
    assert button.text_content() == "Copied"
