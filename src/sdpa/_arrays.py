"""Checks and conversions that every formula of the package shares.

Nothing here is public. Each check answers one question, and each error says what
was given, what was expected and what to do about it.
"""

from __future__ import annotations

import math
from numbers import Real

import numpy as np


def quiet():
    """Let IEEE arithmetic give inf, NaN or 0 without a warning.

    Used only where the docstring of the caller says what such an entry means.
    """
    return np.errstate(over="ignore", under="ignore", invalid="ignore")


def as_float_arrays(**arrays):
    """Convert arguments to arrays of one floating dtype, without changing them.

    Integers and booleans become float64; mixed floats follow `numpy.result_type`;
    float16 is widened to float32, because NumPy's own float16 arithmetic is slow
    and overflows at 65,504.

    Parameters
    ----------
    **arrays : array_like
        The arguments, each under the name that an error should use.

    Returns
    -------
    arrays : list of ndarray
        In the order given, all of the working dtype.
    dtype : numpy.dtype
        The dtype a result should be returned in: float16 if the inputs were, else
        the working dtype.

    Raises
    ------
    TypeError
        If an argument is a masked array, or holds anything but real numbers.
    ValueError
        If an argument is a ragged nested list.
    """
    converted = [_as_real_array(name, value) for name, value in arrays.items()]
    kinds = [x.dtype if x.dtype.kind == "f" else np.float64 for x in converted]
    dtype = np.result_type(*kinds)
    working = np.result_type(dtype, np.float32)
    return [x.astype(working, copy=False) for x in converted], dtype


def _as_real_array(name, value):
    """Return `value` as an ndarray of real numbers, or say what is wrong with it."""
    array = _as_array(name, value)
    if array.dtype.kind not in "fiub":
        raise TypeError(
            f"{name} has dtype {array.dtype}, expected real numbers; "
            "convert it first, e.g. with .astype(float)"
        )
    return array


def _as_array(name, value):
    """Return `value` as an ndarray, which loses nothing on the way."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a NumPy masked array, whose mask would be lost; "
            "pass its data, and say with mask= which keys may be attended to"
        )
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ValueError(
            f"{name} is no rectangular array ({error}); "
            "give every row the same number of entries"
        ) from None


def check_ndim(name, array, ndim):
    """Demand exactly `ndim` dimensions of a parameter such as `w` or `W`."""
    if array.ndim != ndim:
        raise ValueError(
            f"{name} has shape {array.shape}, expected {ndim} dimension"
            f"{'s' if ndim > 1 else ''}"
        )


def check_not_scalar(name, array):
    """Demand an axis to work along."""
    if array.ndim == 0:
        raise ValueError(
            f"{name} is a single number, expected an array with an axis of keys; "
            f"write [{name}]"
        )


def check_matrices(**arrays):
    """Demand at least two dimensions: rows of vectors."""
    for name, array in arrays.items():
        if array.ndim < 2:
            raise ValueError(
                f"{name} has shape {array.shape}, expected (..., rows, features); "
                f"for a single row write np.asarray({name})[None, :]"
            )


def check_same(what, *, first, second):
    """Demand that two axes have one length; each is `(name, array, axis)`."""
    (name_1, array_1, axis_1), (name_2, array_2, axis_2) = first, second
    size_1, size_2 = array_1.shape[axis_1], array_2.shape[axis_2]
    if size_1 != size_2:
        raise ValueError(
            f"{name_1} with shape {array_1.shape} and {name_2} with shape "
            f"{array_2.shape} differ in {what}: {size_1} (axis {axis_1} of {name_1}) "
            f"against {size_2} (axis {axis_2} of {name_2}); make them equal"
        )


def leading_shape(**arrays):
    """Broadcast all dimensions but the last two, or name the shapes that clash."""
    try:
        return np.broadcast_shapes(*(x.shape[:-2] for x in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {x.shape}" for name, x in arrays.items())
        raise ValueError(
            f"the leading dimensions do not broadcast: {shapes}; all dimensions "
            "before the last two must be equal, 1 or absent"
        ) from None


def scores_shape(Q, K, V=None):
    """Check Q, K and perhaps V against each other; return `(..., n, m)`."""
    arrays = {"Q": Q, "K": K} if V is None else {"Q": Q, "K": K, "V": V}
    check_matrices(**arrays)
    check_same("d_k", first=("Q", Q, -1), second=("K", K, -1))
    if V is not None:
        check_same("m, the number of keys", first=("K", K, -2), second=("V", V, -2))
    return (*leading_shape(**arrays), Q.shape[-2], K.shape[-2])


def check_mask(mask, shape, *, name="mask"):
    """Return the mask broadcast to `shape` (a read-only view), or None.

    Raises
    ------
    TypeError
        If the mask is not boolean: 0/1 numbers would leave open which of them hides.
    ValueError
        If it is ragged, or does not broadcast to the shape of the scores.
    """
    if mask is None:
        return None
    array = _as_array(name, mask)
    if array.dtype != bool:
        raise TypeError(
            f"{name} has dtype {array.dtype}, expected booleans with True where a "
            "query may attend to a key; write e.g. mask > 0"
        )
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        scores = "(..., n, m)" if name == "mask" else "block"
        raise ValueError(
            f"{name} has shape {array.shape}, expected one that broadcasts to the "
            f"scores' shape {scores} = {shape}; insert axes of length 1 if needed"
        ) from None


def check_scale(scale, d_k, dtype):
    """Return the factor on the scores as a scalar of `dtype`; 1/√d_k by default."""
    if scale is None:
        # No coordinates: every score is an empty sum, 0, whatever the factor.
        return 1 / np.sqrt(dtype.type(max(d_k, 1)))
    if isinstance(scale, bool | np.bool_) or not isinstance(scale, Real):
        raise TypeError(
            f"scale is {scale!r} ({type(scale).__name__}), expected one real number; "
            "leave it out for 1/√d_k, or pass 1.0 for no scaling"
        )
    with quiet():
        factor = dtype.type(scale if isinstance(scale, np.floating) else float(scale))
    if not math.isfinite(factor):
        raise ValueError(
            f"scale is {scale!r}, expected a finite number within {dtype.name}; "
            "leave it out for 1/√d_k"
        )
    return factor


def hide(S, mask):
    """Write the mask into the scores: −inf where nothing may be seen.

    An infinite score that is seen comes from an infinite input or from overflow; its
    weight is not defined. It becomes NaN, which spoils its whole row in the softmax,
    so that −inf means one thing only: hidden. May reuse the memory of S.
    """
    finite = np.isfinite(S)
    if not finite.all():
        S = np.where(finite, S, np.nan)
    return S if mask is None else np.where(mask, S, -np.inf)


def average(A, V, visible=None):
    """Return `A @ V`, in which a value that is not visible takes no part at all.

    The plain product lets a hidden NaN through, since 0 · NaN = NaN. Here such
    entries are left out, and NaN is put back for the rows that do see them.

    Parameters
    ----------
    A : ndarray, shape (..., n, m)
    V : ndarray, shape (..., m, d_v)
    visible : ndarray of bool, shape (..., n, m), optional
        Default: every value is visible to every row.
    """
    finite = np.isfinite(V)
    with quiet():
        if finite.all():
            return A @ V
        if visible is None:
            touched = ~finite.all(axis=-2, keepdims=True)  # (..., 1, d_v)
        else:
            # How many bad entries each row sees, by the fast product of floats.
            touched = visible.astype(V.dtype) @ ~finite > 0  # (..., n, d_v)
        return np.where(touched, np.nan, A @ np.where(finite, V, 0))
