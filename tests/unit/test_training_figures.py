"""The figures of the experiments draw the numbers that they are given."""

import matplotlib
import numpy as np
import pytest

from sdpa.figures.training import (
    final_accuracy,
    learning_rate_window,
    share_solved,
    training_curves,
)
from sdpa.training import Curves, FreeQueries

RATES = (0.1, 1.0)


@pytest.fixture(autouse=True)
def no_window():
    matplotlib.use("Agg")
    yield
    matplotlib.pyplot.close("all")


def curves(d_k, scale, seed=0):
    """Make up curves: 3 seeds, 2 rates, 5 steps; the second rate is the best."""
    values = np.random.default_rng([d_k, len(scale), seed]).random((3, 2, 5)) / 2
    values[:, 1] += 0.5
    config = FreeQueries(d_k=d_k, scale=scale, learning_rates=RATES)
    measures = {"accuracy": values, "entropy": 2 - values}
    return Curves(config, (0, 1, 2), (0, 10, 20, 30, 40), measures)


def results(seed=0):
    """The widths are out of order on purpose."""
    return [curves(w, s, seed) for w in (64, 4) for s in ("none", "sqrt")]


def line(ax, name):
    """Give the data of the line with this label."""
    (found,) = (item for item in ax.get_lines() if item.get_label() == name)
    return found.get_xdata(), found.get_ydata()


@pytest.mark.parametrize(("name", "scale"), [("scaled", "sqrt"), ("unscaled", "none")])
def test_share_solved_draws_the_means_by_width(name, scale):
    other = results(seed=1)
    _, axes = share_solved(results(), beside=other)
    assert [ax.get_title() for ax in axes] == ["rate 0.1", "rate 1"]
    for i, ax in enumerate(axes):
        widths, values = line(ax, name)
        assert list(widths) == [4, 64]
        expected = [curves(w, scale).final()[:, i].mean() for w in (4, 64)]
        np.testing.assert_allclose(values, expected)
        circles = [x.get_ydata() for x in ax.get_lines() if x.get_marker() == "o"]
        longer = [curves(w, scale, 1).final()[:, i].mean() for w in (4, 64)]
        assert any(np.allclose(drawn, longer) for drawn in circles)


def test_final_accuracy_takes_the_best_rate():
    _, axes = final_accuracy({"one": results(), "two": results(1)})
    for seed, ax in enumerate(axes):
        _, values = line(ax, "scaled")
        expected = [curves(w, "sqrt", seed).final()[:, 1].mean() for w in (4, 64)]
        np.testing.assert_allclose(values, expected)


@pytest.mark.parametrize("measure", ["accuracy", "entropy"])
def test_training_curves_draw_medians_and_bands(measure):
    _, axes = training_curves(results(), measure=measure)
    assert [ax.get_title() for ax in axes] == ["$d_k$ = 4", "$d_k$ = 64"]
    steps, values = line(axes[1], "unscaled")
    seeds = curves(64, "none")[measure][:, 1]
    assert list(steps) == [0, 10, 20, 30, 40]
    np.testing.assert_allclose(values, np.median(seeds, 0))
    corners = axes[1].collections[0].get_paths()[0].vertices[:, 1]
    assert corners.min() == pytest.approx(seeds.min())
    assert corners.max() == pytest.approx(seeds.max())


def test_the_window_is_drawn_against_the_learning_rates():
    pair = [curves(64, "sqrt"), curves(64, "none")]
    _, axes = learning_rate_window({"a": pair, "b": pair})
    rates, values = line(axes[0], "scaled")
    assert tuple(rates) == RATES
    np.testing.assert_allclose(values, curves(64, "sqrt").final().mean(0))


def test_the_legend_names_every_line():
    fig, _ = training_curves(results())
    names = [text.get_text() for text in fig.legends[0].get_texts()]
    assert sorted(names) == ["scaled", "unscaled"]
