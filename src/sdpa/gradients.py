"""Gradients of attention in closed form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._arrays import (
    as_float_arrays,
    average,
    check_mask,
    check_scale,
    hide,
    quiet,
    scores_shape,
)
from .softmax import softmax_in_place


class Gradients(NamedTuple):
    """Derivatives of a scalar by each input of `attention`, in the input's shape."""

    dQ: np.ndarray
    dK: np.ndarray
    dV: np.ndarray


def attention_vjp(Q, K, V, dO, *, mask=None, scale=None):
    r"""Carry a gradient by the output of `attention` back to Q, K and V.

    Parameters
    ----------
    Q : array_like, shape (..., n, d_k)
        Queries, one a row.
    K : array_like, shape (..., m, d_k)
        Keys, one a row.
    V : array_like, shape (..., m, d_v)
        Values, one for each key.
    dO : array_like, shape (..., n, d_v)
        The derivative of some scalar by each entry of the output, in its shape.
    mask : array_like of bool, broadcastable to (..., n, m), optional
        True where a query may attend to a key.
    scale : float, optional
        Factor on the scores; 1/√d_k by default.

    Returns
    -------
    Gradients
        ``dQ``, ``dK`` and ``dV``, in the shapes of Q, K and V: summed over leading
        dimensions along which an input was broadcast.

    Raises
    ------
    TypeError, ValueError
        As `attention`; also if the shape of `dO` is not that of the output.

    Notes
    -----
    With the weights A, and D the derivative by A, row by row through the Jacobian of
    the softmax:

    .. math::
        \begin{aligned}
        dV &= A^\top dO, \qquad D = dO\, V^\top, \\
        dS_{ij} &= A_{ij} \Bigl(D_{ij} - \sum_l A_{il} D_{il}\Bigr)
        \end{aligned}

    .. math:: dQ = c\, dS\, K, \qquad dK = c\, dS^\top Q

    where c is the scale. Each row of dS sums to 0, and saturated weights make it
    vanish.

    * A row with every key masked has no influence: it contributes 0, and is 0 in dQ.
    * What is masked out, NaN included, takes no part. NaN that is seen spreads as
      far as its influence does.
    * All n·m weights are held at once. Dtypes are those of `attention`.

    References
    ----------
    [vaswani2017]_

    Examples
    --------
    The sum of both outputs grows as the query turns to the second key:

    >>> Q, K, V = [[1, 0]], [[1, 0], [0, 1]], [[1, 0], [0, 3]]
    >>> dQ, dK, dV = attention_vjp(Q, K, V, [[1, 1]])
    >>> dQ.round(6)
    array([[-0.312797,  0.312797]])
    >>> dV.round(6)
    array([[0.669762, 0.669762],
           [0.330238, 0.330238]])
    """
    (Q, K, V, dO), dtype = as_float_arrays(Q=Q, K=K, V=V, dO=dO)
    shape = scores_shape(Q, K, V)
    mask = check_mask(mask, shape)
    scale = check_scale(scale, Q.shape[-1], Q.dtype)
    _check_output_gradient(dO, (*shape[:-1], V.shape[-1]))
    seen_by_key = None if mask is None else mask.mT

    with quiet():
        A = softmax_in_place(hide((scale * Q) @ K.mT, mask))  # (..., n, m)
        A, D = _seen(A, mask), _seen(dO @ V.mT, mask)
        dS = _seen(A * (D - (A * D).sum(-1, keepdims=True)), mask)
        dQ = average(scale * dS, K, mask)  # (..., n, d_k)
        dK = average(scale * dS.mT, Q, seen_by_key)  # (..., m, d_k)
        dV = average(A.mT, dO, seen_by_key)  # (..., m, d_v)
    pairs = ((dQ, Q), (dK, K), (dV, V))
    return Gradients(*(_sum_to(g, x.shape).astype(dtype, copy=False) for g, x in pairs))


def _seen(x, mask):
    """Put 0 where the mask hides: 0 times a hidden NaN would be NaN."""
    return x if mask is None else np.where(mask, x, 0)


def _check_output_gradient(dO, shape):
    """Demand a gradient for each entry of the output."""
    if dO.shape != shape:
        raise ValueError(
            f"dO has shape {dO.shape}, expected that of the output, (..., n, d_v) = "
            f"{shape}; np.broadcast_to(dO, {shape}) repeats it"
        )


def _sum_to(gradient, shape):
    """Add up the copies that broadcasting made of an input."""
    extra = gradient.ndim - len(shape)
    gradient = gradient.sum(tuple(range(extra)))
    axes = tuple(i for i in range(len(shape) - 2) if shape[i] == 1)
    return gradient.sum(axes, keepdims=True)
