"""Credit: what is right, half right, early rounded, or follows from own numbers."""

import numpy as np
import pytest

from sdpa import attention
from sdpa.selftest import grade
from sdpa.selftest.numeric import both_sides
from tests.grading.samples import answers

SCOPE = "with projections"


def verdict_on(letter, name, **fields):
    """Return (tag, credit) of a part when these fields replace the right ones."""
    verdict = grade(answers(**{letter: fields}))
    part = next(part for part in verdict.items[letter] if part.name == name)
    return part.tag, part.credit


@pytest.mark.parametrize(
    ("fields", "tag", "credit"),
    [
        ({"weights": [0.1978, 0.4011, 0.4011]}, "right", 1),
        ({"weights": [0.2, 0.4, 0.4]}, "rounded", 1),
        ({"weights": [0.202, 0.399, 0.399]}, "other", 0),
        ({"weights": [0.155362, 0.422319, 0.422319]}, "no_scale", 0),
        ({"weights": [0.4011, 0.1978, 0.4011]}, "old_query", 0),
        ({"weights": [0, 0, 0]}, "other", 0),
        ({"weights": [0, 0.7071, 0.7071]}, "no_softmax", 0),
    ],
)
def test_weights(fields, tag, credit):
    assert verdict_on("d", "weights", **fields) == (tag, credit)


@pytest.mark.parametrize(
    ("fields", "tag", "credit"),
    [
        ({"output": [3.985, 6.015]}, "right", 1),  # from weights of three digits
        ({"output": [4, 6]}, "rounded", 1),
        ({"output": [3.95, 6.05]}, "other", 0),
        ({"output": [6.017, 3.983]}, "old_query", 0),
        ({"output": [5, 5]}, "uniform", 0),
        # The next weights are wrong, and the output is what they give.
        (
            {"weights": [0.155362, 0.422319, 0.422319], "output": [3.665, 6.335]},
            "own",
            0.5,
        ),
        ({"weights": [0.5, 0.25, 0.25], "output": [6.25, 3.75]}, "own", 0.5),
        ({"weights": [0, 0, 0], "output": [0, 0]}, "other", 0),
        ({"weights": [9, 9, 9], "output": [135, 135]}, "other", 0),
    ],
)
def test_outputs(fields, tag, credit):
    assert verdict_on("d", "output", **fields) == (tag, credit)


@pytest.mark.parametrize(
    ("largest", "credit"),
    [([2, 3], 1), ([3, 2], 1), ([2], 0.5), (3, 0.5), ([1], 0), ([1, 2, 3], 0)],
)
def test_a_tie(largest, credit):
    assert verdict_on("d", "largest", largest=largest)[1] == credit


@pytest.mark.parametrize(
    ("fields", "name", "tag", "credit"),
    [
        ({"convention": 1}, "flops", "one_head_only", None),
        ({"convention": 1, "flops": [137438953472] * 2}, "flops", "right", 1),
        ({"flops": [274877906944 + 6 * 536870912, 274877906944]}, "flops", "right", 1),
        ({"scope": SCOPE}, "flops", "other_scope", 0),
        (
            {"scope": "with projections", "flops": [824633720832] * 2},
            "flops",
            "right",
            1,
        ),
        ({"entries": [16777216, 536870912]}, "entries", "swapped", 0),
        ({"dtype": "fp32"}, "bytes", "fp16_size", 0),
        ({"bytes": [1e9, 32e6]}, "bytes", "decimal", 0),
        ({"bytes": [1, 0.03125]}, "bytes", "in_gib", 0),
        ({"bytes": [1024, 32]}, "bytes", "in_mib", 0),
        ({"entries": [1000, 10], "bytes": [2000, 20]}, "bytes", "own", 0.5),
        ({"entries": [0, 0], "bytes": [0, 0]}, "bytes", "other", 0),
        ({"cheaper": "Single head, by about 1 %"}, "cheaper", "by_a_hair", 1),
        ({"cheaper": "one head"}, "cheaper", "by_how_much", 0.5),
        ({"cheaper": "32 heads"}, "cheaper", "more_heads", 0),
        ({"less_memory": "equal"}, "less_memory", "memory_not_equal", 0),
        ({"formula": "4*T**2*d"}, "formula", "right", 1),
        ({"formula": "4*T**2*d + 5*h*T**2"}, "formula", "right", 1),
        ({"formula": "4*T*d**2"}, "formula", "T_d_squared", 0),
        ({"formula": "4*4096**3"}, "formula", "constant", 0),
        ({"formula": "4.04*T**2*d"}, "formula", "other", 0),
    ],
)
def test_the_bill(fields, name, tag, credit):
    found = verdict_on("e", name, **fields)
    if credit is None:  # twice the right number: the other convention, or no slip
        assert found[1] == 0
    else:
        assert (found[0].startswith(tag), found[1]) == (True, credit), found


def test_the_other_way_up_earns_half():
    verdict = grade(answers(c={"divisor": "1/(sigma**2*sqrt(d_k))"}))
    assert verdict.items["c"][1].credit == 0.5


def test_every_pair_works_with_the_values_of_the_section_so_it_says_nothing():
    K, V = [[1, 0], [0, 1], [1, 1]], [[10, 0], [0, 10], [5, 5]]
    left = attention([[1, 1]], K, V)[0].tolist()
    right = (attention([[1, 0]], K, V) + attention([[0, 1]], K, V))[0].tolist()
    pair = {"Q1": [[1, 0]], "Q2": [[0, 1]], "left": left, "right": right}
    _, gap, sides = grade(answers(b=pair)).items["b"]
    assert (gap.tag, sides.tag) == ("no_gap", "source_values")


def test_zero_with_the_values_of_the_section_is_a_proof():
    pair = {"Q1": [[0, 0]], "Q2": [[0, 0]], "left": [5, 5], "right": [10, 10]}
    _, gap, sides = grade(answers(b=pair)).items["b"]
    assert (gap.tag, gap.credit, sides.tag, sides.credit) == ("zero_query", 1) * 2
    _, gap, sides = grade(answers(b=pair | {"left": [0, 0]})).items["b"]
    assert (gap.credit, sides.credit) == (0, 0)


def test_both_sides_are_attention():
    """The judge adds up in plain numbers; the package says what they have to be."""
    rng = np.random.default_rng(5)
    for magnitude in (0.1, 1, 30, 1000):
        Q1, Q2, K, V = (rng.uniform(-1, 1, (n, 2)) for n in (4, 4, 3, 3))
        Q1, Q2, V = magnitude * Q1, magnitude * Q2, 5 * V
        left, right = both_sides(*(x.tolist() for x in (Q1, Q2, K, V)), 2**-0.5)
        np.testing.assert_allclose(left, attention(Q1 + Q2, K, V), rtol=1e-9, atol=1e-9)
        expected = attention(Q1, K, V) + attention(Q2, K, V)
        np.testing.assert_allclose(right, expected, rtol=1e-9, atol=1e-9)
