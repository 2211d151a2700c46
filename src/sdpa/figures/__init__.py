"""The book's figures: each function takes data, draws it, and returns ``(fig, axes)``.

Nothing is computed here. Call `setup` once in a notebook. matplotlib is loaded by
the first drawing, not by the import.
"""

from ._style import setup
from .batched import bill, shape_trace
from .lookup import (
    hard_and_soft,
    query_over_keys,
    turning_key,
    weights_at_temperatures,
)
from .performance import memory_against_T, roofline, time_against_T
from .saturation import (
    mean_and_median,
    random_energy,
    saturation_curves,
    score_histograms,
    sorted_weights,
)
from .training import (
    final_accuracy,
    learning_rate_window,
    share_solved,
    training_curves,
)

__all__ = [
    "bill",
    "final_accuracy",
    "hard_and_soft",
    "learning_rate_window",
    "mean_and_median",
    "memory_against_T",
    "query_over_keys",
    "random_energy",
    "roofline",
    "saturation_curves",
    "score_histograms",
    "setup",
    "shape_trace",
    "share_solved",
    "sorted_weights",
    "time_against_T",
    "training_curves",
    "turning_key",
    "weights_at_temperatures",
]
