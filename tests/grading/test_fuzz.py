"""Anything at all may be handed in: no crash, no marks for nonsense, no long wait."""

import json
import string
import time

from hypothesis import given
from hypothesis import strategies as st

from sdpa.selftest import bank, grade
from sdpa.selftest.records import Settings, grade_file
from tests.grading.samples import GOOD, code, kept, notebook, sheet
from tests.strategies import fixed

SOURCE = string.ascii_letters + string.digits + "()[]{}'\",.=-+*\n :%!#"
STATUSES = {"graded", "needs_review", "refused", "unreadable"}
NUMBERS = st.integers(-(10**20), 10**20) | st.floats() | st.sampled_from([0, 1, 1e308])
LEAVES = st.none() | st.booleans() | NUMBERS | st.text(max_size=30)
JSON = st.recursive(
    LEAVES,
    lambda x: st.lists(x, max_size=4) | st.dictionaries(st.text(), x, max_size=4),
    max_leaves=12,
)
FIELDS = {letter: sorted(item["fields"]) for letter, item in bank()["items"].items()}
ITEM = {
    letter: st.fixed_dictionaries({}, optional={name: JSON for name in names})
    for letter, names in FIELDS.items()
}
ANSWERS = st.fixed_dictionaries({}, optional=ITEM)


def graded(name, data):
    """Grade a file and check what holds for every file."""
    start = time.process_time()
    record = grade_file(name, data, Settings())
    # A guard against hanging, not a measurement: hundreds of times what it takes.
    assert time.process_time() - start < 1
    assert record["status"] in STATUSES
    assert "the grader failed" not in record["reason"], record["reason"]
    assert 0 <= record["total"] <= 5
    json.dumps(record, allow_nan=False).encode()
    return record


@fixed
@given(st.binary(max_size=400))
def test_bytes(data):
    for name in ("ann.json", "ann.ipynb"):
        assert graded(name, data)["total"] == 0


@fixed
@given(JSON)
def test_json(value):
    for name in ("ann.json", "ann.ipynb"):
        assert graded(name, json.dumps(value).encode())["total"] == 0


@fixed
@given(ANSWERS)
def test_answers_of_any_kind(answers):
    verdict = grade(answers)
    assert verdict.total < 2.5  # places and conventions can be hit; the rest cannot
    for item in verdict.items.values():
        for part in item:
            assert part.credit in (0, 0.5, 1)
            assert part.text.isprintable()


@fixed
@given(JSON, JSON, JSON)
def test_sheets_with_anything_around_the_answers(student, variant, answers):
    whole = {"format": "sdpa-answers/1", "student": student, "variant": variant}
    data = json.dumps(whole | {"answers": answers}).encode()
    assert graded("ann.json", data)["total"] == 0


@fixed
@given(st.data())
def test_one_field_that_is_nonsense_earns_nothing(data):
    """All else is right: the field's own parts lose, the other items keep theirs."""
    letter = data.draw(st.sampled_from("abcde"))
    name = data.draw(st.sampled_from(FIELDS[letter]))
    value = data.draw(JSON)
    answers = GOOD | {letter: GOOD[letter] | {name: value}}
    verdict = grade(answers)
    others = [verdict.score(x) for x in GOOD if x != letter]
    assert others == [1] * 4
    assert verdict.score(letter) < 1 or value in ([2, 3], 2, 1), (name, value)


@fixed
@given(st.integers(0, 10**6), st.integers(0, 255))
def test_one_byte_changed(at, byte):
    data = bytearray(sheet())
    data[at % len(data)] = byte
    graded("ann.json", bytes(data))


@fixed
@given(st.lists(st.builds(code, st.text(max_size=80), JSON), max_size=3))
def test_notebooks_with_any_output(cells):
    assert graded("ann.ipynb", notebook(*cells))["total"] == 0


@fixed
@given(st.text(SOURCE, max_size=90))
def test_notebooks_with_any_source(text):
    for source in (text, f"check('c', variance={text})", f"check({text}"):
        assert graded("ann.ipynb", notebook(code(source)))["total"] < 1


@fixed
@given(ANSWERS)
def test_notebooks_and_sheets_agree(answers):
    cells = [code("", kept(letter, fields)) for letter, fields in answers.items()]
    record = graded("ann.ipynb", notebook(*cells))
    verdict = grade(json.loads(json.dumps(answers)))
    assert record["total"] == round(verdict.total, 4)


def test_many_unknown_keys_do_not_hang():
    keys = {f"k{i}": 0 for i in range(60_000)}
    graded("ann.json", sheet("ann", keys))
    graded("ann.json", sheet("ann", {"a": keys}))
    text = sheet("ann", keys)[:-2] + b', "k0": 1}}'
    assert "stands twice" in graded("ann.json", text)["reason"]


def test_large_notebooks_do_not_hang():
    cells = [code("x" * 60_000) for _ in range(300)]
    graded("ann.ipynb", notebook(*cells))
    graded("ann.ipynb", notebook(code("check('c', a=[" + "1," * 30_000 + "])")))
