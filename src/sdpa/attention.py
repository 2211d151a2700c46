"""Scaled dot-product attention, line for line as the formula reads."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np

from ._arrays import (
    as_float_arrays,
    average,
    check_mask,
    check_matrices,
    check_same,
    check_scale,
    hide,
    leading_shape,
    quiet,
    scores_shape,
)
from .softmax import softmax_in_place


def attention_weights(Q, K, *, mask=None, scale=None):
    r"""Return how much of each value each query takes.

    Parameters
    ----------
    Q : array_like, shape (..., n, d_k)
        Queries, one a row.
    K : array_like, shape (..., m, d_k)
        Keys, one a row.
    mask : array_like of bool, broadcastable to (..., n, m), optional
        True where a query may attend to a key.
    scale : float, optional
        Factor on the scores; 1/√d_k by default. Any finite number: 1 leaves the
        scores as they are, 0 makes them equal, below 0 prefers the worst match.

    Returns
    -------
    ndarray, shape (..., n, m)
        Each row is non-negative and sums to 1, or is 0 if its keys are all masked
        or there are none.

    Raises
    ------
    TypeError, ValueError
        As `attention`.

    Notes
    -----
    .. math:: A = \operatorname{softmax}\left(
              \frac{Q K^\top}{\sqrt{d_k}} \right)

    The softmax runs along each row, over the keys. Dtypes and edge cases are those
    of `attention`.

    References
    ----------
    [vaswani2017]_

    Examples
    --------
    >>> attention_weights([[1, 0]], [[1, 0], [0, 1], [1, 1]]).round(6)
    array([[0.401112, 0.197776, 0.401112]])
    """
    (Q, K), dtype = as_float_arrays(Q=Q, K=K)
    mask = check_mask(mask, scores_shape(Q, K))
    scale = check_scale(scale, Q.shape[-1], Q.dtype)

    with quiet():
        S = (scale * Q) @ K.mT  # (..., n, m); scaling Q is cheaper than scaling S
    A = softmax_in_place(hide(S, mask))  # (..., n, m)
    return A.astype(dtype, copy=False)


def attention(Q, K, V, *, mask=None, scale=None):
    r"""Average the values, weighted by how well each key matches the query.

    Parameters
    ----------
    Q : array_like, shape (..., n, d_k)
        Queries, one a row.
    K : array_like, shape (..., m, d_k)
        Keys, one a row.
    V : array_like, shape (..., m, d_v)
        Values, one for each key.
    mask : array_like of bool, broadcastable to (..., n, m), optional
        True where a query may attend to a key.
    scale : float, optional
        Factor on the scores; 1/√d_k by default. Any finite number (see
        `attention_weights`).

    Returns
    -------
    ndarray, shape (..., n, d_v)
        One output a query. Leading dimensions (batch, heads) broadcast.

    Raises
    ------
    TypeError
        If Q, K or V is not made of real numbers, `mask` not of booleans, or `scale`
        is not a real number.
    ValueError
        If shapes do not fit (both are named), Q, K or V is 1-D, or `scale` is not
        finite.

    Notes
    -----
    .. math:: \operatorname{Attn}(Q, K, V) = \operatorname{softmax}\left(
              \frac{Q K^\top}{\sqrt{d_k}} \right) V

    All n·m scores are held at once.

    * Dtypes: float16 is computed in float32 and returned as float16; integers and
      booleans are computed in float64; mixed floats follow `numpy.result_type`.
    * A row with every key masked is 0, as is every row if m = 0.
    * If d_k = 0 all scores are equal: the output is the mean of the values.
    * An inf or NaN that a row can see makes it NaN: the whole row if it stands in Q
      or K, or if a score overflows; entry c if it stands in column c of V. Other
      rows are untouched, and what is masked out never counts.
    * The inputs are never modified.

    References
    ----------
    [vaswani2017]_

    Examples
    --------
    >>> Q = [[1, 0]]
    >>> K = [[1, 0], [0, 1], [1, 1]]
    >>> V = [[10, 0], [0, 10], [5, 5]]
    >>> attention(Q, K, V).round(6)
    array([[6.016681, 3.983319]])
    >>> attention(Q, K, V, mask=[[False, True, False]])
    array([[ 0., 10.]])
    """
    (Q, K, V), dtype = as_float_arrays(Q=Q, K=K, V=V)
    mask = check_mask(mask, scores_shape(Q, K, V))
    scale = check_scale(scale, Q.shape[-1], Q.dtype)

    with quiet():
        S = (scale * Q) @ K.mT  # (..., n, m); scaling Q is cheaper than scaling S
    A = softmax_in_place(hide(S, mask))  # (..., n, m), over the m keys of each row
    output = average(A, V, mask)  # (..., n, d_v), A @ V
    return output.astype(dtype, copy=False)


def soft_lookup(S, V, *, temperature=1.0):
    r"""Look values up by scores of any kind, softly or sharply.

    Parameters
    ----------
    S : array_like, shape (..., n, m)
        Scores of each key for each query, from any similarity. −inf means that the
        key may not be read.
    V : array_like, shape (..., m, d_v)
        Values, one for each key.
    temperature : float, default 1.0
        From 0 (only the best match; ties share equally) through 1 (softmax of the
        scores as they are) to inf (the plain mean of the values).

    Returns
    -------
    ndarray, shape (..., n, d_v)
        One output a query; dtypes as in `attention`.

    Raises
    ------
    TypeError
        If S or V is not made of real numbers, or `temperature` is not a real number.
    ValueError
        If shapes do not fit (both are named), S or V is 1-D, or `temperature` is
        negative or NaN.

    Notes
    -----
    .. math:: \operatorname{softmax}(S / \tau) \, V

    The ends τ = 0 and τ = ∞ are the limits of the formula. A row of S that holds
    NaN or +inf gives NaN; one that is −inf throughout gives 0. A value that no
    weight can reach (score −inf, or a loser at τ = 0) is not read at all.

    References
    ----------
    [vaswani2017]_

    Examples
    --------
    >>> S, V = [[2.0, 1.0, 2.0]], [[10.0], [20.0], [30.0]]
    >>> soft_lookup(S, V, temperature=0)
    array([[20.]])
    >>> soft_lookup([[2.0, 1.0, 0.0]], V).round(6)
    array([[14.247896]])
    >>> soft_lookup([[2.0, 1.0, 0.0]], V, temperature=np.inf)
    array([[20.]])
    """
    (S, V), dtype = as_float_arrays(S=S, V=V)
    check_matrices(S=S, V=V)
    check_same("m, the number of keys", first=("S", S, -1), second=("V", V, -2))
    leading_shape(S=S, V=V)
    S = _cool(S, _check_temperature(temperature, S.dtype))
    visible = S != -np.inf
    return average(softmax_in_place(S), V, visible).astype(dtype, copy=False)


def _cool(S, temperature):
    """Divide the scores by the temperature, up to a constant in each row."""
    c = S.max(-1, keepdims=True, initial=-np.inf)
    c[c == -np.inf] = 0
    with quiet():
        if temperature == 0:
            return np.where(S < c, -np.inf, S - c)
        if temperature == np.inf:
            return np.where(S == -np.inf, S, 0 * S)
        # The best score becomes 0 before the division: a large quotient is then
        # always negative, and overflows to weight 0, its limit.
        return (S - c) / temperature


def _check_temperature(temperature, dtype):
    """Return the temperature as a scalar of `dtype`."""
    if isinstance(temperature, bool | np.bool_) or not isinstance(temperature, Real):
        raise TypeError(
            f"temperature is {temperature!r} ({type(temperature).__name__}), "
            "expected one real number from 0 to inf"
        )
    if math.isnan(temperature) or temperature < 0:
        raise ValueError(
            f"temperature is {temperature!r}, expected 0 or more; "
            "to prefer low scores, negate S"
        )
    with quiet():
        return dtype.type(temperature)
