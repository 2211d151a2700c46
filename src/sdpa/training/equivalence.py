"""Experiment D: the factor on the scores is an initialisation and a learning rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._shared import check_choice, generator, scale_factor
from ._torch import one_thread

# The learning rate that goes with W√c is the usual one times this power of c.
POWERS = {"sgd": 1.0, "adam": 0.5}


@dataclass(frozen=True, kw_only=True)
class Equivalence:
    """Configuration of experiment D: retrieval on fresh batches, in float64.

    Attributes
    ----------
    optimiser : {"sgd", "adam"}
    learning_rate : float
        That of the run with the factor on the scores.
    d_k : int
        Width of queries and keys; the factor is c = 1/√d_k.
    epsilon : float
        Adam's. It is compared with gradients, which the factor rescales, so that the
        equivalence is exact only as it goes to 0.
    adjust : bool
        Whether the other run's learning rate is adjusted, as it has to be.
    d, m, batch, steps : int
        Width of the inputs, how many to choose from, examples in a step, steps.
    """

    optimiser: str = "sgd"
    learning_rate: float = 1.0
    d_k: int = 64
    epsilon: float = 1e-30
    adjust: bool = True
    d: int = 16
    m: int = 8
    batch: int = 32
    steps: int = 200


@dataclass(frozen=True)
class Differences:
    """What `equivalence` found.

    Attributes
    ----------
    on_scores, in_weights : ndarray, shape (steps,)
        Losses with the factor on the scores, and with it in the initial weights.
    loss : float
        Largest difference between the two, over all steps.
    weights : float
        Largest difference between the final weights, those of the second run divided
        by √c.
    """

    on_scores: np.ndarray
    in_weights: np.ndarray
    loss: float
    weights: float


def equivalence(config: Equivalence, *, seed: int = 0) -> Differences:
    r"""Train twice: with the factor on the scores, and with it in W_Q and W_K.

    Parameters
    ----------
    config : Equivalence
    seed : int, default 0

    Returns
    -------
    Differences
        Zero up to rounding.

    Raises
    ------
    ValueError
        If the optimiser is not one of those named.

    Notes
    -----
    With :math:`W' = \sqrt c\, W` for both matrices the scores
    :math:`x W'_Q W_K'^\top y^\top` are the scaled ones, and a gradient by W' is that
    by W divided by √c. For W' to go on being √c W, its steps must be √c times those
    of W. A step of gradient descent is ηg, so :math:`\eta' = c\,\eta`. A step of
    Adam does not depend on the size of g, so :math:`\eta' = \sqrt c\,\eta`.

    References
    ----------
    [raffel2020]_

    Examples
    --------
    >>> equivalence(Equivalence(steps=20)).loss < 1e-12
    True
    """
    check_choice("optimiser", config.optimiser, tuple(POWERS))
    c = scale_factor("sqrt", config.d_k)
    rate = config.learning_rate
    other = rate * c ** POWERS[config.optimiser] if config.adjust else rate
    with one_thread():
        losses, W = _train(config, seed, factor=c, gain=1.0, rate=rate)
        losses_in, W_in = _train(config, seed, factor=1.0, gain=c**0.5, rate=other)
    return Differences(
        on_scores=losses,
        in_weights=losses_in,
        loss=float(np.abs(losses - losses_in).max()),
        weights=float(np.abs(W - W_in / c**0.5).max()),
    )


def _train(config: Equivalence, seed: int, *, factor: float, gain: float, rate: float):
    """Train with torch's optimiser; give losses (steps,), weights (2, d, d_k)."""
    import torch

    rng = generator(seed, "parameters")
    std = gain * config.d**-0.5
    W = torch.from_numpy(std * rng.standard_normal((2, config.d, config.d_k)))
    W.requires_grad_()
    if config.optimiser == "sgd":
        optimiser = torch.optim.SGD([W], rate)
    else:
        optimiser = torch.optim.Adam([W], rate, eps=config.epsilon)
    batches, losses = generator(seed, "batches"), []
    for _ in range(config.steps):
        loss = _loss(config, W, factor, batches)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return np.array(losses), W.detach().numpy()


def _loss(config: Equivalence, W, factor: float, rng: np.random.Generator):
    """Give the squared error of retrieval on a fresh batch."""
    import torch

    shape = (config.batch, config.m, config.d)
    x = torch.from_numpy(rng.standard_normal(shape))
    targets = torch.from_numpy(rng.integers(config.m, size=config.batch))
    asking = x[torch.arange(config.batch), targets]
    scores = torch.einsum("bk,bmk->bm", asking @ W[0], x @ W[1]) * factor
    error = torch.softmax(scores, -1) - torch.nn.functional.one_hot(targets, config.m)
    return error.square().sum(-1).mean()
