"""The bank: right answers pass, slips never do, and equal slips are declared."""

import itertools
import json
import re

import numpy as np
import pytest

from sdpa import dot_product_moments
from sdpa.selftest import bank, bank_json, grade, student_seed
from sdpa.selftest.expressions import evaluate
from sdpa.selftest.symbolic import canonical
from sdpa.selftest.texts import FEEDBACK, HINTS
from tests.grading.samples import GOOD, right_answers

VARIANTS = range(1000)


def parts_of(seed):
    """Yield (letter, part) for a bank."""
    for letter, item in bank(seed)["items"].items():
        for part in item["parts"]:
            yield letter, part


def tags(letter, name, seed=None):
    """Return the groups of tags of a part."""
    part = next(p for x, p in parts_of(seed) if (x, p["id"]) == (letter, name))
    return [slip["tags"] for slip in part["wrong"]]


def test_the_answers_of_the_book_score_five():
    verdict = grade(GOOD)
    assert (verdict.total, verdict.status) == (5, "graded")
    assert {part.tag for item in verdict.items.values() for part in item} == {"right"}


def test_the_bank_has_the_numbers_of_the_source():
    parts = {part["id"]: part for _, part in parts_of(None)}
    np.testing.assert_allclose(
        parts["weights"]["right"], [0.197776, 0.401112, 0.401112], atol=5e-7
    )
    np.testing.assert_allclose(
        parts["output"]["right"], [3.983319, 6.016681], atol=5e-7
    )
    assert parts["flops"]["cases"]["2|attention"]["low"] == [274_877_906_944] * 2
    assert parts["entries"]["cases"][""]["low"] == [536_870_912, 16_777_216]
    assert parts["bytes"]["cases"]["fp16"]["low"] == [2**30, 2**25]


def test_slips_that_share_a_value_are_declared():
    """A new pair of equal slips has to be looked at, and written down here."""
    several = [group for group in tags("d", "weights") if len(group) > 1]
    assert several == [
        ["divided_by_d_k", "base_2"],  # ln 2/√2 = .490, and 1/2
        ["linear_normalisation", "hard_maximum"],
        ["old_query", "coordinates_swapped"],
    ]


def test_slips_that_cannot_be_seen_are_declared():
    hidden = {}
    for letter, part in parts_of(None):
        cases = part.get("cases", {"": part})
        for case, data in cases.items():
            if data.get("undetectable"):
                hidden[letter, part["id"], case] = data["undetectable"]
    assert hidden == {
        ("c", "variance", ""): ["k_like_q", "factor_not_squared"],
        ("c", "divisor", ""): ["k_like_q"],
        ("e", "flops", "1|attention"): ["T_d_squared"],  # T = d
        ("e", "flops", "2|attention"): ["T_d_squared"],
        ("e", "bytes", "fp32"): ["fp32_size"],
        ("e", "bytes", "fp16"): ["fp16_size"],
        ("e", "bytes", "bf16"): ["fp16_size"],
    }


@pytest.mark.parametrize("seeds", [VARIANTS[i::4] for i in range(4)], ids=str)
def test_right_answers_pass_and_no_slip_does_in_any_variant(seeds):
    for seed in seeds:
        verdict = grade(right_answers(seed), seed=seed)
        assert verdict.total == 5, seed
        for letter, part in parts_of(seed):
            _no_collision(seed, letter, part)


def _no_collision(seed, letter, part):
    """Answer with each slip: its own tag comes back, and no full credit."""
    name = part["id"]
    if part["kind"] == "vector":
        assert not part["undetectable"], seed
        for slip in part["wrong"]:
            distance = np.abs(np.subtract(slip["value"], part["right"])).max()
            assert distance > 2 * part["loose"], (seed, slip["tags"])
            _expect(seed, letter, name, slip, {name: slip["value"]})
    if part["kind"] == "subscripts":
        for slip in part["wrong"]:
            _expect(seed, letter, name, slip, {name: slip["value"]})
    if part["kind"] == "numbers":
        for case, data in part["cases"].items():
            given = dict(zip(part["by"], case.split("|"), strict=False))
            if "convention" in given:
                given["convention"] = int(given["convention"])
            for slip in data["wrong"]:
                _expect(seed, letter, name, slip, given | {name: slip["value"]})
    if part["kind"] == "formula" and seed < 40:  # these depend on few numbers
        for case, data in part["cases"].items():
            given = dict(zip(part["by"], case.split("|"), strict=False))
            if "convention" in given:
                given["convention"] = int(given["convention"])
            for slip in data["wrong"]:
                _expect(seed, letter, name, slip, given | {name: slip["formula"]})


def _expect(seed, letter, name, slip, answer):
    verdict = grade({letter: answer}, seed=seed)
    part = next(p for p in verdict.items[letter] if p.name == name)
    expected = slip["tags"][0], slip.get("credit", 0)
    assert (part.tag, part.credit) == expected, (seed, part)


def test_a_collision_would_be_found():
    part = {"kind": "vector", "id": "weights", "undetectable": [], "loose": 0.003}
    part |= {
        "right": [0.2, 0.4, 0.4],
        "wrong": [{"tags": ["x"], "value": [0.2, 0.4, 0.405]}],
    }
    with pytest.raises(AssertionError):
        _no_collision(0, "d", part)


def test_undetectable_slips_of_variants():
    """In variants T ≠ d, so what hides in the book's numbers shows."""
    declared = {"fp16_size", "fp32_size", "one_factor", "k_like_q"}
    for seed in range(200):
        for _, part in parts_of(seed):
            for data in part.get("cases", {}).values():
                assert set(data["undetectable"]) <= declared, seed


def test_only_the_right_subscripts_compute_the_right_thing():
    """All strings of two indices each, at sizes that differ: one passes."""
    rng = np.random.default_rng(1)
    Q, K = rng.standard_normal((2, 5)), rng.standard_normal((3, 5))
    passing = set()
    for letters in itertools.product("abcd", repeat=6):
        string = "{}{},{}{}->{}{}".format(*letters)
        try:
            same = np.einsum(string, Q, K)
        except ValueError:
            continue
        if same.shape == (2, 3) and np.allclose(same, Q @ K.T):
            passing.add(canonical(string))
    assert passing == {canonical("ik,jk->ij")}


@pytest.mark.parametrize(
    ("name", "operands"), [("scores", ("Q", "K")), ("output", ("A", "V"))]
)
def test_wrong_subscripts_are_wrong(name, operands):
    shapes = {"Q": (2, 5), "K": (3, 5), "A": (2, 3), "V": (3, 7)}
    arrays = [np.random.default_rng(2).random(shapes[x]) for x in operands]
    part = next(p for _, p in parts_of(None) if p["id"] == name)
    right = np.einsum(part["right"], *arrays)
    for slip in part["wrong"]:
        try:
            value = np.einsum(slip["value"], *arrays)
        except ValueError:
            continue
        assert value.shape != right.shape or not np.allclose(value, right)


def test_no_points_where_wrong_formulas_agree():
    points = next(p for _, p in parts_of(None) if p["id"] == "variance")["points"]
    sigma = np.array(points["sigma"])
    assert len(sigma) == 24
    assert (((sigma > 0.4) & (sigma < 0.9)) | ((sigma > 1.15) & (sigma < 2.5))).all()
    points = next(p for _, p in parts_of(None) if p["id"] == "formula")["points"]
    assert all(T != d for T, d in zip(points["T"], points["d"], strict=True))
    assert points["d"] == [
        h * k for h, k in zip(points["h"], points["d_k"], strict=True)
    ]


def test_the_formulas_agree_with_the_moments():
    case = next(p for _, p in parts_of(None) if p["id"] == "variance")["cases"][""]
    points = {"sigma": np.array([1.7]), "d_k": np.array([5.0])}
    value = evaluate(case["right"][0], points)
    moments = dot_product_moments(5, sigma_q=1.7, sigma_k=1.7)
    np.testing.assert_allclose(value, moments.variance, rtol=1e-12)


@pytest.mark.parametrize("seed", [None, 3])
def test_feedback_and_hints_never_print_the_key(seed):
    texts = [*FEEDBACK.values(), *(hint for hints in HINTS.values() for hint in hints)]
    key = json.dumps(right_answers(seed))
    numbers = {x for x in re.findall(r"\d+\.\d\d+|\d{4,}", key)}
    numbers |= {x[:5] for x in numbers}
    for text in texts:
        assert not any(number in text for number in numbers)
        assert not re.search(r"->|sigma\*\*|d_k ?\*", text)


def test_every_tag_has_a_text_and_every_text_a_tag():
    used = {"right", "missing", "incomplete", "no_context", "other", "rounded", "own"}
    used |= {"constant", "no_gap", "zero_query", "source_values", "left_wrong"}
    used |= {"right_wrong", "sides_swapped", "some_places", "other_places"}
    for seed in (None, 0, 1, 2, 3):
        for _, part in parts_of(seed):
            slips = [*part.get("wrong", [])]
            slips += [x for c in part.get("cases", {}).values() for x in c["wrong"]]
            used |= {tag for slip in slips for tag in slip["tags"]}
            used |= {
                t for c in part.get("cases", {}).values() for t in c["undetectable"]
            }
            used |= {tag for tag, _ in part.get("spellings", {}).values()}
    assert used == FEEDBACK.keys()


def test_the_bank_is_json_and_the_same_every_time():
    assert json.loads(bank_json()) == bank()
    first = bank_json(11)
    bank.cache_clear()
    assert bank_json(11) == first


def test_variants_differ_and_seeds_depend_on_everything():
    assert bank(1)["items"]["d"]["given"] != bank(2)["items"]["d"]["given"]
    seeds = {student_seed(s, a, w) for s in "xy" for a in "xy" for w in "xy"}
    assert len(seeds) == 8
    assert all(0 <= seed < 2**53 for seed in seeds)


@pytest.mark.parametrize("seed", [True, -1, 1.0, "7", 2**53])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises((TypeError, ValueError), match="variant is"):
        bank(seed)
