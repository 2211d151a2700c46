"""The view *Query over keys*: one query, a few keys, and the output."""

import numpy as np
import traitlets as t

from .. import similarity as scores_by
from ..softmax import softmax
from . import _drawing as d
from ._base import View
from ._traits import Matrix, Vector

LIMIT = 2  # the drawing has room for coordinates of q and K from -2 to 2
FAR = 100  # of V
SIMILARITIES = ("scaled", "dot", "cosine", "additive")


class Query(View):
    """A query that can be pulled over keys; it opens on the worked example.

    Parameters
    ----------
    q : array_like, shape (2,)
        The query, from -2 to 2.
    K : array_like, shape (m, 2)
        Keys, from -2 to 2.
    V : array_like, shape (m, 2)
        One value for each key.
    similarity : {"scaled", "dot", "cosine", "additive"}
        How a query and a key are compared; "scaled" is the dot product over √2.
    w : array_like, shape (d_a,)
        Output weights of the additive score.
    W_q, W_k : array_like, shape (d_a, 2)
        Its projections; identities by default.

    Raises
    ------
    traitlets.TraitError
        If a part of the state is not of this kind, or shapes do not fit.

    References
    ----------
    [vaswani2017]_, [bahdanau2014]_

    Examples
    --------
    >>> view = Query()
    >>> view.weights.round(6)
    array([0.401112, 0.197776, 0.401112])
    >>> view.q = (0, 1)
    >>> view.output.round(6)
    array([3.983319, 6.016681])
    """

    view_name = "query"

    q = Vector((1.0, 0.0), columns=2, limit=LIMIT)
    K = Matrix(((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)), columns=2, limit=LIMIT)
    V = Matrix(((10.0, 0.0), (0.0, 10.0), (5.0, 5.0)), columns=2, limit=FAR)
    similarity = t.Enum(SIMILARITIES, "scaled").tag(sync=True, state=True)
    w = Vector((1.0, 1.0))
    W_q = Matrix(((1.0, 0.0), (0.0, 1.0)), columns=2)
    W_k = Matrix(((1.0, 0.0), (0.0, 1.0)), columns=2)

    @t.validate("K", "V")
    def _same_keys(self, proposal):
        return self._as_long_as(proposal, ("K", "V"))

    @t.validate("w", "W_q", "W_k")
    def _same_units(self, proposal):
        return self._as_long_as(proposal, ("w", "W_q", "W_k"))

    @property
    def scale(self):
        """Factor on the scores, 1/√2 for "scaled" and 1 for the others."""
        return 1 / np.sqrt(len(self.q)) if self.similarity == "scaled" else 1.0

    @property
    def scores(self):
        """Score of each key, shape (m,), before it is scaled."""
        Q = [self.q]
        if self.similarity == "additive":
            network = {"w": self.w, "W_q": self.W_q, "W_k": self.W_k}
            return scores_by.additive(Q, self.K, **network)[0]
        score = (
            scores_by.cosine if self.similarity == "cosine" else scores_by.dot_product
        )
        return score(Q, self.K)[0]

    @property
    def weights(self):
        """Weight of each key, shape (m,)."""
        return softmax(self.scale * self.scores)

    @property
    def output(self):
        """Weights times values, shape (2,)."""
        return self.weights @ np.array(self.V)

    def quantities(self):
        """Compute every number that the view shows.

        Returns
        -------
        dict of str to float
        """
        rows = {"q": self.q, "scores": self.scores, "scaled": self.scale * self.scores}
        rows |= {"weights": self.weights, "output": self.output}
        rows |= {f"K.{i}": k for i, k in enumerate(self.K, start=1)}
        rows |= {f"V.{i}": v for i, v in enumerate(self.V, start=1)}
        return {"scale": float(self.scale)} | {
            f"{name}.{j}": float(x)
            for name, row in rows.items()
            for j, x in enumerate(row, start=1)
        }

    def figure(self):
        """Draw query, keys and weights, and the output among the values.

        Returns
        -------
        str
        """
        left = d.Plane([(-LIMIT, -LIMIT), (LIMIT, LIMIT)], size=240, margin=22)
        parts = [left.line([(-LIMIT, 0), (LIMIT, 0)], "ink")]
        parts += [left.line([(0, -LIMIT), (0, LIMIT)], "ink")]
        for i, (key, weight) in enumerate(zip(self.K, self.weights, strict=True)):
            parts.append(left.line([(0, 0), key], "key", width=0.8 + 10 * weight))
            parts.append(left.dot(key, "key", r=8))
            parts.append(left.label(key, f"k{i + 1}", "key", shift=(9, -9)))
        parts += [left.line([(0, 0), self.q], "query", width=2.2)]
        parts += [left.dot(self.q, "query", r=5.5)]
        parts += [left.label(self.q, "q", "query", shift=(7, 19))]
        right = d.values(self.V, self.weights, self.output, x=270, y=45)
        return d.picture(440, 240, self._words(), *parts, right)

    def _words(self):
        each = ", ".join(
            f"key {i} {a:.3f}" for i, a in enumerate(self.weights, start=1)
        )
        q, output = (f"({x:g}, {y:g})" for x, y in (self.q, self.output.round(3)))
        return f"The query {q} over the keys. Weights: {each}. The output is {output}."
