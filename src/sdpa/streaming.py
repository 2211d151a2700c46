"""Scaled dot-product attention that never holds the n·m scores at once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ._arrays import as_float_arrays, check_scale, quiet, scores_shape
from ._kernel import Kernel, Limits
from ._online import attend_online
from ._threads import blas_threads, check_count, share_out
from ._visible import Visible

# With fewer rows a thread spends more on its calls than in them; above so many tiles
# there is work for every core. Neither depends on the number of threads, nor do the
# results.
_FEWEST_ROWS = 256
_TILES = 8
# Fewer scores than this, about half a millisecond's, do not pay for a thread.
_WORTH_A_THREAD = 2**17


def attention_streaming(
    Q, K, V, *, mask=None, causal=False, scale=None, block=512, threads=None
):
    r"""Return the values of `attention`, in memory that grows with n, not with n·m.

    Parameters
    ----------
    Q : array_like, shape (..., n, d_k)
        Queries, one a row.
    K : array_like, shape (..., m, d_k)
        Keys, one a row.
    V : array_like, shape (..., m, d_v)
        Values, one for each key.
    mask : array_like of bool or callable, optional
        True where a query may attend to a key. An array broadcasts to (..., n, m) and
        is read tile by tile, so that a broadcast view costs no memory. A callable is
        given two slices, ``mask(rows, columns)``, and returns a boolean array that
        broadcasts to their block, or None if nothing in it is hidden; it holds for
        every member of the batch and may be called from several threads at once.
    causal : bool, default False
        Whether query i may see keys 0 to i only, as ``np.tri(n, m, dtype=bool)`` says,
        also if n and m differ. Blocks of the future are skipped. With a mask, both
        must allow.
    scale : float, optional
        Factor on the scores; 1/√d_k by default. Any finite number (see
        `attention_weights`).
    block : int, default 512
        Keys, and at most as many queries, whose scores a thread holds at once.
    threads : int, optional
        Threads to work in; by default as many as NumPy's matrix product may use, but
        1 for few scores or if threadpoolctl is not installed. It does not change the
        result.

    Returns
    -------
    ndarray, shape (..., n, d_v)
        One output a query. Leading dimensions (batch, heads) broadcast.

    Raises
    ------
    TypeError, ValueError
        As `attention`; also if `causal` is not a bool, `block` or `threads` not a
        whole number from 1, or a callable's answer not boolean or of the wrong shape.

    Notes
    -----
    Keys are read in blocks. With M the largest score of a row so far, L the sum of
    its exponentials and U the sum of the values they weigh, a block with scores S and
    values V gives [milakov2018]_ [rabe2021]_

    .. math::
        \begin{aligned}
        M' &= \max(M, \max_j S_j), \\
        L' &= e^{M - M'} L + \sum_j e^{S_j - M'}, \\
        U' &= e^{M - M'} U + \sum_j e^{S_j - M'} V_j
        \end{aligned}

    and U / L after the last block. Where ‖q‖·max‖k‖ proves by Cauchy–Schwarz that no
    exponential can overflow, M stays 0 and is not computed.

    * Memory besides the output: a copy of V, one of any input that must be converted
      or is not laid out by rows, and for each thread a few arrays of block² numbers.
    * Dtypes and edge cases are those of `attention`. Numbers whose size leaves no
      room for the fast path (NaN, inf, values beyond a quarter of the exponent range)
      take a slower one, with the same rules.
    * While it runs, NumPy's matrix product is held to one thread in the whole process
      (needs threadpoolctl), since the threads are used better here.

    References
    ----------
    [milakov2018]_, [rabe2021]_, [dao2022]_

    Examples
    --------
    >>> Q = [[1, 0]]
    >>> K = [[1, 0], [0, 1], [1, 1]]
    >>> V = [[10, 0], [0, 10], [5, 5]]
    >>> attention_streaming(Q, K, V, block=2).round(6)
    array([[6.016681, 3.983319]])
    >>> attention_streaming(Q, K, V, causal=True)
    array([[10.,  0.]])
    """
    (Q, K, V), dtype = as_float_arrays(Q=Q, K=K, V=V)
    shape = scores_shape(Q, K, V)
    visible = Visible.check(mask, causal, shape)
    scale = check_scale(scale, Q.shape[-1], Q.dtype)
    block = check_count("block", block)
    if threads is None:
        threads = max(1, min(blas_threads(), math.prod(shape) // _WORTH_A_THREAD))
    threads = check_count("threads", threads)

    work = _Work.prepare(Q, K, V, scale, visible, shape, block)
    share_out(work.run, work.jobs(), threads)
    return work.output.astype(dtype, copy=False)


@dataclass(frozen=True)
class _Work:
    """The arrays, broadcast to one leading shape, and how they are cut into tiles."""

    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    boosted: np.ndarray
    longest: np.ndarray
    largest: np.ndarray
    scale: np.floating
    visible: Visible
    output: np.ndarray
    limits: Limits
    rows: int
    columns: int

    @classmethod
    def prepare(cls, Q, K, V, scale, visible, shape, block):
        """Measure keys and values, before they are broadcast."""
        *lead, n, m = shape
        limits = Limits(Q.dtype)
        # The matrix product is slow on arrays that are not laid out by rows.
        K, V = np.ascontiguousarray(K), np.ascontiguousarray(V)
        with quiet():
            boosted = V * limits.boost
            longest = _lengths(K).max(-1, initial=0)  # of the keys, each member's
        largest = np.maximum(
            V.max((-2, -1), initial=0), -V.min((-2, -1), initial=0)
        )  # NaN stays NaN, and is refused by `fit`
        rows = min(block, max(_FEWEST_ROWS, math.prod(lead) * n // _TILES))
        arrays = (
            np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (Q, K, V, boosted)
        )
        bounds = (np.broadcast_to(x, tuple(lead)) for x in (longest, largest))
        output = np.empty((*lead, n, V.shape[-1]), Q.dtype)
        sizes = max(1, min(rows, n)), max(1, min(block, m))
        return cls(*arrays, *bounds, scale, visible, output, limits, *sizes)

    def jobs(self):
        """List the tiles' rows: for each member of the batch, slices of queries."""
        *lead, n, _ = self.output.shape
        return [
            (member, rows)
            for member in np.ndindex(*lead)
            for rows in _cut(n, self.rows)
        ]

    def run(self, jobs):
        """Do jobs until there are none left, all in the same memory."""
        d_v, dtype = self.output.shape[-1], self.output.dtype
        kernel = Kernel(self.rows, self.columns, d_v, self.limits, dtype)
        with quiet():
            for member, rows in jobs:
                self._attend(kernel, member, rows)

    def _attend(self, kernel, member, rows):
        """Compute some rows of the output, on the fast path if the numbers allow."""
        Q = np.multiply(self.Q[member][rows], self.scale, order="C")
        K, out = self.K[member], self.output[member][rows]
        columns = _cut(len(K), self.columns)
        # By Cauchy-Schwarz no score is larger.
        reach = _lengths(Q).max(initial=0) * self.longest[member]

        def visible(columns):
            return self.visible.tile(member, rows, columns)

        if self.limits.fit(reach, self.largest[member]):
            V = self.boosted[member]
            kernel.attend(Q, K, V, visible, columns, reach=reach, out=out)
        else:
            out[...] = attend_online(Q, K, self.V[member], visible, columns)


def _lengths(rows):
    """Return the Euclidean length of each row; inf if a square overflows."""
    return np.sqrt(np.einsum("...i,...i->...", rows, rows))


def _cut(length, step):
    """Cut a range into slices, of which only the last may be shorter."""
    return [slice(i, min(i + step, length)) for i in range(0, length, step)]
