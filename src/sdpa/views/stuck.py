"""The view *Stuck*: gradient descent on free queries, scaled beside unscaled."""

import traitlets as t

from . import _drawing as d
from ._base import View
from ._replay import KEYS, QUERIES, STEPS, replay

WIDTHS = (4, 16, 64, 256, 1024)
RATES = (0.1, 1.0, 10.0)


class Stuck(View):
    """Twenty queries that learn to find one key of sixteen each, or do not.

    It is experiment A of page 4b: the keys are fixed, the values are one-hot, the loss
    is the squared error of the output, and each query moves by gradient descent.

    Parameters
    ----------
    d_k : {4, 16, 64, 256, 1024}
        Width of queries and keys.
    learning_rate : {0.1, 1.0, 10.0}
    step : int, default 0
        The step of training that is shown, from 0 to 300.
    seed : int, default 1
        Which Gaussian queries and keys, from 0 to 9999.

    Raises
    ------
    traitlets.TraitError
        If a part of the state is not one of these.

    References
    ----------
    [vaswani2017]_

    Examples
    --------
    >>> view = Stuck(d_k=256, step=300)
    >>> view.solved
    {'scaled': 20, 'unscaled': 2}
    """

    view_name = "stuck"

    d_k = t.Enum(WIDTHS, 256).tag(sync=True, state=True)
    learning_rate = t.Enum(RATES, 1.0).tag(sync=True, state=True)
    step = t.Int(0, min=0, max=STEPS).tag(sync=True, state=True)
    seed = t.Int(1, min=0, max=9999).tag(sync=True, state=True)

    @property
    def runs(self):
        """All steps of both trainings, by "scaled" and "unscaled"."""
        return {
            name: replay(
                self.d_k, name == "scaled", float(self.learning_rate), self.seed
            )
            for name in ("scaled", "unscaled")
        }

    @property
    def weights(self):
        """Weights at this step, shape (20, 16) each; key 0 is the target."""
        return {name: run.weights[self.step] for name, run in self.runs.items()}

    @property
    def solved(self):
        """How many queries give their target more than half of the weight."""
        return {name: int(run.solved[self.step]) for name, run in self.runs.items()}

    def quantities(self):
        """Compute every number that the view shows.

        Returns
        -------
        dict of str to float
        """
        found = {"step": self.step, "d_k": self.d_k}
        for name, run in self.runs.items():
            for measure in ("loss", "solved", "gradient"):
                found[f"{name}.{measure}"] = float(getattr(run, measure)[self.step])
            target = enumerate(run.weights[self.step, :, 0], start=1)
            found |= {f"{name}.target.{i}": float(a) for i, a in target}
        return found

    def figure(self):
        """Draw both losses over all steps.

        Returns
        -------
        str
        """
        wide, floor, tall = 320, 150, 130
        parts = [d.line([(0, floor - tall), (0, floor), (wide, floor)], "ink")]
        parts += [d.label(0, 12, "loss", "muted")]
        parts += [d.label(wide, floor + 16, f"step {STEPS}", "muted", at="end")]
        for (name, run), role in zip(self.runs.items(), ("query", "key"), strict=True):
            every = range(0, STEPS + 1, 5)
            height = [floor - tall * float(run.loss[i]) / 2 for i in every]
            points = [(wide * i / STEPS, y) for i, y in zip(every, height, strict=True)]
            parts.append(d.line(points, role, width=2))
            parts.append(d.label(wide, height[-1] - 6, name, role, at="end"))
        return d.picture(wide, floor + 22, self._words(), *parts)

    def _words(self):
        ends = {name: int(run.solved[-1]) for name, run in self.runs.items()}
        return (
            f"Loss against step at width {self.d_k}, scaled and unscaled. At the end "
            f"{ends['scaled']} of {QUERIES} scaled queries and {ends['unscaled']} "
            f"unscaled ones have found their target among {KEYS} keys."
        )
