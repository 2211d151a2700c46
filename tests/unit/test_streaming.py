"""attention_streaming: values, edge cases, memory, threads and errors.

Every edge case is put to the formula and to both ways through the streaming code.
n, m, d_k and d_v are 2, 5, 3 and 4, and blocks have 2 keys: three blocks, the last
one shorter.
"""

import multiprocessing
import os
import threading
import tracemalloc
from functools import partial

import numpy as np
import pytest

from sdpa import _threads, attention, attention_streaming
from sdpa._kernel import Kernel, Limits
from tests.oracle import reference, torch_attention

rng = np.random.default_rng(5)
n, m, d_k, d_v = 2, 5, 3, 4
Q, K, V = (rng.standard_normal(s) for s in ((n, d_k), (m, d_k), (m, d_v)))
MASK = np.array([[True, False, True, True, False], [False, True, True, False, True]])
streaming = partial(attention_streaming, block=2)
DTYPES = [np.float16, np.float32, np.float64]


@pytest.fixture(params=["formula", "fast", "careful"])
def attend(request, monkeypatch):
    """Give the formula, or one of the two ways of the streaming code."""
    if request.param == "careful":
        monkeypatch.setattr(Limits, "fit", lambda *_: False)
    return attention if request.param == "formula" else streaming


# --- the edge cases, for all ----------------------------------------------------


def test_a_row_with_every_key_masked_is_zero(attend):
    mask = MASK.copy()
    mask[0] = False
    output = attend(Q, K, V, mask=mask)
    np.testing.assert_array_equal(output[0], 0)
    np.testing.assert_allclose(output[1], reference(Q, K, V, mask=MASK)[1][1])
    assert (attend(Q, K, V, mask=False) == 0).all()
    assert (attend(1e3 * Q, K, V, mask=False) == 0).all()


@pytest.mark.parametrize("sizes", [(2, 0, 3, 4), (0, 5, 3, 4), (2, 5, 3, 0)])
@pytest.mark.parametrize("lead", [(), (0,), (2, 0), (3,)])
def test_empty_axes(attend, sizes, lead):
    rows, keys, width, columns = sizes
    shapes = (rows, width), (keys, width), (keys, columns)
    arrays = [np.ones((*lead, *shape)) for shape in shapes]
    for mask in None, np.ones((rows, keys), dtype=bool):
        output = attend(*arrays, mask=mask)
        assert output.shape == (*lead, rows, columns)
        assert keys > 0 or (output == 0).all()


def test_without_coordinates_the_output_is_the_mean(attend):
    output = attend(np.ones((n, 0)), np.ones((m, 0)), V)
    np.testing.assert_allclose(output, np.stack([V.mean(axis=0)] * n))


def test_integers_and_booleans_are_computed_in_float64(attend):
    q, k, v = [[1, 0]], [[1, 0], [0, 1], [1, 1]], [[10, 0], [0, 10], [5, 5]]
    output = attend(q, k, v)
    assert output.dtype == np.float64
    np.testing.assert_allclose(output, [[6.016681, 3.983319]], atol=5e-7)
    assert attend(np.array(q, bool), np.array(k, bool), v).dtype == np.float64


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [("eee", "e"), ("eff", "f"), ("fdf", "d"), ("gee", "g"), ("ebf", "d")],
)
def test_mixed_dtypes_follow_result_type(attend, dtypes, expected):
    arrays = [x.astype(dtype) for x, dtype in zip((Q, K, V), dtypes, strict=True)]
    assert attend(*arrays).dtype == np.dtype(expected)


def test_float16_does_not_overflow_inside(attend):
    q = np.full((1, 64), 300, dtype=np.float16)
    v = np.array([[1.0], [2.0]], dtype=np.float16)
    np.testing.assert_array_equal(attend(q, np.concatenate([q, q]), v), [[1.5]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_number_spoils_what_sees_it_and_nothing_else(attend, bad):
    """Key 1 is hidden from query 0 by a block of its own; query 1 sees it."""
    clean = attend(Q, K, V, mask=MASK)
    q, k, v = Q.copy(), K.copy(), V.copy()
    q[0, 1], k[1, 2], v[1, 3] = bad, bad, bad
    by_query = attend(q, K, V, mask=MASK)
    assert np.isnan(by_query[0]).all()
    np.testing.assert_allclose(by_query[1], clean[1])
    by_key = attend(Q, k, V, mask=MASK)
    np.testing.assert_allclose(by_key[0], clean[0])
    assert np.isnan(by_key[1]).all()
    by_value = attend(Q, K, v, mask=MASK)
    np.testing.assert_allclose(by_value[0], clean[0])
    np.testing.assert_array_equal(np.isnan(by_value[1]), [False] * 3 + [True])
    hidden = attend(Q, k, v, mask=[True, False, True, True, True])
    assert np.isfinite(hidden).all()
    assert (attend(np.full_like(Q, bad), K, V, mask=False) == 0).all()


@pytest.mark.parametrize("sign", [1, -1])
def test_a_score_that_overflows_is_nan_not_a_silent_zero(attend, sign):
    q = np.array([[1e200], [1.0]])
    k, v = sign * np.array([[1e200], [1e190]]), np.array([[5.0], [7.0]])
    output = attend(q, k, v)
    assert np.isnan(output[0]).all()
    np.testing.assert_array_equal(output[1], [5.0 if sign > 0 else 7.0])


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e160, np.finfo(float).max / 2])
def test_values_from_one_end_of_the_range_to_the_other(attend, size):
    np.testing.assert_allclose(attend(Q, K, np.full((m, 1), size)), size)


@pytest.mark.parametrize("layout", ["F", "every second", "reversed", "heads last"])
def test_layouts_and_broadcasting(attend, layout):
    arrange = {
        "F": np.asfortranarray,
        "every second": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
        "reversed": lambda x: x[..., ::-1].copy()[..., ::-1],
        "heads last": lambda x: np.moveaxis(np.moveaxis(x, 0, -1).copy(), -1, 0),
    }[layout]
    heads, values = np.stack([Q, -Q, 2 * Q]), np.stack([V, V + 1])[:, None]
    output = attend(arrange(heads), arrange(K), arrange(values), mask=MASK)
    assert output.shape == (2, 3, n, d_v)
    expected = reference(heads, K, values, mask=MASK)[1].astype(float)
    np.testing.assert_allclose(output, expected, rtol=1e-12)


def test_inputs_may_be_read_only_and_stay_as_they_are(attend):
    locked = [x.copy() for x in (Q, K, V, MASK)]
    for x in locked:
        x.setflags(write=False)
    output = attend(*locked[:3], mask=locked[3])
    for x, copy in zip((Q, K, V, MASK), locked, strict=True):
        np.testing.assert_array_equal(x, copy)
    assert output.flags.writeable


@pytest.mark.parametrize(
    ("q", "k", "v", "message"),
    [
        (Q, K[:, :2], V, r"Q .*\(2, 3\) and K .*\(5, 2\) differ in d_k"),
        (Q, K, V[:4], r"K .*\(5, 3\) and V .*\(4, 4\) differ in m"),
        (Q[0], K, V, r"Q has shape \(3,\), expected"),
        (np.stack([Q] * 2), np.stack([K] * 3), V, "leading dimensions"),
    ],
)
def test_shapes_that_do_not_fit_are_named(attend, q, k, v, message):
    with pytest.raises(ValueError, match=message):
        attend(q, k, v)


@pytest.mark.parametrize("dtype", [complex, object])
def test_other_dtypes_are_type_errors(attend, dtype):
    with pytest.raises(TypeError, match="^K has dtype .*expected real numbers"):
        attend(Q, K.astype(dtype), V)


@pytest.mark.parametrize("mask", [MASK * 1.0, MASK * 1, np.where(MASK, 0, -np.inf)])
def test_a_mask_of_numbers_is_a_type_error(attend, mask):
    with pytest.raises(TypeError, match="mask has dtype .* True where a query may"):
        attend(Q, K, V, mask=mask)
    with pytest.raises(ValueError, match=r"mask has shape \(5, 2\)"):
        attend(Q, K, V, mask=MASK.T)


# --- the running maximum --------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("logits", ["rise", "fall", "tame"])
def test_the_first_block_fully_masked(attend, dtype, logits):
    """And later a row that sees one key only, in the last block."""
    factor = {"rise": 500, "fall": -500, "tame": 0.1}[logits]
    q, v = np.ones((3, 1), dtype), rng.standard_normal((m, d_v)).astype(dtype)
    k = (factor * np.arange(m, dtype=dtype))[:, None]
    mask = np.ones((3, m), dtype=bool)
    mask[:, :2] = False
    mask[1, :4] = False
    mask[2] = False
    output = attend(q, k, v, mask=mask)
    expected = reference(q, k, v, mask=mask)[1].astype(float)
    atol = 8 * np.finfo(dtype).eps * np.abs(v).max()
    np.testing.assert_allclose(output, expected, rtol=0, atol=atol)


@pytest.mark.parametrize("dtype", DTYPES)
def test_all_logits_below_minus_fifty_thousand(attend, dtype):
    """The best of them still get weight: nothing is measured from zero."""
    q = np.full((1, 1), 256, dtype=dtype)
    k = np.array([-240, -239, -239, -200, -200], dtype=dtype)[:, None]
    v = np.arange(1, 6, dtype=dtype)[:, None] ** 2
    assert (q @ k.T).astype(float).max() < -5e4 or dtype == np.float16
    rtol = 4 * np.finfo(dtype).eps
    np.testing.assert_allclose(attend(q, k, v), [[(16 + 25) / 2]], rtol=rtol)
    hidden = attend(q, k, v, mask=[True, True, True, False, False])
    np.testing.assert_allclose(hidden, [[(4 + 9) / 2]], rtol=rtol)


@pytest.mark.parametrize("logit", [1e4, -1e4])
@pytest.mark.parametrize("dtype", DTYPES)
def test_logits_of_ten_thousand(attend, dtype, logit):
    q = np.array([[100.0, 0.0]], dtype=dtype)
    k = np.array([[0.0, 3.0], [0.0, 9.0], [logit / 100, 0.0]], dtype=dtype)
    v = np.array([[2.0], [4.0], [1.0]], dtype=dtype)
    output = attend(q, k, v, scale=1)
    np.testing.assert_array_equal(output, [[1.0 if logit > 0 else 3.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_small_weights_are_right_to_the_last_that_is_normal(attend, dtype):
    """Values that pick out one weight each: the output is the row of weights."""
    info = np.finfo(dtype)
    scores = np.array([0, 0.01, 0.2, 0.5, 0.8, 0.98, 0.995, 1.1, 1.3, 99], dtype)
    scores *= np.log(info.tiny)
    identity = np.eye(len(scores), dtype=dtype)
    output = attend(np.ones((1, 1), dtype), scores[:, None], identity, scale=1)[0]
    expected = reference([[1]], scores[:, None], identity, scale=1)[1][0].astype(float)
    rtol = 2 * info.eps * (1 - scores[:-1].min())
    np.testing.assert_allclose(output, expected, rtol=rtol, atol=2 * float(info.tiny))
    np.testing.assert_array_equal(output[-2:], 0)


def test_a_large_hidden_value_does_not_shine_through_small_ones(attend):
    """Its weight is 0 and not merely small, also where scores are shifted."""
    q, k = np.ones((1, 1), "f"), np.array([[0], [200], [-200], [0]], dtype="f")
    v = np.array([[1e-30], [1e9], [1e9], [3e-30]], dtype="f")
    output = attend(q, k, v, mask=[True, False, False, True])
    np.testing.assert_allclose(output, [[2e-30]], rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("spread", [1, 100, 10_000])
def test_at_a_working_size_the_constant_of_the_bound_is_small(attend, dtype, spread):
    q, k, v = (rng.standard_normal(s) for s in ((48, 64), (80, 64), (80, 32)))
    q *= spread / np.abs(q @ k.T / 8).max()
    q, k, v = (x.astype(dtype) for x in (q, k, v))
    weights, expected = reference(q, k, v)
    s = np.abs(q.astype(np.longdouble) @ k.T.astype(np.longdouble)) / 8
    unit = np.finfo(dtype).eps * (1 + s.max(-1)[:, None]) * (weights @ np.abs(v))
    error = np.abs(attend(q, k, v) - expected)
    assert (error <= 5 * unit).all(), (error / unit).max()


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("std", [1, 30])
def test_it_agrees_with_torch_at_the_size_of_real_tiles(heads, dtype, std):
    q, k, v = (
        rng.standard_normal((1, heads, rows, 64)).astype(dtype)
        for rows in (300, 1100, 1100)
    )
    q *= dtype(std)
    atol = 20 * std * np.finfo(dtype).eps
    for causal in False, True:
        mask = np.tri(300, 1100, dtype=bool) if causal else None
        output = attention_streaming(q, k, v, causal=causal)
        expected = torch_attention(q, k, v, mask=mask)
        np.testing.assert_allclose(output, expected, atol=atol)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_saturated_scores_leave_no_subnormal_weight(dtype):
    """They would slow the matrix product down, on some processors tenfold."""
    rng = np.random.default_rng(0)
    limits, info = Limits(np.dtype(dtype)), np.finfo(dtype)
    kernel = Kernel(64, 256, d_v, limits, dtype)
    q = (0.1 * info.maxexp * rng.standard_normal((64, 8))).astype(dtype)
    k, v = (rng.standard_normal((256, w)).astype(dtype) for w in (8, d_v))
    out = np.empty((64, d_v), dtype)
    blocks = [slice(0, 256)]
    kernel.attend(q, k, v, lambda _: True, blocks, reach=dtype(1e6), out=out)
    P = kernel.scores
    naive = np.exp((q @ k.T) - (q @ k.T).max(-1, keepdims=True))
    assert ((naive > 0) & (naive < info.tiny)).sum() > 20
    assert (P >= info.tiny).all()


# --- masks ----------------------------------------------------------------------


def test_causal_with_more_queries_or_more_keys():
    for rows, keys in (7, 5), (5, 7), (6, 6), (1, 4), (4, 1):
        q, k, v = (rng.standard_normal((r, 4)) for r in (rows, keys, keys))
        output = streaming(q, k, v, causal=True)
        expected = attention(q, k, v, mask=np.tri(rows, keys, dtype=bool))
        np.testing.assert_allclose(output, expected)
        np.testing.assert_allclose(output[0], v[0])


def test_blocks_of_the_future_are_not_looked_at():
    asked = []

    def mask(rows, columns):
        asked.append((rows, columns))
        return np.bool_(True)

    x = rng.standard_normal((8, 4))
    expected = attention(x, x, x, mask=np.tri(8, dtype=bool))
    output = streaming(x, x, x, mask=mask, causal=True, threads=1)
    np.testing.assert_allclose(output, expected)
    assert len(asked) == 4 + 3 + 2 + 1
    assert all(columns.start < rows.stop for rows, columns in asked)


def test_a_callable_is_asked_for_each_tile_and_may_say_none():
    k, v = np.concatenate([K, K]), np.concatenate([V, V])
    asked = np.zeros((n, 2 * m), dtype=int)

    def first_half(rows, columns):
        asked[rows, columns] += 1
        return np.arange(2 * m)[columns] < m if columns.stop > m else None

    output = streaming(Q, k, v, mask=first_half)
    np.testing.assert_allclose(output, attention(Q, K, V))
    assert (asked == 1).all()


def test_each_member_of_a_batch_has_its_own_mask():
    values, masks = np.stack([V, -V]), np.stack([MASK, ~MASK])
    output = streaming(Q, K, values, mask=masks)
    np.testing.assert_allclose(output, attention(Q, K, values, mask=masks))


@pytest.mark.parametrize(
    ("block", "error", "message"),
    [
        (1.0, TypeError, r"mask\(slice\(0, 2\), slice\(0, 2\)\) has dtype float64"),
        (np.array(None), TypeError, "has dtype object"),
        (np.ones((5, 2), bool), ValueError, r"has shape \(5, 2\), .*block = \(2, 2\)"),
        (np.ones((1, 2, 2), bool), ValueError, r"has shape \(1, 2, 2\)"),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_what_a_callable_may_not_answer(block, error, message, threads):
    with pytest.raises(error, match=message):
        streaming(Q, K, V, mask=lambda rows, columns: block, threads=threads)


# --- memory ---------------------------------------------------------------------


def peak(function, *args, **options):
    """Return the largest number of bytes that a call holds at once."""
    tracemalloc.start()
    function(*args, **options)
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size


@pytest.mark.parametrize("kind", ["plain", "causal", "view", "callable", "saturated"])
def test_memory_grows_with_n_not_with_its_square(kind):
    heads = 2

    def measure(T):
        x = np.ones((heads, T, 16), np.float32) * (100 if kind == "saturated" else 1)
        row = np.arange(T) % 3 > 0
        masks = {"view": row, "callable": lambda rows, columns: row[columns]}
        options = dict(mask=masks.get(kind), causal=kind == "causal", threads=1)
        return peak(attention_streaming, x, x, x, block=64, **options)

    small, large = measure(1024), measure(4096)
    assert large < 5 * small
    assert large < heads * 4096 * 4096 * 4 / 64
    x = np.ones((heads, 1024, 16), np.float32)
    assert peak(attention, x, x, x) > heads * 1024 * 1024 * 4


# --- threads --------------------------------------------------------------------


def work_side_by_side():
    """Attend in two threads; each waits in its first tile until the other has one."""
    barrier, met = threading.Barrier(2), set()

    def mask(rows, columns):
        if threading.get_ident() not in met:
            met.add(threading.get_ident())
            barrier.wait(timeout=60)

    x = rng.standard_normal((4, d_k))
    output = streaming(x, x, x, mask=mask, threads=2)
    np.testing.assert_allclose(output, attention(x, x, x))
    assert len(met) == 2


def test_the_threads_really_work_side_by_side():
    work_side_by_side()


def test_what_goes_wrong_in_another_thread_is_raised_in_this_one():
    barrier = threading.Barrier(2)

    def mask(rows, columns):
        if columns.start == 0:
            barrier.wait(timeout=60)
        if threading.current_thread() is not threading.main_thread():
            raise LookupError("not in the main thread")

    x = rng.standard_normal((4, d_k))
    with pytest.raises(LookupError, match="not in the main thread"):
        streaming(x, x, x, mask=mask, threads=2)


def test_calls_that_meet_do_not_wait_for_each_other():
    """The other thread of all calls is the same, and the first call keeps it."""
    x = rng.standard_normal((4, d_k))
    expected = attention(x, x, x)

    def mask(rows, columns):
        inner = streaming(x, x, x, threads=2)
        np.testing.assert_allclose(inner, expected)

    output = streaming(x, x, x, mask=mask, threads=2)
    np.testing.assert_allclose(output, expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_forked_process_has_threads_of_its_own():
    work_side_by_side()
    child = multiprocessing.get_context("fork").Process(target=work_side_by_side)
    child.start()
    child.join(timeout=120)
    assert child.exitcode == 0


@pytest.mark.parametrize("std", [1, 100])
def test_the_number_of_threads_does_not_change_the_result(std):
    q, k, v = (rng.standard_normal((3, 500, 16)).astype("f") for _ in range(3))
    results = [attention_streaming(std * q, k, v, threads=t) for t in (1, 2, 5)]
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


def blas_set_to(count):
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=count, user_api="blas")


def test_the_matrix_product_is_held_to_one_thread_and_set_free_again():
    inside = []

    def mask(rows, columns):
        inside.append(_threads.blas_threads())

    with blas_set_to(2):
        streaming(Q, K, V, mask=mask)
        assert set(inside) == {1}
        assert _threads.blas_threads() == 2
        with pytest.raises(ZeroDivisionError):
            streaming(Q, K, V, mask=lambda rows, columns: 1 / 0, threads=2)
        assert _threads.blas_threads() == 2


def test_a_call_that_ends_inside_another_does_not_set_it_free():
    after_inner = []

    def mask(rows, columns):
        thread = threading.Thread(target=partial(streaming, Q, K, V))
        thread.start()
        thread.join()
        after_inner.append(_threads.blas_threads())

    with blas_set_to(2):
        streaming(Q, K, V, mask=mask)
        assert set(after_inner) == {1}
        assert _threads.blas_threads() == 2


def test_a_call_that_outlasts_another_does_not_hold_it_for_good():
    inside, may_end = threading.Event(), threading.Event()

    def slow(rows, columns):
        inside.set()
        assert may_end.wait(timeout=60)

    def start_slow_call(rows, columns):
        if not thread.is_alive():
            thread.start()
            assert inside.wait(timeout=60)

    thread = threading.Thread(target=partial(streaming, Q, K, V, mask=slow))
    with blas_set_to(2):
        streaming(Q, K[:2], V[:2], mask=start_slow_call)
        assert _threads.blas_threads() == 2
        may_end.set()
        thread.join()
        assert _threads.blas_threads() == 2


def test_from_any_thread_the_result_is_the_same():
    results = []
    with blas_set_to(2):
        call = partial(streaming, Q, K, V, threads=2)
        thread = threading.Thread(target=lambda: results.append(call()))
        thread.start()
        thread.join()
        results.append(call())
    np.testing.assert_array_equal(*results)


def test_it_works_without_threadpoolctl(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "threadpoolctl", None)
    _threads._controller.cache_clear()
    try:
        assert _threads.blas_threads() == 1
        np.testing.assert_allclose(streaming(Q, K, V), attention(Q, K, V))
        np.testing.assert_allclose(streaming(Q, K, V, threads=2), attention(Q, K, V))
    finally:
        _threads._controller.cache_clear()


def test_warnings_stay_quiet_in_every_thread():
    """Overflow, inf and NaN mean what the docstring says, and need no warning."""
    q = np.concatenate([1e200 * Q, np.full_like(Q, np.nan), Q])
    with np.errstate(all="raise"):
        output = streaming(q, 1e200 * K, V, threads=2)
    assert np.isnan(output[:4]).all()


# --- other arguments ------------------------------------------------------------


@pytest.mark.parametrize("scale", [2, 0.5, -1.0, 0])
def test_scales(scale):
    expected = attention(Q, K, V, scale=scale)
    np.testing.assert_allclose(streaming(Q, K, V, scale=scale), expected)


@pytest.mark.parametrize("name", ["block", "threads"])
@pytest.mark.parametrize("bad", [1.0, "2", True, [1]])
def test_counts_that_are_not_whole_numbers(name, bad):
    with pytest.raises(TypeError, match=f"{name} is .*expected a whole number"):
        attention_streaming(Q, K, V, **{name: bad})
    with pytest.raises(ValueError, match=f"{name} is 0, expected 1 or more"):
        attention_streaming(Q, K, V, **{name: 0})


@pytest.mark.parametrize("bad", [1, "yes", None, np.tri(n, m, dtype=bool)])
def test_causal_is_yes_or_no(bad):
    with pytest.raises(
        TypeError, match="(?s)causal is .*expected True or False.*mask="
    ):
        attention_streaming(Q, K, V, causal=bad)


def test_blocks_of_any_size_give_the_same_values():
    expected = attention(Q, K, V)
    for block in 1, 2, 3, 5, 10**9:
        output = attention_streaming(Q, K, V, block=np.int64(block))
        np.testing.assert_allclose(output, expected, rtol=1e-13)
