"""Experiment B: shared W_Q and W_K learn to retrieve one key among many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._shared import Curves, generator, scale_factor
from ._torch import draw_parameters, one_thread, row_entropy, train


@dataclass(frozen=True, kw_only=True)
class Retrieval:
    """Configuration of experiment B.

    Attributes
    ----------
    d_k : int
        Width of queries and keys.
    scale : {"sqrt", "none", "inverse"}
        Factor on the scores: 1/√d_k, 1 or 1/d_k.
    fresh : bool
        Whether every step sees new examples, or always the same ones.
    optimiser : {"sgd", "adam"}
    learning_rates : tuple of float
    d, m : int
        Width of the inputs, and how many there are to choose from.
    examples : int
        How many there are when they are not fresh.
    batch, held_out : int
        When they are: examples in a step, and others to measure on.
    steps, log_every : int
        Steps of training, and how often to measure.
    """

    d_k: int
    scale: str = "sqrt"
    fresh: bool = False
    optimiser: str = "sgd"
    learning_rates: tuple[float, ...] = (0.1, 1.0, 10.0)
    d: int = 32
    m: int = 16
    examples: int = 64
    batch: int = 32
    held_out: int = 256
    steps: int = 300
    log_every: int = 20


def retrieval(config: Retrieval, *, seeds: Sequence[int]) -> Curves:
    r"""Train W_Q and W_K so that an input finds itself among m.

    Parameters
    ----------
    config : Retrieval
    seeds : sequence of int
        One independent repetition each.

    Returns
    -------
    Curves
        An example is right when its target has the largest weight. Measured on the
        training examples or, if these are fresh, on held-out ones. ``gradient`` is
        the norm of the gradient by W_Q.

    Raises
    ------
    ValueError
        If the scale or the optimiser is not one of those named.

    Notes
    -----
    Inputs are standard Gaussian, and the entries of both matrices N(0, 1/d), so that
    queries and keys start with variance 1. The loss is the squared error of the
    output, the values being one-hot. Scores are computed as
    :math:`c\,x\,(W_Q W_K^\top)\,y^\top`: by associativity the width then costs
    next to nothing.

    Examples
    --------
    >>> result = retrieval(Retrieval(d_k=16, steps=100), seeds=(0,))
    >>> bool(result.best_final()[0] > 0.9)
    True
    """
    std = config.d**-0.5
    c = scale_factor(config.scale, config.d_k)
    with one_thread():
        parameters = draw_parameters(
            [((config.d, config.d_k), std)] * 2, seeds, len(config.learning_rates)
        )
        measured_on, batch_at = _data(config, seeds)

        def evaluate():
            loss, alpha, targets = _forward(parameters, c, *measured_on)
            right = (alpha.argmax(2) == targets).float() * alpha.isfinite().all(2)
            return loss, right.mean(1), row_entropy(alpha, 2).swapaxes(1, 2)

        def loss_at(step):
            return _forward(parameters, c, *batch_at(step))[0]

        return train(config, seeds, parameters, evaluate=evaluate, loss_at=loss_at)


def _data(config: Retrieval, seeds: Sequence[int]):
    """Give the examples to measure on, and a function from step to examples."""
    fixed = config.held_out if config.fresh else config.examples
    stream = "held out" if config.fresh else "data"
    measured_on = _draw(config, [generator(seed, stream) for seed in seeds], fixed)
    if not config.fresh:
        return measured_on, lambda step: measured_on
    sources = [generator(seed, "batches") for seed in seeds]
    return measured_on, lambda step: _draw(config, sources, config.batch)


def _draw(config: Retrieval, generators, n: int):
    """Draw n examples a seed: inputs (seeds, n, m, d) and targets (seeds, n, 1)."""
    import torch

    targets = np.stack([rng.integers(config.m, size=n) for rng in generators])
    shape = (n, config.m, config.d)
    x = np.stack([rng.standard_normal(shape, dtype=np.float32) for rng in generators])
    return torch.from_numpy(x), torch.from_numpy(targets)[..., None]


def _forward(parameters, c: float, x, targets):
    """Give loss (seeds, rates), weights (seeds, n, m, rates) and targets."""
    import torch

    W_Q, W_K = parameters
    M = c * W_Q @ W_K.mT  # (seeds, rates, d, d)
    index = targets[..., None].expand(-1, -1, 1, x.shape[-1])
    asking = x.gather(2, index).squeeze(2)  # the target itself: (seeds, n, d)
    queries = torch.einsum("snd,srde->sner", asking, M)
    alpha = torch.softmax(x @ queries, 2)
    # |α - y|² = Σα² - 2 α_target + 1
    hit = alpha.gather(2, targets[..., None].expand(-1, -1, 1, alpha.shape[-1]))
    error = alpha.square().sum(2) - 2 * hit.squeeze(2) + 1
    return error.mean(1), alpha, targets
