"""Pages are light, ask nobody else, do not jump, and need no script to be read."""

import re

import pytest

from tests.site.pages import CHAPTERS, DESKTOP, PAGES, faults, settle
from tools.compressed import served

LIMIT, LIMIT_WITH_RASTER, REQUESTS = 200_000, 300_000, 25
# A shift of a hundredth of the window is not noticed.
SHIFT = 0.01
OBSERVE_SHIFTS = """() => {
  window.shift = 0;
  new PerformanceObserver(list => {
    for (const entry of list.getEntries()) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
}"""

FORMS_AWAY = """() => {
  for (const one of document.querySelectorAll("form.selftest, noscript")) one.remove();
}"""


@pytest.fixture
def stranger(book):
    """Serve the same files from another origin, which would answer if it were asked."""
    with served(book) as url:
        yield url


@pytest.mark.parametrize("path", PAGES)
def test_page_is_light_and_steady(path, address, context):
    page = context(viewport=DESKTOP).new_page()
    page.add_init_script(f"({OBSERVE_SHIFTS})()")
    found, responses = faults(page), []
    page.on("response", lambda one: responses.append(one))
    page.goto(f"{address}/{path}", wait_until="networkidle")
    settle(page)
    assert not found
    elsewhere = [one.url for one in responses if not one.url.startswith(address)]
    assert not elsewhere
    assert len(responses) <= REQUESTS
    raster = any(re.search(r"\.(png|jpe?g|webp)\b", one.url) for one in responses)
    sizes = [one.request.sizes() for one in responses]
    weight = sum(one["responseBodySize"] + one["responseHeadersSize"] for one in sizes)
    assert weight <= (LIMIT_WITH_RASTER if raster else LIMIT)
    assert page.evaluate("window.shift") < SHIFT


@pytest.mark.parametrize("path", PAGES)
def test_downloaded_page_has_no_fault(path, book, context):
    page = context().new_page()
    found, addresses = faults(page), []
    page.on("request", lambda request: addresses.append(request.url))
    page.goto((book / path).as_uri())
    settle(page)
    assert not found
    assert all(one.startswith(book.as_uri()) for one in addresses)
    fonts = page.evaluate("[...document.fonts].filter(f => f.status == 'error').length")
    assert fonts == 0


@pytest.mark.parametrize("kind", ["http", "file"])
def test_policy_refuses_strangers_and_evaluation(
    kind, book, address, stranger, context
):
    page = context().new_page()
    answered = []
    page.on("response", lambda response: answered.append(response.url))
    base = address if kind == "http" else book.as_uri()
    page.goto(f"{base}/{CHAPTERS[1]}")
    refused = page.evaluate(
        """async stranger => {
          const refused = [];
          addEventListener("securitypolicyviolation",
            event => refused.push(event.effectiveDirective));
          const evaluating = document.createElement("script");
          evaluating.textContent =
            "setTimeout(() => { try { window.evaluated = eval('1') } catch { } })";
          document.head.append(evaluating);
          const image = new Image(); image.src = stranger + "/_static/card.png";
          const script = document.createElement("script");
          script.src = stranger + "/_static/book.js";
          document.head.append(script);
          await fetch(stranger + "/index.html").catch(() => {});
          await new Promise(done => setTimeout(done, 200));
          return refused;
        }""",
        stranger,
    )
    assert page.evaluate("window.evaluated === undefined")
    kinds = {re.sub("-elem$", "", directive) for directive in refused}
    assert kinds == {"script-src", "img-src", "connect-src"}
    assert not [url for url in answered if url.startswith(stranger)]


def prose(page) -> str:
    """Give the text of a page without its views, which are figures without scripts."""
    text = page.locator("article").inner_text()
    for view in page.locator("[data-sdpa-view]").all():
        text = text.replace(view.inner_text().strip(), "")
    return text


@pytest.mark.parametrize("path", CHAPTERS)
def test_page_is_complete_without_scripts(path, address, context):
    plain = context(java_script_enabled=False, viewport=DESKTOP).new_page()
    plain.goto(f"{address}/{path}")
    scripted = context(viewport=DESKTOP).new_page()
    scripted.goto(f"{address}/{path}")
    settle(scripted)
    for page in (plain, scripted):  # forms need a script, and a note says so without
        page.evaluate(FORMS_AWAY)
    words, more = prose(plain).split(), prose(scripted).split()
    added = {"LaTeX", "Copied"}
    assert words and [w for w in more if w not in added] == [
        w for w in words if w not in added
    ]
    formula = plain.locator("article math").first
    if formula.count():
        assert formula.bounding_box()["width"] > 0
    boxes = plain.locator("details.fold")
    if boxes.count():
        boxes.first.locator("summary").click()
        assert boxes.first.get_attribute("open") is not None


@pytest.mark.parametrize("kind", ["http", "file"])
def test_search_finds(kind, book, address, context):
    page = context().new_page()
    found = faults(page)
    base = address if kind == "http" else book.as_uri()
    page.goto(f"{base}/{CHAPTERS[0]}")
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog input").fill("softmax")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=softmax*")
    results = page.locator("#search-results li a")
    results.first.wait_for()
    page.wait_for_timeout(500)
    assert results.count() >= 3
    results.first.click()
    page.wait_for_url("**/chapters/*.html*", wait_until="load")
    assert "softmax" in page.locator("article").inner_text().lower()
    assert not found
