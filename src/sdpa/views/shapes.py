"""The view *Shapes*: the batched formula as grids whose edges fit."""

from itertools import accumulate

import numpy as np
import traitlets as t

from ..attention import attention, attention_weights
from . import _drawing as d
from ._base import View
from ._draws import hashes
from ._traits import Vector, Whole

MOST = 8  # rows and columns of a matrix
PARTS = {  # matrix: its rows, its columns, its colour, and the step that makes it
    "Q": ("n", "d_k", "query", 0),
    "Kt": ("d_k", "m", "key", 0),
    "V": ("m", "d_v", "value", 0),
    "QKt": ("n", "m", "weight", 1),
    "S": ("n", "m", "weight", 2),
    "A": ("n", "m", "weight", 3),
    "AV": ("n", "d_v", "value", 4),
}
RULES = ("none", "causal", "padding", "own")


def _size(default, low=1):
    return Whole(default, low=low, high=MOST)


class Shapes(View):
    """Attention as grids: point at an entry, and see what it hangs together with.

    Parameters
    ----------
    n, m, d_k, d_v : int
        Queries, keys, and the widths of keys and of values; from 1 to 8.
    rule : {"none", "causal", "padding", "own"}
        Which keys are hidden: none; from query i those after i; the last one; or what
        `hidden` says.
    hidden : array_like, shape (8,)
        For each query a whole number whose bit j says that key j (from 0) is hidden.
        Setting `mask` sets it.
    seed : int
        Which numbers stand in Q, K and V: halves from -2 to 2.
    stage : int
        How far the formula is computed: 0 not at all, 1 to QKᵀ, 2 to the scaled scores
        S, 3 to the weights A, 4 to the output.
    part : {"Q", "Kt", "V", "QKt", "S", "A", "AV"}
        The matrix that is pointed at.
    row, column : int
        Where in it, from 1; with 0 a whole column or row is pointed at.

    Raises
    ------
    traitlets.TraitError
        If a part of the state is not of this kind.

    Examples
    --------
    >>> view = Shapes(n=2, m=3, rule="causal")
    >>> view.mask.astype(int)
    array([[1, 0, 0],
           [1, 1, 0]])
    >>> view.weights[0]
    array([1., 0., 0.])
    """

    view_name = "shapes"

    n, m, d_k, d_v = _size(3), _size(5), _size(4), _size(2)
    rule = t.Enum(RULES, RULES[0]).tag(sync=True, state=True)
    hidden = Vector((0.0,) * MOST, columns=MOST, limit=2**MOST - 1)
    seed = Whole(1, low=0, high=9999)
    stage = Whole(4, low=0, high=4)
    part = t.Enum(tuple(PARTS), "QKt").tag(sync=True, state=True)
    row, column = _size(1, 0), _size(2, 0)

    @t.validate("hidden")
    def _bits(self, proposal):
        if any(x < 0 or x % 1 for x in proposal.value):
            raise t.TraitError(
                f"hidden is {proposal.value}, expected whole numbers from 0; to say "
                "which keys a query may see, set mask"
            )
        return proposal.value

    def _matrix(self, which, rows, columns):
        """Give Q (0), K (1) or V (2): halves from -2 to 2, the same at every size."""
        i, j = np.ogrid[:rows, :columns]
        bits = hashes(self.seed, (which * MOST + i) * MOST + j)
        return (bits % 9 - 4.0) / 2

    @property
    def Q(self):
        """Queries, shape (n, d_k)."""
        return self._matrix(0, self.n, self.d_k)

    @property
    def K(self):
        """Keys, shape (m, d_k)."""
        return self._matrix(1, self.m, self.d_k)

    @property
    def V(self):
        """Values, shape (m, d_v)."""
        return self._matrix(2, self.m, self.d_v)

    @property
    def mask(self):
        """True where a query may attend to a key, shape (n, m); can be set."""
        i, j = np.ogrid[: self.n, : self.m]
        if self.rule == "own":
            return np.array(self.hidden, int)[: self.n, None] >> j & 1 == 0
        seen = {"none": True, "causal": j <= i, "padding": j < self.m - 1}[self.rule]
        return np.broadcast_to(seen, (self.n, self.m)).copy()

    @mask.setter
    def mask(self, seen):
        seen = np.asarray(seen)
        if seen.dtype != bool or seen.shape != (self.n, self.m):
            raise ValueError(
                f"mask has shape {seen.shape} and dtype {seen.dtype}; it must be "
                f"boolean, of shape (n, m) = {self.n, self.m}, True = may attend"
            )
        bits = (~seen << np.arange(self.m)).sum(axis=1).tolist()
        self.set(rule="own", hidden=bits + [0] * (MOST - self.n))

    @property
    def weights(self):
        """Weights A, shape (n, m); a row that may see nothing is 0."""
        return attention_weights(self.Q, self.K, mask=self.mask)

    @property
    def output(self):
        """One answer for each query, shape (n, d_v)."""
        return attention(self.Q, self.K, self.V, mask=self.mask)

    def matrices(self):
        """Compute all seven matrices, in the order of `PARTS`.

        Returns
        -------
        dict of str to ndarray
        """
        QKt = self.Q @ self.K.T
        given = {"Q": self.Q, "Kt": self.K.T, "V": self.V}
        scores = {"QKt": QKt, "S": QKt / np.sqrt(self.d_k)}
        return given | scores | {"A": self.weights, "AV": self.output}

    def quantities(self):
        """Compute every number that the view shows.

        Returns
        -------
        dict of str to float
        """
        sizes = {name: getattr(self, name) for name in ("n", "m", "d_k", "d_v")}
        return sizes | {
            f"{part}.{i + 1}.{j + 1}": float(x)
            for part, matrix in self.matrices().items()
            for (i, j), x in np.ndenumerate(matrix)
        }

    def figure(self):
        """Draw the matrices so that rows and columns continue each other.

        Returns
        -------
        str
        """
        cell, gap = 18, 24
        widths = (self.d_k, self.m, self.m, self.m, self.d_v)
        across = list(accumulate((cell * k + gap for k in widths), initial=10))
        low = 26 + cell * max(self.d_k, self.m) + gap
        places = zip(("Q", "QKt", "S", "A", "AV"), across, strict=False)
        at = {part: (x, low) for part, x in places}
        for part, below, rows in (("Kt", "QKt", self.d_k), ("V", "AV", self.m)):
            at[part] = at[below][0], low - gap - cell * rows
        parts = [
            piece
            for part, matrix in self.matrices().items()
            for piece in _grid(part, matrix, *at[part], cell)
        ]
        height = low + cell * self.n + 22
        return d.picture(across[-1], height, self._words(), *parts)

    def _words(self):
        return (
            f"Grids that fit together. Q, {self.n} by {self.d_k}, stands left of QKᵀ, "
            f"{self.n} by {self.m}, and the transposed keys, {self.d_k} by {self.m}, "
            "above it. To its right follow the scaled scores S and the weights A of "
            f"the same shape, and the output AV, {self.n} by {self.d_v}, under the "
            f"values, {self.m} by {self.d_v}."
        )


def _grid(part, matrix, x, y, cell):
    """Draw one matrix; the larger an entry, the darker its cell."""
    colour = PARTS[part][2]
    span = np.ptp(matrix) or 1.0
    for (i, j), value in np.ndenumerate(matrix):
        shade = 0.08 + 0.6 * float((value - matrix.min()) / span)
        corner = {"x": x + cell * j, "y": y + cell * i}
        size = {"width": cell - 1, "height": cell - 1}
        yield d.shape("rect", colour, **corner, **size, fill_opacity=shade)
    name = {"Kt": "Kᵀ", "QKt": "QKᵀ"}.get(part, part)
    above = part in ("Kt", "V")
    foot = y - 6 if above else y + cell * len(matrix) + 14
    yield d.label(x + cell * matrix.shape[1] / 2, foot, name, colour, at="middle")
