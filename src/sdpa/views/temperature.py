"""The view *Temperature*: a soft lookup, from hard to uniform."""

import math

import numpy as np
import traitlets as t

from ..attention import soft_lookup
from ..softmax import effective_keys, entropy
from . import _drawing as d
from ._base import View
from ._traits import Matrix, Number, Vector

REACH = 4  # the drawing has room for scores from -4 to 4


class Temperature(View):
    """A soft lookup whose temperature and scores can be moved.

    Parameters
    ----------
    scores : array_like, shape (m,)
        How well each key fits, from -4 to 4.
    values : array_like, shape (m, 2)
        What each key gives.
    temperature : float, default 1.0
        From 0 (only the best key; ties share) to ``inf`` (every key alike).

    Raises
    ------
    traitlets.TraitError
        If a part of the state is not of this kind, or there are more or fewer values
        than scores.

    Examples
    --------
    >>> view = Temperature(scores=(2, 1), values=((4, 0), (0, 4)))
    >>> view.weights.round(3)
    array([0.731, 0.269])
    >>> view.temperature = 0
    >>> view.output
    array([4., 0.])
    """

    view_name = "temperature"

    scores = Vector((2.0, 1.0, 0.5, -1.0, 1.8), limit=REACH)
    values = Matrix(
        ((4.0, 0.0), (0.0, 4.0), (2.0, 2.0), (-4.0, 0.0), (0.0, -4.0)), columns=2
    )
    temperature = Number(1.0, low=0, high=math.inf)

    @t.validate("scores", "values")
    def _same_number(self, proposal):
        return self._as_long_as(proposal, ("scores", "values"))

    @property
    def weights(self):
        """Weight of each key, shape (m,)."""
        one_hot = np.eye(len(self.scores))
        return soft_lookup([self.scores], one_hot, temperature=self.temperature)[0]

    @property
    def output(self):
        """Weights times values, shape (2,)."""
        return soft_lookup([self.scores], self.values, temperature=self.temperature)[0]

    def quantities(self):
        """Compute every number that the view shows.

        Returns
        -------
        dict of str to float
        """
        alpha = self.weights
        return {
            "temperature": self.temperature,
            **{f"scores.{i}": x for i, x in enumerate(self.scores, start=1)},
            **{f"weights.{i}": float(x) for i, x in enumerate(alpha, start=1)},
            **{f"output.{j}": float(x) for j, x in enumerate(self.output, start=1)},
            "entropy": float(entropy(alpha)),
            "effective_keys": float(effective_keys(alpha)),
        }

    def figure(self):
        """Draw scores and weights, a column for each key.

        Returns
        -------
        str
        """
        zero, unit, floor, tall = 68, 13, 236, 84
        wide = 320 / len(self.scores)
        parts = [
            d.label(0, 12, "score s", "key"),
            d.label(0, 138, f"weight α at temperature {self.temperature:g}", "weight"),
            d.line([(0, zero), (320, zero)], "ink"),
            d.line([(0, floor), (320, floor)], "ink"),
        ]
        for i, (score, weight) in enumerate(
            zip(self.scores, self.weights, strict=True)
        ):
            x, y, top = wide * (i + 0.5), zero - unit * score, floor - tall * weight
            parts += [
                d.line([(x, zero), (x, y)], "key", width=3),
                d.shape("circle", "key", cx=x, cy=y, r=8),
                d.shape(
                    "rect", "weight", x=x - 15, y=top, width=30, height=floor - top
                ),
                d.label(x, top - 5, f"{weight:.3f}", at="middle"),
                d.label(x, 252, f"key {i + 1}", "muted", at="middle"),
            ]
        return d.picture(320, 256, self._words(), *parts)

    def _words(self):
        pairs = zip(self.scores, self.weights, strict=True)
        each = "; ".join(
            f"key {i} scores {score:g} and gets weight {weight:.3f}"
            for i, (score, weight) in enumerate(pairs, start=1)
        )
        return f"Scores and weights at temperature {self.temperature:g}: {each}."
