"""The grader of the page, in a real browser, says what Python says."""

import base64
import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sdpa.selftest import bank, grade, read_sheet
from sdpa.selftest.expressions import evaluate
from sdpa.selftest.messages import Refused
from sdpa.selftest.page_sources import (
    FOLDER,
    FORM,
    GRADER,
    SEEDS,
    changes,
    form_script,
    joined,
    variant_script,
    without,
)
from sdpa.selftest.sheets import BadFile
from tests.grading.fixture import PATH
from tests.grading.samples import GOOD, answers, right_answers, sheet
from tests.grading.test_expressions import GRAMMAR
from tests.grading.test_fuzz import ANSWERS, FIELDS, JSON

SLOWEST = 1000  # ms for one sheet: a guard against hanging, not a measurement
# Python names a character in words, the page by its number. JSON errors are its own.
UNLIKE = ("is not understood: use names", "not JSON at")
REPLAY = """({ sheets, banks }) => {
  const bytes = text => Uint8Array.from(text, c => c.charCodeAt(0));
  return sheets.map(({ bank, sheet }) => {
    const start = performance.now();
    const verdict = page.gradeBytes(banks[bank], bytes(atob(sheet)));
    return { ...verdict, ms: performance.now() - start };
  });
}"""
EVALUATE = """({ bank, formulas, points }) => formulas.map(text => {
  try { return page.evaluate(bank, text, points); }
  catch (error) {
    if (!(error instanceof page.Refused)) throw error;
    return error.message;
  }
})"""


@pytest.fixture(scope="module")
def page(chromium):
    """Give an empty page with the grader, as the book's page has it."""
    names = "...$grader, ...$expressions, ...$messages"
    script = f'"use strict";\n{joined(GRADER)}globalThis.page = {{ {names} }};'
    page = chromium.new_page()
    page.goto("about:blank")
    page.add_script_tag(content=script)
    yield page
    page.close()


def replay(page, sheets):
    """Grade sheets, as (bank, bytes), in one go."""
    banks = {str(seed): bank(seed) for seed, _ in sheets}
    encoded = [
        {"bank": str(seed), "sheet": base64.b64encode(data).decode()}
        for seed, data in sheets
    ]
    return page.evaluate(REPLAY, {"sheets": encoded, "banks": banks})


def told(data, seed=None):
    """Return what Python says of a sheet: everything that the page says as well."""
    try:
        content = read_sheet(data)
    except BadFile as error:
        return {"status": error.status, "reason": error.reason}
    verdict = grade(content.answers, seed=seed)
    return {
        "status": "needs_review" if content.notes else verdict.status,
        "total": round(verdict.total, 9),
        "notes": [*content.notes, *verdict.notes],
        "items": {
            letter: {p.name: [p.credit, p.tag, p.text] for p in parts}
            for letter, parts in verdict.items.items()
        },
    }


def comparable(verdict):
    """Return a verdict of either side without what may differ."""
    if "items" not in verdict:
        reason = verdict["reason"]
        if UNLIKE[1] in reason:
            reason = UNLIKE[1]
        return {"status": verdict["status"], "reason": reason}
    items = {}
    for letter, parts in verdict["items"].items():
        if isinstance(parts, list):
            parts = {p["name"]: [p["credit"], p["tag"], p["text"]] for p in parts}
        items[letter] = {
            name: [credit, tag, "" if UNLIKE[0] in text else text]
            for name, (credit, tag, text) in parts.items()
        }
    kept = {key: verdict[key] for key in ("status", "notes")}
    return kept | {"total": round(verdict["total"], 9), "items": items}


def assert_same(page, sheets):
    """Compare both sides on many sheets; return what the page says."""
    verdicts = replay(page, sheets)
    for (seed, data), verdict in zip(sheets, verdicts, strict=True):
        assert verdict["ms"] < SLOWEST
        assert comparable(verdict) == comparable(told(data, seed)), data[:2000]
    return verdicts


def drawn(strategy, count):
    """Draw examples, the same ones each time: the browser gets them in one go."""
    found = []

    @settings(
        max_examples=count,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(example):
        found.append(example)

    draw()
    return found


def test_every_sheet_of_the_fixture(page):
    cases = json.loads(PATH.read_text("utf-8"))["cases"]
    sheets = [(c["seed"], c["sheet"].encode("utf-8", "surrogatepass")) for c in cases]
    for case, verdict in zip(cases, assert_same(page, sheets), strict=True):
        expected = case["expected"]
        assert verdict["status"] == expected["status"], case
        if "items" not in expected:
            continue
        assert round(verdict["total"], 6) == expected["total"], case
        assert len(verdict["notes"]) == expected["notes"], case
        for letter, parts in verdict["items"].items():
            found = {p["name"]: [p["credit"], p["tag"]] for p in parts}
            blank = {name: [0, "missing"] for name in found}
            assert found == expected["items"].get(letter, blank), case


def test_right_answers_of_every_practice_variant(page):
    sheets = [(seed, sheet("ann", right_answers(seed))) for seed in SEEDS]
    assert [verdict["total"] for verdict in replay(page, sheets)] == [5] * len(SEEDS)


def test_answers_of_any_kind(page):
    values = drawn(ANSWERS, 300)
    sheets = [(None, sheet("ann", content)) for content in values]
    verdicts = assert_same(page, sheets)
    assert all(verdict.get("total", 0) < 2.5 for verdict in verdicts)


def test_one_field_that_is_nonsense(page):
    fields = [(letter, name) for letter in FIELDS for name in FIELDS[letter]]
    place = st.sampled_from(fields)
    sheets = []
    for (letter, name), value in drawn(st.tuples(place, JSON), 300):
        sheets.append((None, sheet("ann", answers(**{letter: {name: value}}))))
    full = sum(verdict.get("total") == 5 for verdict in assert_same(page, sheets))
    assert full <= len(sheets) / 20  # [2, 3] for places, and the like, may be drawn


def test_numbers_near_every_tolerance(page):
    """Slips and right values, pushed about, with own weights and own entries."""
    rng, sheets = random.Random(7), []
    for seed in (None, 1, 2, 3):
        good = right_answers(seed)
        for _ in range(60):
            content = json.loads(json.dumps(good))
            for letter in "bde":
                for name, value in content[letter].items():
                    content[letter][name] = _pushed(value, rng)
            sheets.append((seed, sheet("ann", content)))
    assert_same(page, sheets)


def _pushed(value, rng):
    if isinstance(value, list):
        return [_pushed(x, rng) for x in value]
    if not isinstance(value, float | int) or isinstance(value, bool):
        return value
    size = rng.choice([0, 0, 4e-4, 2e-3, 1e-2, 0.3])
    relative = rng.choice([0, 0, 0.004, 0.006, 0.5])
    if abs(value) > 3 and isinstance(value, int):
        return value * (1 + relative)
    return value if value in (1, 2, 3, 0) else value + rng.choice([-1, 1]) * size


BYTES = st.one_of(
    st.binary(max_size=200),
    JSON.map(lambda x: json.dumps(x).encode()),
    st.tuples(st.integers(0, 600), st.integers(0, 255)).map(
        lambda change: _changed(*change)
    ),
    st.tuples(JSON, JSON, JSON).map(
        lambda t: sheet(t[0], t[2] if t[2] is not None else {}, variant=t[1])
    ),
)


def _changed(at, byte):
    data = bytearray(sheet())
    data[at % len(data)] = byte
    return bytes(data)


def test_files_of_any_kind(page):
    assert_same(page, [(None, data) for data in drawn(BYTES, 400)])


def test_nesting_and_size_have_the_same_limits(page):
    deep = [b"[" * n + b"]" * n for n in (31, 32, 33, 5000)]
    long = [sheet("ann", {"a": "x" * n}) for n in (2**20 - 400, 2**20 + 400)]
    keys = [b'{"a": 1, "b": 2, "b": 3, "a": 4}', b'{"__proto__": 1, "__proto__": 2}']
    keys.append(sheet("ann", {"constructor": {"x": 1}, "__proto__": {"y": 2}}))
    many = sheet("ann", {f"k{i}": 0 for i in range(40_000)})
    assert_same(page, [(None, data) for data in [*deep, *long, *keys, many]])


SIGNS = st.text("()+-*/^.√σ²³d_k0123456789esqrtlogabp ,×−∑'", max_size=60)
POINTS = bank()["items"]["c"]["parts"][0]["points"]


def test_formulas(page):
    formulas = drawn(GRAMMAR, 300) + drawn(SIGNS | st.text(max_size=250), 600)
    results = page.evaluate(
        EVALUATE, {"bank": bank(), "formulas": formulas, "points": POINTS}
    )
    computed = 0
    for text, result in zip(formulas, results, strict=True):
        try:
            expected = evaluate(text, _arrays())
        except Refused as error:
            assert isinstance(result, str), text
            assert UNLIKE[0] in result or result == str(error), text
        else:
            assert result == pytest.approx(expected.tolist(), rel=1e-12), text
            computed += 1
    assert 200 < computed < len(formulas) - 200


def _arrays():
    import numpy as np

    return {name: np.array(values) for name, values in POINTS.items()}


def test_a_fault_in_the_grader_is_found(page):
    """The comparison is not blind: other tolerances are other verdicts."""
    other = json.loads(json.dumps(bank()))
    other["items"]["d"]["parts"][0] |= {"tight": 0, "loose": 0}
    verdict = page.evaluate(
        """({ bank, text }) =>
          page.gradeBytes(bank, new TextEncoder().encode(text))""",
        {"bank": other, "text": sheet().decode()},
    )
    assert comparable(verdict) != comparable(told(sheet()))


def test_changes_and_book_make_the_bank_of_a_variant():
    for seed in SEEDS:
        book = without(bank(), {"given", "undetectable"})
        for letter, change in changes(seed).items():
            item = book["items"][letter]
            item["question"] = change["question"]
            item["parts"] = [change["parts"].get(p["id"], p) for p in item["parts"]]
        whole = without(bank(seed), {"given", "undetectable"}) | {"variant": None}
        assert book == whole


def test_the_page_owns_no_constants_and_evaluates_nothing():
    """Tolerances, words and limits come from the bank."""
    sources = {name: (FOLDER / f"{name}.js").read_text("utf-8") for name in FORM}
    for name, text in sources.items():
        for word in ("eval(", "Function(", "innerHTML", "insertAdj", "document.write"):
            assert word not in text, (name, word)
    feedback = [text for text in bank()["feedback"].values() if len(text) > 12]
    script = "".join(sources.values())
    assert not [text for text in feedback if text in script]
    for number in ("6e-4", "0.0006", "0.003", "2.5e-3", "0.005", "1e-9", "1000)"):
        assert number not in script, number
    assert len(form_script()) < 110_000
    assert variant_script(1).startswith("sdpaVariant(1, {")


def test_good_sheet_is_good_on_both_sides(page):
    (verdict,) = replay(page, [(None, sheet("ann", GOOD))])
    assert (verdict["total"], verdict["status"]) == (5, "graded")
