"""Experiments A, B and C: what they conclude, as inequalities with margins."""

from functools import cache

import numpy as np
import pytest

from sdpa.training import (
    Curves,
    FreeQueries,
    Retrieval,
    Sorting,
    free_queries,
    print_line,
    retrieval,
    run_all,
    scale_factor,
    sorting,
)
from sdpa.training._shared import generator, logged
from sdpa.training._torch import Optimiser, draw_parameters
from sdpa.training.free_queries import _draw, _train_scores, train_queries

SEEDS = (0, 1, 2)


@cache
def run(function, **config):
    kind = {free_queries: FreeQueries, retrieval: Retrieval, sorting: Sorting}[function]
    return function(kind(**config), seeds=SEEDS)


# A: scores instead of queries


@pytest.mark.parametrize("loss", ["squared", "log"])
@pytest.mark.parametrize("scale", ["sqrt", "none", "inverse"])
def test_scores_move_as_the_queries_would(loss, scale):
    config = FreeQueries(
        d_k=24,
        scale=scale,
        loss=loss,
        learning_rates=(0.1, 1.0),
        queries=30,
        steps=8,
        log_every=1,
    )
    drawn = _draw(config, SEEDS)
    pairs = zip(
        _train_scores(config, *drawn), train_queries(config, *drawn), strict=True
    )
    for (z, norm), (z_direct, norm_direct) in pairs:
        np.testing.assert_allclose(z, z_direct, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(norm, norm_direct, rtol=1e-7, atol=1e-12)


def test_share_solved_is_the_same_in_both_forms():
    """Over many steps single queries may part ways by rounding; shares do not."""
    config = FreeQueries(d_k=16, scale="none", steps=100)
    drawn = _draw(config, SEEDS)
    shares = []
    for train in (_train_scores, train_queries):
        *_, (z, _) = train(config, *drawn)
        shares.append(
            (z.argmax(1, keepdims=True) == drawn[2].argmax(1)[:, None]).mean(0)
        )
    np.testing.assert_allclose(*shares, atol=0.03)


@pytest.mark.parametrize("loss", ["squared", "log"])
def test_loss_and_gradient_are_those_of_torch(loss):
    import torch

    config = FreeQueries(d_k=12, loss=loss, queries=20, steps=0)
    K, q, targets = map(torch.from_numpy, _draw(config, SEEDS))
    q.requires_grad_()
    scores = K @ q * 12**-0.5
    if loss == "log":
        each = -(targets * scores.log_softmax(1)).sum(1)
    else:
        each = (scores.softmax(1) - targets).square().sum(1)
    (gradient,) = torch.autograd.grad(each.sum(), q)
    curves = free_queries(config, seeds=SEEDS)
    norms = gradient.norm(dim=(1, 2)).numpy().reshape(3, 20)
    np.testing.assert_allclose(curves["gradient"][:, 0, 0], np.median(norms, axis=1))
    losses = each.detach().numpy().reshape(3, 20)
    np.testing.assert_allclose(curves["loss"][:, 0, 0], losses.mean(1))


def test_a_loss_is_finite_when_the_target_has_no_weight():
    curves = free_queries(
        FreeQueries(d_k=4096, scale="none", loss="log", steps=0, queries=200),
        seeds=(0,),
    )
    assert np.isfinite(curves["loss"]).all()


# A: conclusions


@pytest.mark.parametrize("d_k", [64, 256])
def test_scaled_free_queries_are_solved_and_unscaled_ones_are_not(d_k):
    scaled = run(free_queries, d_k=d_k).final()
    unscaled = run(free_queries, d_k=d_k, scale="none").final()
    assert (scaled[:, 1:] > 0.95).all()
    assert (unscaled < 0.6).all()
    assert (scaled - unscaled > 0.25).all()  # at every rate and every seed


def test_the_share_of_unscaled_queries_solved_falls_with_the_width():
    best = [
        run(free_queries, d_k=d_k, scale="none").best_final().mean()
        for d_k in (16, 64, 256)
    ]
    assert best[0] > best[1] + 0.3 and best[1] > best[2] + 0.1


def test_narrow_unscaled_queries_train():
    assert run(free_queries, d_k=4, scale="none").best_final().mean() > 0.7


def test_a_loss_that_sees_the_scores_solves_unscaled_queries_too():
    assert (run(free_queries, d_k=64, scale="none", loss="log").final() > 0.95).all()


def test_adam_does_not_rescue_unscaled_queries():
    adam = {"optimiser": "adam", "learning_rates": (0.01, 0.1, 1.0)}
    scaled = run(free_queries, d_k=64, **adam)
    unscaled = run(free_queries, d_k=64, scale="none", **adam)
    assert scaled.best_final().min() > unscaled.final().max() + 0.25


def test_the_scaled_gradient_does_not_depend_on_the_width():
    first = [
        np.median(run(free_queries, d_k=w)["gradient"][:, 0, 0]) for w in (64, 256)
    ]
    assert first[0] == pytest.approx(first[1], rel=0.2)


# B


def test_fixed_examples_are_learned_with_the_factor_only():
    """One unscaled seed may do well, and which one depends on the processor."""
    rates = {"d_k": 256, "learning_rates": (0.1, 1.0)}
    seeds = range(6)
    scaled = retrieval(Retrieval(**rates), seeds=seeds)
    unscaled = retrieval(Retrieval(**rates, scale="none"), seeds=seeds)
    assert scaled.final().min() > 0.98
    assert unscaled.best_final().mean() < 0.8


def test_fixed_examples_are_learned_either_way_when_narrow():
    assert run(retrieval, d_k=16, scale="none").best_final().min() > 0.95


def test_fresh_examples_are_learned_either_way_and_the_window_moves():
    rates = {"learning_rates": (0.01, 0.1, 1.0, 10.0), "fresh": True, "d_k": 256}
    scaled = run(retrieval, **rates)
    unscaled = run(retrieval, scale="none", **rates)
    assert {0.1, 1.0, 10.0} <= set(scaled.usable(0.95))
    assert {0.1, 1.0} <= set(unscaled.usable(0.95))
    assert unscaled.final()[:, 3].max() < 0.5 < scaled.final()[:, 3].min()
    assert unscaled.final()[:, 0].min() > scaled.final()[:, 0].max() + 0.2


# C


def test_sorting_needs_the_factor_when_wide():
    short = {"steps": 200, "learning_rates": (0.003,)}
    scaled = run(sorting, d_k=64, **short)
    unscaled = run(sorting, d_k=64, scale="none", **short)
    assert scaled.final().min() > unscaled.final().max() + 0.2
    # ... because its weights stay soft
    assert scaled.final("entropy").min() > 1.4
    assert unscaled.final("entropy").max() < 0.8


# What they share


@pytest.mark.parametrize(
    ("function", "config"),
    [
        (free_queries, FreeQueries(d_k=8, queries=10, steps=3, log_every=1)),
        (retrieval, Retrieval(d_k=8, steps=3, log_every=1)),
        (retrieval, Retrieval(d_k=8, steps=3, log_every=1, fresh=True)),
        (sorting, Sorting(d_k=8, steps=3, log_every=1)),
    ],
)
def test_a_seed_gives_the_same_alone_and_among_others(function, config):
    alone = function(config, seeds=(1,))
    among = function(config, seeds=(0, 1, 2))
    assert alone.steps == among.steps == (0, 1, 2, 3)
    assert set(alone.measures) == {
        "loss", "accuracy", "entropy", "effective_keys", "gradient"
    }  # fmt: skip
    for name, values in alone.measures.items():
        assert values.shape == (1, 3, 4)
        np.testing.assert_allclose(values[0], among[name][1], rtol=1e-3, atol=1e-5)
    assert not np.allclose(among["loss"][0], among["loss"][1])


@pytest.mark.parametrize("name", ["sgd", "adam"])
def test_the_optimiser_is_torchs_for_each_learning_rate(name):
    import torch

    rng = generator(0, "parameters")
    rates = (0.125, 0.5)
    start = torch.from_numpy(rng.standard_normal((3, 2, 4, 5)))
    ours = start.clone()
    optimiser = Optimiser(name, [ours], rates)
    theirs = [start[:, i].clone() for i in range(2)]
    kind = torch.optim.SGD if name == "sgd" else torch.optim.Adam
    optimisers = [kind([p], rate) for p, rate in zip(theirs, rates, strict=True)]
    for _ in range(5):
        gradient = torch.from_numpy(rng.standard_normal(start.shape))
        optimiser.step([gradient])
        for i, other in enumerate(optimisers):
            theirs[i].grad = gradient[:, i].clone()
            other.step()
    torch.testing.assert_close(ours, torch.stack(theirs, 1), rtol=1e-10, atol=1e-12)


def test_all_learning_rates_of_a_seed_start_alike():
    (W,) = draw_parameters([((32, 64), 32**-0.5)], (0, 1), 3)
    assert W.shape == (2, 3, 32, 64)
    assert (W[:, 0] == W[:, 2]).all() and not (W[0] == W[1]).any()
    assert float(W.detach().std()) == pytest.approx(32**-0.5, rel=0.05)


def test_torchs_threads_are_left_as_they_were():
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        retrieval(Retrieval(d_k=4, steps=1), seeds=(0,))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_processes_give_what_one_gives_in_order(capsys):
    configs = [FreeQueries(d_k=w, queries=5, steps=2) for w in (32, 4, 16)]
    one = run_all(free_queries, configs, seeds=SEEDS)
    two = run_all(free_queries, configs, seeds=SEEDS, processes=2, progress=print_line)
    assert [curves.config.d_k for curves in two] == [32, 4, 16]
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a["loss"], b["loss"])
    assert capsys.readouterr().out.split("\r")[-1] == "3/3 runs\n"


def curves_of(accuracy, rates):
    config = FreeQueries(d_k=4, learning_rates=rates)
    measures = {"accuracy": np.array(accuracy, float)}
    steps = tuple(range(measures["accuracy"].shape[-1]))
    return Curves(config, tuple(range(len(accuracy))), steps, measures)


def test_summaries_of_curves():
    curves = curves_of([[[0, 1], [0, 0.5]], [[0, 0], [1, 0.75]]], (0.1, 1.0))
    assert curves.best == 1
    assert curves.best_final().tolist() == [0.5, 0.75]
    assert curves.usable(0.6) == (1.0,)
    assert curves.band().tolist() == [[0, 0.5], [0.5, 0.625], [1, 0.75]]
    assert curves.band(rate=0, quantiles=(0.5,)).tolist() == [[0, 0.5]]


def test_steps_that_are_logged_include_first_and_last():
    assert logged(10, 4) == (0, 4, 8, 10)
    assert logged(0, 4) == (0,)


def test_what_is_not_known_is_refused_by_name():
    with pytest.raises(ValueError, match="scale is 'root', expected one of 'sqrt'"):
        scale_factor("root", 4)
    with pytest.raises(ValueError, match="d_k is 0"):
        scale_factor("sqrt", 0)
    with pytest.raises(ValueError, match="loss is 'mse'"):
        free_queries(FreeQueries(d_k=4, loss="mse"), seeds=(0,))
    with pytest.raises(ValueError, match="optimiser is 'lion'"):
        sorting(Sorting(d_k=4, optimiser="lion"), seeds=(0,))
    with pytest.raises(ValueError, match="measure is 'speed'"):
        curves_of([[[0.0]]], (0.1,))["speed"]
