"""The hand calculation, step by step."""

import dataclasses

import numpy as np
import pytest

from sdpa import Trace, attention, attention_weights, trace

rng = np.random.default_rng(2)
Q, K, V = (rng.standard_normal(s) for s in ((2, 3), (4, 3), (4, 5)))


def test_the_last_step_is_attention():
    t = trace(Q, K, V)
    np.testing.assert_allclose(t.output, attention(Q, K, V), rtol=1e-14)
    np.testing.assert_allclose(t.weights, attention_weights(Q, K), rtol=1e-14)


def test_each_step_follows_from_the_one_before():
    t = trace(Q, K, V, scale=0.3)
    assert t.scale == 0.3
    np.testing.assert_array_equal(t.scores, Q @ K.T)
    np.testing.assert_array_equal(t.scaled, t.scale * t.scores)
    np.testing.assert_array_equal(t.exponentials, np.exp(t.scaled))  # nothing shifted
    np.testing.assert_allclose(t.sums[:, 0], t.exponentials.sum(-1))
    np.testing.assert_array_equal(t.weights, t.exponentials / t.sums)
    np.testing.assert_allclose(t.output, t.weights @ V)


def test_shapes_with_leading_dimensions():
    t = trace(np.stack([Q] * 6), K, V)
    shapes = {f.name: np.shape(getattr(t, f.name)) for f in dataclasses.fields(Trace)}
    assert shapes == {
        "scores": (6, 2, 4),
        "scale": (),
        "scaled": (6, 2, 4),
        "exponentials": (6, 2, 4),
        "sums": (6, 2, 1),
        "weights": (6, 2, 4),
        "output": (6, 2, 5),
    }


def test_a_trace_cannot_be_reassigned():
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace(Q, K, V).scale = 1.0


def test_the_printed_steps_have_names_and_six_decimals():
    text = str(trace([[1, 0]], [[1, 0], [0, 1], [1, 1]], [[10, 0], [0, 10], [5, 5]]))
    assert text == "\n".join(
        [
            "scores        Q Kᵀ",
            "    [[1.000000 0.000000 1.000000]]",
            "scale         c",
            "    0.707107",
            "scaled        c · scores",
            "    [[0.707107 0.000000 0.707107]]",
            "exponentials  exp(scaled)",
            "    [[2.028115 1.000000 2.028115]]",
            "sums          of each row",
            "    [[5.056230]]",
            "weights       exponentials / sums",
            "    [[0.401112 0.197776 0.401112]]",
            "output        weights · V",
            "    [[6.016681 3.983319]]",
        ]
    )


def test_printing_ignores_print_options_and_hides_minus_zero():
    t = trace([[1.0, 0.0]], [[0.0, 1.0]], [[1.0]], scale=-1)
    assert np.signbit(t.scaled).all() and t.scaled == 0  # −1 · 0
    expected = str(t)
    with np.printoptions(precision=2, suppress=False, sign="+", threshold=0):
        assert str(t) == expected
    assert "-0" not in expected and "-1.000000" in expected


@pytest.mark.parametrize(
    ("dtype", "logit"), [(np.float16, 89), (np.float32, 89), (np.float64, 710)]
)
@pytest.mark.parametrize("sign", [1, -2])
def test_overflow_and_vanishing_sums_point_to_attention(dtype, logit, sign):
    q, k, v = (np.array([[x]], dtype=dtype) for x in (logit, sign, 7))
    with pytest.raises(ValueError, match=r"add up to inf or to 0.*attention\(\)"):
        trace(q, k, v)
    assert attention(q, k, v) == [[7]]


@pytest.mark.parametrize("position", range(3))
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_inputs_that_are_not_finite_are_refused(position, bad):
    arrays = [x.copy() for x in (Q, K, V)]
    arrays[position][1, 1] = bad
    with pytest.raises(ValueError, match=r"not finite.*attention\(\) handles"):
        trace(*arrays)


def test_no_keys_are_refused_and_no_queries_are_not():
    with pytest.raises(ValueError, match="no key"):
        trace(Q, K[:0], V[:0])
    assert trace(Q[:0], K, V).output.shape == (0, 5)


def test_shapes_and_scale_are_checked_as_in_attention():
    with pytest.raises(ValueError, match=r"\(4, 3\) and V with shape \(3, 5\)"):
        trace(Q, K, V[:-1])
    with pytest.raises(TypeError, match="scale"):
        trace(Q, K, V, scale="1")


def test_inputs_are_not_modified():
    copies = [x.copy() for x in (Q, K, V)]
    trace(Q, K, V)
    for x, copy in zip((Q, K, V), copies, strict=True):
        np.testing.assert_array_equal(x, copy)
