"""Size of the softmax Jacobian J = diag(α) - ααᵀ, without forming it."""

from __future__ import annotations

import numpy as np

BISECTIONS = 52  # one for each bit of a double


def jacobian_trace(alpha: np.ndarray) -> np.ndarray:
    """Trace of J: 1 - Σα², the sum of the slopes α_j (1 - α_j).

    Parameters
    ----------
    alpha : array_like, shape (..., m)
        Weights: non-negative rows that sum to 1, m at least 1.

    Returns
    -------
    ndarray, shape (...)
        Accurate to rounding even where it is 1e-100: no difference from 1 is taken.

    Raises
    ------
    ValueError
        If there is no key.

    Examples
    --------
    >>> float(jacobian_trace([0.5, 0.5]))
    0.5
    """
    w, others = _split(alpha)
    rest = others.sum(-1)
    # with w = 1 - rest:  1 - w² - Σ others² = rest (1 + w) - Σ others²
    return rest * (1 + w) - np.vecdot(others, others)


def jacobian_frobenius(alpha: np.ndarray) -> np.ndarray:
    """Frobenius norm of J: √(Σα² - 2Σα³ + (Σα²)²).

    Parameters
    ----------
    alpha : array_like, shape (..., m)
        Weights: non-negative rows that sum to 1, m at least 1.

    Returns
    -------
    ndarray, shape (...)
        Accurate to rounding, however saturated the weights.

    Raises
    ------
    ValueError
        If there is no key.

    Examples
    --------
    >>> float(jacobian_frobenius([0.5, 0.5]))
    0.5
    """
    w, others = _split(alpha)
    squares = others * others
    r1, r2, r3 = others.sum(-1), squares.sum(-1), np.vecdot(squares, others)
    # the winner's terms: its slope w (1 - w), and its products with the others
    winner = (w * r1) ** 2 + 2 * w**2 * r2
    return np.sqrt(winner + r2 - 2 * r3 + r2**2)


def jacobian_bound(alpha: np.ndarray) -> np.ndarray:
    """Largest 2 α_j (1 - α_j) of a row: an upper bound on the spectral norm of J.

    Parameters
    ----------
    alpha : array_like, shape (..., m)
        Weights: non-negative rows that sum to 1, m at least 1.

    Returns
    -------
    ndarray, shape (...)
        At most ½. It is J's largest absolute row sum; when a winner has α_w ≥ ½ it is
        2 α_w (1 - α_w), so as α_w → 1 every slope vanishes, the winner's too.

    Raises
    ------
    ValueError
        If there is no key.

    Examples
    --------
    >>> round(float(jacobian_bound([0.9, 0.06, 0.04])), 3)
    0.18
    """
    return 2 * slopes(alpha).max(-1)


def jacobian_spectral(alpha: np.ndarray) -> np.ndarray:
    """Spectral norm of J, its largest eigenvalue, exactly.

    Parameters
    ----------
    alpha : array_like, shape (..., m)
        Weights: non-negative rows that sum to 1, m at least 1.

    Returns
    -------
    ndarray, shape (...)
        At most ½, reached by (½, ½, 0, …).

    Raises
    ------
    ValueError
        If there is no key.

    Notes
    -----
    J is a diagonal matrix less one of rank one, so its eigenvalues λ > 0 solve the
    secular equation Σ_j α_j/(α_j - λ) = 0 [golub1973]_. The largest lies between the
    second largest weight and the smaller of α_w and `jacobian_bound`; the left side
    rises there, and bisection finds the root in O(m) a step.

    References
    ----------
    [golub1973]_

    Examples
    --------
    >>> float(jacobian_spectral([0.5, 0.5]))
    0.5
    """
    w, others = _split(alpha)
    low = others.max(-1)
    high = np.maximum(np.minimum(w, jacobian_bound(alpha)), low)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        # Where low meets high the quotients may be 0/0: then both choices are the root.
        with np.errstate(divide="ignore", invalid="ignore"):
            left = (others / (others - middle[..., None])).sum(-1) + w / (w - middle)
        low, high = np.where(left < 0, middle, low), np.where(left < 0, high, middle)
    return (low + high) / 2


def slopes(alpha: np.ndarray) -> np.ndarray:
    """Diagonal of J: α_j (1 - α_j), how far a weight moves with its own score.

    Parameters
    ----------
    alpha : array_like, shape (..., m)
        Weights: non-negative rows that sum to 1, m at least 1.

    Returns
    -------
    ndarray, shape (..., m)
        The largest weight's 1 - α_j is computed as the sum of the other weights.

    Raises
    ------
    ValueError
        If there is no key.

    Examples
    --------
    >>> slopes([0.5, 0.5]).tolist()
    [0.25, 0.25]
    """
    w, others = _split(alpha)
    alpha = np.asarray(alpha, float)
    result = alpha * (1 - alpha)
    winner = alpha.argmax(-1)[..., None]
    np.put_along_axis(result, winner, (w * others.sum(-1))[..., None], -1)
    return result


def _split(alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest weight (...), and the weights with it set to 0 (..., m)."""
    others = np.array(alpha, float)
    if others.ndim == 0 or others.shape[-1] == 0:
        raise ValueError(
            f"weights have shape {others.shape}; give (..., m) with m at least 1"
        )
    winner = others.argmax(-1)[..., None]
    w = np.take_along_axis(others, winner, -1)[..., 0]
    np.put_along_axis(others, winner, 0.0, -1)
    return w, others
