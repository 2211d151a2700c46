"""The long run: cells that are computed once, and the file that the book reads.

A *cell* is one configuration with one seed. Finished cells are lines of JSON in a
working file, so that a run can be stopped and taken up again; the book's file holds
what is left of them in the end, a few numbers each.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ._shared import Curves, run_tasks
from .free_queries import FreeQueries, free_queries
from .retrieval import Retrieval, retrieval
from .sorting import Sorting, sorting

# Raise it when an experiment changes what it computes: old cells then count no more.
FORMAT = 1
KEPT = {"accuracy": 4, "effective_keys": 2}  # measures in the book's file, and decimals
DATA = Path(__file__).parent / "data" / "experiments.json"
EXPERIMENTS: dict[str, tuple[type, Callable[..., Curves]]] = {
    "free queries": (FreeQueries, free_queries),
    "retrieval": (Retrieval, retrieval),
    "sorting": (Sorting, sorting),
}


def _name_of(config: Any) -> str:
    """Give the name of the experiment that a configuration belongs to."""
    return next(name for name, (kind, _) in EXPERIMENTS.items() if type(config) is kind)


def cell_key(config: Any, seeds: Sequence[int]) -> str:
    """Give a short fingerprint of a configuration and seeds, the same everywhere.

    Examples
    --------
    >>> a, b = (cell_key(FreeQueries(d_k=64), [seed]) for seed in (0, 1))
    >>> len(a), a == b
    (16, False)
    """
    content = [FORMAT, _name_of(config), asdict(config), list(seeds)]
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def run_cells(
    configs: Sequence[Any],
    seeds: Sequence[int],
    path: Path,
    *,
    processes: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Curves]:
    """Run what is not yet in the working file; give everything it then holds.

    Parameters
    ----------
    configs : sequence
        Configurations of any of the experiments.
    seeds : sequence of int
    path : Path
        Working file: a line is added, and flushed, for every finished cell.
    processes : int, default 1
        How many cells to run at a time.
    progress : callable, optional
        Called as ``progress(done, total)``, counting cells found in the file.

    Returns
    -------
    list of Curves
        One for each configuration, after the last step only.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = {
        cell_key(config, [seed]): (config, seed) for config in configs for seed in seeds
    }
    done = _read_cells(path, cells)
    missing = [cell for key, cell in cells.items() if key not in done]
    tasks = [(EXPERIMENTS[_name_of(c)][1], c, (seed,)) for c, seed in missing]
    if progress is not None:
        progress(len(done), len(cells))
    with path.open("a", encoding="utf-8") as file:
        for i, curves in run_tasks(tasks, processes):
            key = cell_key(missing[i][0], [missing[i][1]])
            done[key] = _finals(curves)
            file.write(json.dumps({"key": key, "finals": done[key]}) + "\n")
            file.flush()
            if progress is not None:
                progress(len(done), len(cells))
    return [_joined(config, seeds, done) for config in configs]


def _read_cells(path: Path, wanted: Iterable[str]) -> dict[str, Any]:
    """Read the finished cells that are wanted; drop a line that was cut short."""
    if not path.exists():
        return {}
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    cells = (json.loads(line) for line in whole.splitlines())
    return {cell["key"]: cell["finals"] for cell in cells if cell["key"] in wanted}


def _finals(curves: Curves) -> dict[str, list[float]]:
    """Round what is kept of one cell: a number for each learning rate."""
    return {
        name: curves.final(name)[0].round(decimals).tolist()
        for name, decimals in KEPT.items()
    }


def _joined(config: Any, seeds: Sequence[int], cells: dict[str, Any]) -> Curves:
    """Put the seeds of one configuration together."""
    rows = [cells[cell_key(config, [seed])] for seed in seeds]
    return _curves(config, seeds, {name: [row[name] for row in rows] for name in KEPT})


def _curves(config: Any, seeds: Sequence[int], finals: dict[str, Any]) -> Curves:
    """Make curves of a single step."""
    measures = {name: np.array(finals[name], float)[..., None] for name in KEPT}
    shape = (len(seeds), len(config.learning_rates), 1)
    if any(values.shape != shape for values in measures.values()):
        raise ValueError(f"the numbers of {config} do not have the shape {shape[:2]}")
    return Curves(config, tuple(seeds), (config.steps,), measures)


def save(results: Iterable[Curves], path: Path = DATA) -> None:
    """Write the book's file: a line for each configuration."""
    lines = []
    for curves in results:
        record = {
            "experiment": _name_of(curves.config),
            "key": cell_key(curves.config, curves.seeds),
            "config": asdict(curves.config),
            "seeds": curves.seeds,
        }
        finals = {
            name: curves.final(name).round(decimals).tolist()
            for name, decimals in KEPT.items()
        }
        lines.append(json.dumps(record | finals, separators=(",", ":")))
    body = ",\n".join(lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = f'{{"format": {FORMAT}, "results": [\n{body}\n]}}\n'
    path.write_text(text, encoding="utf-8")


def load(path: Path = DATA) -> list[Curves]:
    """Read the results of the long run.

    Parameters
    ----------
    path : Path, optional
        By default the file that comes with the package.

    Returns
    -------
    list of Curves
        With a single step, the last, and the measures ``accuracy`` and
        ``effective_keys``.

    Raises
    ------
    ValueError
        If the file is missing, is not made of such results, or was written by
        another version of the experiments.

    Examples
    --------
    >>> {type(curves.config).__name__ for curves in load()} == {
    ...     "FreeQueries", "Retrieval", "Sorting"}
    True
    """
    advice = f"{path}: {{}}; run `make experiments` to write it anew"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            found = content["format"]
            raise ValueError(f"the format is {found}, expected {FORMAT}")
        return [_restored(record) for record in content["results"]]
    except OSError:
        raise ValueError(advice.format("no such file")) from None
    except (KeyError, TypeError, AttributeError) as error:
        problem = f"not the results of experiments ({error!r})"
        raise ValueError(advice.format(problem)) from None
    except ValueError as error:  # also what json raises
        raise ValueError(advice.format(error)) from None


def _restored(record: dict[str, Any]) -> Curves:
    """Make curves of one record, if the present code would compute the same."""
    kind, _ = EXPERIMENTS[record["experiment"]]
    config = dict(
        record["config"], learning_rates=tuple(record["config"]["learning_rates"])
    )
    config = kind(**config)
    if cell_key(config, record["seeds"]) != record["key"]:
        raise ValueError(f"{config} is not what its key stands for: edited or outdated")
    return _curves(config, record["seeds"], record)
