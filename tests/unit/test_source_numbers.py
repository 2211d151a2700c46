"""The numbers of the section that this book implements, and the exact ones.

Where the source rounds on the way, its number stands beside the exact one, and the
test shows that the difference comes from rounding.
"""

import numpy as np
import pytest

from sdpa import attention, attention_weights, cosine, dot_product, softmax, trace

Q = [[1, 0]]
K = [[1, 0], [0, 1], [1, 1]]
V = [[10, 0], [0, 10], [5, 5]]
CENTRED = [[5, -5], [-5, 5], [0, 0]]
e = np.exp(1 / np.sqrt(2))  # 2.028115


def close(actual, expected):
    """Compare to the six decimals that the book prints."""
    np.testing.assert_allclose(actual, expected, rtol=0, atol=5e-7)


def test_section_5_step_by_step():
    t = trace(Q, K, V)
    close(t.scores, [[1, 0, 1]])
    close(t.scale, 0.707107)
    close(t.scaled, [[0.707107, 0, 0.707107]])
    close(t.exponentials, [[2.028115, 1, 2.028115]])
    close(t.sums, [[5.056230]])
    close(t.weights, [[0.401112, 0.197776, 0.401112]])
    close(t.output, [[6.016681, 3.983319]])
    np.testing.assert_allclose(attention(Q, K, V), t.output, rtol=1e-15)


def test_section_5_in_closed_form():
    expected = np.array([[15 * e, 10 + 5 * e]]) / (2 * e + 1)
    np.testing.assert_allclose(attention(Q, K, V), expected, rtol=1e-15)


def test_section_5_the_source_rounds_the_weights_first():
    rounded = attention_weights(Q, K).round(3)
    np.testing.assert_allclose(rounded @ V, [[6.015, 3.985]], atol=1e-12)
    assert not np.allclose(attention(Q, K, V), [[6.015, 3.985]], rtol=0, atol=1e-3)


def test_section_5_keys_1_and_3_split_exactly_evenly():
    A = attention_weights(Q, K)
    assert A[0, 0] == A[0, 2]


def test_section_2_the_tie_is_due_to_length():
    """Keys 1 and 3 score alike, but their cosines are 1 and .707."""
    np.testing.assert_array_equal(dot_product(Q, K), [[1, 0, 1]])
    close(cosine(Q, K), [[1, 0, 0.707107]])
    np.testing.assert_allclose(np.linalg.norm(K[2]), np.sqrt(2))


def test_section_5_1_without_the_scale():
    """The source has the sum as 6.436, and leaves the output out.

    Rounding the weights to six decimals first would give (6.334785, 3.665215).
    """
    t = trace(Q, K, V, scale=1)
    close(t.exponentials, [[np.e, 1, np.e]])
    close(t.sums, [[6.436564]])
    assert round(float(t.sums[0, 0]), 3) == 6.437
    close(t.weights, [[0.422319, 0.155362, 0.422319]])
    close(t.output, [[6.334782, 3.665218]])
    exact = np.array([[15 * np.e, 10 + 5 * np.e]]) / (2 * np.e + 1)
    np.testing.assert_allclose(t.output, exact, rtol=1e-15)


def test_section_3_1_the_shapes_of_the_typical_layer():
    """T = 1024, d = 768, h = 12: d_k = d_v = 64."""
    T, d, h = 1024, 768, 12
    x = np.zeros((T, d // h), dtype=np.float16)
    assert x.shape == (1024, 64)
    assert attention_weights(x, x).shape == (1024, 1024)
    assert attention(x, x, x).shape == (1024, 64)


@pytest.mark.parametrize("shape", [(2, 5, 3, 4), (1, 3, 2, 2), (7, 1, 2, 6)])
def test_self_test_a_shapes_and_indices(shape):
    n, m, d_k, d_v = shape
    rng = np.random.default_rng(5)
    q, k, v = (rng.standard_normal(s) for s in ((n, d_k), (m, d_k), (m, d_v)))
    output = attention(q, k, v)
    assert output.shape == (n, d_v)
    A = softmax(np.einsum("il,jl->ij", q, k) / np.sqrt(d_k))
    np.testing.assert_allclose(output, np.einsum("ij,jc->ic", A, v))


def test_self_test_b_with_the_values_of_section_5_every_pair_breaks_additivity():
    """Each row sums to 10, so two rows sum to 20: no check at all."""
    rng = np.random.default_rng(6)
    for _ in range(20):
        q1, q2 = rng.standard_normal((2, 1, 2))
        f1, f2, f12 = (attention(q, K, V) for q in (q1, q2, q1 + q2))
        np.testing.assert_allclose([f1.sum(), f2.sum(), f12.sum()], 10)
        assert np.abs(f1 + f2 - f12).max() > 1


def test_self_test_b_with_centred_values_a_pair_can_fail_to_break_it():
    """Values 1 and 2 then oppose each other: additivity holds for some pairs only."""
    equal = np.array([[1.0, 1.0]])  # treats keys 1 and 2 alike: its output is 0

    def f(q):
        return attention(q, K, CENTRED)

    np.testing.assert_allclose(f(equal) + f(2 * equal) - f(3 * equal), 0, atol=1e-15)
    q = np.array(Q, dtype=float)
    assert np.abs(f(q) + f(q) - f(2 * q)).max() > 0.3
    np.testing.assert_allclose(f(q), [[5 * (e - 1), 5 * (1 - e)] / (2 * e + 1)])


def test_self_test_d_the_other_query():
    t = trace([[0, 1]], K, V)
    close(t.weights, [[0.197776, 0.401112, 0.401112]])
    close(t.output, [[3.983319, 6.016681]])
    assert t.weights[0, 1] == t.weights[0, 2] > t.weights[0, 0]  # a tie: 2 and 3
