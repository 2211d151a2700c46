"""What common initialisers make of the variance of a score."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ._shared import generator


@dataclass(frozen=True)
class Initialiser:
    """One way to draw W_Q and W_K, and what it gives for standardised inputs.

    Attributes
    ----------
    name : str
    variance_q, variance_k : float
        Variance of a coordinate of q and of k: d times the variance of a weight.
    measured : float or None
        Variance of q·k divided by d_k, from weights that were drawn.
    """

    name: str
    variance_q: float
    variance_k: float
    measured: float | None = None

    @property
    def ratio(self) -> float:
        """Variance of q·k divided by d_k; the factor 1/√d_k assumes that it is 1."""
        return self.variance_q * self.variance_k


def initialisers(d: int, d_k: int, *, seed: int | None = None) -> list[Initialiser]:
    r"""List common initialisers and the variance of q·k that they give.

    Parameters
    ----------
    d, d_k : int
        Width of the inputs, and of queries and keys of one head.
    seed : int, optional
        If given, weights are drawn as well, by torch's own modules where there is
        one, and the variance is measured.

    Returns
    -------
    list of Initialiser

    Notes
    -----
    For inputs with mean 0 and variance 1 a coordinate of q has variance
    :math:`d\,\operatorname{Var}(W_Q)`, and q·k has variance

    .. math:: d_k \cdot d\operatorname{Var}(W_Q) \cdot d\operatorname{Var}(W_K)

    over the draws of inputs and weights. A uniform weight in ±a has variance a²/3:
    ``nn.Linear`` takes a = 1/√d, and ``nn.MultiheadAttention`` Xavier's a = √(6/4d),
    which counts the 3d outputs of Q, K and V together. T5 leaves the factor out, and
    has it in W_Q.

    References
    ----------
    [glorot2010]_, [radford2019]_, [raffel2020]_

    Examples
    --------
    >>> [(i.name, round(i.ratio, 3)) for i in initialisers(512, 64)][1:3]
    [('nn.Linear', 0.111), ('nn.MultiheadAttention', 0.25)]
    """
    xavier = 2 * d / (d + d_k)
    rows = [
        Initialiser("N(0, 1/d)", 1.0, 1.0),
        Initialiser("nn.Linear", 1 / 3, 1 / 3),
        Initialiser("nn.MultiheadAttention", 0.5, 0.5),
        Initialiser("Xavier, one head", xavier, xavier),
        Initialiser("GPT-2: N(0, 0.02²)", d * 0.02**2, d * 0.02**2),
        Initialiser("T5: W_Q with variance 1/(d d_k)", 1 / d_k, 1.0),
    ]
    if seed is None:
        return rows
    drawn = {row.name: _draw(row.name, d, d_k, seed) for row in rows}
    return [
        replace(row, measured=score_variance(*drawn[row.name], seed) / d_k)
        for row in rows
    ]


def score_variance(W_Q: np.ndarray, W_K: np.ndarray, seed: int) -> float:
    """Measure the variance of q·k for weights (d_k, d), over standardised inputs."""
    rng = generator(seed, "data")
    x = rng.standard_normal((2, 2000, W_Q.shape[1]))
    x -= x.mean(-1, keepdims=True)
    x /= x.std(-1, keepdims=True)  # what a layer norm hands on
    return float(((x[0] @ W_Q.T) @ (x[1] @ W_K.T).T).var())


def _draw(name: str, d: int, d_k: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw W_Q and W_K, each (d_k, d), the way that is named."""
    import torch
    from torch.nn import Linear, MultiheadAttention, init

    def heads():
        """Take one head of width d_k out of the blocks for Q and for K."""
        W = MultiheadAttention(d, 1).in_proj_weight
        return W[:d_k], W[d : d + d_k]

    def normal(std_q, std_k):
        return init.normal_(empty(), std=std_q), init.normal_(empty(), std=std_k)

    def empty():
        return torch.empty(d_k, d)

    ways = {
        "N(0, 1/d)": lambda: normal(d**-0.5, d**-0.5),
        "nn.Linear": lambda: (Linear(d, d_k).weight, Linear(d, d_k).weight),
        "nn.MultiheadAttention": heads,
        "Xavier, one head": lambda: map(init.xavier_uniform_, (empty(), empty())),
        "GPT-2: N(0, 0.02²)": lambda: normal(0.02, 0.02),
        "T5: W_Q with variance 1/(d d_k)": lambda: normal((d * d_k) ** -0.5, d**-0.5),
    }
    with torch.random.fork_rng(devices=()), torch.no_grad():
        torch.manual_seed(seed)
        W_Q, W_K = ways[name]()
        return W_Q.numpy(), W_K.numpy()
