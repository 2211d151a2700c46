"""What the property tests draw: inputs of attention of any shape, dtype and layout."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

fixed = settings(max_examples=100, derandomize=True, deadline=None, database=None)
FLOATS = (np.float16, np.float32, np.float64)
DTYPES = (*FLOATS, np.int8, np.int64, np.bool_)
LAYOUTS = ("C", "F", "every second", "reversed", "read-only")
# Size of the entries of Q and K. Two vectors with entries ±a give logits up to
# a²·√d_k: at 80 and d_k = 3 that is ±1e4.
MAGNITUDES = (0.0, 1e-3, 1.0, 8.0, 80.0)


def lay_out(x, layout):
    """Return the same numbers in another arrangement in memory."""
    if layout == "F":
        return np.asfortranarray(x)
    if layout == "every second":
        return np.repeat(x, 2, axis=-1)[..., ::2]
    if layout == "reversed":
        return x[..., ::-1].copy()[..., ::-1]
    x = x.copy()
    x.setflags(write=layout != "read-only")
    return x


def numbers(rng, shape, dtype, magnitude):
    """Draw entries that the dtype can hold."""
    if np.dtype(dtype).kind == "f":
        return (magnitude * rng.uniform(-1, 1, shape)).astype(dtype)
    return rng.integers(0 if dtype is np.bool_ else -3, 4, shape).astype(dtype)


@st.composite
def problems(draw, *, smallest=0, dtypes=DTYPES, magnitudes=MAGNITUDES):
    """Draw Q, K, V and a mask (or None) whose shapes fit."""
    n, m, d_k, d_v = (draw(st.integers(smallest, 6)) for _ in range(4))
    lead = draw(
        hnp.mutually_broadcastable_shapes(
            num_shapes=3, min_side=smallest, max_dims=2, max_side=3
        )
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    magnitude = draw(st.sampled_from(magnitudes))
    sizes = zip(((n, d_k), (m, d_k), (m, d_v)), (magnitude, magnitude, 3), strict=True)
    arrays = [
        lay_out(
            numbers(rng, (*head, *tail), draw(st.sampled_from(dtypes)), size),
            draw(st.sampled_from(LAYOUTS)),
        )
        for head, (tail, size) in zip(lead.input_shapes, sizes, strict=True)
    ]
    visible = draw(st.sampled_from((None, 0.0, 0.3, 0.7)))
    shape = (*lead.result_shape, n, m)
    mask = None if visible is None else rng.random(shape) < visible
    return *arrays, mask


def assert_within(actual, expected, bound):
    """Compare in long double; the failure shows the worst ratio to the bound."""
    excess = np.abs(actual.astype(np.longdouble) - expected) - bound
    assert (excess <= 0).all(), f"beyond the bound by {excess.max()}"
