"""Four ways to score how well a query matches a key."""

from __future__ import annotations

import numpy as np

from ._arrays import (
    as_float_arrays,
    check_matrices,
    check_ndim,
    check_same,
    leading_shape,
    quiet,
    scores_shape,
)


def dot_product(Q, K):
    r"""Score each query against each key by their dot product, in one matrix product.

    Parameters
    ----------
    Q : array_like, shape (..., n, d_k)
        Queries, one a row.
    K : array_like, shape (..., m, d_k)
        Keys, one a row. Leading dimensions broadcast against those of `Q`.

    Returns
    -------
    ndarray, shape (..., n, m)
        Scores, not scaled. float16 gives float32, since scores pass 65,504 easily;
        integers and booleans give float64.

    Raises
    ------
    TypeError
        If an argument is not made of real numbers.
    ValueError
        If the d_k differ, leading dimensions clash, or an argument is 1-D.

    Notes
    -----
    .. math:: S = Q K^\top, \qquad S_{ij} = \sum_{l=1}^{d_k} Q_{il} K_{jl}

    The score is linear in q and linear in k. It grows with the length of both:
    doubling a key doubles its scores (compare `cosine`).

    References
    ----------
    [luong2015]_, [vaswani2017]_

    Examples
    --------
    >>> dot_product([[1, 0]], [[1, 0], [0, 1], [1, 1]])
    array([[1., 0., 1.]])
    """
    (Q, K), _ = as_float_arrays(Q=Q, K=K)
    scores_shape(Q, K)
    with quiet():
        return Q @ K.mT


def cosine(Q, K):
    r"""Score by direction alone: the cosine of the angle between query and key.

    Parameters
    ----------
    Q : array_like, shape (..., n, d_k)
        Queries, one a row.
    K : array_like, shape (..., m, d_k)
        Keys, one a row. Leading dimensions broadcast against those of `Q`.

    Returns
    -------
    ndarray, shape (..., n, m)
        Scores in [−1, 1]; dtypes as in `dot_product`. A vector of length 0 has no
        direction and scores 0; one with an inf or NaN scores NaN.

    Raises
    ------
    TypeError, ValueError
        As `dot_product`.

    Notes
    -----
    .. math:: S_{ij} = \frac{\langle q_i, k_j \rangle}
              {\lVert q_i \rVert \, \lVert k_j \rVert}

    References
    ----------
    [vaswani2017]_

    Examples
    --------
    Keys 1 and 3 tie in the dot product only because key 3 is longer:

    >>> cosine([[1, 0]], [[1, 0], [0, 1], [1, 1]]).round(6)
    array([[1.      , 0.      , 0.707107]])
    """
    (Q, K), _ = as_float_arrays(Q=Q, K=K)
    scores_shape(Q, K)
    with quiet():
        # Rounding may leave 1 + ε, of which arccos would make NaN.
        return np.clip(_unit(Q) @ _unit(K).mT, -1, 1)


def _unit(x):
    """Divide each row by its length; a row of zeros stays as it is."""
    # Dividing by the largest entry first keeps the squares within range.
    peak = np.abs(x).max(-1, keepdims=True, initial=0)
    x = x / np.where(peak == 0, 1, peak)
    length = np.sqrt((x * x).sum(-1, keepdims=True))
    return x / np.where(length == 0, 1, length)


def additive(Q, K, *, w, W_q, W_k):
    r"""Score by a small network with one hidden layer (Bahdanau's attention).

    Parameters
    ----------
    Q : array_like, shape (..., n, d_q)
        Queries, one a row.
    K : array_like, shape (..., m, d_k)
        Keys, one a row; d_k need not equal d_q.
    w : array_like, shape (d_a,)
        Weights of the output.
    W_q : array_like, shape (d_a, d_q)
        Projection of the queries to the hidden layer.
    W_k : array_like, shape (d_a, d_k)
        Projection of the keys to the hidden layer.

    Returns
    -------
    ndarray, shape (..., n, m)
        Scores; dtypes as in `dot_product`.

    Raises
    ------
    TypeError
        If an argument is not made of real numbers.
    ValueError
        If shapes do not fit; both are named.

    Notes
    -----
    .. math:: s(q, k) = w^\top \tanh(W_q q + W_k k)

    The hidden layer holds an array of shape (..., n, m, d_a): the sum inside tanh
    keeps this score from being a single matrix product.

    References
    ----------
    [bahdanau2014]_

    Examples
    --------
    >>> W = np.eye(2)
    >>> additive([[1, 0]], [[-1, 0], [0, 0]], w=[1, 1], W_q=W, W_k=W).round(6)
    array([[0.      , 0.761594]])
    """
    (Q, K, w, W_q, W_k), _ = as_float_arrays(Q=Q, K=K, w=w, W_q=W_q, W_k=W_k)
    check_matrices(Q=Q, K=K)
    leading_shape(Q=Q, K=K)
    for name, array, ndim in ("w", w, 1), ("W_q", W_q, 2), ("W_k", W_k, 2):
        check_ndim(name, array, ndim)
    check_same("d_q", first=("Q", Q, -1), second=("W_q", W_q, -1))
    check_same("d_k", first=("K", K, -1), second=("W_k", W_k, -1))
    check_same("d_a", first=("w", w, 0), second=("W_q", W_q, 0))
    check_same("d_a", first=("w", w, 0), second=("W_k", W_k, 0))
    with quiet():
        from_q = (Q @ W_q.T)[..., :, None, :]  # (..., n, 1, d_a)
        from_k = (K @ W_k.T)[..., None, :, :]  # (..., 1, m, d_a)
        return np.tanh(from_q + from_k) @ w  # (..., n, m)


def bilinear(Q, K, *, W):
    r"""Score by a dot product with a learned matrix between (Luong's "general").

    Parameters
    ----------
    Q : array_like, shape (..., n, d_q)
        Queries, one a row.
    K : array_like, shape (..., m, d_k)
        Keys, one a row; d_k need not equal d_q.
    W : array_like, shape (d_q, d_k)
        The matrix.

    Returns
    -------
    ndarray, shape (..., n, m)
        Scores; dtypes as in `dot_product`.

    Raises
    ------
    TypeError
        If an argument is not made of real numbers.
    ValueError
        If shapes do not fit; both are named.

    Notes
    -----
    .. math:: s(q, k) = q^\top W k

    With the identity for W this is the dot product.

    References
    ----------
    [luong2015]_

    Examples
    --------
    >>> bilinear([[1, 2]], [[1, 0, 0], [0, 0, 1]], W=[[1, 0, 3], [0, 1, 4]])
    array([[ 1., 11.]])
    """
    (Q, K, W), _ = as_float_arrays(Q=Q, K=K, W=W)
    check_matrices(Q=Q, K=K)
    leading_shape(Q=Q, K=K)
    check_ndim("W", W, 2)
    check_same("d_q", first=("Q", Q, -1), second=("W", W, 0))
    check_same("d_k", first=("K", K, -1), second=("W", W, 1))
    with quiet():
        return Q @ W @ K.mT
