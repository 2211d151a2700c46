"""The long run: cells computed once, and a file that is refused when it is wrong."""

import json
from pathlib import Path

import numpy as np
import pytest

from sdpa.training import FreeQueries, Retrieval, Sorting, load, run_cells, save, select
from sdpa.training.store import DATA, cell_key

CONFIGS = [
    FreeQueries(d_k=4, queries=10, steps=4),
    Retrieval(d_k=4, steps=2),
    Sorting(d_k=4, steps=2),
]
SEEDS = (0, 1)


class Interrupted(Exception):
    pass


def stop_after(cells):
    def progress(done, total):
        if done == cells:
            raise Interrupted

    return progress


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The book's file and the working file of a run without interruption."""
    folder = tmp_path_factory.mktemp("whole")
    results = run_cells(CONFIGS, SEEDS, folder / "work.jsonl")
    save(results, folder / "book.json")
    return folder


def book(folder):
    return (folder / "book.json").read_bytes()


@pytest.mark.parametrize("cells", [1, 4])
def test_a_run_that_was_interrupted_goes_on_and_ends_alike(tmp_path, whole, cells):
    work = tmp_path / "work.jsonl"
    with pytest.raises(Interrupted):
        run_cells(CONFIGS, SEEDS, work, progress=stop_after(cells))
    kept = work.read_text()
    assert kept.count("\n") == cells
    results = run_cells(CONFIGS, SEEDS, work)
    assert work.read_text().startswith(kept)  # nothing was computed twice
    assert work.read_text().count("\n") == len(CONFIGS) * len(SEEDS)
    save(results, tmp_path / "book.json")
    assert book(tmp_path) == book(whole)


def test_a_line_that_was_cut_short_is_computed_again(tmp_path, whole):
    work = tmp_path / "work.jsonl"
    work.write_text((whole / "work.jsonl").read_text()[:-20])
    save(run_cells(CONFIGS, SEEDS, work), tmp_path / "book.json")
    assert book(tmp_path) == book(whole)
    assert [json.loads(line) for line in work.read_text().splitlines()]


def test_a_finished_run_computes_nothing(whole, monkeypatch):
    def run_nothing(tasks, processes):
        assert not tasks
        return iter(())

    monkeypatch.setattr("sdpa.training.store.run_tasks", run_nothing)
    seen = []
    run_cells(
        CONFIGS,
        SEEDS,
        whole / "work.jsonl",
        progress=lambda *counts: seen.append(counts),
    )
    assert seen == [(6, 6)]


def test_other_settings_are_other_cells():
    keys = {
        cell_key(config, [seed])
        for config in (*CONFIGS, FreeQueries(d_k=4, queries=10, steps=5))
        for seed in SEEDS
    }
    assert len(keys) == 8


def test_what_is_saved_is_loaded(whole):
    results = load(whole / "book.json")
    assert [curves.config for curves in results] == CONFIGS
    for curves in results:
        assert curves.seeds == SEEDS
        assert curves["accuracy"].shape == (2, 3, 1)
    again = whole / "again.json"
    save(results, again)
    assert again.read_bytes() == book(whole)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"format": 1', '"format": 0', "the format is 0, expected 1"),
        ('"d_k":4', '"d_k":8', "edited or outdated"),
        ('"queries":10', '"crowd":10', "not the results of experiments"),
        ('"free queries"', '"poems"', "not the results of experiments"),
        ('"effective_keys"', '"keys"', "not the results of experiments"),
        ('"accuracy":[[', '"accuracy":[[0.5,', "inhomogeneous|shape"),
        ('"results"', '"rest"', "not the results of experiments"),
        ("]}\n", "", "Expecting"),
    ],
)
def test_a_wrong_file_is_refused_and_named(tmp_path, whole, old, new, problem):
    path = tmp_path / "wrong.json"
    text = book(whole).decode()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ValueError, match=problem) as error:
        load(path)
    assert str(path) in str(error.value)
    assert "make experiments" in str(error.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match="no such file; run `make experiments`"):
        load(tmp_path / "none.json")


# The file that comes with the package


def stored(kind, scale, **wanted):
    """Give the best mean accuracies by width of one kind of configuration."""
    results = select(load(), kind, scale=scale, **wanted)
    return {curves.config.d_k: curves.best_final().mean() for curves in results}


def test_the_books_file_is_what_the_long_run_is_set_to_do():
    from benchmarks.experiments import SEEDS, configurations

    results = load()
    assert [curves.config for curves in results] == configurations()
    assert all(curves.seeds == tuple(range(SEEDS)) for curves in results)
    assert DATA.stat().st_size < 100_000


def test_the_long_run_agrees_with_the_short_conclusions():
    for kind, task in (
        (FreeQueries, {"loss": "squared", "optimiser": "sgd"}),
        (Retrieval, {"fresh": False, "optimiser": "sgd"}),
        (Sorting, {}),
    ):
        scaled, unscaled = (stored(kind, s, **task) for s in ("sqrt", "none"))
        for d_k in (256, 1024):
            assert scaled[d_k] > unscaled[d_k] + 0.25, (kind, d_k)
    fresh = stored(Retrieval, "none", fresh=True)
    assert np.min(list(fresh.values())) > 0.9


def test_the_default_file_is_inside_the_package():
    import sdpa

    assert DATA.is_relative_to(Path(sdpa.__file__).parent)
