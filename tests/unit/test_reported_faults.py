"""Faults that were reported in other people's attention; none of them is here.

One test a report, named in its docstring. Each test first commits the fault where
that is possible, to show that the numbers can tell the difference.
"""

import warnings

import numpy as np
import pytest

from sdpa import (
    additive,
    attention,
    attention_weights,
    bilinear,
    soft_lookup,
    softmax,
    trace,
)

rng = np.random.default_rng(4)
n, m, d_k, d_v = 2, 5, 3, 4
Q, K, V = (rng.standard_normal(s) for s in ((n, d_k), (m, d_k), (m, d_v)))
MASK = np.array([[True, True, False, True, False], [False, True, True, False, True]])


def test_the_scale_comes_from_the_width_of_a_head():
    """karpathy/ng-video-lecture PR 6, lucidrains/vit-pytorch 65: d_model for d_k."""
    d, h, T = 64, 4, 6
    x, y = rng.standard_normal((2, T, d))
    q, k = (a.reshape(T, h, d // h).swapaxes(0, 1) for a in (x, y))  # (h, T, 16)
    S = q @ k.swapaxes(-1, -2)
    A = attention_weights(q, k)
    assert A.shape == (h, T, T)
    np.testing.assert_allclose(A, softmax(S / np.sqrt(16)))
    assert not np.allclose(A, softmax(S / np.sqrt(64)), atol=1e-2)


def test_the_fourth_root_on_both_sides_is_the_same_scale():
    """openai/guided-diffusion 38: d_k^¼ on q and on k was taken for a bug."""
    root = d_k**-0.25
    A = attention_weights(Q, K)
    np.testing.assert_allclose(attention_weights(root * Q, root * K, scale=1), A)
    np.testing.assert_allclose(attention_weights(Q / np.sqrt(d_k), K, scale=1), A)
    np.testing.assert_allclose(softmax(Q @ K.T / np.sqrt(d_k)), A)


def test_d_k_is_the_last_axis_and_no_other():
    """phlippe/uvadlc_notebooks 72: a reader took another axis for d_k."""
    shape = (7, 6, n, d_k)  # batch, heads, rows, features: all different
    A = attention_weights(np.broadcast_to(Q, shape), K)
    np.testing.assert_allclose(A[0, 0], softmax(Q @ K.T / np.sqrt(d_k)))
    for wrong in n, m, 6, 7:
        assert not np.allclose(A[0, 0], softmax(Q @ K.T / np.sqrt(wrong)), atol=1e-3)


@pytest.mark.parametrize("keys", [n, m])
def test_the_softmax_runs_over_the_keys(keys):
    """labmlai/annotated_deep_learning_paper_implementations 282: the wrong axis."""
    A = attention_weights(Q, K[:keys])
    np.testing.assert_allclose(A.sum(axis=-1), 1)
    assert not np.allclose(A.sum(axis=-2), 1)


def test_a_fully_masked_row_is_zero():
    """pytorch 103963 (NaN), d2l-ai/d2l-en PR 2423 (uniform weights)."""
    mask = np.array([[False] * m, [True] * m])
    for dtype in np.float16, np.float32, np.float64:
        q, k, v = (x.astype(dtype) for x in (Q, K, V))
        assert (attention_weights(q, k, mask=mask)[0] == 0).all()
        output = attention(q, k, v, mask=mask)
        assert (output[0] == 0).all()
        np.testing.assert_array_equal(output[1], attention(q, k, v)[1])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_masked_out_keys_and_values_do_not_leak(bad):
    """pytorch 101967: NaN in a masked-out place reached the output, as 0 · NaN."""
    mask = MASK & (np.arange(m) != 1)  # nobody sees key 1
    k, v = K.copy(), V.copy()
    k[1], v[1] = bad, bad
    A = attention_weights(Q, K, mask=mask)
    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        assert np.isnan(A @ v).all()  # the fault
    expected = attention(Q, K, V, mask=mask)
    np.testing.assert_array_equal(attention(Q, k, v, mask=mask), expected)


def test_true_means_may_attend():
    """rasbt/LLMs-from-scratch 1061: the polarity of the mask."""
    only = np.arange(m) == 3
    np.testing.assert_array_equal(attention(Q, K, V, mask=only), np.stack([V[3]] * n))
    np.testing.assert_array_equal(attention_weights(Q, K, mask=~only)[:, 3], 0)


@pytest.mark.parametrize("dtype", [float, np.float32, int, np.uint8, object])
def test_masks_of_zeros_and_ones_are_refused(dtype):
    """pytorch PR 170415: 0/1 floats were added to the scores."""
    with pytest.raises(TypeError, match="expected booleans with True where"):
        attention(Q, K, V, mask=MASK.astype(dtype))


def test_the_mask_comes_before_the_softmax():
    """huggingface/pytorch-image-models PR 2236: masked after, rows sum below 1."""
    A = attention_weights(Q, K, mask=MASK)
    assert (np.where(MASK, attention_weights(Q, K), 0).sum(-1) < 0.99).all()
    np.testing.assert_allclose(A.sum(-1), 1)
    assert (A[~MASK] == 0).all() and (A[MASK] > 0).all()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_mask_is_no_large_number(dtype):
    """fairseq 3575, NVIDIA/apex 93: fills of −1e8 and −1e15 overflow float16.

    A fill also loses to scores lower still: here those in sight are −1e36 (−6e4 in
    float16, whose scores are computed in float32), below −1e8 or −1e15.
    """
    low = {np.float16: 6e4, np.float32: 1e36, np.float64: 1e36}[dtype]
    q = np.array([[-low, 0.0]], dtype=dtype)
    k = np.array([[1.0, 5.0], [1.0, 7.0], [0.0, 0.0]], dtype=dtype)
    v = np.array([[2.0], [4.0], [100.0]], dtype=dtype)
    output = attention(q, k, v, mask=[[True, True, False]], scale=1)
    np.testing.assert_array_equal(output, [[3.0]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("size", [1001.0, 1e4])
def test_large_logits_do_not_overflow(dtype, size):
    """hankcs/CS224n 10: exp overflows at 1001 unless the maximum is subtracted."""
    x = np.array([[size, size, -size], [-size, -size, -size]], dtype=dtype)
    thirds = np.full(3, 1 / 3, dtype=dtype)
    np.testing.assert_allclose(softmax(x), [[0.5, 0.5, 0], thirds], rtol=1e-6)
    q, v = np.array([[size]], dtype=dtype), np.array([[1], [3], [9]], dtype=dtype)
    k = np.array([[1.0], [1.0], [-1.0]], dtype=dtype)
    np.testing.assert_array_equal(attention(q, k, v), [[2.0]])


@pytest.mark.parametrize("dtype", [int, np.int8, np.uint8, bool])
def test_integer_matrices_work_as_typed(dtype):
    """numpy/numpy 10565: in-place division fails on integers."""
    q, k = np.array([[1, 0]], dtype=dtype), np.array([[1, 0], [0, 1], [1, 1]], dtype)
    v = np.array([[1, 0], [0, 1], [1, 1]], dtype=dtype)
    floats = attention(q.astype(float), k.astype(float), v.astype(float))
    np.testing.assert_array_equal(attention(q, k, v), floats)
    np.testing.assert_array_equal(trace(q, k, v).output.dtype, np.float64)
    expected = attention_weights(q, k, scale=1) @ v.astype(float)
    np.testing.assert_allclose(soft_lookup(q.astype(int) @ k.T, v), expected)


def test_small_integers_do_not_wrap_around():
    """numpy/numpy 10565, of the same kind: 100 · 100 does not fit into int8."""
    x = np.array([[100, 100]], dtype=np.int8)
    assert trace(x, x, x, scale=1e-3).scores == [[20_000]]


def test_additive_and_bilinear_scores_of_unequal_sides():
    """sooftware/attentions 2: additive scores failed for n ≠ m."""
    d_q, d_a = 6, 7
    q = rng.standard_normal((n, d_q))
    w, W_q, W_k = (rng.standard_normal(s) for s in (d_a, (d_a, d_q), (d_a, d_k)))
    S = additive(q, K, w=w, W_q=W_q, W_k=W_k)
    assert S.shape == (n, m)
    assert S[1, 4] == pytest.approx(w @ np.tanh(W_q @ q[1] + W_k @ K[4]))
    W = rng.standard_normal((d_q, d_k))
    assert bilinear(q, K, W=W).shape == (n, m)
    assert bilinear(q, K, W=W)[1, 4] == pytest.approx(q[1] @ W @ K[4])
    assert soft_lookup(S, V).shape == (n, d_v)


@pytest.mark.parametrize("rows", [n, m])
def test_neither_the_scale_nor_the_sum_depends_on_the_number_of_queries(rows):
    """whitead/dmol-book, `batched_tensor_dot`: √n for √d_k, a sum without keepdims.

    The second fault shows only when n = m, where the shapes still fit.
    """
    q = rng.standard_normal((rows, d_k))
    e = np.exp(q @ K.T / np.sqrt(d_k))
    expected = e / e.sum(axis=1)[:, None]
    np.testing.assert_allclose(attention_weights(q, K), expected)
    if rows == m:
        assert not np.allclose(e / e.sum(axis=1), expected)
    for i in range(rows):
        one = attention_weights(q[i : i + 1], K)
        np.testing.assert_allclose(one[0], expected[i])


def test_inputs_are_never_modified():
    """d2l, `masked_softmax`: the scores passed in came back masked."""
    x = np.where(MASK, Q @ K.T, -np.inf)
    arrays = [Q, K, V, MASK, x]
    copies = [a.copy() for a in arrays]
    softmax(x)
    for temperature in 0, 1, np.inf:
        soft_lookup(x, V, temperature=temperature)
    attention(Q, K, V, mask=MASK)
    attention_weights(Q, K, mask=MASK)
    trace(Q, K, V)
    for a, copy in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(a, copy)
