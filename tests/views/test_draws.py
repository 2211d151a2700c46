"""Seeded numbers are the same in Python and in the browser, and look random."""

import numpy as np
import pytest

from sdpa.laws import normal_quantile
from sdpa.views._draws import gaussians, hashes
from tests.views.inside import evaluate

SEEDS = (0, 1, 2, 9999)
COUNT = 20_000


@pytest.mark.parametrize("seed", SEEDS)
def test_hashes_are_the_same_to_the_bit(seed, page):
    index = [0, 1, 2, 511, 2**16, 2**31, 2**32 - 1]
    call = f"{index}.map((i) => hash({seed}, i))"
    assert evaluate(page, "saturation", call) == hashes(seed, index).tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_gaussians_are_the_same_to_rounding(seed, page):
    found = evaluate(page, "saturation", f"[...gaussians({seed}, {COUNT})]")
    np.testing.assert_allclose(found, gaussians(seed, COUNT), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_gaussians_have_the_moments_of_their_law(seed):
    z = gaussians(seed, COUNT)
    margin = normal_quantile(1 - 1e-4) / np.sqrt(COUNT)
    # the powers of a standard Gaussian: mean and standard deviation
    for power, mean, std in (
        (1, 0, 1),
        (2, 1, 2**0.5),
        (3, 0, 15**0.5),
        (4, 3, 96**0.5),
    ):
        assert abs((z**power).mean() - mean) < margin * std
    for lag in (1, 2, 32, 132):
        assert abs((z[:-lag] * z[lag:]).mean()) < 1.1 * margin


def test_seeds_give_streams_of_their_own():
    first, second = gaussians(1, COUNT), gaussians(2, COUNT)
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(COUNT)
    assert not np.isin(hashes(1, np.arange(COUNT)), hashes(2, np.arange(COUNT))).all()
