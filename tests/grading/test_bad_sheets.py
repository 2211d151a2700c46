"""Files that are no sheets, and the schema of those that are."""

import json
from importlib.resources import files

import jsonschema
import pytest

from sdpa.selftest import BadFile, answers_schema, blank_sheet, grade, read_sheet
from sdpa.selftest.limits import SHEET
from tests.grading.samples import GOOD, answers, raw, sheet


@pytest.mark.parametrize(
    ("data", "status", "reason"),
    [
        (b"", "unreadable", "the file is empty"),
        (b"  \n", "unreadable", "the file is empty"),
        (b"{", "unreadable", "not JSON at line 1, column 2"),
        (sheet()[:-9], "unreadable", "the end of the file is missing"),
        (b"\xff\xfe{", "unreadable", "not UTF-8 text: save it as UTF-8"),
        (b"[" * 100_000, "unreadable", "nested too deeply"),
        (raw('{"weights": [NaN, 0, 0]}'), "unreadable", "NaN is not a number of JSON"),
        (raw('{"weights": [-Infinity]}'), "unreadable", "-Infinity is not a number"),
        (
            raw('{"weights": [0,198]}').replace(b"0,198", "０.1".encode()),
            "unreadable",
            "write the digits 0 to 9",
        ),
        (
            raw('{"weights": [], "weights": []}'),
            "refused",
            "key 'weights' stands twice",
        ),
        (b"[]", "refused", "the file holds a list of 0, expected an object"),
        (b"{}", "refused", 'format is missing, expected "sdpa-answers/1"'),
        (sheet(format="x"), "refused", "format is the text 'x'"),
        (sheet("../ann"), "refused", "student is the text '../ann', expected 1 to 64"),
        (sheet("=1+1"), "refused", "student is the text '=1+1'"),
        (sheet("x" * 65), "refused", "expected 1 to 64"),
        (sheet(7), "refused", "student is 7"),
        (sheet(variant=True), "refused", "variant is true, expected null, a whole"),
        (sheet(variant=-1), "refused", "variant is -1"),
        (sheet(variant=1.5), "refused", "variant is 1.5"),
        (b" " * (SHEET["bytes"] + 1), "refused", "expected 1 MiB at most"),
    ],
)
def test_files(data, status, reason):
    with pytest.raises(BadFile) as error:
        read_sheet(data)
    assert error.value.status == status
    assert reason in error.value.reason


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 5000])
def test_numbers_that_overflow_cost_their_field_only(number):
    data = raw(f'{{"weights": [{number}, 0, 0], "largest": [2, 3]}}')
    verdict = grade(read_sheet(data).answers)
    assert [part.tag for part in verdict.items["d"]] == ["refused", "missing", "right"]


def test_unknown_keys_of_a_sheet_need_a_person():
    (note,) = read_sheet(sheet(score=5)).notes
    assert note.startswith("key the text 'score' is not known")


def test_a_byte_order_mark_is_welcome():
    assert read_sheet(b"\xef\xbb\xbf" + sheet()).answers == GOOD


def test_the_schema_accepts_the_good_and_refuses_the_bad():
    validator = jsonschema.Draft202012Validator(answers_schema())
    validator.check_schema(answers_schema())
    assert validator.is_valid(json.loads(sheet()))
    assert validator.is_valid(blank_sheet())
    bad = [answers(d={"weights": ["1", 0, 0]}), answers(d={"weight": 1}), [1]]
    bad += [answers(b={"Q1": [[1001, 0]]}), answers() | {"f": {}}]
    assert not any(validator.is_valid(json.loads(sheet(content=c))) for c in bad)


def test_the_published_schema_is_the_one_of_the_code():
    text = (files("sdpa.selftest") / "sdpa-answers-1.schema.json").read_text("utf-8")
    assert json.loads(text) == answers_schema()
