"""Experiment A as the view *Stuck* replays it: the same to the last bit everywhere.

Gradient descent through a saturated softmax can double a rounding error in every step,
so that another `exp` or another order of a sum gives another curve. Here nothing is
left open: draws are rounded to a grid on which dot products are exact, sums run from
left to right, and `exp` is a polynomial. `stuck.js` does the same operations in the
same order, and IEEE 754 sees to the rest.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import factorial

import numpy as np

from ._draws import gaussians

QUERIES, KEYS, STEPS = 20, 16, 300
GRID = 2.0**16  # dot products of 1024 such numbers fit into 53 bits
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
TERMS = [1 / factorial(n) for n in range(14)]  # rounding hides what comes after


@dataclass(frozen=True, eq=False)
class Replay:
    """What happened at each step, the first one before any training.

    Attributes
    ----------
    weights : ndarray, shape (steps + 1, queries, keys)
        Key 0 is what each query should find.
    loss, solved, gradient : ndarray, shape (steps + 1,)
        Mean squared error of the outputs, number of queries whose target has more
        than half of the weight, and median norm of the gradient by a query.
    """

    weights: np.ndarray
    loss: np.ndarray
    solved: np.ndarray
    gradient: np.ndarray


def exp(x):
    """Give e to the power of x ≤ 0 in a way that every processor repeats.

    Examples
    --------
    >>> bool(np.allclose(exp(np.array([0.0, -1.0, -700.0])), np.exp([0, -1, -700])))
    True
    """
    x = np.maximum(x, -745.0)  # the next one down is 0 anyway
    k = np.floor(x * LOG2_E + 0.5)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    power = np.full_like(r, TERMS[-1])
    for term in TERMS[-2::-1]:
        power = power * r + term
    return np.ldexp(power, k.astype(int))


def sum_in_order(x):
    """Add along the last axis from left to right."""
    return np.cumsum(x, axis=-1)[..., -1]


def draw(d_k, seed):
    """Draw queries and keys; give scores (p, m), unscaled, and K Kᵀ (p, m, m)."""
    x = gaussians(seed, QUERIES * (KEYS + 1) * d_k)
    x = (np.floor(x * GRID + 0.5) / GRID).reshape(QUERIES, KEYS + 1, d_k)
    q, K = x[:, :1], x[:, 1:]
    return (K @ q.mT)[..., 0], K @ K.mT


@lru_cache(maxsize=32)
def replay(d_k, scaled, rate, seed):
    """Train the queries by gradient descent, all of them at once.

    Parameters
    ----------
    d_k : int
        A power of four, so that its root is exact.
    scaled : bool
        Whether scores are divided by √d_k.
    rate : float
        Learning rate.
    seed : int

    Returns
    -------
    Replay

    Examples
    --------
    >>> int(replay(256, True, 1.0, 1).solved[-1])
    20
    """
    c = 1 / np.sqrt(d_k) if scaled else 1.0
    scores, gram = draw(d_k, seed)
    z, found = c * scores, []
    for _ in range(STEPS + 1):
        alpha = _softmax(z)
        miss = alpha.copy()
        miss[:, 0] -= 1
        u = 2 * miss
        # the softmax's Jacobian times u: J = diag(α) - ααᵀ
        g = alpha * (u - sum_in_order(alpha * u)[:, None])
        moved = sum_in_order(gram * g[:, None, :])
        squared = np.maximum(sum_in_order(g * moved), 0)
        loss = sum_in_order(sum_in_order(miss * miss)) / QUERIES
        solved = np.count_nonzero(alpha[:, 0] > 0.5)
        found.append((alpha, loss, solved, np.median(c * np.sqrt(squared))))
        z = z - rate * c * c * moved
    return Replay(*map(np.array, zip(*found, strict=True)))


def _softmax(z):
    powers = exp(z - z.max(-1, keepdims=True))
    return powers / sum_in_order(powers)[:, None]
