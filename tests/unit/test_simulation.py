"""The simulator: chunks, merging, memory, reproducibility and refusals."""

import tracemalloc

import numpy as np
import pytest

import sdpa.simulation as simulation
from sdpa.laws import LAWS
from sdpa.moments import Moments
from sdpa.simulation import simulate_dot_products


@pytest.mark.parametrize("count", [2, 4096, 4097, 10_000])
@pytest.mark.parametrize("d_k", [1, 3, 1024, 40_000])
def test_summary_is_that_of_the_draws(d_k, count):
    count = min(count, 2_000_000 // d_k)
    rng = np.random.default_rng(0)
    result = simulate_dot_products(d_k, count, mean=3.0, rng=rng, keep=count)
    assert result.draws.shape == (count,)
    assert len(np.unique(result.draws)) == count  # no draw is used twice
    assert result.mean == pytest.approx(result.draws.mean(), rel=1e-12)
    assert result.variance == pytest.approx(result.draws.var(ddof=1), rel=1e-9)


def test_merging_loses_nothing_far_from_zero():
    # variance 2e8 + d_k beside a mean of 1e16: sums of squares would be off by 1e2
    rng = np.random.default_rng(1)
    result = simulate_dot_products(1, 20_000, mean=1e8, rng=rng, keep=20_000)
    assert result.variance == pytest.approx(result.draws.var(ddof=1), rel=1e-9)
    assert result.variance / result.theory.variance == pytest.approx(1, abs=0.05)


def test_same_seed_same_result():
    def once(seed):
        rng = np.random.default_rng(seed)
        return simulate_dot_products(64, 5_000, rng=rng).variance

    assert once(2) == once(2) != once(3)


def test_keep_is_the_beginning_and_changes_nothing():
    results = [
        simulate_dot_products(64, 9_000, rng=np.random.default_rng(4), keep=keep)
        for keep in (0, 10, 9_000)
    ]
    assert len({r.variance for r in results}) == 1
    assert [r.draws.size for r in results] == [0, 10, 9_000]
    assert np.array_equal(results[1].draws, results[2].draws[:10])


@pytest.mark.parametrize("law", LAWS)
def test_memory_does_not_grow_with_count(law):
    def peak(count):
        tracemalloc.start()
        simulate_dot_products(64, count, law=law, rng=np.random.default_rng(0))
        try:
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few, many = peak(5_000), peak(50_000)
    assert few < 2_000_000  # 5,000 pairs of 64 coordinates would take 5 MB
    assert many < 1.1 * few


def test_equal_vectors():
    rng = np.random.default_rng(5)
    result = simulate_dot_products(64, 1_000, law="rademacher", corr=1.0, rng=rng)
    assert result.theory == Moments(64.0, 0.0)
    assert (result.mean, result.variance) == (64.0, 0.0)
    assert result.mean_error == result.variance_error == 0.0
    assert result.variance_interval() == (0.0, 0.0)


def test_correlation_of_coordinates():
    pair = np.empty((2, 50_000, 1))
    simulation._draw_pair(
        *pair,
        fill=simulation.FILLS["laplace"],
        sigma=2.0,
        mean=1.0,
        corr=-0.4,
        rng=np.random.default_rng(6),
    )
    q, k = pair[:, :, 0]
    assert np.corrcoef(q, k)[0, 1] == pytest.approx(-0.4, abs=0.02)
    for x in (q, k):
        assert x.mean() == pytest.approx(1.0, abs=0.05)
        assert x.std() == pytest.approx(2.0, abs=0.05)


def test_intervals_surround_the_estimates():
    result = simulate_dot_products(16, 4_000, rng=np.random.default_rng(7))
    for interval, estimate, error in (
        (result.mean_interval, result.mean, result.mean_error),
        (result.variance_interval, result.variance, result.variance_error),
    ):
        low, high = interval()
        assert low < estimate < high
        assert (high - low) / 2 == pytest.approx(1.96 * error, rel=0.1)
        assert interval(confidence=0.5)[0] > low


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(d_k=0), "d_k is 0; .*at least 1"),
        (dict(count=1), "count is 1; .*at least 2"),
        (dict(keep=-1), "keep is -1"),
        (dict(keep=101), "keep is 101; .*no more than count"),
        (dict(count=10**8, keep=10**7), "keep at most 1,000,000"),
        (dict(law="cauchy"), "'cauchy'; choose one of gaussian"),
        (dict(corr=2.0), "corr is 2.0"),
        (dict(sigma=-1.0), "sigma_q is -1.0"),
    ],
)
def test_refusals(arguments, message):
    defaults = dict(d_k=4, count=100, rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match=message):
        simulate_dot_products(**defaults | arguments)
