"""The cost model against formulas and figures worked by hand, and its refusals."""

from dataclasses import FrozenInstanceError
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdpa.cost import BYTES_PER_NUMBER, attention_cost

SIZES = st.integers(min_value=0, max_value=40)


@given(SIZES, st.integers(1, 40), SIZES, SIZES)
def test_formula_at_two_flops(n, m, d_k, d_v):
    cost = attention_cost(n, m, d_k, d_v)
    assert cost.core == 2 * n * m * (d_k + d_v) + n * m + 5 * n * m - 2 * n
    assert cost.flops == cost.core


@given(SIZES, SIZES, SIZES, SIZES, st.integers(1, 5), st.integers(0, 5))
def test_heads_and_batch_multiply(n, m, d_k, d_v, heads, batch):
    one = attention_cost(n, m, d_k, d_v, d_model=8)
    all_of_them = attention_cost(n, m, d_k, d_v, d_model=8, heads=heads, batch=batch)
    for name in "flops exponentials score_entries tensor_bytes bytes_moved".split():
        assert getattr(all_of_them, name) == heads * batch * getattr(one, name)


@given(SIZES, st.integers(1, 40), SIZES, SIZES, st.integers(1, 50))
def test_one_block_adds_nothing_but_the_late_division(n, m, d_k, d_v, more):
    written = attention_cost(n, m, d_k, d_v)
    one_block = attention_cost(n, m, d_k, d_v, streaming=True, block=m - 1 + more)
    assert one_block.rescaling == 0
    assert one_block.core - written.core == n * (d_v - m)
    assert one_block.exponentials == written.exponentials


def test_no_keys_costs_nothing():
    for streaming in (False, True):
        cost = attention_cost(5, 0, 4, 3, streaming=streaming)
        assert (cost.core, cost.exponentials, cost.score_entries) == (0, 0, 0)
    assert attention_cost(0, 0, 0, 0).intensity == 0.0


@pytest.mark.parametrize("flops_per_mac, matmuls", [(2, 2**38), (1, 2**37)])
def test_self_test_e(flops_per_mac, matmuls):
    many = attention_cost(4096, 4096, 128, 128, heads=32, flops_per_mac=flops_per_mac)
    one = attention_cost(4096, 4096, 4096, 4096, flops_per_mac=flops_per_mac)
    assert many.matmuls == one.matmuls == matmuls
    assert (2**38, 2**37) == (274_877_906_944, 137_438_953_472)
    assert many.score_entries == many.exponentials == 536_870_912
    assert one.score_entries == one.exponentials == 16_777_216


def test_self_test_e_bytes():
    MiB = 2**20
    expected = {"fp16": (1024, 32), "bf16": (1024, 32), "fp32": (2048, 64)}
    expected["fp64"] = (4096, 128)
    assert set(expected) == set(BYTES_PER_NUMBER)
    for dtype, (many, one) in expected.items():
        heads_32 = attention_cost(4096, 4096, 128, 128, heads=32, dtype=dtype)
        assert heads_32.score_bytes == many * MiB
        head_1 = attention_cost(4096, 4096, 4096, 4096, dtype=dtype)
        assert head_1.score_bytes == one * MiB


def test_at_T_equal_d_two_different_laws_coincide():
    def wrong_and_right(T, d):
        return 4 * T * d**2, attention_cost(T, T, d // 4, d // 4, heads=4).matmuls

    wrong, right = wrong_and_right(4096, 4096)
    assert wrong == right
    wrong, right = wrong_and_right(1024, 4096)
    assert wrong == 4 * right


@pytest.mark.parametrize("d, heads", [(64, 1), (512, 8)])
def test_projections_dominate_below_T_equal_2d(d, heads):
    def layer(T):
        return attention_cost(T, T, d // heads, d // heads, heads=heads, d_model=d)

    assert layer(100).projections == 8 * 100 * d**2
    assert layer(2 * d - 1).projections > layer(2 * d - 1).matmuls
    assert layer(2 * d).projections == layer(2 * d).matmuls
    assert layer(2 * d + 1).projections < layer(2 * d + 1).matmuls


def test_bytes_by_hand():
    # n=2, m=3, d_k=4, d_v=5, fp16, two heads: Q 8, K 12, V 15, output 10, S 6 numbers.
    cost = attention_cost(2, 3, 4, 5, heads=2, dtype="fp16")
    assert cost.tensor_bytes == 2 * 2 * (8 + 12 + 15 + 10)
    assert cost.score_bytes == 2 * 2 * 6
    assert cost.bytes_moved == cost.tensor_bytes + 4 * cost.score_bytes
    assert cost.intensity == cost.core / cost.bytes_moved


def test_streaming_holds_one_block_and_moves_no_scores():
    args = dict(heads=8, dtype="fp32", streaming=True, block=256)
    for T in (1024, 8192):
        cost = attention_cost(T, T, 64, 64, **args)
        assert cost.score_entries == T * 256
        assert cost.bytes_moved == cost.tensor_bytes
    assert attention_cost(8, 5, 2, 2, **args).score_entries == 8 * 5
    assert attention_cost(8, 5, 2, 2, batch=0, streaming=True).score_entries == 0


def test_figures_are_exact_integers_however_large():
    T = 10**9 + 7
    cost = attention_cost(np.int32(T), np.int64(T), 3, 3)
    assert type(cost.core) is int
    assert cost.core == 12 * T * T + 6 * T * T - 2 * T


NAMES = ("n", "m", "d_k", "d_v", "heads", "batch", "d_model", "block")


@pytest.mark.parametrize("name, bad", list(product(NAMES, (2.0, "4", True))))
def test_non_integers_are_refused(name, bad):
    sizes = dict(n=1, m=1, d_k=1, d_v=1) | {name: bad}
    with pytest.raises(TypeError, match=f"{name} is .*integer"):
        attention_cost(**sizes)


@pytest.mark.parametrize("name", NAMES)
def test_sizes_too_small_are_refused(name):
    sizes = dict(n=1, m=1, d_k=1, d_v=1)
    with pytest.raises(ValueError, match=f"{name} is -1; .*at least"):
        attention_cost(**sizes | {name: -1})
    if name in ("heads", "d_model", "block"):
        with pytest.raises(ValueError, match=f"{name} is 0; .*at least 1"):
            attention_cost(**sizes | {name: 0})


@pytest.mark.parametrize("bad", [0, 3, "2", True, None])
def test_unknown_convention_is_refused(bad):
    with pytest.raises(ValueError, match="flops_per_mac is .*1 or 2"):
        attention_cost(1, 1, 1, 1, flops_per_mac=bad)


def test_unknown_dtype_is_refused():
    with pytest.raises(ValueError, match="'float32'; choose one of fp64, fp32"):
        attention_cost(1, 1, 1, 1, dtype="float32")


def test_a_bill_cannot_be_altered():
    with pytest.raises(FrozenInstanceError):
        attention_cost(1, 1, 1, 1).n = 2


@pytest.mark.parametrize("streaming", [False, True])
@given(SIZES, SIZES, SIZES, SIZES, st.integers(1, 4), st.integers(0, 4))
def test_the_conventions_differ_by_one_flop_a_multiply_add(
    streaming, n, m, d_k, d_v, heads, batch
):
    """Projections are counted by the same convention; nothing else depends on it."""
    args = dict(heads=heads, batch=batch, d_model=6, streaming=streaming, block=3)
    one = attention_cost(n, m, d_k, d_v, flops_per_mac=1, **args)
    two = attention_cost(n, m, d_k, d_v, flops_per_mac=2, **args)
    macs = heads * batch * (n * m + 6 * (n + m)) * (d_k + d_v)
    assert two.flops - one.flops == macs == one.matmuls + one.projections
    for name in "scale softmax rescaling exponentials bytes_moved score_bytes".split():
        assert getattr(one, name) == getattr(two, name)


def test_attention_grows_like_the_square_and_the_layer_more_slowly():
    """The exponent between T and 2T; page 3 holds it against measured times."""

    def exponents(T, **options):
        small, large = (attention_cost(t, t, 64, 64, **options) for t in (T, 2 * T))
        return np.log2(large.core / small.core), np.log2(large.flops / small.flops)

    for T in (1024, 2048, 4096):
        for streaming in (False, True):
            core, layer = exponents(T, heads=8, d_model=512, streaming=streaming)
            assert core == pytest.approx(2, abs=0.005)
            assert 1 < layer < core
    _, layer = exponents(128, heads=8, d_model=512)
    assert layer < 1.2  # the projections, linear in T, are most of it


def test_only_streaming_gains_intensity_with_T():
    """Materialised, four passes over the scores bound the FLOPs a byte."""
    sizes = (1024, 4096, 16384)
    written, online = (
        [attention_cost(T, T, 64, 64, streaming=flag).intensity for T in sizes]
        for flag in (False, True)
    )
    assert max(written) < (4 * 64 + 6) / 16
    assert written[2] / written[1] < 1.02
    assert online[1] / online[0] == pytest.approx(4, rel=0.01)
    assert online[2] / online[1] == pytest.approx(4, rel=0.01)


@pytest.mark.parametrize("dtype, size", BYTES_PER_NUMBER.items())
def test_bytes_scale_with_the_width_of_a_number(dtype, size):
    for streaming in (False, True):
        cost = attention_cost(7, 5, 4, 3, dtype=dtype, streaming=streaming, block=2)
        half = attention_cost(7, 5, 4, 3, dtype="fp16", streaming=streaming, block=2)
        assert cost.bytes_moved == size / 2 * half.bytes_moved > 0
        assert cost.score_bytes == size / 2 * half.score_bytes > 0
        assert cost.core == half.core
