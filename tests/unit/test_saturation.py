"""Measures of saturation, the scores of random queries and keys, and the sweep."""

from math import log, sqrt

import numpy as np
import pytest

from sdpa.saturation import Saturation, gaussian_scores, saturation, saturation_sweep

MEASURES = set(Saturation.__annotations__)


def seeded(seed=0):
    return np.random.default_rng(seed)


def test_measures_of_known_rows():
    k, m = 3, 8
    S = np.full((2, m), -800.0)
    S[:, :k] = 5.0
    found = saturation(S)
    for name, value in {
        "largest": 1 / k,
        "entropy": log(k),
        "effective_keys": k,
        "participation": k,
        "jacobian_trace": 1 - 1 / k,
        "jacobian_frobenius": sqrt(k - 1) / k,
        "jacobian_spectral": 1 / k,
        "negligible": (m - k) / m,
    }.items():
        np.testing.assert_allclose(getattr(found, name), [value] * 2, err_msg=name)


def test_every_measure_has_the_shape_of_the_rows():
    found = saturation(seeded().standard_normal((2, 3, 4)))
    assert {getattr(found, name).shape for name in MEASURES} == {(2, 3)}


@pytest.mark.parametrize("m", [2, 64, 4096])
def test_uniform_weights_are_never_negligible(m):
    assert saturation(np.zeros(m)).negligible == 0.0
    assert saturation(np.zeros(m), negligible=1.01).negligible == 1.0


def test_the_winner_is_negligible_too():
    assert saturation([0.0, -50.0, -60.0]).negligible == 1.0


def test_no_keys_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        saturation(np.ones((2, 0)))


# Scores of random queries and keys


def test_shortcut_has_the_law_of_the_dot_products():
    d_k, m, rows = 4, 3, 60_000
    S = gaussian_scores(d_k, m, rows, rng=seeded(1))
    q = seeded(2).standard_normal((rows, 1, d_k))
    K = seeded(3).standard_normal((rows, m, d_k))
    direct = (q * K).sum(-1)
    for f in (
        lambda x: x[:, 0],
        lambda x: x[:, 0] ** 2,  # variance d_k
        lambda x: x[:, 0] * x[:, 1],  # uncorrelated
        lambda x: x[:, 0] ** 2 * x[:, 1] ** 2,  # but not independent
        lambda x: np.abs(x).max(-1),
    ):
        a, b = f(S), f(direct)
        error = sqrt((a.var() + b.var()) / rows)
        assert abs(a.mean() - b.mean()) < 4.5 * error
    assert (S**2).mean() == pytest.approx(d_k, rel=0.03)
    # E s₁² s₂² = E ‖q‖⁴ = d_k (d_k + 2), not d_k²
    both = (S[:, 0] * S[:, 1]) ** 2
    assert both.mean() == pytest.approx(d_k * (d_k + 2), rel=0.08)


def test_scores_refuse_impossible_sizes():
    for d_k, m, rows in ((0, 1, 1), (1, -1, 1), (1, 1, -1)):
        with pytest.raises(ValueError, match=f"d_k is {d_k}, m is {m}, rows is {rows}"):
            gaussian_scores(d_k, m, rows, rng=seeded())
    assert gaussian_scores(1, 0, 2, rng=seeded()).shape == (2, 0)


def test_sweep_summarises_the_rows():
    sweep = saturation_sweep([4], [8], 300, rng=seeded(4))
    S = gaussian_scores(4, 8, 300, rng=seeded(4))
    for found, scores in ((sweep.unscaled, S), (sweep.scaled, S / 2)):
        assert set(found) == MEASURES - {"jacobian_spectral"}
        for name, summary in found.items():
            x = getattr(saturation(scores), name)
            low, median, high = np.quantile(x, (0.05, 0.5, 0.95))
            expected = [x.mean(), median, low, high]
            got = [summary.mean, summary.median, summary.low, summary.high]
            np.testing.assert_allclose(np.ravel(got), expected, err_msg=name)


def test_sweep_covers_its_grid_in_chunks():
    sweep = saturation_sweep((1, 2), (8, 300, 70_000), 3, rng=seeded())
    assert (sweep.d_ks, sweep.ms, sweep.rows) == ((1, 2), (8, 300, 70_000), 3)
    for found in (sweep.unscaled, sweep.scaled):
        for summary in found.values():
            assert summary.mean.shape == summary.high.shape == (2, 3)
            assert np.isfinite(summary.mean).all()
    # at d_k = 1 the scale is 1
    np.testing.assert_array_equal(
        sweep.unscaled["entropy"].mean[0], sweep.scaled["entropy"].mean[0]
    )
    with pytest.raises(ValueError, match="rows is 0"):
        saturation_sweep([4], [8], 0, rng=seeded())
