"""Kinds of state: whole numbers, and vectors and matrices of numbers as tuples."""

import math
import reprlib

import numpy as np
import traitlets as t


class _Numbers(t.TraitType):
    """An array of finite real numbers, kept as nested tuples.

    Tuples compare with ``==`` to one truth, so that a change is seen when there is one.
    """

    ndim: int
    kind: str

    def __init__(self, default, *, columns=None, limit=math.inf):
        """Take the default, the length of the last axis and the largest size."""
        self.columns, self.limit = columns, limit
        super().__init__(default)
        self.tag(sync=True, state=True)

    def validate(self, obj, value):
        """Turn what was given into tuples of floats."""
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            array = np.empty(0)
        fits = array.ndim == self.ndim and array.size and np.isfinite(array).all()
        if fits and self.columns is not None:
            fits = array.shape[-1] == self.columns
        if not fits or np.abs(array).max() > self.limit:
            given = reprlib.repr(value)
            raise t.TraitError(f"{self.name} is {given}, expected {self.info()}")
        return _tuples(array)

    def info(self):
        """Say what is expected."""
        length = "" if self.columns is None else f" of length {self.columns}"
        size = (
            ""
            if self.limit == math.inf
            else f", from -{self.limit:g} to {self.limit:g}"
        )
        return f"{self.kind}{length} of finite numbers{size}"


class Vector(_Numbers):
    """A vector."""

    ndim, kind = 1, "a vector"


class Matrix(_Numbers):
    """A matrix, one vector a row."""

    ndim, kind = 2, "a matrix with rows"


def _tuples(array):
    return tuple(map(_tuples, array)) if array.ndim > 1 else tuple(array.tolist())


class Number(t.Float):
    """A number within limits; ∞ travels as the word "inf", which JSON can carry."""

    def __init__(self, default, *, low, high):
        """Take the default and the limits."""
        self.low, self.high = low, high
        super().__init__(default)
        self.tag(sync=True, state=True, to_json=_out, from_json=_in)

    def validate(self, obj, value):
        """Refuse what is no number, and what is not within the limits."""
        number = isinstance(value, int | float | np.number)
        if isinstance(value, bool) or not number or not self.low <= value <= self.high:
            raise t.TraitError(
                f"{self.name} is {value!r}, expected a number from {self.low:g} to "
                f"{self.high:g}"
            )
        return float(value)


class Whole(t.TraitType):
    """A whole number within limits; NumPy's count as well."""

    def __init__(self, default, *, low, high):
        """Take the default and the limits."""
        self.low, self.high = low, high
        super().__init__(default)
        self.tag(sync=True, state=True)

    def validate(self, obj, value):
        """Refuse what is no whole number, and what is not within the limits."""
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or not self.low <= value <= self.high:
            raise t.TraitError(
                f"{self.name} is {value!r}, expected a whole number from {self.low} to "
                f"{self.high}"
            )
        return int(value)


def _out(value, widget=None):
    return "inf" if value == math.inf else value


def _in(value, widget=None):
    return math.inf if value == "inf" else value
