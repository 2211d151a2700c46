"""Simulated dot products, at the generator's own speed and in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import sqrt

import numpy as np

from .laws import STUDENT_DF, dot_product_kurtosis, kurtosis, normal_quantile
from .moments import Moments, dot_product_moments, relative_error, variance_interval

MAX_KEPT = 1_000_000  # draws, 8 MB
CHUNK = 1 << 15  # coordinates of q drawn at a time: 256 KiB, which a cache holds
BLOCK = 1 << 12  # dot products summarised at a time

# Fills an array from a generator. Naming numpy.random here would load it.
Fill = Callable[..., None]


@dataclass(frozen=True)
class Simulation:
    """What `simulate_dot_products` found, beside what theory says.

    Attributes
    ----------
    d_k, count, law
        What was asked for.
    mean, variance : float
        Sample mean, and unbiased sample variance.
    theory : Moments
        Exact mean and variance.
    kurtosis : float
        Exact kurtosis of a dot product (nan when it is constant).
    draws : ndarray, shape (keep,)
        The first ``keep`` dot products.
    """

    d_k: int
    count: int
    law: str
    mean: float
    variance: float
    theory: Moments
    kurtosis: float
    draws: np.ndarray

    @property
    def mean_error(self) -> float:
        """Standard error of the sample mean."""
        return self.theory.std / sqrt(self.count)

    @property
    def variance_error(self) -> float:
        """Standard error of the sample variance, from the exact kurtosis."""
        if self.theory.variance == 0:
            return 0.0
        return self.theory.variance * relative_error(self.count, kurtosis=self.kurtosis)

    def mean_interval(self, *, confidence: float = 0.95) -> tuple[float, float]:
        """Confidence interval for the mean, the theoretical variance being known."""
        margin = normal_quantile((1 + confidence) / 2) * self.mean_error
        return self.mean - margin, self.mean + margin

    def variance_interval(self, *, confidence: float = 0.95) -> tuple[float, float]:
        """Confidence interval for the variance; see `sdpa.variance_interval`."""
        if self.theory.variance == 0:
            return self.variance, self.variance
        return variance_interval(
            self.variance, self.count, kurtosis=self.kurtosis, confidence=confidence
        )


def simulate_dot_products(
    d_k: int,
    count: int,
    *,
    law: str = "gaussian",
    sigma: float = 1.0,
    mean: float = 0.0,
    corr: float = 0.0,
    rng: np.random.Generator,
    keep: int = 0,
) -> Simulation:
    """Draw ``count`` independent pairs (q, k), and summarise their dot products.

    Parameters
    ----------
    d_k : int
        Number of coordinates, at least 1.
    count : int
        Number of dot products, at least 2.
    law : {"gaussian", "uniform", "rademacher", "laplace", "student-t"}
        Law of a coordinate. Student's t has 10 degrees of freedom (kurtosis 4).
    sigma, mean : float
        Standard deviation and mean of each coordinate of q and of k.
    corr : float
        Correlation ρ of q_j and k_j: with q_j = μ + σ u, k_j = μ + σ (ρ u + √(1-ρ²) e),
        u and e independent draws of the law. So k_j keeps its mean and variance, but,
        unless ρ is -1, 0 or 1, it is of the same law only when that is Gaussian.
        ``corr=1`` is q = k.
    rng : numpy.random.Generator
        Source of randomness; the same seed gives the same result.
    keep : int
        How many draws to return (the first ones), at most 1,000,000.

    Returns
    -------
    Simulation
        Sample mean and variance with their errors and intervals, and the exact ones.

    Raises
    ------
    ValueError
        If a parameter is out of its range.

    Notes
    -----
    Coordinates are drawn in chunks that fit the cache, so memory does not grow with
    ``count``. Chunks are merged by the pairwise update of [chan1983]_.

    References
    ----------
    [chan1983]_

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> result = simulate_dot_products(64, 20_000, rng=rng)
    >>> low, high = result.variance_interval()
    >>> low < 64 < high
    True
    """
    for name, value, least in (("d_k", d_k, 1), ("count", count, 2), ("keep", keep, 0)):
        if value < least:
            raise ValueError(f"{name} is {value}; it must be at least {least}")
    if keep > min(count, MAX_KEPT):
        raise ValueError(
            f"keep is {keep}; keep at most {MAX_KEPT:,} draws and no more than count"
        )
    # Theory first: it refuses an unknown law before anything is drawn.
    shape = dict(mean_q=mean, mean_k=mean, sigma_q=sigma, sigma_k=sigma, corr=corr)
    theory = dot_product_moments(d_k, kurtosis=kurtosis(law), **shape)
    kappa = dot_product_kurtosis(d_k, law=law, sigma=sigma, mean=mean, corr=corr)
    kept, total = np.empty(keep), (0, 0.0, 0.0)
    draw = partial(
        _draw_pair, fill=FILLS[law], sigma=sigma, mean=mean, corr=corr, rng=rng
    )
    for z in _blocks(d_k, count, draw):
        start = total[0]
        if start < keep:
            kept[start : start + len(z)] = z[: keep - start]
        total = _merge(total, z)
    _, average, squares = total
    variance = squares / (count - 1)
    return Simulation(d_k, count, law, average, variance, theory, kappa, kept)


def _blocks(
    d_k: int,
    count: int,
    draw_pair: Callable[[np.ndarray, np.ndarray], None],
) -> Iterator[np.ndarray]:
    """Yield ``count`` dot products, some thousands at a time, in one reused array."""
    # A column is a draw: summing down columns is fast even when they are short.
    draws = max(1, min(count, CHUNK // d_k))
    q, k = np.empty((2, d_k, draws))
    block = np.empty((-(-BLOCK // draws), draws))
    for start in range(0, count, block.size):
        wanted = min(block.size, count - start)
        for z in block[: -(-wanted // draws)]:
            draw_pair(q, k)
            np.einsum("ij,ij->j", q, k, out=z)
        yield block.ravel()[:wanted]


def _draw_pair(
    q: np.ndarray,
    k: np.ndarray,
    *,
    fill: Fill,
    sigma: float,
    mean: float,
    corr: float,
    rng: np.random.Generator,
) -> None:
    """Fill q with μ + σ u, and k with μ + σ (ρ u + √(1-ρ²) e)."""
    fill(q, rng)
    if abs(corr) == 1:
        np.multiply(q, corr, out=k)
    else:
        fill(k, rng)
    if 0 < abs(corr) < 1:
        k *= sqrt(1 - corr**2)
        k += corr * q
    for x in (q, k):
        # These cost as much as a tenth of the drawing: skip them when they do nothing.
        if sigma != 1:
            x *= sigma
        if mean != 0:
            x += mean


def _merge(total: tuple[int, float, float], z: np.ndarray) -> tuple[int, float, float]:
    """Add a chunk to (count, mean, sum of squared deviations)."""
    n, mean, squares = total
    size, chunk_mean = len(z), float(z.mean())
    deviation = z - chunk_mean
    gap = chunk_mean - mean
    both = n + size
    squares += float(deviation @ deviation) + gap * gap * n * size / both
    return both, mean + gap * size / both, squares


def _gaussian(x: np.ndarray, rng: np.random.Generator) -> None:
    rng.standard_normal(out=x)


def _uniform(x: np.ndarray, rng: np.random.Generator) -> None:
    rng.random(out=x)
    x -= 0.5
    x *= sqrt(12)


def _rademacher(x: np.ndarray, rng: np.random.Generator) -> None:
    # eight signs a byte
    bits = np.unpackbits(rng.integers(0, 256, -(-x.size // 8), np.uint8), count=x.size)
    np.subtract(2.0 * bits.reshape(x.shape), 1.0, out=x)


def _laplace(x: np.ndarray, rng: np.random.Generator) -> None:
    x[...] = rng.laplace(0.0, sqrt(0.5), x.shape)


def _student_t(x: np.ndarray, rng: np.random.Generator) -> None:
    x[...] = rng.standard_t(STUDENT_DF, x.shape)
    x *= sqrt((STUDENT_DF - 2) / STUDENT_DF)


FILLS: dict[str, Fill] = {
    "gaussian": _gaussian,
    "uniform": _uniform,
    "rademacher": _rademacher,
    "laplace": _laplace,
    "student-t": _student_t,
}
