"""The random energy model's limits against simulated softmaxes."""

from math import e, exp, log, pi, sqrt

import numpy as np
import pytest

from sdpa.random_energy import (
    EULER,
    _digamma,
    critical_std,
    critical_width,
    frozen_concentration,
    rem_effective_keys,
    rem_entropy,
    scaled_limits,
)
from sdpa.softmax import effective_keys, entropy, softmax


def seeded(seed=0):
    return np.random.default_rng(seed)


def test_threshold():
    assert critical_width(1024) == pytest.approx(20 * log(2))
    assert critical_std(1024) ** 2 == pytest.approx(critical_width(1024))
    assert critical_std(1) == 0.0


def test_digamma_at_known_points():
    assert _digamma(1.0) == pytest.approx(-EULER, abs=1e-12)
    assert _digamma(0.5) == pytest.approx(-EULER - 2 * log(2), abs=1e-12)
    assert _digamma(0.25) == pytest.approx(-EULER - pi / 2 - 3 * log(2), abs=1e-12)


def test_entropy_on_the_scale_of_ln_m():
    m = 1024
    s_c = critical_std(m)
    assert rem_entropy(m, 0.0) == pytest.approx(log(m))
    for c in (0.3, 0.9, 1.0, 2.0):
        expected = max(log(m) * (1 - c * c), 0.0)
        assert rem_entropy(m, c * s_c) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("m", [64, 1024, 16_384])
@pytest.mark.parametrize("below, tolerance", [(2.5, 0.05), (2.0, 0.15)])
def test_effective_keys_below_the_threshold(m, below, tolerance):
    # The means are 1 and 7 % off; the rest is for a sample of some hundred rows.
    s = critical_std(m) - below
    H = entropy(softmax(s * seeded(5).standard_normal((3_000_000 // m, m))))
    assert rem_effective_keys(m, s) == pytest.approx(m * exp(-s * s / 2))
    assert exp(H.mean()) == pytest.approx(rem_effective_keys(m, s), rel=tolerance)


@pytest.mark.parametrize("m", [64, 1024])
@pytest.mark.parametrize("c", [2.0, 4.0])
def test_frozen_phase(m, c):
    s = c * critical_std(m)
    rows = min(5_000_000 // m, 20_000)
    alpha = softmax(s * seeded(6).standard_normal((rows, m)))
    assert exp(entropy(alpha).mean()) == pytest.approx(
        rem_effective_keys(m, s), rel=0.05
    )
    concentration = (alpha**2).sum(-1).mean()
    assert concentration == pytest.approx(frozen_concentration(m, s), abs=0.03)


def test_limits_of_the_frozen_phase():
    huge = 1e15  # s_c = 8.31, b = 7.94: the limit is approached slowly
    for c in (1.5, 2.0, 8.0):
        s = c * critical_std(huge)
        assert frozen_concentration(huge, s) == pytest.approx(1 - 1 / c, abs=0.04)
    for m, s in ((2, 5.0), (1, 5.0), (1, 0.0)):
        assert frozen_concentration(m, s) == 1.0
        assert rem_effective_keys(m, s) == pytest.approx(1.0, abs=1e-12)
    assert rem_effective_keys(64, 0.0) == pytest.approx(64)


@pytest.mark.parametrize("m, tolerance", [(1024, 0.02), (16_384, 0.01)])
def test_limits_for_scaled_scores(m, tolerance):
    alpha = softmax(seeded(7).standard_normal((2_000_000 // m, m)))
    keys, participation = scaled_limits(m)
    assert (keys, participation) == pytest.approx((m / sqrt(e), m / e))
    assert effective_keys(alpha).mean() == pytest.approx(keys, rel=tolerance)
    assert (1 / (alpha**2).sum(-1)).mean() == pytest.approx(participation, rel=0.03)


def test_model_refuses_what_it_cannot_mean():
    with pytest.raises(ValueError, match="m is 0; .*at least 1 key"):
        critical_std(0)
    with pytest.raises(ValueError, match="s is -1; a standard deviation"):
        rem_entropy(64, -1)
    with pytest.raises(ValueError, match="below the threshold 2.884 of m = 64"):
        frozen_concentration(64, 2.0)
