"""attention, attention_weights and soft_lookup: values, edge cases and errors.

n, m, d_k and d_v are 2, 5, 3 and 4: a mixed-up axis cannot pass.
"""

from fractions import Fraction

import numpy as np
import pytest

from sdpa import attention, attention_weights, dot_product, soft_lookup, softmax
from tests.oracle import reference, torch_attention

rng = np.random.default_rng(3)
n, m, d_k, d_v = 2, 5, 3, 4
Q, K, V = (rng.standard_normal(s) for s in ((n, d_k), (m, d_k), (m, d_v)))
MASK = np.array([[True, False, True, True, False], [False, True, True, False, True]])


# --- values ---------------------------------------------------------------------


def test_it_is_the_loop_over_the_formula():
    for i in range(n):
        e = [np.exp(sum(Q[i] * K[j]) / np.sqrt(d_k)) for j in range(m)]
        alpha = np.array(e) / sum(e)
        np.testing.assert_allclose(attention_weights(Q, K)[i], alpha)
        mean = sum(alpha[j] * V[j] for j in range(m))
        np.testing.assert_allclose(attention(Q, K, V)[i], mean)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("mask", [None, MASK])
@pytest.mark.parametrize("scale", [None, 0.0, 1.0, -0.5])
def test_it_agrees_with_torch(dtype, mask, scale):
    arrays = [np.stack([x] * 2)[None].astype(dtype) for x in (Q, K, V)]
    expected = torch_attention(*arrays, mask=mask, scale=scale)
    output = attention(*arrays, mask=mask, scale=scale)
    assert output.dtype == expected.dtype
    np.testing.assert_allclose(output, expected, atol=8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("heads", [1, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_it_agrees_with_torch_at_a_working_size(heads, dtype):
    q, k, v = (
        rng.standard_normal((2, heads, rows, width)).astype(dtype)
        for rows, width in ((48, 64), (80, 64), (80, 64))
    )
    causal = np.tri(48, 80, dtype=bool)
    for mask in None, causal:
        np.testing.assert_allclose(
            attention(q, k, v, mask=mask),
            torch_attention(q, k, v, mask=mask),
            atol=64 * np.finfo(dtype).eps,
        )


@pytest.mark.parametrize("logit", [1e4, -1e4])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_logits_of_ten_thousand(logit, dtype):
    """One key ahead of, or behind, two that tie; its score is ±1e4."""
    q = np.array([[100.0, 0.0]], dtype=dtype)
    k = np.array([[logit / 100, 0.0], [0.0, 3.0], [0.0, 9.0]], dtype=dtype)
    v = np.array([[1.0], [2.0], [4.0]], dtype=dtype)
    expected = 1.0 if logit > 0 else 3.0
    np.testing.assert_array_equal(attention(q, k, v, scale=1), [[expected]])


def test_a_causal_mask_makes_the_first_row_the_first_value():
    T = 4
    x = rng.standard_normal((T, d_k))
    v = V[:T]
    output = attention(x, x, v, mask=np.tri(T, dtype=bool))
    np.testing.assert_allclose(output[0], v[0])
    np.testing.assert_allclose(output[1], attention(x[1:2], x[:2], v[:2])[0])


def test_changing_one_query_changes_its_row_only():
    other = Q.copy()
    other[1] += 1
    before, after = attention(Q, K, V), attention(other, K, V)
    np.testing.assert_allclose(after[0], before[0], rtol=1e-15)
    assert not np.allclose(after[1], before[1])


# --- dtypes and inputs ----------------------------------------------------------


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        ("eee", np.float16),
        ("eff", np.float32),
        ("fdf", np.float64),
        ("ggg", np.longdouble),
        ("eeg", np.longdouble),
        ("bbb", np.float64),
        ("???", np.float64),
        ("Bqe", np.float64),
        ("f?f", np.float64),
        (">f>f>f", np.float32),
    ],
)
def test_the_dtype_of_the_result(dtypes, expected):
    step = len(dtypes) // 3
    codes = [dtypes[i : i + step] for i in range(0, len(dtypes), step)]
    arrays = [np.ones((2, 2), dtype=code) for code in codes]
    assert attention(*arrays).dtype == expected
    weights = attention_weights(*arrays[:2])
    assert weights.dtype == np.result_type(
        *(x.dtype if x.dtype.kind == "f" else np.float64 for x in arrays[:2])
    )


def test_long_double_is_computed_in_long_double():
    arrays = [x.astype(np.longdouble) for x in (Q, K, V)]
    eps = np.finfo(np.longdouble).eps
    _, expected = reference(*arrays)
    np.testing.assert_allclose(attention(*arrays), expected, atol=16 * eps)


def test_float16_loses_no_more_than_its_own_rounding():
    """300·300·64 = 5,760,000 is far past 65,504; the tie still comes out even."""
    q = np.full((1, 64), 300, dtype=np.float16)
    v = np.array([[1.0], [2.0]], dtype=np.float16)
    np.testing.assert_array_equal(attention(q, np.concatenate([q, q]), v), [[1.5]])
    arrays = [x.astype(np.float16) for x in (Q, K, V)]
    _, expected = reference(*arrays)
    np.testing.assert_allclose(attention(*arrays), expected, rtol=2**-10)


def test_lists_work_and_inputs_stay_as_they_are():
    copies = [x.copy() for x in (Q, K, V, MASK)]
    locked = [x.copy() for x in copies]
    for x in locked:
        x.setflags(write=False)
    output = attention(*locked[:3], mask=locked[3])
    lists = [x.tolist() for x in copies]
    np.testing.assert_array_equal(attention(*lists[:3], mask=lists[3]), output)
    for x, copy in zip((Q, K, V, MASK), copies, strict=True):
        np.testing.assert_array_equal(x, copy)
    assert output.flags.writeable


def test_leading_dimensions_broadcast():
    heads = np.stack([Q, -Q, 2 * Q])  # (3, n, d_k)
    values = np.stack([V, V + 1])[:, None]  # (2, 1, m, d_v)
    output = attention(heads, K, values, mask=MASK)
    assert output.shape == (2, 3, n, d_v)
    for b in range(2):
        for h in range(3):
            one = attention(heads[h], K, values[b, 0], mask=MASK)
            np.testing.assert_allclose(output[b, h], one, rtol=1e-13)


# --- edge cases -----------------------------------------------------------------


def test_a_row_with_every_key_masked_is_zero():
    mask = MASK.copy()
    mask[0] = False
    assert (attention_weights(Q, K, mask=mask)[0] == 0).all()
    output = attention(Q, K, V, mask=mask)
    np.testing.assert_array_equal(output[0], 0)
    np.testing.assert_array_equal(output[1], attention(Q, K, V, mask=MASK)[1])
    assert (attention(Q, K, V, mask=False) == 0).all()


@pytest.mark.parametrize("sizes", [(2, 0, 3, 4), (0, 5, 3, 4), (2, 5, 3, 0)])
@pytest.mark.parametrize("lead", [(), (0,), (2, 0), (3,)])
def test_empty_axes(sizes, lead):
    """No keys give zeros; no queries, columns or members give an empty array."""
    rows, keys, width, columns = sizes
    q, k, v = (np.ones((*lead, *s)) for s in ((rows, width), (keys, width), (keys, 0)))
    v = np.ones((*lead, keys, columns))
    for mask in None, np.ones((rows, keys), dtype=bool):
        output = attention(q, k, v, mask=mask)
        assert output.shape == (*lead, rows, columns)
        assert keys > 0 or (output == 0).all()


@pytest.mark.parametrize("scale", [None, 2.5])
def test_without_coordinates_the_output_is_the_mean(scale):
    output = attention(np.ones((n, 0)), np.ones((m, 0)), V, scale=scale)
    np.testing.assert_allclose(output, np.stack([V.mean(axis=0)] * n))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_bad_numbers_that_a_row_can_see(bad):
    """Query 0 cannot see key 1, query 1 can; both see key 2."""
    clean = attention(Q, K, V, mask=MASK)
    q, k, v = Q.copy(), K.copy(), V.copy()
    q[0, 1], k[1, 2], v[1, 3] = bad, bad, bad
    by_query = np.isnan(attention(q, K, V, mask=MASK))
    np.testing.assert_array_equal(by_query, [[True] * d_v, [False] * d_v])
    by_key = attention(Q, k, V, mask=MASK)
    np.testing.assert_array_equal(by_key[0], clean[0])
    assert np.isnan(by_key[1]).all()
    by_value = attention(Q, K, v, mask=MASK)
    np.testing.assert_array_equal(by_value[0], clean[0])
    np.testing.assert_array_equal(np.isnan(by_value[1]), [False] * 3 + [True])
    weights = attention_weights(Q, k, mask=MASK)
    assert np.isnan(weights[1]).all() and not np.isnan(weights[0]).any()


def test_a_bad_query_that_sees_nothing_is_zero():
    q = np.full_like(Q, np.nan)
    np.testing.assert_array_equal(attention(q, K, V, mask=np.zeros(m, bool)), 0)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_score_that_overflows_is_nan_not_a_silent_zero(sign):
    q = np.array([[1e200], [1.0]])
    k, v = sign * np.array([[1e200], [1e190]]), np.array([[5.0], [7.0]])
    output = attention(q, k, v)
    assert np.isnan(output[0]).all()
    np.testing.assert_array_equal(output[1], [5.0 if sign > 0 else 7.0])


def test_values_at_the_end_of_the_range():
    largest = np.finfo(np.float64).max
    output = attention(Q, K, np.full((m, 1), largest / 2))
    np.testing.assert_allclose(output, largest / 2)


# --- scale ----------------------------------------------------------------------


def test_the_default_scale_is_one_over_root_d_k():
    for width in 1, 3, 64:
        q, k = rng.standard_normal((2, 6, width))
        A = attention_weights(q, k)
        np.testing.assert_allclose(A, softmax(q @ k.T / np.sqrt(width)), rtol=1e-12)


@pytest.mark.parametrize("scale", [2, 0.5, Fraction(1, 2), np.float32(0.5), -1.0, 0])
def test_any_finite_number_is_a_scale(scale):
    expected = softmax(float(scale) * dot_product(Q, K))
    np.testing.assert_allclose(attention_weights(Q, K, scale=scale), expected)


@pytest.mark.parametrize("scale", ["1", 1j, True, np.True_, [1.0], np.ones(3)])
def test_a_scale_that_is_no_real_number_is_a_type_error(scale):
    with pytest.raises(TypeError, match="scale is .* expected one real number"):
        attention(Q, K, V, scale=scale)


@pytest.mark.parametrize("scale", [np.nan, np.inf, -np.inf])
def test_a_scale_that_is_not_finite_is_a_value_error(scale):
    with pytest.raises(ValueError, match="scale is .* expected a finite number"):
        attention_weights(Q, K, scale=scale)


def test_a_scale_past_the_range_of_the_dtype_is_a_value_error():
    with pytest.raises(ValueError, match="finite number within float32"):
        attention_weights(Q.astype("f"), K.astype("f"), scale=1e39)


# --- masks ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "mask", [True, MASK[0], MASK[:1], MASK[:, :1], MASK[None], MASK[0].tolist()]
)
def test_masks_broadcast_to_the_scores(mask):
    whole = np.broadcast_to(mask, (1, n, m))
    heads = Q[None]
    expected = attention(heads, K, V, mask=whole)
    np.testing.assert_array_equal(attention(heads, K, V, mask=mask), expected)
    bad = np.where(whole[0].any(axis=0)[:, None], V, np.nan)
    np.testing.assert_allclose(attention(heads, K, bad, mask=mask), expected)


def test_a_mask_for_each_member_of_a_batch_that_only_the_values_have():
    values = np.stack([V, -V])
    masks = np.stack([MASK, ~MASK])
    output = attention(Q, K, values, mask=masks)
    for b in range(2):
        expected = attention(Q, K, values[b], mask=masks[b])
        np.testing.assert_allclose(output[b], expected)


@pytest.mark.parametrize(
    "mask",
    [
        MASK.astype(float),
        MASK.astype(int),
        [[1, 0, 1, 1, 0]],
        np.where(MASK, 0, -np.inf),
        np.array(MASK, dtype=object),
        "causal",
        [],
    ],
)
def test_a_mask_that_is_not_boolean_is_a_type_error(mask):
    with pytest.raises(TypeError, match="mask has dtype .* True where a query may"):
        attention(Q, K, V, mask=mask)


@pytest.mark.parametrize("mask", [MASK.T, MASK[:, :-1], np.stack([MASK] * 2)])
def test_a_mask_that_does_not_fit_names_both_shapes(mask):
    with pytest.raises(ValueError, match=r"mask has shape .*\(\.\.\., n, m\) = \(2, 5"):
        attention_weights(Q, K, mask=mask)


# --- errors ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("q", "k", "v", "message"),
    [
        (Q, K[:, :2], V, r"Q .*\(2, 3\) and K .*\(5, 2\) differ in d_k: 3 .* 2"),
        (Q, K, V[:4], r"K .*\(5, 3\) and V .*\(4, 4\) differ in m, .*: 5 .* 4"),
        (Q[0], K, V, r"Q has shape \(3,\), expected .*Q\)\[None, :\]"),
        (Q, K[0], V, r"K has shape \(3,\), expected .*K\)\[None, :\]"),
        (Q, K, V[0], r"V has shape \(4,\), expected .*V\)\[None, :\]"),
        (1.0, K, V, r"Q has shape \(\), expected"),
        (
            np.stack([Q] * 2),
            np.stack([K] * 3),
            V,
            r"leading .*: Q \(2, 2, 3\), K \(3, 5, 3\), V \(5, 4\)",
        ),
        ([[1.0, 2.0], [1.0]], K, V, "Q is no rectangular array"),
    ],
)
def test_shapes_that_do_not_fit_are_named(q, k, v, message):
    with pytest.raises(ValueError, match=message):
        attention(q, k, v)


@pytest.mark.parametrize("position", range(3))
@pytest.mark.parametrize("dtype", [complex, object, "U8", "M8[s]"])
def test_other_dtypes_are_type_errors(position, dtype):
    arrays = [Q, K, V]
    name = "QKV"[position]
    arrays[position] = np.ones(arrays[position].shape).astype("i8").astype(dtype)
    with pytest.raises(TypeError, match=f"^{name} has dtype .*expected real numbers"):
        attention(*arrays)


def test_a_masked_array_is_refused_since_its_mask_would_be_lost():
    with pytest.raises(TypeError, match="K is a NumPy masked array.*mask="):
        attention(Q, np.ma.masked_array(K, K > 0), V)
    with pytest.raises(TypeError, match="mask is a NumPy masked array"):
        attention(Q, K, V, mask=np.ma.masked_array(MASK))
    with pytest.raises(ValueError, match="mask is no rectangular array"):
        attention(Q, K, V, mask=[[True], [True, False]])


# --- soft lookup ----------------------------------------------------------------


def test_soft_lookup_of_scaled_scores_is_attention():
    S = dot_product(Q, K) / np.sqrt(d_k)
    np.testing.assert_allclose(soft_lookup(S, V), attention(Q, K, V))
    hidden = np.where(MASK, S, -np.inf)
    np.testing.assert_allclose(soft_lookup(hidden, V), attention(Q, K, V, mask=MASK))


def test_temperature_divides_the_scores():
    S = dot_product(Q, K)
    for temperature in 0.5, 2, Fraction(7, 2):
        expected = softmax(S / float(temperature)) @ V
        output = soft_lookup(S, V, temperature=temperature)
        np.testing.assert_allclose(output, expected)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("temperature", [0, 1e-320, 1e-60, 1e-5])
def test_cold_lookup_takes_the_best_and_ties_share(dtype, temperature):
    S = np.array([[3, 1, 3], [-1e4, 0, 1e4]], dtype=dtype)
    values = np.array([[1, 10], [2, 20], [4, 40]], dtype=dtype)
    output = soft_lookup(S, values, temperature=temperature)
    assert output.dtype == dtype
    np.testing.assert_array_equal(output, [[2.5, 25], [4, 40]])


@pytest.mark.parametrize("temperature", [1e12, 1e300, np.inf])
def test_hot_lookup_is_the_mean_of_what_may_be_read(temperature):
    S = np.array([[3, 1, -np.inf], [5, 5, 6]], dtype=np.float32)
    values = np.array([[1], [2], [6]], dtype=np.float32)
    output = soft_lookup(S, values, temperature=temperature)
    np.testing.assert_allclose(output, [[1.5], [3]], rtol=1e-6)


@pytest.mark.parametrize("temperature", [0, 1e-6, 1, np.inf])
def test_soft_lookup_edge_cases(temperature):
    """Rows: nothing readable, NaN, +inf, a hidden key with a bad value, no keys."""
    inf = np.inf
    S = [[-inf] * 3, [0, np.nan, 0], [0, inf, 0], [-inf, 0, 0]]
    values = [[np.nan], [1.0], [3.0]]
    output = soft_lookup(S, values, temperature=temperature)[:, 0]
    np.testing.assert_array_equal(output, [0, np.nan, np.nan, 2])
    empty = soft_lookup(np.ones((2, 0)), np.ones((0, 4)), temperature=temperature)
    np.testing.assert_array_equal(empty, np.zeros((2, 4)))


def test_hard_lookup_does_not_read_the_losers():
    values = [[np.nan], [5.0]]
    assert soft_lookup([[0.0, 1.0]], values, temperature=0) == [[5.0]]
    assert np.isnan(soft_lookup([[0.0, 1.0]], values, temperature=1)).all()


@pytest.mark.parametrize(
    ("temperature", "error"),
    [(-1, ValueError), (np.nan, ValueError), ("1", TypeError), (True, TypeError)],
)
def test_temperatures_that_make_no_sense(temperature, error):
    with pytest.raises(error, match="temperature is .*expected"):
        soft_lookup([[1.0]], [[1.0]], temperature=temperature)


def test_soft_lookup_names_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"S .*\(2, 5\) and V .*\(4, 4\) differ in m"):
        soft_lookup(dot_product(Q, K), V[:4])
    with pytest.raises(ValueError, match=r"S has shape \(5,\)"):
        soft_lookup(np.ones(5), V)
