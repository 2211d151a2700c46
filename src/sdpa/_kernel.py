"""The online softmax at speed, for numbers of ordinary size.

`attend_online` says what is computed. Here the sums are normalised once, at the end,
and the exponentials may be off by a factor that cancels: no more than a quarter of
the exponent range, 2^E. The values carry 2^E, so that small products do not vanish.
With values up to 2^E that makes three quarters; the last is left to the sum over m.
"""

from __future__ import annotations

import math

import numpy as np


class Limits:
    """What a floating-point type allows; all are scalars of that type (private).

    Attributes
    ----------
    boost
        2^E, a quarter of the range of exponents.
    room
        log 2^E: scores within ±room need no shift.
    floor
        Shifted scores are lifted to this, so far below the largest, at `room`, that
        the weight rounds to 0. Without it exponentials would be subnormal, and those
        are up to a hundred times slower.
    hidden
        Added to a score that may not be seen.
    reach
        The largest bound on scores that leaves `hidden` unmistakable.
    """

    def __init__(self, dtype):
        info, number = np.finfo(dtype), dtype.type
        self.boost = number(2) ** (info.maxexp // 4)
        self.room = np.log(self.boost)
        smallest = np.log(info.smallest_normal) + np.log(info.eps)
        self.floor = smallest + self.room - number(1)
        self.hidden = -info.max / 4
        self.reach = info.max / 16

    def fit(self, reach, largest):
        """Say whether the kernel may be used; no if a bound is NaN or infinite.

        Parameters
        ----------
        reach : float
            A bound on the size of the scores.
        largest : float
            The size of the largest value.
        """
        return reach <= self.reach and largest <= self.boost


class Kernel:
    """The memory that one thread works in, and the work (private).

    Parameters
    ----------
    rows, columns : int
        The largest tile of scores.
    d_v : int
    limits : Limits
    dtype : numpy.dtype
    """

    def __init__(self, rows, columns, d_v, limits, dtype):
        self.limits = limits
        self.scores = np.empty(rows * columns, dtype)
        self.product = np.empty((rows, d_v), dtype)
        self.ones = np.ones((columns, 1), dtype)
        self.floor = np.full(columns, limits.floor, dtype)

    def attend(self, Q, K, V, visible, columns, *, reach, out):
        """Write the attention of some queries into `out`, block by block.

        Parameters
        ----------
        Q : ndarray, shape (r, d_k)
            Queries, with the scale in them.
        K, V : ndarray, shapes (m, d_k) and (m, d_v)
            V times `limits.boost`.
        visible, columns
            As in `attend_online`.
        reach : float
            A bound on the size of the scores.
        out : ndarray, shape (r, d_v)
        """
        shifted = reach > self.limits.room
        top = np.full((len(Q), 1), self.limits.hidden, Q.dtype)
        total = np.zeros_like(top)
        out[...] = 0
        for block in columns:
            seen = visible(block)
            if seen is False:
                continue
            P = self._scores(Q, K[block])
            if shifted:
                top, factor = self._shift(P, top, seen)
                total *= factor
                out *= factor
            np.exp(P, out=P)
            if seen is not True:
                P *= seen
            # A product with ones is the fastest sum of rows that NumPy has.
            total += P @ self.ones[: P.shape[1]]
            out += np.matmul(P, V[block], out=self.product[: len(P)])
        out /= np.where(total == 0, 1, total) * self.limits.boost

    def _scores(self, Q, K):
        """Compute one tile of scores, always in the same memory."""
        shape = len(Q), len(K)
        S = self.scores[: math.prod(shape)].reshape(shape)
        return np.matmul(Q, K.T, out=S)

    def _shift(self, S, top, seen):
        """Bring the largest score of each row to `room`, and none below the floor.

        Returns
        -------
        top, factor : ndarray, shape (r, 1)
            The running maximum, and what it does to the sums so far.
        """
        limits = self.limits
        if seen is not True:
            S += ~seen * limits.hidden  # arithmetic: a choice by entry costs ten times
        before, top = top, np.maximum(top, S.max(-1, keepdims=True))
        # A row that has seen nothing yet stays where it is, far below the floor.
        shift = np.where(top < limits.hidden / 2, 0, top) - limits.room
        S -= shift
        np.maximum(S, self.floor[: S.shape[1]], out=S)
        # Rounded as the shift before was: the same number is taken off everywhere.
        return top, np.exp(before - limits.room - shift)
