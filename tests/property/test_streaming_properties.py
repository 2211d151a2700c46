"""attention_streaming on generated shapes, dtypes, strides, masks and magnitudes.

Blocks are drawn as well, down to single keys, so that the running maximum, the first
block and a shorter last one all occur. Both ways through the code are taken: the fast
one, and the careful one that other numbers than these would need.
"""

from contextlib import contextmanager
from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sdpa import attention, attention_streaming
from sdpa._kernel import Limits
from tests.oracle import error_bound, reference
from tests.strategies import FLOATS, assert_within, fixed, problems

BLOCKS = st.integers(1, 7)
WAYS = st.sampled_from(("fast", "careful"))
BAD = st.sampled_from((np.nan, np.inf, -np.inf))


@contextmanager
def way(name):
    """Let nothing fit the fast way if the careful one is asked for."""
    if name == "fast":
        yield
    else:
        with mock.patch.object(Limits, "fit", return_value=False):
            yield


def closure(mask):
    """Give a 2-D mask as a function of slices."""
    return lambda rows, columns: mask[rows, columns]


@settings(fixed, max_examples=400)
@given(problems(), BLOCKS, WAYS)
def test_it_is_within_the_error_bound_of_long_double(problem, block, name):
    Q, K, V, mask = problem
    copies = [x.copy() for x in problem if x is not None]
    with way(name):
        output = attention_streaming(Q, K, V, mask=mask, block=block)
    _, expected = reference(Q, K, V, mask=mask)
    assert output.shape == expected.shape
    assert output.dtype == attention(Q, K, V, mask=mask).dtype
    assert_within(output, expected, error_bound(Q, K, V, mask=mask))
    for before, after in zip(copies, problem, strict=False):
        np.testing.assert_array_equal(before, after)


@fixed
@given(problems(), BLOCKS, WAYS)
def test_causal_is_the_lower_triangle_and_joins_a_mask(problem, block, name):
    Q, K, V, mask = problem
    past = np.tri(Q.shape[-2], K.shape[-2], dtype=bool)
    both = past if mask is None else past & mask
    with way(name):
        output = attention_streaming(Q, K, V, mask=mask, causal=True, block=block)
    _, expected = reference(Q, K, V, mask=both)
    assert_within(output, expected, error_bound(Q, K, V, mask=both))


@fixed
@given(problems(smallest=1), BLOCKS)
def test_a_function_of_slices_is_the_array_it_cuts(problem, block):
    Q, K, V, mask = problem
    mask = np.ones((Q.shape[-2], K.shape[-2]), bool) if mask is None else mask
    mask = mask[(0,) * (mask.ndim - 2)]
    by_function = attention_streaming(Q, K, V, mask=closure(mask), block=block)
    by_array = attention_streaming(Q, K, V, mask=mask, block=block)
    np.testing.assert_array_equal(by_function, by_array)


@fixed
@given(problems(), BLOCKS, st.integers(2, 4))
def test_threads_change_nothing(problem, block, threads):
    Q, K, V, mask = problem
    alone = attention_streaming(Q, K, V, mask=mask, block=block, threads=1)
    together = attention_streaming(Q, K, V, mask=mask, block=block, threads=threads)
    np.testing.assert_array_equal(alone, together)


@fixed
@given(problems(smallest=1, dtypes=FLOATS, magnitudes=(1.0, 8.0)), BLOCKS, st.data())
def test_bad_entries_spoil_exactly_the_rows_that_see_them(problem, block, data):
    """The formula's rule for NaN and inf (tested there) holds across blocks."""
    *arrays, mask = problem
    clean = attention(*arrays, mask=mask)
    bound = 2 * error_bound(*arrays, mask=mask)
    lead = clean.shape[:-2]
    arrays = [np.broadcast_to(x, (*lead, *x.shape[-2:])).copy() for x in arrays]
    for target in data.draw(st.lists(st.sampled_from(arrays), min_size=1, max_size=3)):
        where = tuple(data.draw(st.integers(0, size - 1)) for size in target.shape)
        target[where] = data.draw(BAD)
    expected = np.isnan(attention(*arrays, mask=mask))
    output = attention_streaming(*arrays, mask=mask, block=block)
    np.testing.assert_array_equal(np.isnan(output), expected)
    assert_within(output[~expected], clean[~expected], bound[~expected])


@fixed
@given(problems(dtypes=FLOATS), BLOCKS, st.randoms(use_true_random=False))
def test_permuting_keys_with_their_values_changes_nothing(problem, block, random):
    """However the largest score moves between the blocks."""
    Q, K, V, mask = problem
    order = list(range(K.shape[-2]))
    random.shuffle(order)
    moved = None if mask is None else mask[..., order]
    K_moved, V_moved = K[..., order, :], V[..., order, :]
    output = attention_streaming(Q, K_moved, V_moved, mask=moved, block=block)
    still = attention_streaming(Q, K, V, mask=mask, block=block)
    assert_within(output, still, 2 * error_bound(Q, K, V, mask=mask))
