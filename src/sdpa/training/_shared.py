"""What every experiment shares: scales, seeded draws, curves over seeds, running."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

import numpy as np

# What the scores are multiplied by, as a power of d_k.
SCALES = {"sqrt": -0.5, "none": 0.0, "inverse": -1.0}
# Each kind of draw has its own stream, so that adding one leaves the others alone.
_STREAMS = ("parameters", "data", "batches", "held out")


def scale_factor(scale: str, d_k: int) -> float:
    """Give the factor on the scores: 1/√d_k, 1 or 1/d_k.

    Parameters
    ----------
    scale : {"sqrt", "none", "inverse"}
    d_k : int
        Width, at least 1.

    Raises
    ------
    ValueError
        If the scale is not one of the three, or the width is not positive.

    Examples
    --------
    >>> scale_factor("sqrt", 64), scale_factor("none", 64)
    (0.125, 1.0)
    """
    check_choice("scale", scale, SCALES)
    if d_k < 1:
        raise ValueError(f"d_k is {d_k}, expected at least 1")
    return float(d_k) ** SCALES[scale]


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Refuse a value that is not among the choices."""
    if value not in choices:
        raise ValueError(
            f"{name} is {value!r}, expected one of {', '.join(map(repr, choices))}"
        )


def generator(seed: int, stream: str) -> np.random.Generator:
    """Give the source of one kind of draw of one seed."""
    return np.random.default_rng([seed, _STREAMS.index(stream)])


def logged(steps: int, log_every: int) -> tuple[int, ...]:
    """List the steps at which a run is measured: the first, some, and the last."""
    return tuple(sorted({*range(0, steps, log_every), steps}))


@dataclass(frozen=True)
class Curves:
    """What an experiment measured while it ran.

    Attributes
    ----------
    config : object
        The configuration that was run.
    seeds : tuple of int
        Independent repetitions.
    steps : tuple of int
        Steps of training at which there are measurements.
    measures : dict of str to ndarray
        Each of shape `(len(seeds), len(config.learning_rates), len(steps))`:

        * ``loss``: mean over the examples;
        * ``accuracy``: share of examples that are right;
        * ``entropy``: mean entropy of the rows of weights, in nats;
        * ``effective_keys``: mean of exp(entropy);
        * ``gradient``: norm of the loss's gradient by the queries, or by W_Q.
    """

    config: Any
    seeds: tuple[int, ...]
    steps: tuple[int, ...]
    measures: dict[str, np.ndarray]

    def __getitem__(self, measure: str) -> np.ndarray:
        """Give one measure, shape (seeds, learning rates, steps)."""
        check_choice("measure", measure, tuple(self.measures))
        return self.measures[measure]

    def final(self, measure: str = "accuracy") -> np.ndarray:
        """Give a measure after the last step, shape (seeds, learning rates)."""
        return self[measure][..., -1]

    @property
    def best(self) -> int:
        """Position of the learning rate with the highest mean final accuracy."""
        return int(self.final().mean(0).argmax())

    def best_final(self, measure: str = "accuracy") -> np.ndarray:
        """Give a final measure at the best learning rate, shape (seeds,)."""
        return self.final(measure)[:, self.best]

    def usable(self, accuracy: float) -> tuple[float, ...]:
        """List the learning rates whose mean final accuracy is at least this."""
        enough = self.final().mean(0) >= accuracy
        rates = self.config.learning_rates
        return tuple(rate for rate, ok in zip(rates, enough, strict=True) if ok)

    def band(
        self,
        measure: str = "accuracy",
        *,
        rate: int | None = None,
        quantiles: Sequence[float] = (0.0, 0.5, 1.0),
    ) -> np.ndarray:
        """Give quantiles over seeds at each step, shape (len(quantiles), steps).

        `rate` is the position of the learning rate; by default the best one.
        """
        values = self[measure][:, self.best if rate is None else rate]
        return np.quantile(values, quantiles, axis=0)


def select(results: Sequence[Curves], kind: type, **wanted: Any) -> list[Curves]:
    """Pick the results of one experiment whose configuration has the values wanted.

    Examples
    --------
    >>> from sdpa.training import FreeQueries
    >>> results = [Curves(FreeQueries(d_k=w), (), (), {}) for w in (4, 16, 64)]
    >>> [curves.config.d_k for curves in select(results, FreeQueries, d_k=16)]
    [16]
    """
    return [
        curves
        for curves in results
        if type(curves.config) is kind
        and all(getattr(curves.config, name) == x for name, x in wanted.items())
    ]


def print_line(done: int, total: int) -> None:
    """Show progress on one line, which ends as "12/12 runs" whatever the speed.

    Each call returns to the start of the line, so that only the last text remains:
    in a terminal, in a notebook, and in a notebook's stored output.

    Examples
    --------
    >>> print_line(12, 12)
    12/12 runs
    """
    end = "\n" if done == total else ""
    print(f"\r{done}/{total} runs", end=end, flush=True)


def run_tasks(
    tasks: Sequence[tuple[Callable[..., Curves], Any, Sequence[int]]], processes: int
) -> Iterator[tuple[int, Curves]]:
    """Run (experiment, configuration, seeds) tasks; yield positions and results.

    Results come as they finish. With one process nothing is started.
    """
    if processes == 1:
        for i, (function, config, seeds) in enumerate(tasks):
            yield i, function(config, seeds=seeds)
        return
    # Fresh processes: a forked one could inherit a lock that torch's threads hold.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context)
    try:
        waiting = {
            pool.submit(function, config, seeds=seeds): i
            for i, (function, config, seeds) in enumerate(tasks)
        }
        for done in as_completed(waiting):
            yield waiting[done], done.result()
    finally:
        pool.shutdown(cancel_futures=True)  # also when the caller stops early


def run_all(
    function: Callable[..., Curves],
    configs: Sequence[Any],
    *,
    seeds: Sequence[int],
    processes: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Curves]:
    """Run one experiment for several configurations.

    Parameters
    ----------
    function : callable
        The experiment: `free_queries`, `retrieval` or `sorting`.
    configs : sequence
        Its configurations.
    seeds : sequence of int
        Repetitions of each.
    processes : int, default 1
        How many to run at a time, each on one thread.
    progress : callable, optional
        Called as ``progress(done, total)`` after each, in the order they finish.

    Returns
    -------
    list of Curves
        In the order of `configs`.

    Examples
    --------
    >>> from sdpa.training import FreeQueries, free_queries
    >>> configs = [FreeQueries(d_k=w, queries=20, steps=5) for w in (4, 16)]
    >>> results = run_all(free_queries, configs, seeds=(0, 1), progress=print_line)
    1/2 runs 2/2 runs
    >>> results[0].final().shape
    (2, 3)
    """
    results: dict[int, Curves] = {}
    tasks = [(function, config, tuple(seeds)) for config in configs]
    for i, curves in run_tasks(tasks, processes):
        results[i] = curves
        if progress is not None:
            progress(len(results), len(configs))
    return [results[i] for i in range(len(configs))]
