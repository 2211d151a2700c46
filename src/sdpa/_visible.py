"""Which keys a query may see, asked for one tile of the scores at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._arrays import check_mask


@dataclass(frozen=True)
class Visible:
    """A mask that is read tile by tile and never laid out as a whole (private).

    Parameters
    ----------
    mask : ndarray of bool, shape (..., n, m), callable or None
        An array may be a broadcast view. A callable is given two slices, rows and
        columns, and returns a block that broadcasts to their tile (None: all seen).
    causal : bool
        Whether query i may see keys 0 to i only.
    """

    mask: object
    causal: bool

    @classmethod
    def check(cls, mask, causal, shape):
        """Make one from the arguments of a caller, or say what is wrong with them."""
        if not isinstance(causal, bool | np.bool_):
            raise TypeError(
                f"causal is {causal!r} ({type(causal).__name__}), expected True or "
                "False; a pattern of your own goes into mask="
            )
        return cls(mask if callable(mask) else check_mask(mask, shape), bool(causal))

    def tile(self, member, rows, columns):
        """Return what one member of the batch sees of a tile.

        Returns
        -------
        bool or ndarray of bool, shape (rows, columns)
            True if nothing is hidden, False if everything is.
        """
        seen = self._past(rows, columns)
        if seen is False or self.mask is None:
            return seen
        part = self._part(member, rows, columns)
        if part is None:
            return seen
        seen = part if seen is True else seen & part
        if seen.all():
            return True
        return seen if seen.any() else False

    def _past(self, rows, columns):
        """Apply the causal rule: the tiles off the diagonal need no array."""
        if not self.causal or columns.stop - 1 <= rows.start:
            return True
        if columns.start >= rows.stop:
            return False
        shape = rows.stop - rows.start, columns.stop - columns.start
        return np.tri(*shape, k=rows.start - columns.start, dtype=bool)

    def _part(self, member, rows, columns):
        """Read the tile out of the array, or ask the callable for it."""
        if not callable(self.mask):
            return self.mask[member][rows, columns]
        shape = rows.stop - rows.start, columns.stop - columns.start
        name = f"mask({_text(rows)}, {_text(columns)})"
        return check_mask(self.mask(rows, columns), shape, name=name)


def _text(part):
    """Write a slice as one would in code."""
    return f"slice({part.start}, {part.stop})"
