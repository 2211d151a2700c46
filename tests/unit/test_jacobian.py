"""Norms of the softmax Jacobian against the matrix itself."""

from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sdpa.jacobian import (
    jacobian_bound,
    jacobian_frobenius,
    jacobian_spectral,
    jacobian_trace,
    slopes,
)
from sdpa.softmax import softmax, softmax_jacobian

SCORES = arrays(float, st.integers(1, 12), elements=st.floats(-40, 40))


@given(SCORES)
def test_norms_are_those_of_the_matrix(scores):
    alpha = softmax(scores)
    J = softmax_jacobian(alpha)
    assert jacobian_trace(alpha) == pytest.approx(np.trace(J), abs=1e-14)
    assert jacobian_frobenius(alpha) == pytest.approx(np.linalg.norm(J), abs=1e-14)
    largest = np.linalg.eigvalsh(J)[-1]
    assert jacobian_spectral(alpha) == pytest.approx(largest, abs=1e-14)
    np.testing.assert_allclose(slopes(alpha), np.diag(J), atol=1e-15)


@given(SCORES)
def test_spectral_norm_is_bounded(scores):
    alpha = softmax(scores)
    bound = jacobian_bound(alpha)
    assert jacobian_spectral(alpha) <= bound * (1 + 1e-12) <= 0.5 * (1 + 1e-11)
    w = alpha.max()
    if w >= 0.5:
        assert bound == pytest.approx(2 * w * (1 - w), abs=1e-14)


@given(SCORES)
def test_closed_forms_in_powers(scores):
    alpha = softmax(scores)
    p2, p3 = (alpha**2).sum(), (alpha**3).sum()
    assert jacobian_trace(alpha) == pytest.approx(1 - p2, abs=1e-14)
    squared = jacobian_frobenius(alpha) ** 2
    assert squared == pytest.approx(p2 - 2 * p3 + p2**2, abs=1e-14)


def test_norms_stay_exact_when_saturated():
    # two keys: J = x [[1, -1], [-1, 1]] with x = α (1 - α); here 1 - α is e^-200
    x = exp(-200)
    alpha = softmax([0.0, -200.0])
    assert 1 - (alpha**2).sum() == 0.0  # what the textbook form would give
    assert jacobian_trace(alpha) == pytest.approx(2 * x, rel=1e-12, abs=0)
    assert jacobian_frobenius(alpha) == pytest.approx(2 * x, rel=1e-12, abs=0)
    assert jacobian_spectral(alpha) == pytest.approx(2 * x, rel=1e-12, abs=0)
    assert jacobian_bound(alpha) == pytest.approx(2 * x, rel=1e-12, abs=0)
    np.testing.assert_allclose(slopes(alpha), [x, x], rtol=1e-12)


@pytest.mark.parametrize("m", [2, 3, 10])
def test_uniform_and_one_hot(m):
    uniform, one_hot = np.full(m, 1 / m), np.eye(m)[0]
    assert jacobian_spectral(uniform) == pytest.approx(1 / m)
    assert jacobian_trace(uniform) == pytest.approx(1 - 1 / m)
    assert jacobian_frobenius(uniform) == pytest.approx(sqrt(m - 1) / m)
    for measure in (jacobian_spectral, jacobian_trace, jacobian_frobenius):
        assert measure(one_hot) == 0.0


def test_norms_take_rows_and_leave_them_alone():
    alpha = softmax(np.random.default_rng(0).standard_normal((2, 3, 5)))
    before = alpha.copy()
    for measure in (jacobian_spectral, jacobian_trace, jacobian_frobenius):
        found = measure(alpha)
        assert found.shape == (2, 3)
        assert found[1, 2] == pytest.approx(float(measure(alpha[1, 2])))
    assert slopes(alpha).shape == (2, 3, 5)
    assert np.array_equal(alpha, before)


@pytest.mark.parametrize("empty", [np.ones((3, 0)), 1.0])
def test_norms_need_a_key(empty):
    for measure in (jacobian_spectral, jacobian_trace, jacobian_frobenius, slopes):
        with pytest.raises(ValueError, match="with m at least 1"):
            measure(empty)
