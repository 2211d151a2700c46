"""Every bad input that graders have met: refused, with a message that helps."""

import math

import pytest

from sdpa.selftest import grade
from tests.grading.samples import answers


def part_of(content, letter, name):
    """Grade and return the verdict on one part."""
    verdict = grade(content)
    return next(part for part in verdict.items[letter] if part.name == name), verdict


def refusal(content, letter, name):
    """Return the message of a part that has to be refused, and cost nothing else."""
    part, verdict = part_of(content, letter, name)
    assert (part.tag, part.credit) == ("refused", 0), part
    assert verdict.status == "needs_review"
    others = [p for x, item in verdict.items.items() if x != letter for p in item]
    assert all(p.tag == "right" for p in others)
    return part.text


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (["1", 0, 0], "entry 1 is the text '1', expected a number: write 1, without"),
        (["0,198", 0.4, 0.4], "write 0.198, with a point and without quotes"),
        (["０.5", 0.4, 0.4], "write the digits 0 to 9"),
        (["1/3", 0, 0], "entry 1 is the text '1/3', expected a number"),
        (["1_0", 0, 0], "entry 1 is the text '1_0', expected a number"),
        (["inf", 0, 0], "entry 1 is the text 'inf', expected a number"),
        ([True, 0, 0], "entry 1 is true, expected a number"),
        ([None, 0, 0], "entry 1 is null, expected a number"),
        ([math.nan, 0, 0], "entry 1 is not finite: leave the field out"),
        ([math.inf, 0, 0], "entry 1 is not finite"),
        ([2e15, 0, 0], "entry 1 is 2e+15, expected 1e+15 at most in size"),
        ([10**400, 0, 0], "entry 1 is too large"),
        ([[0.2], 0.4, 0.4], "entry 1 is a list of 1, expected a number"),
        ([[0.2, 0.4, 0.4]], "a list of 1 was given, expected 3 numbers"),
        ([0.2, 0.4], "a list of 2 was given, expected 3 numbers"),
        (0.2, "0.2 was given, expected a list of 3 numbers, in square brackets"),
        ({"1": 0.2}, "an object was given, expected a list of 3 numbers"),
        ("[0.2, 0.4, 0.4]", "the text '[0.2, 0.4, 0.4]' was given, expected a list"),
    ],
)
def test_numbers(weights, message):
    assert message in refusal(answers(d={"weights": weights}), "d", "weights")


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ({"Q1": [1, 0]}, "Q1: row 1 is 1, expected 2 numbers: write rows in double"),
        ({"Q1": [[1, 0, 0]]}, "row 1 is a list of 3, expected 2 numbers"),
        ({"Q1": []}, "expected 1 to 6 rows, as in [[1, 0]]"),
        ({"Q1": [[1, 0]] * 7}, "a list of 7 was given, expected 1 to 6 rows"),
        ({"Q1": [[1001, 0]]}, "entry 1 of row 1 is 1001, expected 1000 at most"),
        ({"Q1": [[1, 0]] * 2}, "Q1 has 2 rows and Q2 has 1"),
        ({"Q1": "[[1, 0]]"}, "the text '[[1, 0]]' was given, expected 1 to 6 rows"),
    ],
)
def test_queries(pair, message):
    assert message in refusal(answers(b=pair), "b", "pair")


def test_sides_have_a_row_for_each_query():
    two = {"left": [[1, -1], [1, -1]]}
    text = refusal(answers(b=two), "b", "sides")
    assert text == "sides: left has 2 rows, expected 1, one for each query"


@pytest.mark.parametrize("nested", [True, False])
def test_a_side_may_be_nested_or_not(nested):
    left = [[1.6871, -1.6871]] if nested else [1.6871, -1.6871]
    assert grade(answers(b={"left": left})).total == 5


@pytest.mark.parametrize(
    ("largest", "message"),
    [
        ([0, 1], "0 was given, expected places from 1 to 3, as in [1, 2], counted"),
        ([2, 4], "4 was given"),
        ([2, 2], "a place was given twice"),
        ([2.5], "2.5 was given"),
        ([True], "true was given"),
        ("2 and 3", "the text '2 and 3' was given"),
        ([], "a list of 0 was given"),
        ([1, 2, 3, 1], "a list of 4 was given"),
        ([[2, 3]], "a list of 2 was given"),
    ],
)
def test_places(largest, message):
    assert message in refusal(answers(d={"largest": largest}), "d", "largest")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("convention", "2", "the text '2' was given, expected 1 or 2"),
        ("convention", True, "true was given, expected 1 or 2"),
        ("convention", 3, "3 was given, expected 1 or 2"),
        ("scope", "all", 'expected "attention" or "with projections"'),
    ],
)
def test_conventions(field, value, message):
    for name in ("flops", "formula"):
        assert message in refusal(answers(e={field: value}), "e", name)


def test_a_convention_that_is_not_stated_is_asked_for():
    part, verdict = part_of(answers(e={"convention": None}), "e", "flops")
    assert part.text == "This cannot be judged before you state convention."
    assert (part.credit, verdict.status) == (0, "graded")


@pytest.mark.parametrize(
    ("string", "message"),
    [
        ("ik,jk", "not an einsum string with its result"),
        ("Q K^T", "not an einsum string"),
        ("ik;jk->ij", "not an einsum string"),
        ("...ik,jk->...ij", "not an einsum string"),
        ("__import__('os')", "not an einsum string"),
        (["ik,jk->ij"], "a list of 1 was given, expected text in quotes"),
        ("i" * 201, "201 characters were given, expected 200 at most"),
        ("\ud800", "half a character"),
    ],
)
def test_subscripts(string, message):
    assert message in refusal(answers(a={"scores": string}), "a", "scores")


@pytest.mark.parametrize(
    "string", ["ik,jk->ij", " xz , yz -> xy", "Ab,Cb→AC", "...ik,...jk->...ij"]
)
def test_any_letters_do(string):
    assert grade(answers(a={"scores": string})).total == 5


@pytest.mark.parametrize("shape", [["N", "dv"], ["n", "d_{v}"], ["$n$", "$d_v$"]])
def test_names_have_several_spellings(shape):
    assert grade(answers(a={"shape": shape})).total == 5


def test_a_word_that_is_not_known_needs_a_person():
    assert "none of the answers" in refusal(answers(b={"step": "magic"}), "b", "step")


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (answers() | {"f": {}}, "item the text 'f' is not known"),
        (answers() | {"": {}}, "items are a to e"),
        (answers(d={"weight": []}), "item d has no field the text 'weight': it has"),
        (answers() | {"a": [1]}, "item a is a list of 1, expected an object"),
        ([1], "answers is a list of 1, expected an object"),
        ("x", "answers is the text 'x'"),
        (None, "answers is null"),
    ],
)
def test_unknown_keys_and_wrong_nesting(content, note):
    verdict = grade(content)
    assert verdict.status == "needs_review"
    assert any(note in text for text in verdict.notes)


def test_missing_parts_score_nothing_and_need_nobody():
    verdict = grade({"c": {"variance": "d_k*sigma**4"}, "d": {"weights": None}})
    assert (verdict.total, verdict.status) == (0.5, "graded")
    pair = grade({"b": {"Q1": [[1, 0]]}}).items["b"]
    assert [part.tag for part in pair] == ["missing", "incomplete", "incomplete"]
