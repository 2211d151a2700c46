"""Python and the browser compute the same numbers, in chosen and in random states."""

import numpy as np
import pytest

from tests.views import golden
from tests.views.bench import Bench
from tests.views.cases import CASES

RANDOM = 25


@pytest.fixture
def bench(context, tmp_path):
    """Give a function that opens a view alone, and look for faults afterwards."""
    opened = []

    def open_one(case):
        opened.append(Bench.alone(context().new_page(), tmp_path, case.cls()))
        return opened[-1]

    yield open_one
    for one in opened:
        assert not one.faults


def test_golden_numbers_are_current():
    assert golden.PATH.read_text(encoding="utf-8") == golden.text(), (
        "run `python -m tests.views.golden`"
    )


@pytest.mark.parametrize("name", CASES)
def test_browser_agrees_with_golden_numbers(name, bench):
    opened = bench(CASES[name])
    for entry in golden.load()[name]:
        opened.agree(entry["state"], entry["numbers"])


@pytest.mark.parametrize("name", CASES)
def test_browser_agrees_in_random_states(name, bench):
    case, rng = CASES[name], np.random.default_rng(0)
    opened = bench(case)
    for _ in range(RANDOM):
        entry = golden.entry(case, case.draw(rng))
        opened.agree(entry["state"], entry["numbers"])


def test_a_wrong_number_is_found(bench):
    opened = bench(CASES["temperature"])
    entry = golden.load()["temperature"][0]
    wrong = entry["numbers"] | {"weights.1": entry["numbers"]["weights.1"] + 1e-8}
    with pytest.raises(AssertionError, match="weights.1"):
        opened.agree(entry["state"], wrong)
