"""What the experiments in torch share: threads, draws, optimisers, measures.

torch is imported inside the functions, so that a configuration can be made, and the
documentation built, without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from ._shared import Curves, check_choice, generator, logged


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold torch to one thread: sums round alike, and processes do not compete."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def draw_parameters(shapes, seeds: Sequence[int], rates: int) -> list:
    """Draw Gaussian parameters, the same for all learning rates of a seed.

    Parameters
    ----------
    shapes : sequence of (tuple of int, float)
        Shape and standard deviation of each parameter.
    seeds : sequence of int
    rates : int
        Number of learning rates.

    Returns
    -------
    list of torch.Tensor
        Each `(len(seeds), rates, *shape)`, float32, requiring a gradient.
    """
    import torch

    generators = [generator(seed, "parameters") for seed in seeds]
    parameters = []
    for shape, std in shapes:
        drawn = np.stack([std * rng.standard_normal(shape) for rng in generators])
        whole = torch.from_numpy(drawn.astype(np.float32)).unsqueeze(1)
        repeated = whole.repeat(1, rates, *(1 for _ in shape))
        parameters.append(repeated.requires_grad_())
    return parameters


class Optimiser:
    """Gradient descent or Adam for many runs at once, each with its learning rate.

    Parameters
    ----------
    name : {"sgd", "adam"}
        Adam has its usual constants: 0.9, 0.999 and 1e-8.
    parameters : list of torch.Tensor, each (seeds, rates, ...)
    rates : sequence of float
    """

    def __init__(self, name, parameters, rates):
        import torch

        check_choice("optimiser", name, ("sgd", "adam"))
        self.adam = name == "adam"
        self.parameters = parameters
        self.rates = [
            torch.tensor(rates).view(-1, *(1,) * (p.dim() - 2)) for p in parameters
        ]
        self.first = [torch.zeros_like(p) for p in parameters]
        self.second = [torch.zeros_like(p) for p in parameters]
        self.steps = 0

    def step(self, gradients) -> None:
        """Move every parameter against its gradient."""
        import torch

        self.steps += 1
        with torch.no_grad():
            for i, g in enumerate(gradients):
                move = self._moved(i, g) if self.adam else g
                self.parameters[i].sub_(self.rates[i] * move)

    def _moved(self, i, g):
        """Give Adam's direction for one parameter."""
        self.first[i].lerp_(g, 0.1)
        self.second[i].lerp_(g * g, 0.001)
        root = (self.second[i] / (1 - 0.999**self.steps)).sqrt_().add_(1e-8)
        return self.first[i] / (1 - 0.9**self.steps) / root


def train(
    config, seeds, parameters, *, evaluate: Callable, loss_at: Callable
) -> Curves:
    """Train, and measure at the logged steps.

    Parameters
    ----------
    config : object
        With optimiser, learning_rates, steps and log_every.
    seeds : sequence of int
    parameters : list of torch.Tensor
        The first one is W_Q, whose gradient is measured.
    evaluate : callable
        Gives loss, accuracy and entropies, the last with shape (seeds, rates, rows).
    loss_at : callable
        Gives the loss of a step, shape (seeds, rates), with its graph.
    """
    import torch

    optimiser = Optimiser(config.optimiser, parameters, config.learning_rates)
    measured = logged(config.steps, config.log_every)
    rows = []
    for step in range(config.steps + 1):
        gradients = torch.autograd.grad(loss_at(step).sum(), parameters)
        if step in measured:
            with torch.no_grad():
                rows.append(_row(*evaluate(), gradients[0]))
        if step < config.steps:
            optimiser.step(gradients)
    measures = {
        name: np.stack([row[name] for row in rows], -1).astype(float)
        for name in rows[0]
    }
    return Curves(config, tuple(seeds), measured, measures)


def _row(loss, accuracy, H, gradient) -> dict[str, np.ndarray]:
    """Name what is measured at one step; arrays (seeds, rates)."""
    row = {
        "loss": loss,
        "accuracy": accuracy,
        "entropy": H.mean(-1),
        "effective_keys": H.exp().mean(-1),
        "gradient": gradient.flatten(2).norm(dim=-1),
    }
    return {name: tensor.numpy() for name, tensor in row.items()}


def row_entropy(alpha, dim: int):
    """Entropy of weights along one dimension, in nats."""
    import torch

    return torch.special.entr(alpha).sum(dim)
