"""Each view with states to test it in. A new view is one more case.

A state is as JSON has it: what `View.state` gives, and what stands on a page.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sdpa import views


@dataclass(frozen=True)
class Case:
    """A view, states that a reader may bring about, and a way to make up more.

    Parameters
    ----------
    cls
        The Python class.
    states
        Parts of states that differ from the defaults; the first is no change.
    draw
        Makes a part of a state with a seeded generator.
    page
        A page of the book that shows the view.
    """

    cls: type
    states: tuple[dict, ...]
    draw: Callable[[np.random.Generator], dict]
    page: str

    @property
    def name(self) -> str:
        """Give the name in `data-sdpa-view`."""
        return self.cls.view_name

    def complete(self, part: dict) -> dict:
        """Give a state in full."""
        return self.cls.from_state(part).state()


def temperature(rng: np.random.Generator) -> dict:
    """Make up scores, values and a temperature."""
    m = int(rng.integers(1, 8))
    return {
        "scores": rng.uniform(-4, 4, m).round(int(rng.integers(0, 6))).tolist(),
        "values": rng.normal(0, 5, (m, 2)).tolist(),
        "temperature": [0, "inf", float(10 ** rng.uniform(-3, 3))][rng.integers(3)],
    }


def query(rng: np.random.Generator) -> dict:
    """Make up a query, keys, values and a network for the additive score."""
    m, d_a = (int(x) for x in rng.integers(1, 6, 2))
    digits = int(rng.integers(0, 6))
    return {
        "q": rng.uniform(-2, 2, 2).round(digits).tolist(),
        "K": rng.uniform(-2, 2, (m, 2)).round(digits).tolist(),
        "V": rng.uniform(-100, 100, (m, 2)).round(digits).tolist(),
        "similarity": ("scaled", "dot", "cosine", "additive")[rng.integers(4)],
        "w": rng.normal(0, 2, d_a).tolist(),
        "W_q": rng.normal(0, 2, (d_a, 2)).tolist(),
        "W_k": rng.normal(0, 2, (d_a, 2)).tolist(),
    }


def shapes(rng: np.random.Generator) -> dict:
    """Make up sizes, a mask and a place to point at."""
    sizes = dict(
        zip(("n", "m", "d_k", "d_v"), rng.integers(1, 9, 4).tolist(), strict=True)
    )
    return sizes | {
        "rule": ("none", "causal", "padding", "own")[rng.integers(4)],
        "hidden": rng.integers(0, 256, 8).tolist(),
        "seed": int(rng.integers(0, 10_000)),
    }


def bill(rng: np.random.Generator) -> dict:
    """Make up a layer."""
    h = int(rng.integers(1, 129))
    width = int(rng.integers(-(-64 // h), 2**14 // h + 1))
    return {
        "T": int(2 ** rng.uniform(0, 20)),
        "d": h * width,
        "h": h,
        "dtype": ("fp64", "fp32", "fp16", "bf16")[rng.integers(4)],
        "mac": int(rng.integers(1, 3)),
        "projections": bool(rng.integers(2)),
        "streaming": bool(rng.integers(2)),
        "block": int(2 ** rng.uniform(0, 20)),
        "beside": ("one", "way", "twice")[rng.integers(3)],
    }


def saturation(rng: np.random.Generator) -> dict:
    """Make up a width, a number of keys and a query."""
    return {
        "d_k": int(rng.integers(1, 1025)),
        "m": int(rng.integers(2, 33)),
        "row": int(rng.integers(1, 101)),
        "seed": int(rng.integers(0, 10_000)),
    }


def stuck(rng: np.random.Generator) -> dict:
    """Choose a width, a learning rate, a step and a seed."""
    return {
        "d_k": (4, 16, 64, 256, 1024)[rng.integers(5)],
        "learning_rate": (0.1, 1.0, 10.0)[rng.integers(3)],
        "step": int(rng.integers(0, 301)),
        "seed": int(rng.integers(0, 3)),
    }


CASES = {
    case.name: case
    for case in (
        Case(
            views.Temperature,
            (
                {},
                {"temperature": 0},
                {"temperature": "inf"},
                {"temperature": 0.01},
                {"temperature": 0, "scores": [2, 1, 2, -1, 2]},
                {"scores": [0, 0, 0, 0, 0]},
                {"scores": [4, -4], "values": [[1, 2], [1, 2]], "temperature": 0.001},
                {"scores": [1], "values": [[3, 1]]},
            ),
            temperature,
            "chapters/01_soft_lookup.html",
        ),
        Case(
            views.Query,
            (
                {},
                {"q": [0, 1]},
                {"q": [0, 0], "similarity": "cosine"},
                {"similarity": "dot"},
                {"similarity": "cosine", "q": [0.3, -1.7]},
                {"similarity": "additive", "q": [-2, 1.5]},
                {"K": [[0, 0]], "V": [[1, -1]], "similarity": "cosine"},
            ),
            query,
            "chapters/05_worked_example.html",
        ),
        Case(
            views.Stuck,
            (
                {},
                {"step": 300},
                {"step": 150, "d_k": 1024, "learning_rate": 10},
                # Without care for the last bit, these come out differently.
                {"step": 300, "d_k": 64, "learning_rate": 0.1},
                {"step": 300, "d_k": 4, "learning_rate": 10},
                {"step": 300, "d_k": 16, "seed": 0},
            ),
            stuck,
            "chapters/04b_training.html",
        ),
        Case(
            views.Shapes,
            (
                {},
                {"rule": "causal", "part": "A"},
                {"rule": "padding", "m": 1, "column": 1},
                {"rule": "own", "hidden": [31, 2, 0, 0, 0, 0, 0, 0]},
                {"n": 8, "m": 8, "d_k": 8, "d_v": 8, "rule": "causal"},
                {"n": 1, "m": 1, "d_k": 1, "d_v": 1, "seed": 0, "column": 1},
                {"stage": 1, "part": "Q", "row": 2, "column": 0},
            ),
            shapes,
            "chapters/03_batched_form.html",
        ),
        Case(
            views.Bill,
            (
                {},
                {"T": 4096, "d": 4096, "h": 32},
                {"T": 4096, "d": 4096, "h": 32, "mac": 1, "projections": True},
                {"T": 2**20, "d": 2**14, "h": 128, "dtype": "fp64", "beside": "twice"},
                {"T": 1000, "streaming": True, "block": 300, "beside": "way"},
                {"T": 1, "d": 64, "h": 1, "streaming": True, "dtype": "bf16"},
            ),
            bill,
            "chapters/03a_cost.html",
        ),
        Case(
            views.Saturation,
            (
                {},
                {"d_k": 1},
                {"d_k": 1024, "m": 32},
                {"d_k": 1023, "m": 2, "row": 100, "seed": 9999},
                {"d_k": 32, "seed": 0},
            ),
            saturation,
            "chapters/04a_saturation.html",
        ),
    )
}
