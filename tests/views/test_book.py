"""Views in the built book: where they are, in links, in themes, without scripts."""

import re

import pytest

from tests.site.pages import CHAPTERS, DESKTOP, OPERATE, PAGES, faults, settle
from tests.views.bench import Bench
from tests.views.cases import CASES

FIRST = [(case.name, case.page) for case in CASES.values()]
LOADED = re.compile(r'(?:src|href)="[^"]*_static/views/([\w.]+)')
HELD = re.compile(r'data-sdpa-view="(\w+)"')
COLOURS = """root => ["color", "backgroundColor"].map(
  name => getComputedStyle(root)[name]).concat(
  [...root.querySelectorAll("svg :is(.key, .query, .weight, .value)")].slice(0, 1)
    .map(e => getComputedStyle(e).fill + getComputedStyle(e).stroke))"""


@pytest.mark.parametrize("path", PAGES)
def test_page_loads_what_its_views_need_and_nothing_else(path, book):
    text = (book / path).read_text(encoding="utf-8")
    held = {f"{name}.js" for name in HELD.findall(text)}
    expected = held | {"common.js", "views.css"} if held else set()
    assert set(LOADED.findall(text)) == expected


@pytest.mark.parametrize(("name", "path"), FIRST)
def test_page_holds_its_view(name, path, book):
    assert path in CHAPTERS
    assert f'data-sdpa-view="{name}"' in (book / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted({path for _, path in FIRST}))
def test_every_control_of_a_page_works_without_a_fault(path, address, context):
    page = context(viewport=DESKTOP).new_page()
    found = faults(page)
    page.goto(f"{address}/{path}")
    settle(page)
    assert page.evaluate(OPERATE) > 4
    assert not found


@pytest.mark.parametrize("kind", ["http", "file"])
@pytest.mark.parametrize(("name", "path"), FIRST)
def test_link_leads_to_the_view_and_restores_it(
    name, path, kind, book, address, context
):
    base = address if kind == "http" else book.as_uri()
    page = context(viewport=DESKTOP).new_page()
    found = faults(page)
    page.goto(f"{base}/{path}")
    settle(page)
    bench = Bench(page, name)
    bench.set(CASES[name].states[1])
    bench.root.get_by_role("button", name="Copy link").click()
    fresh = context(viewport=DESKTOP).new_page()
    found += faults(fresh)
    fresh.goto(page.url)
    settle(fresh)
    fresh.wait_for_timeout(300)
    assert Bench(fresh, name).state() == bench.state()
    assert fresh.evaluate("scrollY") > 0
    assert Bench(fresh, name).root.evaluate(
        "e => e.getBoundingClientRect().top < innerHeight"
    )
    assert not found


def test_ordinary_anchors_still_work_beside_views(address, context):
    page = context(viewport=DESKTOP).new_page()
    found = faults(page)
    page.goto(f"{address}/chapters/01_soft_lookup.html#view=temperature&temperature=0")
    settle(page)
    bench = Bench(page, "temperature")
    assert bench.number("temperature") == 0
    page.evaluate("location.hash = '#check-yourself'")
    page.wait_for_timeout(200)
    assert bench.number("temperature") == 0  # an anchor is no reason to change it
    page.evaluate("location.hash = '#view=temperature&temperature=inf'")
    page.wait_for_timeout(200)
    assert bench.number("temperature") == float("inf")
    assert not found


@pytest.mark.parametrize(("name", "path"), FIRST)
def test_view_follows_the_theme(name, path, address, context):
    page = context(color_scheme="light", viewport=DESKTOP).new_page()
    page.goto(f"{address}/{path}")
    settle(page)
    root = Bench(page, name).root
    light = root.evaluate(COLOURS)
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(200)
    dark = root.evaluate(COLOURS)
    assert len(light) >= 2
    assert all(a != b for a, b in zip(light, dark, strict=True))


@pytest.mark.parametrize(("name", "path"), FIRST)
def test_without_scripts_there_is_a_figure(name, path, address, context):
    page = context(java_script_enabled=False, viewport=DESKTOP).new_page()
    page.goto(f"{address}/{path}")
    root = page.locator(f'[data-sdpa-view="{name}"]').first
    drawn = root.locator("figure svg")
    assert len(drawn.get_attribute("aria-label")) > 40
    assert drawn.bounding_box()["height"] > 80
    assert root.locator("button, input").count() == 0
    assert "still picture" in root.inner_text()
