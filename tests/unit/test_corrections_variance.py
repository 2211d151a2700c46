"""The chapter's corrections to the source on "Why √d_k", one test each."""

from math import log, sqrt

import numpy as np
import pytest

from sdpa.jacobian import jacobian_bound, jacobian_spectral, jacobian_trace
from sdpa.laws import LAWS
from sdpa.moments import (
    Moments,
    dot_product_moments,
    equal_coordinates_moments,
    self_product_moments,
)
from sdpa.random_energy import critical_std, critical_width, rem_effective_keys
from sdpa.saturation import gaussian_scores, saturation
from sdpa.simulation import simulate_dot_products
from sdpa.softmax import effective_keys, entropy, softmax, softmax_jacobian

D_K = 64
SIGMAS = 4.5  # standard errors allowed


def seeded(seed=0):
    return np.random.default_rng(seed)


def agrees(result, theory):
    """Say whether a simulation agrees with moments derived elsewhere."""
    mean_gap = abs(result.mean - theory.mean)
    variance_gap = abs(result.variance - theory.variance)
    return (
        mean_gap <= SIGMAS * result.mean_error
        and variance_gap <= SIGMAS * result.variance_error
    )


# The proof needs more than "i.i.d."


@pytest.mark.parametrize("law", LAWS)
def test_independent_centred_coordinates_give_d_k(law):
    result = simulate_dot_products(D_K, 20_000, law=law, rng=seeded())
    assert agrees(result, Moments(0.0, D_K))


def test_query_equal_to_key_gives_twice_the_variance_and_a_mean():
    result = simulate_dot_products(D_K, 20_000, corr=1.0, rng=seeded(1))
    assert agrees(result, Moments(D_K, 2 * D_K))
    assert result.theory == self_product_moments(D_K)
    assert not agrees(result, dot_product_moments(D_K))


@pytest.mark.parametrize("mean, sigma", [(0.5, 1.0), (1.0, 2.0)])
def test_a_coordinate_mean_adds_to_the_variance(mean, sigma):
    result = simulate_dot_products(
        D_K, 20_000, mean=mean, sigma=sigma, law="uniform", rng=seeded(2)
    )
    expected = D_K * (sigma**4 + 2 * mean**2 * sigma**2)
    assert agrees(result, Moments(D_K * mean**2, expected))
    assert not agrees(result, Moments(D_K * mean**2, D_K * sigma**4))


def test_equal_coordinates_give_d_k_squared():
    # each coordinate is standard Gaussian, and all d_k of a vector are the same one
    x, y = seeded(3).standard_normal((2, 20_000, 1))
    Q, K = np.broadcast_to(x, (20_000, D_K)), np.broadcast_to(y, (20_000, D_K))
    z = (Q * K).sum(1)
    assert equal_coordinates_moments(D_K) == Moments(0.0, D_K**2)
    # one product of two Gaussians has kurtosis 9: relative error √(8/20,000) = .02
    assert z.var() / D_K**2 == pytest.approx(1, abs=SIGMAS * 0.02)


def test_uncorrelated_products_are_enough():
    # Coordinates share a random length, so they are dependent; products still are
    # uncorrelated, and the variance is d_k E[r²]².
    rng, rows = seeded(4), 40_000
    r = rng.choice([0.5, sqrt(1.75)], (2, rows, 1))  # E r² = 1
    q, k = r * rng.standard_normal((2, rows, D_K))
    z = (q * k).sum(1)
    assert z.var() / D_K == pytest.approx(1, abs=0.06)


def test_scores_of_one_row_are_uncorrelated_but_dependent():
    S = gaussian_scores(16, 2, 100_000, rng=seeded(5))
    assert abs(np.corrcoef(S.T)[0, 1]) < SIGMAS / sqrt(len(S))
    # Corr(s₁², s₂²) = (E‖q‖⁴ - d²)/(3 E‖q‖⁴ - d²) = 2/(2 d + 6) = 1/19 for d = 16
    assert np.corrcoef(S.T**2)[0, 1] == pytest.approx(1 / 19, abs=0.025)


def test_self_test_c_the_scale_is_sigma_squared_root_d_k():
    result = simulate_dot_products(D_K, 20_000, sigma=3.0, rng=seeded(6))
    assert agrees(result, Moments(0.0, D_K * 3.0**4))
    right = result.theory.scaled(1 / (3.0**2 * sqrt(D_K)))
    assert right.variance == pytest.approx(1)
    for wrong in (1 / (3.0 * sqrt(D_K)), 1 / sqrt(D_K), 1 / (3.0**2 * D_K)):
        assert abs(result.theory.scaled(wrong).variance - 1) > 0.5
    # at σ = 1 two of the wrong answers look right
    plain = dot_product_moments(D_K)
    assert plain.scaled(1 / (1.0 * sqrt(D_K))).variance == 1


# A reasonable model at initialisation


def test_default_linear_layer_does_not_give_unit_variance():
    # U(-1/√d, 1/√d) has variance 1/(3 d): q and k have 1/3, the scores d_k/9
    rng, d = seeded(7), 256
    W_q, W_k = rng.uniform(-1, 1, (2, d, D_K)) / sqrt(d)
    x, y = rng.standard_normal((2, 1_000, d))
    q, k = x @ W_q, y @ W_k
    assert q.var() == pytest.approx(1 / 3, rel=0.05)
    assert (q @ k.T).std() == pytest.approx(8 / 3, rel=0.05)  # 2.67, not 8
    W_q, W_k = rng.standard_normal((2, d, D_K)) / sqrt(d)
    assert ((x @ W_q) @ (y @ W_k).T).std() == pytest.approx(8, rel=0.05)


# The gradient


def test_the_winner_s_own_gradient_vanishes_too():
    for gap in (5.0, 10.0, 20.0):
        alpha = softmax([gap, 0.0, -1.0])
        w, J = alpha[0], softmax_jacobian(alpha)
        assert J[0, 0] < 2 * np.exp(-gap)
        norm = np.linalg.eigvalsh(J)[-1]
        assert norm == pytest.approx(float(jacobian_spectral(alpha)), abs=1e-15)
        assert norm <= 2 * w * (1 - w) * (1 + 1e-6)
        assert jacobian_bound(alpha) == pytest.approx(2 * w * (1 - w), rel=1e-6)


def test_a_mean_gradient_can_contradict_the_story():
    # the gradient by the scores of Σ α v, v scalar standard Gaussian values
    expected = {8: (0.12, 0.33), 64: (0.18, 0.18), 1024: (0.21, 0.05)}
    for m, norms in expected.items():
        rows = min(8_000, 4_000_000 // m)
        S = gaussian_scores(D_K, m, rows, rng=seeded(8))
        v = seeded(9).standard_normal((rows, m))
        for scores, norm in zip((S, S / sqrt(D_K)), norms, strict=True):
            alpha = softmax(scores)
            g = alpha * (v - (alpha * v).sum(-1, keepdims=True))
            assert np.linalg.norm(g, axis=-1).mean() == pytest.approx(norm, abs=0.012)


def test_the_share_of_negligible_gradients_tells_the_story_at_every_m():
    for m in (8, 64, 1024):
        S = gaussian_scores(D_K, m, 500, rng=seeded(10))
        assert saturation(S).negligible.mean() > 0.6
        assert saturation(S / sqrt(D_K)).negligible.mean() < 0.01


def test_the_mean_jacobian_falls_slowly_and_the_median_collapses():
    traces = {}
    for d_k in (64, 1024):
        S = gaussian_scores(d_k, 16, 100_000, rng=seeded(11))
        traces[d_k] = jacobian_trace(softmax(S))
    assert traces[1024].mean() == pytest.approx(0.055, abs=0.003)
    assert 1e-5 < np.median(traces[1024]) < 4e-5
    # like 1/√d_k: √(1024/64) = 4
    assert traces[64].mean() / traces[1024].mean() == pytest.approx(4, rel=0.06)


def test_stein_identity_for_the_mean_trace():
    s, m = 4.0, 16
    g = seeded(12).standard_normal((100_000, m))
    alpha = softmax(s * g)
    left, right = jacobian_trace(alpha), (alpha * g).sum(-1) / s
    error = (left - right).std() / sqrt(len(g))
    assert abs((left - right).mean()) < SIGMAS * error


# What scaling changes


def test_scaling_leaves_gaps_in_standard_deviations_unchanged():
    S = gaussian_scores(D_K, 8, 1_000, rng=seeded(13))
    top = np.sort(S, -1)
    gaps = (top[:, -1] - top[:, -2]) / S.std()
    scaled = top / sqrt(D_K)
    again = (scaled[:, -1] - scaled[:, -2]) / (S / sqrt(D_K)).std()
    np.testing.assert_allclose(gaps, again)


def test_gap_between_two_logits_is_root_2_d_k():
    S = gaussian_scores(D_K, 2, 100_000, rng=seeded(14))
    assert sqrt(2 * D_K) == pytest.approx(11.3, abs=0.05)
    assert (S[:, 0] - S[:, 1]).std() == pytest.approx(sqrt(2 * D_K), rel=0.02)


def test_scaled_scores_are_not_bounded_by_a_constant():
    ranges = []
    for m in (8, 64, 512, 4096):
        S = gaussian_scores(D_K, m, 400, rng=seeded(15)) / sqrt(D_K)
        ranges.append(np.ptp(S, axis=-1).mean())
        assert ranges[-1] < 2 * sqrt(2 * log(m))
    assert np.all(np.diff(ranges) > 0.8)


def test_typical_scaled_gaps_do_not_depend_on_d_k():
    for d_k in (16, 64, 1024):
        S = gaussian_scores(d_k, 2, 40_000, rng=seeded(16)) / sqrt(d_k)
        assert (S[:, 0] - S[:, 1]).std() == pytest.approx(sqrt(2), rel=0.03)


def test_the_largest_weight_at_d_k_64_is_not_1():
    expected = {8: (0.875, 0.37), 64: (0.79, 0.19), 1024: (0.71, 0.105)}
    for m, (mean, share) in expected.items():
        rows = min(20_000, 4_000_000 // m)
        largest = softmax(gaussian_scores(D_K, m, rows, rng=seeded(17))).max(-1)
        assert largest.mean() == pytest.approx(mean, abs=0.015)
        assert (largest > 0.99).mean() == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize(
    "d_k, largest, keys",
    [
        (4, 0.28, 16.5),
        (16, 0.58, 4.0),
        (64, 0.79, 1.8),
        (256, 0.9, 1.3),
        (1024, 0.95, 1.1),
    ],
)
def test_unscaled_saturates_with_d_k_and_scaled_does_not(d_k, largest, keys):
    # effective keys here: exp of the mean entropy
    S = gaussian_scores(d_k, 64, 10_000, rng=seeded(18))
    alpha = softmax(S)
    assert alpha.max(-1).mean() == pytest.approx(largest, abs=0.012)
    assert np.exp(entropy(alpha).mean()) == pytest.approx(keys, rel=0.05)
    alpha = softmax(S / sqrt(d_k))
    assert alpha.max(-1).mean() == pytest.approx(0.107, abs=0.003)
    assert np.exp(entropy(alpha).mean()) == pytest.approx(40, rel=0.03)


# The random energy model


def test_scaled_attention_uses_0_61_of_the_keys_whatever_d_k():
    m = 1024
    for d_k in (64, 1024):
        S = gaussian_scores(d_k, m, 2_000, rng=seeded(19)) / sqrt(d_k)
        keys = effective_keys(softmax(S)).mean()
        assert keys == pytest.approx(624, rel=0.01)
        assert keys == pytest.approx(rem_effective_keys(m, 1.0), rel=0.015)


def test_unscaled_attention_freezes_at_twice_ln_m():
    m = 1024
    assert critical_width(m) == pytest.approx(13.9, abs=0.05)
    assert critical_std(m) == pytest.approx(sqrt(critical_width(m)))
    narrow, wide = (
        effective_keys(softmax(gaussian_scores(d_k, m, 2_000, rng=seeded(20))))
        for d_k in (2, 4 * 14)
    )
    assert np.median(narrow) > 0.3 * m
    assert np.median(wide) < 3
