"""Experiment A: keys are fixed, and each query is trained on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..softmax import entropy, softmax
from ._shared import Curves, check_choice, generator, logged, scale_factor

LOSSES = ("squared", "log")


@dataclass(frozen=True, kw_only=True)
class FreeQueries:
    """Configuration of experiment A.

    Attributes
    ----------
    d_k : int
        Width of queries and keys.
    scale : {"sqrt", "none", "inverse"}
        Factor on the scores: 1/√d_k, 1 or 1/d_k.
    loss : {"squared", "log"}
        ``"squared"``: squared error of the output, the values being one-hot, so that
        the loss sees the weights through the softmax. ``"log"``: -log of the target's
        weight, the control, whose gradient by the scores does not vanish.
    optimiser : {"sgd", "adam"}
        Gradient descent, or Adam with its usual constants.
    learning_rates : tuple of float
    m : int
        Keys; one of them, at random, is the target.
    queries : int
        Independent queries a seed, each with its own keys, all standard Gaussian.
    steps, log_every : int
        Steps of training, and how often to measure.
    """

    d_k: int
    scale: str = "sqrt"
    loss: str = "squared"
    optimiser: str = "sgd"
    learning_rates: tuple[float, ...] = (0.1, 1.0, 10.0)
    m: int = 16
    queries: int = 100
    steps: int = 300
    log_every: int = 20


def free_queries(config: FreeQueries, *, seeds: Sequence[int]) -> Curves:
    r"""Train queries to find one key each by gradient descent.

    Parameters
    ----------
    config : FreeQueries
    seeds : sequence of int
        One independent repetition each.

    Returns
    -------
    Curves
        A query counts as right when its target has more than half of the weight.
        ``gradient`` is the median over queries of the norm of the gradient by q.

    Raises
    ------
    ValueError
        If the scale, the loss or the optimiser is not one of those named.

    Notes
    -----
    With scores :math:`z = cKq` and gradient g of the loss by z, a step of gradient
    descent is :math:`q \leftarrow q - \eta\, c K^\top g`. Multiply it by cK:

    .. math:: z \leftarrow z - \eta\, c^2\, K K^\top g

    The query has gone. What is left are m scores and the m by m matrix
    :math:`KK^\top`, so that a step costs the same at every width. Adam divides each
    coordinate of q by a length of its own, which the scores do not know; it is run
    on the query itself.

    Examples
    --------
    >>> curves = free_queries(FreeQueries(d_k=64, steps=60), seeds=(0,))
    >>> unscaled = free_queries(FreeQueries(d_k=64, steps=60, scale="none"), seeds=(0,))
    >>> bool(curves.best_final()[0] > unscaled.best_final()[0] + 0.2)
    True
    """
    check_choice("loss", config.loss, LOSSES)
    check_choice("optimiser", config.optimiser, ("sgd", "adam"))
    K, q, targets = _draw(config, seeds)
    train = _train_scores if config.optimiser == "sgd" else train_queries
    return _collect(config, seeds, train(config, K, q, targets), targets)


def _draw(config: FreeQueries, seeds: Sequence[int]) -> tuple[np.ndarray, ...]:
    """Draw keys (p, m, d_k), queries (p, d_k, 1) and one-hot targets (p, m, 1).

    p counts the queries of all seeds, one seed after the other.
    """
    n, m, d_k = config.queries, config.m, config.d_k
    K, q, targets = [], [], []
    for seed in seeds:
        rng = generator(seed, "data")
        targets.append(np.eye(m)[rng.integers(m, size=n)])
        K.append(rng.standard_normal((n, m, d_k)))
        q.append(rng.standard_normal((n, d_k)))
    K, q, targets = map(np.concatenate, (K, q, targets))
    return K, q[..., None], targets[..., None]


def _train_scores(config, K, q, targets):
    """Yield, at each logged step, scores (p, m, rates) and gradient norms (p, rates).

    All learning rates share the keys: they lie side by side in the last axis.
    """
    c = scale_factor(config.scale, config.d_k)
    rates = np.array(config.learning_rates)
    gram = K @ K.swapaxes(-1, -2)
    z = np.repeat(c * (K @ q), len(rates), axis=-1)
    measured = logged(config.steps, config.log_every)
    for step in range(config.steps + 1):
        g = score_gradient(softmax(z, axis=1), targets, config.loss)
        moved = gram @ g
        if step in measured:
            # |c Kᵀg|² = c² gᵀ(KKᵀ)g; rounding can leave a zero just below zero.
            yield z, c * np.sqrt(np.maximum((g * moved).sum(1), 0))
        z = z - rates * c**2 * moved


def train_queries(config, K, q, targets):
    """Do as `_train_scores`, but move the queries themselves; either optimiser."""
    c = scale_factor(config.scale, config.d_k)
    rates = np.array(config.learning_rates)
    q = np.repeat(q, len(rates), axis=-1)
    first, second = np.zeros_like(q), np.zeros_like(q)
    measured = logged(config.steps, config.log_every)
    for step in range(config.steps + 1):
        z = c * (K @ q)
        g = score_gradient(softmax(z, axis=1), targets, config.loss)
        gradient = c * (K.swapaxes(-1, -2) @ g)
        if step in measured:
            yield z, np.linalg.norm(gradient, axis=1)
        if config.optimiser == "adam":
            first = 0.9 * first + 0.1 * gradient
            second = 0.999 * second + 0.001 * gradient**2
            unbiased = np.sqrt(second / (1 - 0.999 ** (step + 1)))
            gradient = first / (1 - 0.9 ** (step + 1)) / (unbiased + 1e-8)
        q = q - rates * gradient


def score_gradient(alpha, targets, loss):
    """Differentiate the loss by the scores; the keys are in axis 1."""
    if loss == "log":
        return alpha - targets
    # Through the softmax: J u with J = diag(α) - ααᵀ and u = 2 (α - y).
    u = 2 * (alpha - targets)
    return alpha * (u - (alpha * u).sum(1, keepdims=True))


def _collect(config, seeds, states, targets) -> Curves:
    """Measure the states that a training yields."""
    rates = len(config.learning_rates)
    shape = (len(seeds), config.queries, rates)
    rows = []
    for z, gradient in states:
        alpha = softmax(z, axis=1)
        H = entropy(alpha, axis=1)
        row = {
            "loss": _loss(z, alpha, targets, config.loss),
            "accuracy": (alpha * targets).sum(1) > 0.5,
            "entropy": H,
            "effective_keys": np.exp(H),
        }
        row = {name: x.reshape(shape).mean(1) for name, x in row.items()}
        rows.append(row | {"gradient": np.median(gradient.reshape(shape), axis=1)})
    measures = {name: np.stack([row[name] for row in rows], -1) for name in rows[0]}
    steps = logged(config.steps, config.log_every)
    return Curves(config, tuple(seeds), steps, measures)


def _loss(z, alpha, targets, loss):
    """Give each query's loss, shape (p, rates)."""
    if loss == "squared":
        return ((alpha - targets) ** 2).sum(1)
    # -log α of the target from the scores, as α itself may be 0.
    top = z.max(1)
    return top + np.log(np.exp(z - top[:, None]).sum(1)) - (z * targets).sum(1)
