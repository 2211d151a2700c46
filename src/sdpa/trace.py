"""The hand calculation: every intermediate number of scaled dot-product attention."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._arrays import as_float_arrays, check_scale, quiet, scores_shape


@dataclass(frozen=True, eq=False)
class Trace:
    """The steps of one attention, in the order in which they are computed.

    `str(trace)` prints each step with its name and six decimals.

    Attributes
    ----------
    scores : ndarray, shape (..., n, m)
        Q Kᵀ.
    scale : float
        The factor on the scores.
    scaled : ndarray, shape (..., n, m)
        scale · scores.
    exponentials : ndarray, shape (..., n, m)
        exp(scaled), with nothing subtracted first.
    sums : ndarray, shape (..., n, 1)
        The exponentials of each row, added up.
    weights : ndarray, shape (..., n, m)
        exponentials / sums.
    output : ndarray, shape (..., n, d_v)
        weights · V.

    Examples
    --------
    >>> trace([[1, 0]], [[1, 0], [0, 1]], [[10], [20]]).sums.round(6)
    array([[3.028115]])
    """

    scores: np.ndarray
    scale: float
    scaled: np.ndarray
    exponentials: np.ndarray
    sums: np.ndarray
    weights: np.ndarray
    output: np.ndarray

    def __str__(self):
        steps = {
            "scores        Q Kᵀ": self.scores,
            "scale         c": self.scale,
            "scaled        c · scores": self.scaled,
            "exponentials  exp(scaled)": self.exponentials,
            "sums          of each row": self.sums,
            "weights       exponentials / sums": self.weights,
            "output        weights · V": self.output,
        }
        return "\n".join(f"{name}\n{_six(x)}" for name, x in steps.items())


def _six(x):
    """Format numbers with six decimals, whatever NumPy's print options are."""
    text = np.array2string(
        np.asarray(x) + 0.0,  # −0 becomes 0
        precision=6,
        floatmode="fixed",
        suppress_small=True,
        max_line_width=84,
        threshold=1000,
        edgeitems=3,
        sign="-",
        prefix="    ",
    )
    return "    " + text


def trace(Q, K, V, *, scale=None):
    r"""Compute attention as one does by hand, and keep every step.

    Parameters
    ----------
    Q : array_like, shape (..., n, d_k)
        Queries, one a row.
    K : array_like, shape (..., m, d_k)
        Keys, one a row.
    V : array_like, shape (..., m, d_v)
        Values, one for each key.
    scale : float, optional
        Factor on the scores; 1/√d_k by default, 1 for none.

    Returns
    -------
    Trace
        All steps, in the working dtype (float16 inputs give float32).

    Raises
    ------
    TypeError
        As `attention`.
    ValueError
        As `attention`; and if a step leaves the range of the dtype (exp overflows,
        or all exponentials of a row vanish), an input is not finite, or m = 0.

    Notes
    -----
    .. math:: A_{ij} = \frac{e^{c \, q_i \cdot k_j}}
              {\sum_{j'} e^{c \, q_i \cdot k_{j'}}}, \qquad
              c = \frac{1}{\sqrt{d_k}}

    Unlike `attention`, this subtracts nothing before exp, so that the numbers are
    those on paper. It is for small, tame examples.

    References
    ----------
    [vaswani2017]_

    Examples
    --------
    >>> t = trace([[1, 0]], [[1, 0], [0, 1], [1, 1]], [[10, 0], [0, 10], [5, 5]])
    >>> t.weights.round(6)
    array([[0.401112, 0.197776, 0.401112]])
    >>> print(str(t).splitlines()[-1].strip())
    [[6.016681 3.983319]]
    """
    (Q, K, V), _ = as_float_arrays(Q=Q, K=K, V=V)
    scores_shape(Q, K, V)
    scale = check_scale(scale, Q.shape[-1], Q.dtype)
    with quiet():
        scores = Q @ K.mT  # (..., n, m)
        scaled = scale * scores  # (..., n, m)
        exponentials = np.exp(scaled)  # (..., n, m)
        sums = exponentials.sum(axis=-1, keepdims=True)  # (..., n, 1)
        if not (np.isfinite(sums).all() and (sums > 0).all() and np.isfinite(V).all()):
            raise ValueError(_out_of_range(scaled, V))
        weights = exponentials / sums  # (..., n, m)
        output = weights @ V  # (..., n, d_v)
    return Trace(scores, scale, scaled, exponentials, sums, weights, output)


def _out_of_range(scaled, V):
    """Say why the calculation cannot be done as on paper."""
    if scaled.shape[-1] == 0:
        what = "there is no key, so that the exponentials add up to 0"
    elif not (np.isfinite(scaled).all() and np.isfinite(V).all()):
        what = "an input or a score is not finite"
    else:
        what = (
            f"the exponentials of the scaled scores, which lie between {scaled.min():g}"
            f" and {scaled.max():g}, add up to inf or to 0 in {scaled.dtype.name}"
        )
    return f"{what}; trace() computes as on paper: attention() handles such inputs"
