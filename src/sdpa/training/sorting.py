"""Experiment C: one attention layer and an MLP learn to sort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._shared import Curves, generator, scale_factor
from ._torch import draw_parameters, one_thread, row_entropy, train


@dataclass(frozen=True, kw_only=True)
class Sorting:
    """Configuration of experiment C.

    Attributes
    ----------
    d_k : int
        Width of queries and keys.
    scale : {"sqrt", "none", "inverse"}
        Factor on the scores: 1/√d_k, 1 or 1/d_k.
    optimiser : {"sgd", "adam"}
    learning_rates : tuple of float
    d, hidden : int
        Width of the layer, and of the MLP behind it.
    length, symbols : int
        How many symbols to sort, and how many there are to choose from.
    batch, held_out : int
        Sequences in a step, and others to measure on.
    steps, log_every : int
        Steps of training, and how often to measure.
    """

    d_k: int
    scale: str = "sqrt"
    optimiser: str = "adam"
    learning_rates: tuple[float, ...] = (0.001, 0.003, 0.01)
    d: int = 32
    hidden: int = 64
    length: int = 8
    symbols: int = 10
    batch: int = 16
    held_out: int = 64
    steps: int = 400
    log_every: int = 40


def sorting(config: Sorting, *, seeds: Sequence[int]) -> Curves:
    r"""Train one layer to give out its input symbols in order.

    Parameters
    ----------
    config : Sorting
    seeds : sequence of int
        One independent repetition each.

    Returns
    -------
    Curves
        Accuracy is the share of positions with the right symbol, on held-out
        sequences; ``gradient`` is the norm of the gradient by W_Q.

    Raises
    ------
    ValueError
        If the scale or the optimiser is not one of those named.

    Notes
    -----
    Embedded symbols plus positions, normalised, go through attention (entries of W_Q
    and W_K are N(0, 1/d)) and an MLP with a residual connection; a linear map reads
    the symbol off. The loss is the cross-entropy, at every position. Sequences are
    fresh at every step.

    Examples
    --------
    >>> result = sorting(Sorting(d_k=4, steps=4, log_every=2), seeds=(0,))
    >>> result.steps, result["loss"].shape
    ((0, 2, 4), (1, 3, 3))
    """
    c = scale_factor(config.scale, config.d_k)
    with one_thread():
        parameters = draw_parameters(_shapes(config), seeds, len(config.learning_rates))
        held_out = _draw(
            config, [generator(s, "held out") for s in seeds], config.held_out
        )
        sources = [generator(s, "batches") for s in seeds]

        def evaluate():
            return _measure(parameters, c, held_out)

        def loss_at(step):
            tokens = _draw(config, sources, config.batch)
            return _loss(_forward(parameters, c, tokens)[0], tokens)

        return train(config, seeds, parameters, evaluate=evaluate, loss_at=loss_at)


def _shapes(config: Sorting) -> list[tuple[tuple[int, int], float]]:
    """List shape and standard deviation of every parameter, W_Q first."""
    d, hidden = config.d, config.hidden
    std = d**-0.5
    return [
        ((d, config.d_k), std),  # W_Q
        ((d, config.d_k), std),  # W_K
        ((d, d), std),  # W_V
        ((d, hidden), (2 / d) ** 0.5),  # into the MLP, whose ReLU halves the variance
        ((hidden, d), hidden**-0.5),  # out of it
        ((config.symbols, d), 0.5**0.5),  # symbols
        ((config.length, d), 0.5**0.5),  # positions; with a symbol: variance 1
        ((d, config.symbols), std),  # read-out
    ]


def _draw(config: Sorting, generators, n: int):
    """Draw n sequences of symbols a seed, shape (seeds, n, length)."""
    import torch

    shape = (n, config.length)
    drawn = [rng.integers(config.symbols, size=shape) for rng in generators]
    return torch.from_numpy(np.stack(drawn))


def _forward(parameters, c: float, tokens):
    """Give logits (seeds, rates, n·length, symbols) and weights (..., n, m, m).

    Linear maps act on all sequences at once, flattened to n·length rows; only
    attention needs to know where a sequence ends.
    """
    import torch
    from torch.nn.functional import layer_norm, one_hot

    W_Q, W_K, W_V, W_in, W_out, symbols, positions, W_read = parameters
    width, (n, length) = symbols.shape[-1:], tokens.shape[-2:]
    hot = one_hot(tokens.flatten(1), symbols.shape[-2]).to(symbols.dtype)
    x = hot.unsqueeze(1) @ symbols + positions.repeat(1, 1, n, 1)
    u = layer_norm(x, width)
    rows = u.unflatten(2, (n, length))
    queries = (u @ (c * W_Q @ W_K.mT)).unflatten(2, (n, length))
    alpha = torch.softmax(queries @ rows.mT, -1)
    h = (alpha @ rows).flatten(2, 3) @ W_V
    h = h + torch.relu(layer_norm(h, width) @ W_in) @ W_out
    return layer_norm(h, width) @ W_read, alpha


def _loss(logits, tokens):
    """Give the mean cross-entropy against the sorted symbols, (seeds, rates)."""
    target = tokens.sort(-1).values.flatten(1)[:, None, :, None]
    target = target.expand(*logits.shape[:-1], 1)
    return -logits.log_softmax(-1).gather(-1, target).flatten(2).mean(-1)


def _measure(parameters, c: float, tokens):
    """Give loss, accuracy and entropies (seeds, rates, rows) on some sequences."""
    logits, alpha = _forward(parameters, c, tokens)
    right = logits.argmax(-1) == tokens.sort(-1).values.flatten(1)[:, None]
    accuracy = right.float().mean(-1)
    return _loss(logits, tokens), accuracy, row_entropy(alpha, -1).flatten(2)
