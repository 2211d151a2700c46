"""The four similarities against loops over single vectors."""

import numpy as np
import pytest

from sdpa import additive, bilinear, cosine, dot_product

rng = np.random.default_rng(1)
n, m, d_q, d_k, d_a = 2, 4, 3, 5, 6
Q, K = rng.standard_normal((n, d_q)), rng.standard_normal((m, d_k))
K_same = rng.standard_normal((m, d_q))
W = rng.standard_normal((d_q, d_k))
w = rng.standard_normal(d_a)
W_q, W_k = rng.standard_normal((d_a, d_q)), rng.standard_normal((d_a, d_k))

SIMILARITIES = {
    "dot_product": (dot_product, K_same, {}),
    "cosine": (cosine, K_same, {}),
    "additive": (additive, K, {"w": w, "W_q": W_q, "W_k": W_k}),
    "bilinear": (bilinear, K, {"W": W}),
}
every = pytest.mark.parametrize("name", SIMILARITIES)


def loop(score, keys):
    """Score pair by pair: the definition, without matrix products."""
    return np.array([[score(q, k) for k in keys] for q in Q])


def test_dot_product_is_the_loop_over_pairs():
    def score(q, k):
        return sum(q[j] * k[j] for j in range(d_q))

    np.testing.assert_allclose(dot_product(Q, K_same), loop(score, K_same))


def test_cosine_is_the_loop_over_pairs():
    def angle(q, k):
        return np.cos(np.arccos(q @ k / np.linalg.norm(q) / np.linalg.norm(k)))

    np.testing.assert_allclose(cosine(Q, K_same), loop(angle, K_same))


def test_additive_is_the_loop_over_pairs():
    expected = loop(lambda q, k: w @ np.tanh(W_q @ q + W_k @ k), K)
    np.testing.assert_allclose(additive(Q, K, w=w, W_q=W_q, W_k=W_k), expected)


def test_bilinear_is_the_loop_over_pairs():
    expected = loop(lambda q, k: q @ (W @ k), K)
    np.testing.assert_allclose(bilinear(Q, K, W=W), expected)


def test_bilinear_with_the_identity_is_the_dot_product():
    identity = np.eye(d_q)
    np.testing.assert_allclose(bilinear(Q, K_same, W=identity), dot_product(Q, K_same))


@every
def test_leading_dimensions_broadcast(name):
    score, keys, options = SIMILARITIES[name]
    heads = np.stack([Q, 2 * Q, -Q])
    S = score(heads, keys, **options)
    assert S.shape == (3, n, m)
    for h in range(3):
        np.testing.assert_allclose(S[h], score(heads[h], keys, **options))


@every
@pytest.mark.parametrize("rows", [(0, 4), (2, 0), (0, 0)])
def test_no_queries_or_no_keys_give_an_empty_array(name, rows):
    score, keys, options = SIMILARITIES[name]
    assert score(Q[: rows[0]], keys[: rows[1]], **options).shape == rows


@every
def test_dtypes_and_inputs(name):
    """float16 widens to float32, integers to float64; nothing is modified."""
    score, keys, options = SIMILARITIES[name]
    for given, returned in (np.float16, np.float32), (np.int64, np.float64):
        args = [(3 * x).astype(given) for x in (Q, keys, *options.values())]
        copies = [x.copy() for x in args]
        for x in args:
            x.setflags(write=False)
        S = score(*args[:2], **dict(zip(options, args[2:], strict=True)))
        assert S.dtype == returned
        for x, copy in zip(args, copies, strict=True):
            np.testing.assert_array_equal(x, copy)


@every
def test_one_dimensional_input_says_how_to_mend_it(name):
    score, keys, options = SIMILARITIES[name]
    with pytest.raises(ValueError, match=r"Q has shape \(3,\).*Q\)\[None, :\]"):
        score(Q[0], keys, **options)
    with pytest.raises(ValueError, match=r"K has shape"):
        score(Q, keys[0], **options)


@every
def test_clashing_leading_dimensions_are_named(name):
    score, keys, options = SIMILARITIES[name]
    with pytest.raises(ValueError, match=r"do not broadcast: Q \(2, .*K \(3, "):
        score(np.stack([Q] * 2), np.stack([keys] * 3), **options)


@pytest.mark.parametrize("score", [dot_product, cosine])
def test_a_different_d_k_names_both_shapes(score):
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(4, 5\).*d_k: 3 .* 5"):
        score(Q, K)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"w": w[:-1]}, r"w with shape \(5,\) and W_q .*\(6, 3\) differ in d_a"),
        ({"W_k": W_k[:-1]}, r"w .*\(6,\) and W_k .*\(5, 5\) differ in d_a"),
        ({"W_q": W_q.T}, r"Q .*\(2, 3\) and W_q .*\(3, 6\) differ in d_q"),
        ({"W_k": W_k.T}, r"K .*\(4, 5\) and W_k .*\(5, 6\) differ in d_k"),
        ({"w": w[None]}, r"w has shape \(1, 6\), expected 1 dimension$"),
        ({"W_q": w}, r"W_q has shape \(6,\), expected 2 dimensions$"),
    ],
)
def test_additive_names_the_shapes_that_do_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        additive(Q, K, **({"w": w, "W_q": W_q, "W_k": W_k} | options))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (W.T, r"Q .*\(2, 3\) and W .*\(5, 3\) differ in d_q"),
        (W[:, :-1], r"K .*\(4, 5\) and W .*\(3, 4\) differ in d_k"),
        (W[0], r"W has shape \(5,\), expected 2 dimensions"),
    ],
)
def test_bilinear_names_the_shapes_that_do_not_fit(matrix, message):
    with pytest.raises(ValueError, match=message):
        bilinear(Q, K, W=matrix)


def test_the_dot_product_rewards_length_and_the_cosine_does_not():
    longer = K_same * np.array([[1.0], [2.0], [10.0], [0.5]])
    factors = np.array([1, 2, 10, 0.5])
    expected = factors * dot_product(Q, K_same)
    np.testing.assert_allclose(dot_product(Q, longer), expected)
    np.testing.assert_allclose(cosine(Q, longer), cosine(Q, K_same))


def test_the_dot_product_is_bilinear():
    q, k = rng.standard_normal((2, n, d_q)), rng.standard_normal((2, m, d_q))
    a, b = 2.0, -3.0
    S = dot_product
    left = a * S(q[0], k[0]) + b * S(q[1], k[0])
    np.testing.assert_allclose(S(a * q[0] + b * q[1], k[0]), left)
    right = a * S(q[0], k[0]) + b * S(q[0], k[1])
    np.testing.assert_allclose(S(q[0], a * k[0] + b * k[1]), right)


def test_cosine_of_extreme_lengths():
    """A zero vector scores 0; squares of 1e±200 would leave the range."""
    vectors = np.array([[0.0, 0.0], [3e200, 4e200], [3e-200, 4e-200], [5e-324, 0.0]])
    S = cosine(vectors, [[1.0, 0.0]])
    np.testing.assert_allclose(S[:, 0], [0, 0.6, 0.6, 1])
    assert cosine(np.ones((1, 0)), np.ones((2, 0))).tolist() == [[0, 0]]


def test_cosine_stays_inside_one():
    x = rng.standard_normal((200, 3)).astype(np.float32)
    S = cosine(x, x)
    assert np.abs(S).max() <= 1
    np.testing.assert_allclose(np.diag(S), 1, rtol=1e-6)


def test_cosine_of_nan_or_infinity_is_nan():
    S = cosine([[np.inf, 1.0], [np.nan, 1.0], [1.0, 0.0]], [[1.0, 0.0]])
    np.testing.assert_array_equal(S[:, 0], [np.nan, np.nan, 1])


def test_scores_past_the_range_of_float32_are_infinite_without_a_warning():
    big = np.full((1, 2), 1e38, dtype=np.float32)
    assert dot_product(big, big).tolist() == [[np.inf]]
