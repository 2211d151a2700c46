"""How saturated a softmax is: measures of its weights and of its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from .jacobian import jacobian_frobenius, jacobian_spectral, jacobian_trace, slopes
from .softmax import entropy, softmax

CHUNK = 1 << 16  # scores handled at a time in a sweep: 512 KiB, about a cache


@dataclass(frozen=True)
class Saturation:
    """Measures of rows of weights, each an array of shape (...).

    Attributes
    ----------
    largest : ndarray
        Largest weight.
    entropy : ndarray
        Entropy H in nats.
    effective_keys : ndarray
        exp(H), between 1 and m.
    participation : ndarray
        1/Σα², between 1 and m.
    jacobian_trace, jacobian_frobenius, jacobian_spectral : ndarray
        Sizes of J = diag(α) - ααᵀ, the derivative of weights by scores.
    negligible : ndarray
        Share of the keys whose gradient is negligible.
    """

    largest: np.ndarray
    entropy: np.ndarray
    effective_keys: np.ndarray
    participation: np.ndarray
    jacobian_trace: np.ndarray
    jacobian_frobenius: np.ndarray
    jacobian_spectral: np.ndarray
    negligible: np.ndarray


def saturation(S: np.ndarray, *, negligible: float = 0.01) -> Saturation:
    """Measure how saturated the softmax of each row of scores is.

    Parameters
    ----------
    S : array_like, shape (..., m)
        Scores as they enter the softmax; m at least 1, and no row wholly -inf.
    negligible : float, default 0.01
        A key's gradient is negligible when its slope α_j (1 - α_j) is less than this
        fraction of the slope (1/m)(1 - 1/m) that uniform weights would give it. The
        yardstick moves with m because with many keys every slope is small.

    Returns
    -------
    Saturation
        Arrays of shape (...).

    Raises
    ------
    ValueError
        If there is no key.

    Examples
    --------
    >>> result = saturation([8.0, 0.0, -8.0])
    >>> round(float(result.largest), 4), round(float(result.effective_keys), 4)
    (0.9997, 1.003)
    """
    alpha = softmax(S)
    measures = _measures(alpha, negligible)
    return Saturation(jacobian_spectral=jacobian_spectral(alpha), **measures)


def gaussian_scores(
    d_k: int, m: int, rows: int, *, rng: np.random.Generator
) -> np.ndarray:
    """Draw rows of unscaled scores q·k_j with standard Gaussian q and keys.

    Parameters
    ----------
    d_k : int
        Width, at least 1.
    m, rows : int
        Keys in a row, and number of rows; each row has its own q and its own keys.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    ndarray, shape (rows, m), float64
        Divide by √d_k for scaled scores.

    Raises
    ------
    ValueError
        If ``d_k`` is below 1, or a size negative.

    Notes
    -----
    No vector is drawn. Given q, the scores are independent N(0, ‖q‖²), and ‖q‖² is
    χ²(d_k); so a row is √χ²(d_k) times m independent standard Gaussians, exactly.
    Sharing ‖q‖, scores of one row are uncorrelated but not independent.

    Examples
    --------
    >>> import numpy as np
    >>> gaussian_scores(64, 5, 3, rng=np.random.default_rng(0)).shape
    (3, 5)
    """
    if d_k < 1 or m < 0 or rows < 0:
        given = f"d_k is {d_k}, m is {m}, rows is {rows}"
        raise ValueError(f"{given}; d_k must be 1 or more, m and rows 0 or more")
    length = np.sqrt(rng.chisquare(d_k, (rows, 1)))
    return length * rng.standard_normal((rows, m))


@dataclass(frozen=True)
class Summary:
    """Mean, median and 5-95 % quantiles over rows; arrays (len(d_ks), len(ms))."""

    mean: np.ndarray
    median: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True)
class Sweep:
    """What `saturation_sweep` found.

    Attributes
    ----------
    d_ks, ms, rows
        The grid, and the rows measured at each point of it.
    unscaled, scaled : dict of str to Summary
        By measure: every field of `Saturation` but ``jacobian_spectral``.
    """

    d_ks: tuple[int, ...]
    ms: tuple[int, ...]
    rows: int
    unscaled: dict[str, Summary]
    scaled: dict[str, Summary]


def saturation_sweep(
    d_ks: Sequence[int],
    ms: Sequence[int],
    rows: int,
    *,
    rng: np.random.Generator,
    negligible: float = 0.01,
) -> Sweep:
    """Measure saturation over widths and numbers of keys, unscaled beside scaled.

    Parameters
    ----------
    d_ks, ms : sequence of int
        Widths, and numbers of keys.
    rows : int
        Rows at each point of the grid, each of one query and m keys.
    rng : numpy.random.Generator
        Source of randomness.
    negligible : float, default 0.01
        See `saturation`.

    Returns
    -------
    Sweep
        A `Summary` a measure; scaled and unscaled scores are the same draws.

    Raises
    ------
    ValueError
        If there is no row or no key, or a width below 1.

    Notes
    -----
    Unscaled, the mean gradient comes from the few rows with a near tie: it falls only
    like 1/√d_k while the median collapses.

    Examples
    --------
    >>> import numpy as np
    >>> sweep = saturation_sweep([1, 64], [16], 400, rng=np.random.default_rng(0))
    >>> sweep.unscaled["largest"].median.round(1).tolist()
    [[0.2], [0.9]]
    """
    if rows < 1:
        raise ValueError(f"rows is {rows}; a summary needs at least 1 row")
    cells = [[_both_scales(d_k, m, rows, rng, negligible) for m in ms] for d_k in d_ks]
    unscaled, scaled = (
        {
            name: Summary(*np.moveaxis([[c[i][name] for c in r] for r in cells], -1, 0))
            for name in MEASURES
        }
        for i in (0, 1)
    )
    return Sweep(tuple(d_ks), tuple(ms), rows, unscaled, scaled)


MEASURES = tuple(
    name for name in Saturation.__annotations__ if name != "jacobian_spectral"
)


def _both_scales(
    d_k: int, m: int, rows: int, rng: np.random.Generator, negligible: float
) -> list[dict[str, list[float]]]:
    """Summarise one point of the grid: [unscaled, scaled]."""
    values = np.empty((2, len(MEASURES), rows))
    step = max(1, CHUNK // max(m, 1))
    for start in range(0, rows, step):
        here = slice(start, min(start + step, rows))
        S = gaussian_scores(d_k, m, here.stop - start, rng=rng)
        for i, scores in enumerate((S, S / sqrt(d_k))):
            found = _measures(softmax(scores), negligible)
            values[i, :, here] = [found[name] for name in MEASURES]
    return [dict(zip(MEASURES, map(_summary, v), strict=True)) for v in values]


def _summary(x: np.ndarray) -> list[float]:
    """Return the fields of a `Summary`."""
    low, median, high = np.quantile(x, (0.05, 0.5, 0.95))
    return [x.mean(), median, low, high]


def _measures(alpha: np.ndarray, negligible: float) -> dict[str, np.ndarray]:
    """Every measure that takes a few operations an entry."""
    diagonal = slopes(alpha)  # refuses m = 0
    m = alpha.shape[-1]
    uniform = (1 - 1 / m) / m
    H = entropy(alpha)
    return {
        "largest": alpha.max(-1),
        "entropy": H,
        "effective_keys": np.exp(H),
        "participation": 1 / np.vecdot(alpha, alpha),
        "jacobian_trace": jacobian_trace(alpha),
        "jacobian_frobenius": jacobian_frobenius(alpha),
        "negligible": (diagonal < negligible * uniform).mean(-1),
    }
