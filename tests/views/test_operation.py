"""Every view is worked by mouse and keyboard, says what it does, and can be undone."""

import gzip

import pytest

from sdpa.views import _sources
from tests.site import barriers
from tests.site.pages import OPERATE, PHONE
from tests.views.bench import Bench
from tests.views.cases import CASES

LIMIT = 60_000  # bytes, compressed, of everything that views load
SETTLED = 900  # ms after which a screen reader has been told
CONTROLS = "input, select"
UNNAMED = """root => [...root.querySelectorAll("input, select, button, [tabindex]")]
  .filter(e => !(e.labels?.length || e.getAttribute("aria-label")
    || e.localName == "button" && e.textContent.trim()
    || e.getAttribute("aria-labelledby")))
  .map(e => e.outerHTML)"""
# Shortcuts of notebooks would take the keys away from these.
UNPROTECTED = """root => [...root.querySelectorAll("input, select, button")]
  .filter(e => e.dataset.lmSuppressShortcuts !== "true").map(e => e.outerHTML)"""
TOO_WIDE = """root => {
  const edge = root.getBoundingClientRect().right + 0.5;
  return [...root.querySelectorAll("*:not(.sdpa-heard)")]
    .filter(e => e.getBoundingClientRect().right > edge).map(e => e.outerHTML);
}"""
# In one go: on a busy machine the words could settle between two questions.
AT_ONCE = """async ([root, part]) => {
  for (const [key, x] of Object.entries(part)) root.sdpaModel.set(key, x);
  await null;
  return [".sdpa-sentence", "[role=status]"].map(
    (part) => root.querySelector(part).textContent);
}"""
WAYS = {
    "range": ("Home", "End", "ArrowLeft"),
    "number": ("ArrowUp", "ArrowDown", "ArrowDown"),
    "checkbox": ("Space", "Space", "Space"),
}


@pytest.fixture(params=CASES)
def bench(request, context, tmp_path):
    """Open each view alone, and look for faults afterwards."""
    case = CASES[request.param]
    opened = Bench.alone(context().new_page(), tmp_path, case.cls())
    opened.root.locator("details").evaluate_all(
        "all => all.forEach(d => d.open = true)"
    )
    yield opened
    assert not opened.faults


def test_keyboard_moves_every_control(bench):
    moved = 0
    for control in bench.root.locator(CONTROLS).all():
        if not control.is_visible() or control.is_disabled():
            continue
        kind = control.get_attribute("type") or "select"
        control.focus()
        seen = [bench.state()]
        for key in WAYS.get(kind, ("ArrowDown", "ArrowUp", "ArrowUp")):
            bench.page.keyboard.press(key)
            seen.append(bench.state())
        assert any(state != seen[0] for state in seen), control.get_attribute("id")
        moved += 1
    assert moved >= 2


def test_sentence_is_shown_at_once_and_spoken_when_it_settles(bench):
    before = bench.status()
    part = CASES[bench.name].states[1]
    root = bench.root.element_handle()
    shown, heard = bench.page.evaluate(AT_ONCE, [root, part])
    assert shown != before and heard == before
    bench.page.wait_for_timeout(SETTLED)
    assert bench.status() == shown


def test_reset_brings_back_the_beginning(bench):
    before = bench.state()
    bench.page.evaluate(OPERATE)
    bench.set(CASES[bench.name].states[1])
    assert bench.state() != before
    bench.root.get_by_role("button", name="Reset").click()
    bench.page.wait_for_timeout(100)
    assert bench.state() == before


def test_link_restores_the_state(bench, context):
    for part in CASES[bench.name].states[1:]:
        bench.set(CASES[bench.name].complete(part))
        bench.root.get_by_role("button", name="Copy link").click()
        assert f"#view={bench.name}" in bench.page.url
        fresh = context().new_page()
        fresh.goto(bench.page.url)
        other = Bench(fresh, bench.name)
        assert other.state() == bench.state()
        fresh.close()


@pytest.mark.parametrize(
    "said", ["x", "1,2;3", "NaN", "-1e9", "", "%20", "inf", "1;2,3", "[object Object]"]
)
def test_nonsense_in_a_link_is_left_alone(bench, said):
    start = bench.state()
    rest = "&".join(f"{name}={said}" for name in start)
    bench.page.goto(bench.page.url.split("#")[0] + f"#view={bench.name}&{rest}")
    bench.page.wait_for_timeout(50)
    case = CASES[bench.name]
    assert case.cls.from_state(bench.state())  # Python would take it, too


def test_everything_has_a_name_and_keeps_its_keys(bench):
    assert bench.root.evaluate(UNNAMED) == []
    assert bench.root.evaluate(UNPROTECTED) == []
    assert bench.root.get_attribute("role") == "group"


def test_axe_finds_nothing_after_all_controls_were_used(bench):
    bench.page.evaluate(OPERATE)
    barriers.prepare(bench.page)
    assert barriers.violations(bench.page) == []


def test_view_fits_a_phone(bench):
    bench.page.set_viewport_size(PHONE)
    assert bench.root.evaluate(TOO_WIDE) == []
    root = "document.documentElement"
    assert bench.page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")


def test_views_are_light():
    parts = [_sources.common_script(), _sources.style()]
    parts += map(_sources.script, _sources.names())
    assert sum(len(gzip.compress(part.encode())) for part in parts) < LIMIT
