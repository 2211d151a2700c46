"""The online softmax: attention over the keys seen so far, one block at a time."""

from __future__ import annotations

import numpy as np

from ._arrays import average, hide, quiet


def attend_online(Q, K, V, visible, columns):
    r"""Return attention of some queries, reading the keys block by block (private).

    Parameters
    ----------
    Q : ndarray, shape (r, d_k)
        Queries, with the scale in them.
    K, V : ndarray, shapes (m, d_k) and (m, d_v)
    visible : callable
        Given a slice of keys: True, False or booleans of shape (r, keys).
    columns : iterable of slice
        The blocks of keys.

    Returns
    -------
    ndarray, shape (r, d_v)

    Notes
    -----
    With the running maximum M, the sum L of the exponentials and the output O of the
    keys before, a block of scores S and its values V give

    .. math::
        M' = \max(M, \max_j S_j), \qquad L' = e^{M - M'} L + \sum_j e^{S_j - M'},
        \qquad O' = \frac{e^{M - M'} L}{L'} O + \sum_j \frac{e^{S_j - M'}}{L'} V_j

    O is at every step the attention over the keys seen so far, an average of their
    values: nothing overflows that has a right answer. Inf, NaN and hidden entries
    follow the rules of `attention`.
    """
    M = np.full((len(Q), 1), -np.inf, Q.dtype)
    L = np.zeros_like(M)
    O = np.zeros((len(Q), V.shape[-1]), Q.dtype)  # noqa: E741 - the book's symbol
    for block in columns:
        seen = visible(block)
        if seen is False:
            continue
        mask = None if seen is True else seen
        with quiet():
            S = hide(Q @ K[block].T, mask)  # (r, keys)
            M, before = np.maximum(M, S.max(-1, keepdims=True)), M
            c = np.where(M == -np.inf, 0, M)  # nothing seen yet: -inf + inf is NaN
            P = np.exp(S - c)
            old = np.exp(before - c) * L
            L = old + P.sum(-1, keepdims=True)
            share = np.where(L == 0, 1, L)
            O = old / share * O + average(P / share, V[block], mask)  # noqa: E741
    return O
