"""Mean and variance of a dot product, in closed form, under each condition."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from .laws import check_parameters, normal_quantile


@dataclass(frozen=True)
class Moments:
    """Mean and variance of a scalar random variable.

    Examples
    --------
    >>> Moments(mean=0.0, variance=64.0).std
    8.0
    """

    mean: float
    variance: float

    @property
    def std(self) -> float:
        """Standard deviation."""
        return sqrt(self.variance)

    def scaled(self, c: float) -> Moments:
        """Moments of ``c`` times the variable.

        Examples
        --------
        >>> dot_product_moments(64).scaled(1 / 8)
        Moments(mean=0.0, variance=1.0)
        """
        return Moments(c * self.mean, c * c * self.variance)


def dot_product_moments(
    d_k: int,
    *,
    mean_q: float = 0.0,
    mean_k: float = 0.0,
    sigma_q: float = 1.0,
    sigma_k: float = 1.0,
    corr: float = 0.0,
    kurtosis: float = 3.0,
) -> Moments:
    """Moments of q·k when the d_k pairs (q_j, k_j) are i.i.d.

    Parameters
    ----------
    d_k : int
        Number of coordinates.
    mean_q, mean_k : float
        Mean of a coordinate.
    sigma_q, sigma_k : float
        Standard deviation of a coordinate.
    corr : float
        Correlation ρ of q_j and k_j; see Notes for what it means beyond Gaussians.
    kurtosis : float
        E x⁴/(E x²)² of a centred coordinate of q; it matters only when ``corr`` is
        not 0. See `kurtosis`.

    Raises
    ------
    ValueError
        If a size, standard deviation, correlation or kurtosis is impossible.

    Notes
    -----
    Write q_j = μ_q + σ_q u and k_j = μ_k + σ_k w with w = ρ u + √(1-ρ²) e, where u and
    e are independent, symmetric, of variance 1, and u has kurtosis κ. Then

    - E[q·k] = d_k (μ_q μ_k + ρ σ_q σ_k)
    - Var(q·k) = d_k [σ_q² σ_k² (1 + (κ-2) ρ²) + μ_q² σ_k² + μ_k² σ_q²
      + 2 ρ μ_q μ_k σ_q σ_k]

    Gaussian pairs have κ = 3: d_k (1 + ρ²). Means 0 and ρ = 0 give the d_k of
    [vaswani2017]_. ρ = 1 is q = k: d_k (κ - 1).

    References
    ----------
    [vaswani2017]_

    Examples
    --------
    >>> dot_product_moments(64)
    Moments(mean=0.0, variance=64.0)
    >>> dot_product_moments(64, mean_q=1.0, mean_k=1.0)
    Moments(mean=64.0, variance=192.0)
    >>> dot_product_moments(64, corr=1.0)
    Moments(mean=64.0, variance=128.0)
    """
    check_parameters(
        d_k, sigma_q=sigma_q, sigma_k=sigma_k, corr=corr, kurtosis=kurtosis
    )
    both = sigma_q * sigma_k
    pair = both**2 * (1 + (kurtosis - 2) * corr**2)
    # μ_q² σ_k² + μ_k² σ_q² + 2 ρ …, written as squares so that no rounding makes it < 0
    a, b = mean_q * sigma_k, mean_k * sigma_q
    drift = (a + corr * b) ** 2 + (1 - corr**2) * b**2
    mean = d_k * (mean_q * mean_k + corr * both)
    return Moments(float(mean), float(d_k * (pair + drift)))


def self_product_moments(
    d_k: int, *, sigma: float = 1.0, kurtosis: float = 3.0
) -> Moments:
    """Moments of q·q: a query against itself, centred i.i.d. coordinates.

    Raises
    ------
    ValueError
        If a size, standard deviation or kurtosis is impossible.

    Notes
    -----
    E = d_k σ² and Var = d_k σ⁴ (κ - 1): for Gaussians 2 d_k, not d_k.

    Examples
    --------
    >>> self_product_moments(64)
    Moments(mean=64.0, variance=128.0)
    >>> self_product_moments(64, kurtosis=1.0)  # Rademacher: the length is fixed
    Moments(mean=64.0, variance=0.0)
    """
    return dot_product_moments(
        d_k, sigma_q=sigma, sigma_k=sigma, corr=1.0, kurtosis=kurtosis
    )


def equal_coordinates_moments(d_k: int, *, sigma: float = 1.0) -> Moments:
    """Moments of q·k when every coordinate repeats the first, q and k independent.

    Raises
    ------
    ValueError
        If ``d_k`` or ``sigma`` is negative.

    Notes
    -----
    q·k = d_k q_1 k_1, so Var = d_k² σ⁴, where independent terms would give d_k σ⁴.

    Examples
    --------
    >>> equal_coordinates_moments(64)
    Moments(mean=0.0, variance=4096.0)
    """
    check_parameters(d_k, sigma=sigma)
    return Moments(0.0, float(d_k**2 * sigma**4))


def covariance_moments(Sigma_q: np.ndarray, Sigma_k: np.ndarray) -> Moments:
    """Moments of q·k for centred, independent q and k with any covariance.

    Parameters
    ----------
    Sigma_q, Sigma_k : array_like, shape (d_k, d_k)
        Covariance matrices of q and of k.

    Raises
    ------
    ValueError
        If the two are not square matrices of one size.

    Notes
    -----
    Var(q·k) = tr(Σ_q Σ_k): d_k for identities, d_k² when all coordinates are equal.

    Examples
    --------
    >>> import numpy as np
    >>> covariance_moments(np.eye(4), np.eye(4)).variance
    4.0
    >>> covariance_moments(np.ones((4, 4)), np.ones((4, 4))).variance
    16.0
    """
    Sigma_q, Sigma_k = np.asarray(Sigma_q, float), np.asarray(Sigma_k, float)
    square = Sigma_q.ndim == 2 and Sigma_q.shape[0] == Sigma_q.shape[1]
    if not square or Sigma_q.shape != Sigma_k.shape:
        raise ValueError(
            f"Sigma_q has shape {Sigma_q.shape} and Sigma_k {Sigma_k.shape}; "
            "give two (d_k, d_k) matrices"
        )
    return Moments(0.0, float(np.sum(Sigma_q * Sigma_k.T)))


def variance_interval(
    variance: float, count: int, *, kurtosis: float = 3.0, confidence: float = 0.95
) -> tuple[float, float]:
    """Confidence interval for a variance, from a sample's variance.

    Parameters
    ----------
    variance : float
        Unbiased sample variance s² (``ddof=1``).
    count : int
        Number N of independent draws, at least 2.
    kurtosis : float
        Kurtosis κ_z of what was drawn (3 only for a Gaussian): for a dot product,
        `dot_product_kurtosis`.
    confidence : float
        Probability with which the interval covers the true variance.

    Returns
    -------
    low, high : float
        ``high`` is infinite when N is too small to bound the variance.

    Raises
    ------
    ValueError
        If ``count`` is below 2, or ``confidence`` not between 0 and 1.

    Notes
    -----
    The relative standard error of s² is exactly r = √((κ_z - (N-3)/(N-1))/N). The
    interval keeps each σ² with -z r σ² ≤ s² - σ² ≤ z r σ².

    Examples
    --------
    >>> low, high = variance_interval(63.2, 20_000, kurtosis=3 + 6 / 64)
    >>> round(low, 2), round(high, 2)
    (61.96, 64.49)
    """
    if count < 2:
        raise ValueError(f"count is {count}; a variance needs at least 2 draws")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a number in (0, 1)")
    z = normal_quantile((1 + confidence) / 2)
    slack = z * relative_error(count, kurtosis=kurtosis)
    high = variance / (1 - slack) if slack < 1 else inf
    return variance / (1 + slack), high


def relative_error(count: int, *, kurtosis: float = 3.0) -> float:
    """Standard error of the sample variance of ``count`` draws, over the variance.

    Examples
    --------
    >>> round(relative_error(20_000), 4)
    0.01
    """
    return sqrt(max(kurtosis - (count - 3) / (count - 1), 0.0) / count)
