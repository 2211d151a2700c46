"""The random energy model: the softmax of m independent Gaussian logits, as m → ∞."""

from __future__ import annotations

from math import exp, log, sqrt
from typing import NamedTuple

from .laws import normal_quantile

EULER = 0.5772156649015329  # Euler's constant, -ψ(1)


class ScaledLimits(NamedTuple):
    """Limits for logits of standard deviation 1; see `scaled_limits`."""

    effective_keys: float
    participation: float


def critical_std(m: float) -> float:
    """Standard deviation of the logits at which the softmax freezes: s_c = √(2 ln m).

    Parameters
    ----------
    m : float
        Number of keys, at least 1.

    Raises
    ------
    ValueError
        If there is no key.

    Notes
    -----
    It is also, to leading order, the largest of m standard Gaussians. A sharp
    threshold exists only in the limit; at finite m it is a smooth passage
    [derrida1981]_.

    References
    ----------
    [derrida1981]_

    Examples
    --------
    >>> round(critical_std(1024), 2)
    3.72
    """
    return sqrt(critical_width(m))


def critical_width(m: float) -> float:
    """Width at which unscaled attention freezes: d_k = 2 ln m, since s = √d_k.

    Parameters
    ----------
    m : float
        Number of keys, at least 1.

    Raises
    ------
    ValueError
        If there is no key.

    Examples
    --------
    >>> round(critical_width(1024), 1)
    13.9
    """
    if not m >= 1:
        raise ValueError(f"m is {m}; the model needs at least 1 key")
    return 2 * log(m)


def rem_entropy(m: float, s: float) -> float:
    """Entropy of the weights to leading order in ln m, in nats.

    Parameters
    ----------
    m : float
        Number of keys, at least 1.
    s : float
        Standard deviation of the logits, at least 0.

    Raises
    ------
    ValueError
        If ``m`` or ``s`` is too small.

    Notes
    -----
    ln m (1 - s²/s_c²) while s < s_c, and 0 from there on. It is a limit: at fixed
    s/s_c, H/ln m tends to this over ln m as m → ∞. What it leaves out stays bounded
    away from s_c, so at finite m the frozen entropy is not 0: see
    `rem_effective_keys`.

    Examples
    --------
    >>> round(rem_entropy(1024, 1.0), 3), rem_entropy(1024, 8.0)
    (6.431, 0.0)
    """
    if not s >= 0:
        raise ValueError(f"s is {s}; a standard deviation is 0 or more")
    return max(critical_width(m) / 2 - s * s / 2, 0.0)


def rem_effective_keys(m: float, s: float) -> float:
    """Effective keys exp(H): m e^(-s²/2) below the threshold, frozen from there on.

    Parameters
    ----------
    m : float
        Number of keys, at least 1.
    s : float
        Standard deviation of the logits, at least 0.

    Raises
    ------
    ValueError
        If ``m`` or ``s`` is too small.

    Notes
    -----
    Below s_c the ratio of exp(H) to m e^(-s²/2) tends to 1 as m → ∞. At finite m the
    law of large numbers needs the logits that carry the sum, those near s², to be
    well inside the sample: 1 % off at s_c - s = 2.5, 7 % at 2, half the truth at 1.

    From s_c on, as m → ∞ at fixed s/s_c, the weights have a Poisson-Dirichlet law of
    parameter x = s_c/s [pitman1997]_. Then H stays random, and its mean is
    ψ(1) - ψ(1-x), whatever m. Returned is the exp of that mean with x = b/s, where b
    solves m (1 - Φ(b)) = 1: the limit is the same, as b/s_c → 1, but at finite m the
    largest logits lie near b s. It is within 5 % from 2 s_c on, and no guide nearer to
    s_c, where neither limit is near: the true passage is smooth, this function jumps.

    References
    ----------
    [pitman1997]_

    Examples
    --------
    >>> round(rem_effective_keys(1024, 1.0))
    621
    >>> round(rem_effective_keys(1024, 32.0), 2)
    1.19
    """
    if s < critical_std(m) or s == 0:
        return exp(rem_entropy(m, s))
    return exp(-EULER - _digamma(frozen_concentration(m, s)))


def frozen_concentration(m: float, s: float) -> float:
    """Mean of Σα² in the frozen phase, s ≥ s_c; one over it is about 1/Σα².

    Parameters
    ----------
    m : float
        Number of keys, at least 1.
    s : float
        Standard deviation of the logits, at least s_c.

    Raises
    ------
    ValueError
        If the softmax is not frozen at ``s``.

    Notes
    -----
    As m → ∞ at fixed s/s_c > 1, E Σα² → 1 - s_c/s: the mean trace of the Jacobian is
    s_c/s, and falls no faster than 1/√d_k. As in `rem_effective_keys`, b stands for
    s_c at finite m; so used it is within .03 from 1.25 s_c on, for 64 keys or more.

    Examples
    --------
    >>> round(frozen_concentration(1024, 8.0), 2)
    0.61
    """
    if s < critical_std(m):
        raise ValueError(
            f"s is {s}, below the threshold {critical_std(m):.4g} of m = {m}: the "
            "softmax is not frozen; see rem_effective_keys"
        )
    # the level that one of m standard Gaussians passes, on average
    b = normal_quantile(1 - 1 / m) if m > 2 else 0.0
    return 1 - b / s if s else 1.0


def scaled_limits(m: float) -> ScaledLimits:
    """Limits at s = 1, for scaled scores: exp(H) → m e^(-1/2) and 1/Σα² → m/e.

    Parameters
    ----------
    m : float
        Number of keys, at least 1.

    Notes
    -----
    Both ratios to m hold as m → ∞, at every d_k.

    Examples
    --------
    >>> scaled_limits(1024)
    ScaledLimits(effective_keys=621.08..., participation=376.70...)
    """
    return ScaledLimits(m * exp(-0.5), m * exp(-1.0))


def _digamma(x: float) -> float:
    """ψ(x) for x > 0: climb past 12 by ψ(x) = ψ(x+1) - 1/x, then expand."""
    shift = 0.0
    while x < 12:
        shift -= 1 / x
        x += 1
    y = 1 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))
    return shift + log(x) - 1 / (2 * x) - series
