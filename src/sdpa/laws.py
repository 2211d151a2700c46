"""The laws that coordinates are drawn from, and the kurtosis of their products."""

from __future__ import annotations

from math import sqrt

import numpy as np

# Student's t needs df > 8 for the eighth moment, which correlated pairs use.
STUDENT_DF = 10

# Moments E x², E x⁴, E x⁶, E x⁸ of each symmetric law, scaled to variance 1.
LAWS: dict[str, tuple[float, float, float, float]] = {
    "gaussian": (1.0, 3.0, 15.0, 105.0),
    "uniform": (1.0, 9 / 5, 27 / 7, 9.0),
    "rademacher": (1.0, 1.0, 1.0, 1.0),
    "laplace": (1.0, 6.0, 90.0, 2520.0),
    "student-t": (1.0, 4.0, 40.0, 1120.0),
}


def kurtosis(law: str) -> float:
    """Kurtosis E x⁴/(E x²)² of a coordinate law (3 for a Gaussian).

    Raises
    ------
    ValueError
        If the law is unknown.

    Examples
    --------
    >>> [kurtosis(law) for law in ("gaussian", "uniform", "rademacher", "laplace")]
    [3.0, 1.8, 1.0, 6.0]
    """
    if law not in LAWS:
        raise ValueError(f"law is {law!r}; choose one of {', '.join(LAWS)}")
    return LAWS[law][1]


def dot_product_kurtosis(
    d_k: int,
    *,
    law: str = "gaussian",
    sigma: float = 1.0,
    mean: float = 0.0,
    corr: float = 0.0,
) -> float:
    """Kurtosis of q·k for i.i.d. pairs (q_j, k_j) of one law, exactly.

    Parameters
    ----------
    d_k : int
        Number of coordinates.
    law, sigma, mean, corr
        As for `simulate_dot_products`.

    Returns
    -------
    float
        Nearer to 3 the larger d_k; nan for a constant product (Rademacher, q = k).

    Raises
    ------
    ValueError
        If the law is unknown or a parameter impossible.

    Notes
    -----
    The excess over 3 of a sum of d_k i.i.d. terms is that of one term over d_k:
    κ_z = 3 + (κ_1 - 3)/d_k, with κ_1 the kurtosis of q_1 k_1 about its own mean.
    Centred and independent, κ_1 = κ_q κ_k, hence κ_z = 3 + (κ_x² - 3)/d_k. With a mean
    or a correlation that shortcut fails, and κ_1 comes from the moments of the law up
    to the eighth.

    Examples
    --------
    >>> dot_product_kurtosis(4)
    4.5
    >>> dot_product_kurtosis(4, law="laplace")
    11.25
    """
    kurtosis(law)
    check_parameters(d_k, corr, sigma=sigma)
    # p[a, b] is the coefficient of u^a e^b in (μ + σ u)(μ + σ (ρ u + √(1-ρ²) e)).
    p = np.zeros((3, 2))
    p[0, 0] = mean**2
    p[1, 0] = mean * sigma * (1 + corr)
    p[2, 0] = sigma**2 * corr
    p[0, 1] = mean * sigma * sqrt(1 - corr**2)
    p[1, 1] = sigma**2 * sqrt(1 - corr**2)
    p[0, 0] -= _expectation(p, law)
    square = _multiply(p, p)
    variance = _expectation(square, law)
    # a constant, up to the rounding of the terms that cancelled
    if variance <= 1e-12 * np.abs(square).sum() or d_k == 0:
        return float("nan")
    one_term = _expectation(_multiply(square, square), law) / variance**2
    return 3 + (one_term - 3) / d_k


def normal_quantile(p: float) -> float:
    """Quantile of the standard normal law."""
    from statistics import NormalDist  # here: it costs as much as all other imports

    return NormalDist().inv_cdf(p)


def _multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Multiply two polynomials in (u, e), given as tables of coefficients."""
    product = np.zeros(np.add(p.shape, q.shape) - 1)
    for (a, b), coefficient in np.ndenumerate(p):
        product[a : a + q.shape[0], b : b + q.shape[1]] += coefficient * q
    return product


def _expectation(p: np.ndarray, law: str) -> float:
    """Mean of a polynomial in two independent variables of a law of variance 1."""
    moments = np.zeros(9)
    moments[0], moments[2::2] = 1.0, LAWS[law]
    return float(moments[: p.shape[0]] @ p @ moments[: p.shape[1]])


def check_parameters(
    d_k: int, corr: float = 0.0, kurtosis: float = 3.0, **sigmas: float
) -> None:
    """Refuse parameters that no random variable has."""
    if d_k < 0:
        raise ValueError(f"d_k is {d_k}; give a number of coordinates, 0 or more")
    for name, sigma in sigmas.items():
        if not sigma >= 0:
            raise ValueError(f"{name} is {sigma}; a standard deviation is 0 or more")
    if not -1 <= corr <= 1:
        raise ValueError(f"corr is {corr}; a correlation lies between -1 and 1")
    if not kurtosis >= 1:
        raise ValueError(f"kurtosis is {kurtosis}; no law has one below 1")
