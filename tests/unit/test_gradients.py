"""attention_vjp against torch's autograd, finite differences and the Jacobian."""

import numpy as np
import pytest

from sdpa import attention, attention_vjp, attention_weights, softmax_jacobian

rng = np.random.default_rng(8)
n, m, d_k, d_v = 2, 5, 3, 4
Q, K, V, dO = (rng.standard_normal(s) for s in ((n, d_k), (m, d_k), (m, d_v), (n, d_v)))
MASK = np.array([[True, False, True, True, False], [False, True, True, False, True]])


def by_torch(q, k, v, do, *, mask=None, scale=None):
    """Compute the gradients with torch's autograd."""
    import torch

    inputs = [torch.tensor(x, requires_grad=True) for x in (q, k, v)]
    seen = None if mask is None else torch.tensor(np.array(mask))
    attend = torch.nn.functional.scaled_dot_product_attention
    attend(*inputs, attn_mask=seen, scale=scale).backward(torch.tensor(do))
    return [x.grad.numpy() for x in inputs]


def by_differences(q, k, v, do, step=1e-6, **options):
    """Compute the gradients from central differences of the scalar Σ dO · output."""
    inputs = [x.copy() for x in (q, k, v)]
    gradients = [np.zeros_like(x) for x in inputs]
    for x, gradient in zip(inputs, gradients, strict=True):
        for where in np.ndindex(x.shape):
            centre = x[where]
            for sign in 1, -1:
                x[where] = centre + sign * step
                value = (do * attention(*inputs, **options)).sum()
                gradient[where] += sign * value / (2 * step)
            x[where] = centre
    return gradients


def assert_equal(actual, expected, **tolerance):
    for name, a, b in zip(("dQ", "dK", "dV"), actual, expected, strict=True):
        np.testing.assert_allclose(a, b, err_msg=name, **tolerance)


@pytest.mark.parametrize("mask", [None, MASK])
@pytest.mark.parametrize("scale", [None, 1.0, -0.5, 0.0])
def test_it_agrees_with_autograd(mask, scale):
    gradients = attention_vjp(Q, K, V, dO, mask=mask, scale=scale)
    expected = by_torch(Q, K, V, dO, mask=mask, scale=scale)
    assert_equal(gradients, expected, atol=1e-13)
    assert gradients.dQ is gradients[0] and gradients.dV is gradients[2]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("std", [1, 30])
def test_it_agrees_with_autograd_at_a_working_size(dtype, std):
    shapes = ((2, 3, r, w) for r, w in ((48, 64), (80, 64), (80, 32), (48, 32)))
    arrays = [rng.standard_normal(s).astype(dtype) for s in shapes]
    arrays[0] *= dtype(std)
    expected = by_torch(*arrays)
    for gradient, x in zip(attention_vjp(*arrays), expected, strict=True):
        assert gradient.dtype == dtype
        atol = 100 * np.finfo(dtype).eps * std * np.abs(x).max()
        np.testing.assert_allclose(gradient, x, rtol=0, atol=atol)


@pytest.mark.parametrize("options", [{}, {"mask": MASK}, {"scale": 2.0}])
def test_it_agrees_with_finite_differences(options):
    expected = by_differences(Q, K, V, dO, **options)
    assert_equal(attention_vjp(Q, K, V, dO, **options), expected, atol=1e-8)


def test_broadcast_inputs_get_the_sum_over_their_copies():
    heads, values = (
        rng.standard_normal((3, n, d_k)),
        rng.standard_normal((2, 1, m, d_v)),
    )
    do = rng.standard_normal((2, 3, n, d_v))
    gradients = attention_vjp(heads, K, values, do, mask=MASK)
    assert [g.shape for g in gradients] == [heads.shape, K.shape, values.shape]
    expected = by_differences(heads, K, values, do, mask=MASK)
    assert_equal(gradients, expected, atol=1e-7)


def test_it_is_the_jacobian_of_the_softmax_applied_to_a_row():
    A = attention_weights(Q, K)
    J = softmax_jacobian(A)  # (n, m, m)
    dS = np.einsum("ijl,il->ij", J, dO @ V.T)
    gradients = attention_vjp(Q, K, V, dO)
    np.testing.assert_allclose(gradients.dQ, dS @ K / np.sqrt(d_k))
    np.testing.assert_allclose(dS.sum(-1), 0, atol=1e-15)


def test_saturated_weights_stop_the_gradient_of_queries_and_keys_only():
    gradients = attention_vjp(1e3 * Q, K, V, dO)
    assert np.abs(gradients.dQ).max() < 1e-12
    assert np.abs(gradients.dK).max() < 1e-9
    np.testing.assert_allclose(gradients.dV.sum(axis=0), dO.sum(axis=0))


# --- edge cases -----------------------------------------------------------------


def test_a_row_that_sees_nothing_contributes_nothing():
    mask = MASK.copy()
    mask[0] = False
    gradients = attention_vjp(Q, K, V, dO, mask=mask)
    alone = attention_vjp(Q[1:], K, V, dO[1:], mask=mask[1:])
    np.testing.assert_array_equal(gradients.dQ[0], 0)
    assert_equal([gradients.dQ[1:], *gradients[1:]], alone, rtol=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_hidden_bad_numbers_do_not_leak(bad):
    """Query 0 and key 1, and query 1 and key 0, do not see each other."""
    clean = attention_vjp(Q, K, V, dO, mask=MASK)
    q, k, v, do = (x.copy() for x in (Q, K, V, dO))
    k[1, 2], v[1, 3] = bad, bad
    dQ, dK, _ = attention_vjp(q, k, v, do, mask=MASK)
    np.testing.assert_allclose(dQ[0], clean.dQ[0])
    assert np.isnan(dQ[1]).all()
    np.testing.assert_allclose(dK[0], clean.dK[0])  # only query 0 sees key 0
    q[1, 0], do[1, 0] = bad, bad
    gradients = attention_vjp(q, K, V, do, mask=MASK)
    np.testing.assert_allclose(gradients.dQ[0], clean.dQ[0])
    for j in 0, 3:
        np.testing.assert_allclose(gradients.dK[j], clean.dK[j])
        np.testing.assert_allclose(gradients.dV[j], clean.dV[j])
    assert np.isnan(gradients.dK[1]).all() and np.isnan(gradients.dV[2]).all()
    nobody = attention_vjp(q, k, v, do, mask=np.zeros(m, bool))
    assert all((g == 0).all() for g in nobody)


@pytest.mark.parametrize("sizes", [(2, 0, 3, 4), (0, 5, 3, 4), (2, 5, 3, 0)])
@pytest.mark.parametrize("lead", [(), (0,), (3,)])
def test_empty_axes(sizes, lead):
    rows, keys, width, columns = sizes
    shapes = (rows, width), (keys, width), (keys, columns), (rows, columns)
    arrays = [np.ones((*lead, *shape)) for shape in shapes]
    for gradient, x in zip(attention_vjp(*arrays), arrays, strict=False):
        np.testing.assert_array_equal(gradient, np.zeros(x.shape))


def test_without_coordinates_the_values_share_evenly():
    gradients = attention_vjp(np.ones((n, 0)), np.ones((m, 0)), V, dO)
    assert (gradients.dQ.shape, gradients.dK.shape) == ((n, 0), (m, 0))
    np.testing.assert_allclose(gradients.dV, np.tile(dO.sum(0) / m, (m, 1)))


@pytest.mark.parametrize("dtypes", ["eeee", "ffff", "iiii", "fdff"])
def test_dtypes(dtypes):
    arrays = [x.astype(t) for x, t in zip((Q, K, V, dO), dtypes, strict=True)]
    expected = {"eeee": np.float16, "ffff": np.float32}.get(dtypes, np.float64)
    assert {g.dtype for g in attention_vjp(*arrays)} == {np.dtype(expected)}


def test_inputs_may_be_read_only_and_stay_as_they_are():
    locked = [x.copy() for x in (Q, K, V, dO, MASK)]
    for x in locked:
        x.setflags(write=False)
    attention_vjp(*locked[:4], mask=locked[4])
    for x, copy in zip((Q, K, V, dO, MASK), locked, strict=True):
        np.testing.assert_array_equal(x, copy)


@pytest.mark.parametrize("bad", [dO[0], dO[:, :3], dO.T, dO[None], 1.0])
def test_a_gradient_of_another_shape_is_refused(bad):
    with pytest.raises(ValueError, match=r"dO has shape .*d_v\) = \(2, 4\)"):
        attention_vjp(Q, K, V, bad)


def test_errors_are_those_of_attention():
    with pytest.raises(ValueError, match="differ in d_k"):
        attention_vjp(Q, K[:, :2], V, dO)
    with pytest.raises(TypeError, match="dO has dtype complex"):
        attention_vjp(Q, K, V, dO + 1j)
    with pytest.raises(TypeError, match="mask has dtype"):
        attention_vjp(Q, K, V, dO, mask=MASK * 1)
