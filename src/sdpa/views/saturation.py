"""The view *Saturation*: the same scores, scaled and not, while the width grows."""

import numpy as np

from ..saturation import saturation
from ..softmax import softmax
from . import _drawing as d
from ._base import View
from ._draws import gaussians
from ._traits import Whole

ROWS = 100  # queries
MOST_KEYS = 32
WIDEST = 1024


class Saturation(View):
    """One hundred queries over up to 32 keys, and what the width does to them.

    Parameters
    ----------
    d_k : int, default 64
        Width, from 1 to 1024.
    m : int, default 16
        Keys, from 2 to 32.
    row : int, default 1
        The query whose walks and weights are shown, from 1 to 100.
    seed : int, default 1
        Which standard Gaussians the queries and keys are made of. A wider head keeps
        the coordinates of a narrower one, and adds to them.

    Raises
    ------
    traitlets.TraitError
        If a part of the state is not an integer within its limits.

    Examples
    --------
    >>> view = Saturation(d_k=64, m=16)
    >>> view.scores.shape, round(float(view.scores.std()))
    ((100, 16), 8)
    """

    view_name = "saturation"

    d_k = Whole(64, low=1, high=WIDEST)
    m = Whole(16, low=2, high=MOST_KEYS)
    row = Whole(1, low=1, high=ROWS)
    seed = Whole(1, low=0, high=9999)

    @property
    def scores(self):
        """Unscaled scores Q Kᵀ, shape (100, m)."""
        drawn = gaussians(self.seed, WIDEST * (ROWS + MOST_KEYS))
        Q, K = np.split(drawn.reshape(WIDEST, -1)[: self.d_k], [ROWS], axis=1)
        return Q.T @ K[:, : self.m]

    @property
    def weights(self):
        """Weights of the scaled scores, shape (100, m)."""
        return softmax(self.scores / np.sqrt(self.d_k))

    @property
    def unscaled_weights(self):
        """Weights without the division, shape (100, m)."""
        return softmax(self.scores)

    def quantities(self):
        """Compute every number that the view shows.

        Returns
        -------
        dict of str to float
        """
        S = self.scores
        sides = {"unscaled": S, "scaled": S / np.sqrt(self.d_k)}
        return {"d_k": self.d_k, "m": self.m, "row": self.row} | {
            f"{side}.{name}": float(x)
            for side, scores in sides.items()
            for name, x in _measure(scores, self.row).items()
        }

    def figure(self):
        """Draw the sorted weights of one query, unscaled beside scaled.

        Returns
        -------
        str
        """
        numbers, parts = self.quantities(), []
        sides = (("unscaled", "key", 0), ("scaled by 1/√d_k", "query", 170))
        for title, role, left in sides:
            side = title.split()[0]
            parts += [
                d.label(left, 12, title, role),
                *_bars(numbers, side, self.m, left),
            ]
        parts.append(d.label(0, 146, "keys, by weight; dots are medians", "muted"))
        return d.picture(320, 150, self._words(numbers), *parts)

    def _words(self, numbers):
        keys = [numbers[f"{side}.effective_keys"] for side in ("unscaled", "scaled")]
        return (
            f"Sorted weights of {self.m} keys at width {self.d_k}, for one query, and "
            f"the medians over {ROWS}. Unscaled, half of the queries use at most "
            f"{keys[0]:.2f} effective keys; scaled, {keys[1]:.2f}."
        )


def _measure(scores, row):
    """Measure one set of scores, shape (100, m), as the view names things."""
    found = saturation(scores)
    ordered = -np.sort(-softmax(scores))
    named = {"weights": ordered[row - 1], "ranks": np.median(ordered, axis=0)}
    return {
        "spread": scores.std(),
        "largest": np.median(found.largest),
        "effective_keys": np.median(found.effective_keys),
        "gradient_median": np.median(found.jacobian_trace),
        "gradient_mean": found.jacobian_trace.mean(),
        "deaf": found.negligible.mean(),
    } | {
        f"{name}.{j}": x
        for name, xs in named.items()
        for j, x in enumerate(xs, start=1)
    }


def _bars(numbers, side, m, left):
    """Draw sorted weights as bars and medians as dots."""
    floor, tall, step = 126, 100, 150 / m
    yield d.line([(left, floor), (left + 150, floor)], "ink")
    for j in range(m):
        weight, rank = (numbers[f"{side}.{x}.{j + 1}"] for x in ("weights", "ranks"))
        x, top = left + step * (j + 0.5), floor - tall * weight
        size = {"width": step * 0.7, "height": floor - top}
        yield d.shape("rect", "weight", x=x - step * 0.35, y=top, **size)
        yield d.shape("circle", "ink", cx=x, cy=floor - tall * rank, r=2)
