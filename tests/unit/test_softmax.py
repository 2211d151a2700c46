"""softmax, its Jacobian, entropy and effective keys against closed forms."""

import numpy as np
import pytest

from sdpa import effective_keys, entropy, softmax, softmax_jacobian

rng = np.random.default_rng(0)
DTYPES = [np.float16, np.float32, np.float64, np.longdouble]


def test_two_scores_give_the_logistic_function():
    gap = np.linspace(-30, 30, 61)
    scores = np.stack([gap, np.zeros_like(gap)], axis=-1)
    np.testing.assert_allclose(softmax(scores)[:, 0], 1 / (1 + np.exp(-gap)))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
def test_the_named_axis_is_normalised(axis):
    x = rng.standard_normal((2, 3, 4))
    A = softmax(x, axis)
    np.testing.assert_allclose(A.sum(axis), 1)
    np.testing.assert_allclose(A, np.exp(x) / np.exp(x).sum(axis, keepdims=True))
    other = 0 if axis not in (0, -3) else 1
    assert not np.allclose(A.sum(other), 1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_dtype_stays_and_large_scores_do_not_overflow(dtype):
    A = softmax(np.array([[1e4, 1e4, -1e4], [-1e4, 0, 1e4]], dtype=dtype))
    assert A.dtype == dtype
    np.testing.assert_allclose(A, [[0.5, 0.5, 0], [0, 0, 1]], rtol=0, atol=1e-300)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint64])
def test_integers_and_booleans_are_computed_in_float64(dtype):
    A = softmax(np.array([0, 1], dtype=dtype))
    assert A.dtype == np.float64
    np.testing.assert_allclose(A, [1 / (1 + np.e), np.e / (1 + np.e)], rtol=1e-15)


def test_minus_infinity_is_masked_and_nothing_visible_gives_zeros():
    inf = np.inf
    x = [[0.0, -inf, 0.0], [-inf, -inf, -inf]]
    np.testing.assert_array_equal(softmax(x), [[0.5, 0, 0.5], [0, 0, 0]])
    assert softmax(np.empty((2, 0))).shape == (2, 0)
    assert softmax(np.empty((0, 3)), axis=0).shape == (0, 3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_spoil_their_own_row_only(bad):
    A = softmax([[0.0, bad, 1.0], [0.0, 0.0, -np.inf]])
    assert np.isnan(A[0]).all()
    np.testing.assert_array_equal(A[1], [0.5, 0.5, 0])


def test_the_input_is_left_alone():
    x = rng.standard_normal((3, 4))
    before = x.copy()
    x.setflags(write=False)
    softmax(x)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("function", [softmax, softmax_jacobian, entropy])
@pytest.mark.parametrize(
    ("x", "error"),
    [
        (3.0, ValueError),
        ([1j, 2], TypeError),
        (["a", "b"], TypeError),
        ([None, 1.0], TypeError),
        ([[1.0], [1.0, 2.0]], ValueError),
        (np.ma.masked_array([1.0, 2.0], [True, False]), TypeError),
    ],
)
def test_what_is_not_an_array_of_real_numbers_is_refused(function, x, error):
    with pytest.raises(error, match=r"^(x|alpha) (is|has)"):
        function(x)


def test_an_axis_that_is_not_there_is_a_value_error():
    with pytest.raises(ValueError, match="axis 2 is out of bounds"):
        softmax(np.zeros((2, 3)), axis=2)


def test_the_jacobian_is_the_derivative():
    """Central differences: step 1e-5 leaves an error near 1e-10."""
    x, step = rng.standard_normal((2, 5)), 1e-5
    J = softmax_jacobian(softmax(x))
    assert J.shape == (2, 5, 5)
    for j in range(5):
        shift = step * np.eye(5)[j]
        slope = (softmax(x + shift) - softmax(x - shift)) / (2 * step)
        np.testing.assert_allclose(J[..., j], slope, atol=1e-9)


def test_the_jacobian_has_its_known_invariants():
    alpha = softmax(3 * rng.standard_normal((6, 7)))
    J = softmax_jacobian(alpha)
    squares = (alpha**2).sum(-1)
    np.testing.assert_allclose(J.sum(-1), 0, atol=1e-15)
    np.testing.assert_array_equal(J, J.swapaxes(-1, -2))
    np.testing.assert_allclose(np.trace(J, axis1=-2, axis2=-1), 1 - squares)
    frobenius = squares - 2 * (alpha**3).sum(-1) + squares**2
    np.testing.assert_allclose((J**2).sum((-1, -2)), frobenius)
    assert (np.linalg.norm(J, 2, axis=(-2, -1)) <= 0.5).all()


def test_the_winner_of_a_saturated_softmax_has_no_gradient_either():
    """The source exempts the winner: its own entry is α(1 − α), and vanishes too."""
    alpha = softmax([20.0, 0.0, 0.0])
    J = softmax_jacobian(alpha)
    assert J[0, 0] == pytest.approx(alpha[0] * (1 - alpha[0]), rel=1e-6)
    assert np.abs(J).max() < 1e-8
    bound = 2 * alpha[0] * (1 - alpha[0])
    assert np.linalg.norm(J, 2) <= bound * (1 + 1e-6)


@pytest.mark.parametrize("m", [1, 2, 7, 64])
def test_equal_weights_count_every_key(m):
    alpha = np.full((3, m), 1 / m)
    np.testing.assert_allclose(entropy(alpha), np.log(m), atol=1e-14)
    np.testing.assert_allclose(effective_keys(alpha), m)


def test_a_single_key_is_exactly_one_and_none_is_zero():
    weights = [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    np.testing.assert_array_equal(entropy(weights), [0, 0])
    assert not np.signbit(entropy(weights)).any()
    np.testing.assert_array_equal(effective_keys(weights), [1, 0])


def test_entropy_of_a_coin_and_along_another_axis():
    p = 0.1
    expected = -p * np.log(p) - (1 - p) * np.log(1 - p)
    assert entropy([p, 1 - p]) == pytest.approx(expected, rel=1e-14)
    column = np.array([[p, 0.5], [1 - p, 0.5]])
    np.testing.assert_allclose(entropy(column, axis=0), [expected, np.log(2)])
    np.testing.assert_allclose(effective_keys(column, axis=0)[1], 2)


def test_entropy_survives_tiny_weights_and_passes_nan_on():
    assert entropy([1.0, 5e-324]) == pytest.approx(0, abs=1e-300)
    assert entropy([1 + 2**-52, 0.0]) == 0  # rounding must not make it negative
    assert np.isnan(entropy([np.nan, 0.5]))
    assert np.isnan(effective_keys([np.nan, 0.5]))


def test_scores_passed_for_weights_are_noticed():
    with pytest.raises(ValueError, match=r"negative entry -2\.0.*entropy\(softmax"):
        entropy([1.0, -2.0])
    with pytest.raises(ValueError, match="negative"):
        effective_keys([1.0, -2.0])


def test_measures_of_float16_weights_are_float32():
    alpha = np.full((2, 4), 0.25, dtype=np.float16)
    for function in (softmax_jacobian, entropy, effective_keys):
        assert function(alpha).dtype == np.float32
