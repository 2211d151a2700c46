"""Properties of attention on generated shapes, dtypes, strides, masks, magnitudes.

n, m, d_k, d_v are drawn independently, from 0 up. Examples are derived from the test
(`derandomize`), so that every run sees the same ones.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sdpa import attention, attention_weights, dot_product, soft_lookup, softmax
from tests.oracle import error_bound, reference
from tests.strategies import FLOATS, assert_within, fixed, problems


@settings(fixed, max_examples=400)
@given(problems())
def test_attention_is_within_the_error_bound_of_long_double(problem):
    Q, K, V, mask = problem
    copies = [x.copy() for x in problem if x is not None]
    output = attention(Q, K, V, mask=mask)
    _, expected = reference(Q, K, V, mask=mask)
    kinds = [x.dtype if x.dtype.kind == "f" else np.float64 for x in (Q, K, V)]
    assert output.shape == expected.shape
    assert output.dtype == np.result_type(*kinds)
    assert_within(output, expected, error_bound(Q, K, V, mask=mask))
    for before, after in zip(copies, problem, strict=False):
        np.testing.assert_array_equal(before, after)


@fixed
@given(
    hnp.arrays(np.float64, (3, 2), elements=st.floats(-100, 100)),
    hnp.arrays(np.float64, (4, 2), elements=st.floats(-100, 100)),
    hnp.arrays(np.float64, (4, 5), elements=st.floats(-1e6, 1e6)),
    st.floats(-2, 2),
)
def test_chosen_numbers_and_scales_are_within_the_bound(Q, K, V, scale):
    """Cancellation, ties, subnormal entries: what a seeded generator never draws."""
    _, expected = reference(Q, K, V, scale=scale)
    bound = error_bound(Q, K, V, scale=scale)
    assert_within(attention(Q, K, V, scale=scale), expected, bound)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spread", [1, 100, 10_000])
def test_at_a_working_size_four_is_enough_for_the_constant(dtype, spread):
    """At n, m, d_k, d_v = 48, 80, 64, 32, with plain |s|, the bound holds at C = 4."""
    rng = np.random.default_rng(0)
    Q, K, V = (rng.standard_normal(s) for s in ((48, 64), (80, 64), (80, 32)))
    S = Q @ K.T / 8
    Q *= spread / np.abs(S).max()
    Q, K, V = (x.astype(dtype) for x in (Q, K, V))
    weights, expected = reference(Q, K, V)
    s = np.abs(Q.astype(np.longdouble) @ K.T.astype(np.longdouble)) / 8
    assert s.max() == pytest.approx(spread, rel=1e-3)
    error = np.abs(attention(Q, K, V) - expected)
    unit = np.finfo(dtype).eps * (1 + s.max(-1)[:, None]) * (weights @ np.abs(V))
    assert (error <= 4 * unit).all(), (error / unit).max()


@fixed
@given(problems(dtypes=FLOATS))
def test_rows_sum_to_one_or_see_nothing(problem):
    Q, K, _, mask = problem
    if mask is not None:
        mask = mask[(0,) * (mask.ndim - 2)] if 0 not in mask.shape else None
    A = attention_weights(Q, K, mask=mask)
    seen = np.broadcast_to(True if mask is None else mask, A.shape)
    eps = np.finfo(A.dtype).eps
    assert ((A >= 0) & (A <= 1 + 4 * eps)).all()
    assert (A[~seen] == 0).all()
    sums = A.astype(np.float64).sum(axis=-1)
    np.testing.assert_allclose(sums, seen.any(axis=-1), rtol=0, atol=8 * eps)


@fixed
@given(problems(), st.randoms(use_true_random=False))
def test_permuting_keys_with_their_values_changes_nothing(problem, random):
    Q, K, V, mask = problem
    order = list(range(K.shape[-2]))
    random.shuffle(order)
    moved = attention(
        Q,
        K[..., order, :],
        V[..., order, :],
        mask=None if mask is None else mask[..., order],
    )
    bound = 2 * error_bound(Q, K, V, mask=mask)
    assert_within(moved, attention(Q, K, V, mask=mask), bound)


@fixed
@given(problems(), st.randoms(use_true_random=False))
def test_permuting_queries_permutes_the_rows(problem, random):
    Q, K, V, mask = problem
    order = list(range(Q.shape[-2]))
    random.shuffle(order)
    moved = attention(
        Q[..., order, :], K, V, mask=None if mask is None else mask[..., order, :]
    )
    still = attention(Q, K, V, mask=mask)[..., order, :]
    bound = 2 * error_bound(Q, K, V, mask=mask)[..., order, :]
    assert_within(moved, still, bound)


@fixed
@given(problems())
def test_a_batch_is_the_loop_over_its_members(problem):
    Q, K, V, mask = problem
    whole = attention(Q, K, V, mask=mask)
    bound = 2 * error_bound(Q, K, V, mask=mask)
    lead = whole.shape[:-2]
    Q, K, V = (np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (Q, K, V))
    for b in np.ndindex(lead):
        one = attention(Q[b], K[b], V[b], mask=None if mask is None else mask[b])
        assert_within(one, whole[b], bound[b])


@fixed
@given(problems(smallest=1, dtypes=[np.float64]))
def test_masking_keys_is_the_same_as_leaving_them_out(problem):
    Q, K, V, mask = problem
    assume(mask is not None)
    output = attention(Q, K, V, mask=mask)
    bound = 2 * error_bound(Q, K, V, mask=mask)
    lead = output.shape[:-2]
    Q, K, V = (np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (Q, K, V))
    for b in np.ndindex(lead):
        for i, seen in enumerate(mask[b]):
            one = attention(Q[b][[i]], K[b][seen], V[b][seen])
            assert_within(one[0], output[b][i], bound[b][i])


@fixed
@given(problems(smallest=1))
def test_the_output_lies_inside_the_hull_of_the_visible_values(problem):
    Q, K, V, mask = problem
    output = attention(Q, K, V, mask=mask)
    shape = (*output.shape[:-2], Q.shape[-2], *V.shape[-2:])
    seen = np.broadcast_to(True if mask is None else mask[..., None], shape)
    values = np.broadcast_to(V[..., None, :, :], shape).astype(np.longdouble)
    low = np.where(seen, values, np.inf).min(axis=-2)
    high = np.where(seen, values, -np.inf).max(axis=-2)
    empty = ~seen.any(axis=-2)
    slack = 16 * np.finfo(output.dtype).eps * 3  # |v| ≤ 3
    assert (empty | ((low - slack <= output) & (output <= high + slack))).all()


@fixed
@given(
    problems(smallest=1, dtypes=[np.float64], magnitudes=(1e-3, 1.0, 8.0)),
    st.sampled_from([0.25, 0.7, 3.0, -2.0]),
)
def test_scaling_queries_keys_or_scores_agrees(problem, factor):
    """As does d_k^¼ on both sides: only the product of the factors counts."""
    Q, K, V, mask = problem
    c = factor / np.sqrt(Q.shape[-1])
    expected = attention(Q, K, V, mask=mask, scale=c)
    bound = 2 * error_bound(Q, K, V, mask=mask, scale=c)
    root = np.sqrt(abs(factor))
    sign = np.sign(factor)
    for q, k in ((factor, 1), (1, factor), (root, sign * root)):
        assert_within(attention(q * Q, k * K, V, mask=mask), expected, bound)
    S = c * dot_product(Q, K)
    S = S if mask is None else np.where(mask, S, -np.inf)
    assert_within(soft_lookup(S, V), expected, bound)


@fixed
@given(
    problems(smallest=1, dtypes=[np.float64], magnitudes=(1.0, 8.0)),
    st.floats(-50, 50),
)
def test_adding_a_constant_to_a_row_of_scores_changes_nothing(problem, constant):
    """Whether added to the scores, or by adding one vector to every key."""
    Q, K, V, _ = problem
    S = dot_product(Q, K)
    # A row of scores near `constant` is only known to ε·|constant|.
    slack = 8 * np.finfo(float).eps * (1 + abs(constant) + np.abs(S).max())
    np.testing.assert_allclose(softmax(S + constant), softmax(S), rtol=0, atol=slack)
    bound = error_bound(Q, K, V) + error_bound(Q, np.abs(K) + abs(constant), V)
    assert_within(attention(Q, K + constant, V), attention(Q, K, V), 2 * bound + slack)


@fixed
@given(
    problems(smallest=1, dtypes=FLOATS, magnitudes=(1.0, 8.0)),
    st.sampled_from([np.nan, np.inf, -np.inf]),
    st.data(),
)
def test_bad_entries_spoil_exactly_the_rows_that_see_them(problem, bad, data):
    """One NaN or inf in Q, K or V: which outputs become NaN is known beforehand."""
    *arrays, mask = problem
    clean = attention(*arrays, mask=mask)
    bound = 2 * error_bound(*arrays, mask=mask)
    lead, n, m = clean.shape[:-2], arrays[0].shape[-2], arrays[1].shape[-2]
    Q, K, V = (np.broadcast_to(x, (*lead, *x.shape[-2:])).copy() for x in arrays)
    seen = np.broadcast_to(True if mask is None else mask, (*lead, n, m))
    target = data.draw(st.sampled_from([Q, K, V]))
    where = tuple(data.draw(st.integers(0, size - 1)) for size in target.shape)
    target[where] = bad
    b, row, column = where[:-2], where[-2], where[-1]
    expected = np.zeros(clean.shape, dtype=bool)
    if target is Q:
        expected[b][row] = seen[b][row].any()
    elif target is K:
        expected[b][seen[b][:, row]] = True
    else:
        expected[b][seen[b][:, row], column] = True
    output = attention(Q, K, V, mask=mask)
    np.testing.assert_array_equal(np.isnan(output), expected)
    assert_within(output[~expected], clean[~expected], bound[~expected])


@fixed
@given(problems(smallest=1, dtypes=[np.float64], magnitudes=(1.0, 8.0)))
def test_temperature_runs_from_the_best_key_to_the_mean(problem):
    Q, K, V, _ = problem
    S = dot_product(Q, K)
    shape = (*np.broadcast_shapes(S.shape[:-2], V.shape[:-2]), *S.shape[-2:])
    ties = np.broadcast_to(S == S.max(axis=-1, keepdims=True), shape)
    hard = (ties / ties.sum(axis=-1, keepdims=True)) @ V
    mean = np.broadcast_to(V.mean(axis=-2, keepdims=True), hard.shape)
    for temperature, expected in ((0, hard), (np.inf, mean), (1e300, mean)):
        output = soft_lookup(S, V, temperature=temperature)
        np.testing.assert_allclose(output, expected, atol=1e-12)
    half = soft_lookup(S, V, temperature=2.0)
    np.testing.assert_allclose(half, soft_lookup(S / 2, V), atol=1e-12)
