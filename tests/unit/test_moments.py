"""Closed forms against simulation, and what the confidence intervals cover."""

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdpa.laws import LAWS, dot_product_kurtosis, kurtosis
from sdpa.moments import (
    Moments,
    covariance_moments,
    dot_product_moments,
    equal_coordinates_moments,
    relative_error,
    self_product_moments,
    variance_interval,
)
from sdpa.simulation import simulate_dot_products

# Standard errors allowed: a right formula fails for one seed in 150,000.
SIGMAS = 4.5


def check(result):
    """Compare a simulation with its theory."""
    # 1e-12 and 1e-20: a product may be constant, and then there is only rounding
    gap = abs(result.mean - result.theory.mean)
    assert gap <= SIGMAS * result.mean_error + 1e-12
    gap = abs(result.variance - result.theory.variance)
    assert gap <= SIGMAS * result.variance_error + 1e-20


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("d_k", [1, 4, 64])
def test_variance_is_d_k_for_every_law(law, d_k):
    result = simulate_dot_products(d_k, 20_000, law=law, rng=np.random.default_rng(d_k))
    assert result.theory == Moments(0.0, float(d_k))
    check(result)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("corr", [-1.0, -0.5, 0.0, 0.3, 1.0])
@pytest.mark.parametrize("mean, sigma", [(0.0, 2.0), (0.7, 1.0), (-1.5, 0.5)])
def test_mean_and_correlation(law, corr, mean, sigma):
    rng = np.random.default_rng(1)
    check(
        simulate_dot_products(
            8, 20_000, law=law, corr=corr, mean=mean, sigma=sigma, rng=rng
        )
    )


@pytest.mark.parametrize("mean_q, mean_k", [(0.0, 0.0), (0.5, -0.3), (2.0, 0.0)])
@pytest.mark.parametrize("sigma_q, sigma_k", [(1.0, 1.0), (0.5, 2.0)])
@pytest.mark.parametrize("corr", [0.0, -0.6])
def test_different_queries_and_keys(mean_q, mean_k, sigma_q, sigma_k, corr):
    rng, N, d_k = np.random.default_rng(2), 100_000, 6
    u, e = rng.standard_normal((2, N, d_k))
    q = mean_q + sigma_q * u
    k = mean_k + sigma_k * (corr * u + sqrt(1 - corr**2) * e)
    z = (q * k).sum(1)
    theory = dot_product_moments(
        d_k, mean_q=mean_q, mean_k=mean_k, sigma_q=sigma_q, sigma_k=sigma_k, corr=corr
    )
    assert abs(z.mean() - theory.mean) < SIGMAS * theory.std / sqrt(N)
    # the kurtosis is below 6: 3 + (9 - 3)/6 = 4 when centred and independent
    assert abs(z.var() / theory.variance - 1) < SIGMAS * relative_error(N, kurtosis=6)


def test_known_cases():
    assert dot_product_moments(64) == Moments(0.0, 64.0)
    assert dot_product_moments(64, sigma_q=3, sigma_k=3).variance == 64 * 3**4
    assert dot_product_moments(64, mean_q=2, mean_k=3).variance == 64 * (1 + 4 + 9)
    assert dot_product_moments(64, corr=0.5) == Moments(32.0, 64 * 1.25)
    assert dot_product_moments(0) == Moments(0.0, 0.0)
    assert self_product_moments(64, sigma=3) == Moments(64 * 9.0, 2 * 64 * 81.0)
    for law in LAWS:
        assert self_product_moments(10, kurtosis=kurtosis(law)).variance == (
            pytest.approx(10 * (kurtosis(law) - 1))
        )
    assert equal_coordinates_moments(8, sigma=2) == Moments(0.0, 8.0**2 * 2**4)
    assert Moments(3.0, 9.0).std == 3.0
    assert Moments(3.0, 9.0).scaled(-2) == Moments(-6.0, 36.0)


@given(st.integers(1, 500), st.floats(0.01, 10))
def test_sigma_squared_root_d_normalises(d_k, sigma):
    moments = dot_product_moments(d_k, sigma_q=sigma, sigma_k=sigma)
    assert moments.scaled(1 / (sigma**2 * sqrt(d_k))).variance == pytest.approx(1)


def test_covariance():
    rng, N = np.random.default_rng(3), 200_000
    A, B = rng.standard_normal((2, 5, 5))
    q, k = rng.standard_normal((N, 5)) @ A.T, rng.standard_normal((N, 5)) @ B.T
    theory = covariance_moments(A @ A.T, B @ B.T)
    z = (q * k).sum(1)
    assert abs(z.mean()) < SIGMAS * theory.std / sqrt(N)
    assert abs(z.var() / theory.variance - 1) < SIGMAS * relative_error(N, kurtosis=9)


def test_covariance_special_cases():
    assert covariance_moments(np.eye(6), np.eye(6)) == dot_product_moments(6)
    ones = np.ones((6, 6))
    assert covariance_moments(ones, ones) == equal_coordinates_moments(6)
    # equal correlation r inside each vector
    d, r = 64, 0.3
    Sigma = (1 - r) * np.eye(d) + r * np.ones((d, d))
    expected = d * (1 + (d - 1) * r**2)
    assert covariance_moments(Sigma, Sigma).variance == pytest.approx(expected)


@given(st.floats(-3, 3), st.floats(0, 3), st.floats(-1, 1), st.sampled_from(list(LAWS)))
def test_variance_is_never_negative(mean, sigma, corr, law):
    shape = dict(mean_q=mean, mean_k=-mean, sigma_q=sigma, sigma_k=sigma)
    kappa = kurtosis(law)
    assert dot_product_moments(3, corr=corr, kurtosis=kappa, **shape).variance >= 0


REPLICATES, DRAWS = 2_000, 500


def coverage(law, d_k, kappa):
    """Share of samples whose 95 % interval holds the true variance."""
    rng = np.random.default_rng(6)
    count = REPLICATES * DRAWS
    kept = simulate_dot_products(d_k, count, law=law, rng=rng, keep=count).draws
    variances = kept.reshape(REPLICATES, DRAWS).var(1, ddof=1)
    intervals = (variance_interval(v, DRAWS, kurtosis=kappa) for v in variances)
    return np.mean([low <= d_k <= high for low, high in intervals])


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("d_k", [4, 8])
def test_interval_covers_what_it_promises(law, d_k):
    # 4 binomial standard errors are .0195; the rest is for skewed sample variances.
    kappa = dot_product_kurtosis(d_k, law=law)
    assert coverage(law, d_k, kappa) == pytest.approx(0.95, abs=0.025)


def test_normal_theory_does_not_cover():
    assert coverage("laplace", 4, 3.0) == pytest.approx(0.62, abs=0.045)


def test_interval_by_hand():
    # relative error √((3 - 97/99)/100) = .14213, times 1.95996
    low, high = variance_interval(10.0, 100)
    assert (low, high) == pytest.approx((10 / 1.278574, 10 / 0.721426), rel=1e-5)
    narrow = variance_interval(10.0, 100, confidence=0.5)
    assert low < narrow[0] < 10 < narrow[1] < high
    assert variance_interval(10.0, 3, kurtosis=9)[1] == inf


def test_relative_error_is_that_of_the_sample_variance():
    x = np.random.default_rng(7).standard_normal((100_000, 8))
    spread = x.var(1, ddof=1).std()
    assert spread == pytest.approx(relative_error(8), rel=0.02)
    assert relative_error(8) == pytest.approx(sqrt(2 / 7))


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(d_k=-1), "d_k is -1"),
        (dict(d_k=4, sigma_q=-1.0), "sigma_q is -1.0; a standard deviation"),
        (dict(d_k=4, sigma_k=float("nan")), "sigma_k is nan"),
        (dict(d_k=4, corr=1.1), "corr is 1.1; .*between -1 and 1"),
        (dict(d_k=4, kurtosis=0.5), "kurtosis is 0.5; no law"),
    ],
)
def test_impossible_parameters(arguments, message):
    with pytest.raises(ValueError, match=message):
        dot_product_moments(**arguments)


def test_other_errors():
    with pytest.raises(ValueError, match="'normal'; choose one of gaussian"):
        kurtosis("normal")
    with pytest.raises(ValueError, match="count is 1; .*at least 2"):
        variance_interval(1.0, 1)
    with pytest.raises(ValueError, match=r"confidence is 95"):
        variance_interval(1.0, 10, confidence=95)
    with pytest.raises(ValueError, match=r"\(2, 2\) and Sigma_k \(3, 3\)"):
        covariance_moments(np.eye(2), np.eye(3))
    with pytest.raises(ValueError, match=r"\(2, 3\)"):
        covariance_moments(np.ones((2, 3)), np.ones((2, 3)))
