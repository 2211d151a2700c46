"""Moments of the coordinate laws, and the kurtosis of their dot products."""

from math import factorial, isnan, sqrt

import numpy as np
import pytest

import sdpa.simulation as simulation
from sdpa.laws import LAWS, dot_product_kurtosis, kurtosis
from sdpa.simulation import simulate_dot_products

SIGMAS = 4.5  # standard errors allowed


@pytest.mark.parametrize("law", LAWS)
def test_moments_of_the_laws(law):
    x = np.empty((1, 400_000))
    simulation.FILLS[law](x, np.random.default_rng(4))
    m2, m4, _, m8 = LAWS[law]
    assert m2 == 1.0
    assert abs(x.mean()) < SIGMAS * 1 / sqrt(x.size)
    assert abs((x**2).mean() - 1) <= SIGMAS * sqrt((m4 - 1) / x.size)
    assert abs((x**4).mean() - m4) <= SIGMAS * sqrt((m8 - m4**2) / x.size)
    assert m4 / m2**2 == kurtosis(law)


def test_higher_moments_in_closed_form():
    for i, moment in enumerate(LAWS["gaussian"], 1):
        assert moment == factorial(2 * i) / (2**i * factorial(i))
    for i, moment in enumerate(LAWS["laplace"], 1):
        assert moment == factorial(2 * i) / 2**i
    for i, moment in enumerate(LAWS["uniform"], 1):
        assert moment == pytest.approx(3**i / (2 * i + 1))
    nu, moment = simulation.STUDENT_DF, 1.0
    for i, expected in enumerate(LAWS["student-t"], 1):
        moment *= (nu - 2) * (2 * i - 1) / (nu - 2 * i)
        assert moment == pytest.approx(expected)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("d_k", [1, 4, 64])
def test_kurtosis_shortcut(law, d_k):
    kappa = dot_product_kurtosis(d_k, law=law, sigma=3.0)
    assert kappa == pytest.approx(3 + (kurtosis(law) ** 2 - 3) / d_k)


@pytest.mark.parametrize(
    "shape", [dict(mean=1.0), dict(corr=1.0), dict(mean=0.5, corr=0.4), dict(corr=-0.7)]
)
@pytest.mark.parametrize("law", ["gaussian", "uniform"])
def test_kurtosis_with_a_mean_or_a_correlation(law, shape):
    d_k, count = 4, 400_000
    rng = np.random.default_rng(5)
    result = simulate_dot_products(d_k, count, law=law, rng=rng, keep=count, **shape)
    z = result.draws - result.theory.mean
    measured = (z**4).mean() / result.theory.variance**2
    assert measured == pytest.approx(result.kurtosis, rel=0.06)


def test_the_kurtosis_shortcut_needs_centred_independent_coordinates():
    shortcut = dot_product_kurtosis(4)
    assert abs(dot_product_kurtosis(4, mean=1.0) - shortcut) > 0.3
    assert abs(dot_product_kurtosis(4, corr=1.0) - shortcut) > 0.3


def test_kurtosis_of_a_chi_squared():
    # q = k Gaussian: chi-squared with d_k degrees of freedom, kurtosis 3 + 12/d_k
    assert dot_product_kurtosis(7, corr=1.0) == pytest.approx(3 + 12 / 7)


def test_kurtosis_of_a_constant_is_nan():
    assert isnan(dot_product_kurtosis(4, law="rademacher", corr=1.0))
    shape = dict(law="rademacher", mean=0.7, corr=-1.0)
    assert isnan(dot_product_kurtosis(4, **shape))
    assert isnan(dot_product_kurtosis(4, sigma=0.0))
