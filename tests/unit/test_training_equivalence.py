"""Experiment D, what initialisers give, and that torch is loaded lazily."""

import os
import subprocess
import sys

import pytest

from sdpa.training import Equivalence, equivalence, initialisers
from sdpa.training.equivalence import POWERS

RATES = {"sgd": 1.0, "adam": 0.01}


@pytest.mark.parametrize("d_k", [16, 64])
@pytest.mark.parametrize("optimiser", sorted(POWERS))
def test_the_factor_is_an_initialisation_and_a_learning_rate(optimiser, d_k):
    config = Equivalence(optimiser=optimiser, learning_rate=RATES[optimiser], d_k=d_k)
    found = equivalence(config)
    assert found.on_scores[-1] < found.on_scores[0] / 10  # it did train
    assert found.loss < 1e-12
    assert found.weights < 1e-12


@pytest.mark.parametrize("optimiser", sorted(POWERS))
def test_the_learning_rate_has_to_be_adjusted(optimiser):
    rate = RATES[optimiser]
    found = equivalence(
        Equivalence(optimiser=optimiser, learning_rate=rate, adjust=False)
    )
    assert found.loss > 0.1


def test_adams_epsilon_breaks_the_equivalence_a_little():
    config = Equivalence(optimiser="adam", learning_rate=0.01, epsilon=1e-8)
    assert 1e-9 < equivalence(config).loss < 1e-3


def test_an_unknown_optimiser_is_refused():
    with pytest.raises(ValueError, match="optimiser is 'lion', expected one of"):
        equivalence(Equivalence(optimiser="lion"))


# Initialisers

EXPECTED = {
    "N(0, 1/d)": 1.0,
    "nn.Linear": 1 / 9,
    "nn.MultiheadAttention": 1 / 4,
    "GPT-2: N(0, 0.02²)": 0.042,
    "T5: W_Q with variance 1/(d d_k)": 1 / 64,
}


def test_closed_forms_of_initialisers():
    ratios = {way.name: way.ratio for way in initialisers(512, 64)}
    for name, ratio in EXPECTED.items():
        assert ratios[name] == pytest.approx(ratio, rel=2e-3)
    # Xavier has variance 1/d when a head is as wide as its input
    square = {way.name: way.ratio for way in initialisers(512, 512)}
    assert square["Xavier, one head"] == pytest.approx(1)
    assert all(way.measured is None for way in initialisers(512, 64))


@pytest.mark.parametrize("d_k", [32, 128])
def test_weights_drawn_by_torch_agree_with_the_closed_forms(d_k):
    for way in initialisers(512, d_k, seed=1):
        assert way.measured == pytest.approx(way.ratio, rel=0.15), way.name


def test_the_global_generator_of_torch_is_left_alone():
    import torch

    before = torch.get_rng_state()
    initialisers(32, 8, seed=0)
    assert torch.equal(torch.get_rng_state(), before)


# Lazy imports

SCRIPT = """
import sys
import sdpa{training}
print(*sorted({{name.partition(".")[0] for name in sys.modules}}))
"""


def loaded(training):
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(training=training)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(result.stdout.split())


@pytest.mark.parametrize("training", ["", ".training"])
def test_neither_the_package_nor_its_experiments_load_torch(training):
    assert "torch" not in loaded(training)


def test_the_test_above_can_fail():
    use = (
        "\nfrom sdpa.training import *\nretrieval(Retrieval(d_k=2, steps=1), seeds=[0])"
    )
    assert "torch" in loaded(use)
