"""The view *Bill*: what one layer of attention costs, beside another."""

from math import log10

import traitlets as t

from ..cost import BYTES_PER_NUMBER, attention_cost
from . import _drawing as d
from ._base import View
from ._traits import Whole

LONGEST = 2**20
MOST_HEADS = 128
FAMILIAR = {
    # 1 MiB is what each core of many desktop and server processors has.
    "cache": 2**20,
    # Sold as "8 GB": a usual size of a phone's memory.
    "phone": 8 * 10**9,
    # Sold as "80 GB": the memory of a large accelerator for training.
    "accelerator": 80 * 10**9,
}
OTHERS = ("one", "way", "twice")


class Bill(View):
    """FLOPs and bytes of one layer of self-attention, beside those of another.

    Parameters
    ----------
    T : int, default 1024
        Tokens, from 1 to 2²⁰.
    d, h : int, default 768 and 12
        Width of the layer, from 64 to 16384, and number of heads, a divisor of it.
    dtype : {"fp16", "bf16", "fp32", "fp64"}
        How numbers are stored.
    mac : {2, 1}
        FLOPs charged for a multiply-add.
    projections : bool
        Whether W_Q, W_K, W_V and W_O are counted.
    streaming : bool
        Whether the scores are held a block at a time, or written down.
    block : int, default 512
        Keys in a block.
    beside : {"one", "way", "twice"}
        What to compare with: one head; streaming for written down and the other way
        round; or twice the length.

    Raises
    ------
    traitlets.TraitError
        If a part of the state is not of this kind, or h does not divide d.

    Examples
    --------
    >>> view = Bill(T=4096, d=4096, h=32)
    >>> view.cost.matmuls, view.cost.score_bytes // 2**20
    (274877906944, 1024)
    >>> view.other.score_bytes // 2**20
    32
    """

    view_name = "bill"

    T = Whole(1024, low=1, high=LONGEST)
    d = Whole(768, low=64, high=2**14)
    h = Whole(12, low=1, high=MOST_HEADS)
    dtype = t.Enum(tuple(BYTES_PER_NUMBER), "fp16").tag(sync=True, state=True)
    mac = t.Enum((1, 2), 2).tag(sync=True, state=True)
    projections = t.Bool(False).tag(sync=True, state=True)
    streaming = t.Bool(False).tag(sync=True, state=True)
    block = Whole(512, low=1, high=LONGEST)
    beside = t.Enum(OTHERS, "one").tag(sync=True, state=True)

    @t.validate("d", "h")
    def _divides(self, proposal):
        sizes = {"d": self.d, "h": self.h} | {proposal.trait.name: proposal.value}
        if sizes["d"] % sizes["h"]:
            raise t.TraitError(
                f"h is {sizes['h']}, which does not divide d = {sizes['d']}; change "
                "both at once with set(d=…, h=…)"
            )
        return proposal.value

    def _cost(self, **changes):
        part = {"T": self.T, "h": self.h, "streaming": self.streaming} | changes
        width = self.d // part["h"]
        return attention_cost(
            part["T"],
            part["T"],
            width,
            width,
            heads=part["h"],
            flops_per_mac=self.mac,
            dtype=self.dtype,
            d_model=self.d if self.projections else None,
            streaming=part["streaming"],
            block=self.block,
        )

    @property
    def cost(self):
        """The bill, a `sdpa.Cost`."""
        return self._cost()

    @property
    def other(self):
        """The bill beside it, a `sdpa.Cost`."""
        changes = {"one": {"h": 1}, "way": {"streaming": not self.streaming}}
        changes["twice"] = {"T": 2 * self.T}
        return self._cost(**changes[self.beside])

    def quantities(self):
        """Compute every number that the view shows.

        Returns
        -------
        dict of str to int or float
        """
        return (
            {"T": self.T, "d": self.d, "h": self.h}
            | {f"this.{name}": x for name, x in _figures(self.cost).items()}
            | {f"beside.{name}": x for name, x in _figures(self.other).items()}
            | {f"familiar.{name}": x for name, x in FAMILIAR.items()}
        )

    def figure(self):
        """Draw FLOPs and bytes of both bills on logarithmic axes.

        Returns
        -------
        str
        """
        parts, y = [], 14
        for name, text, unit in SHOWN:
            parts.append(d.label(0, y, text))
            bills = zip((self.cost, self.other), ("weight", "muted"), strict=True)
            for bill, role in bills:
                x = _figures(bill)[name]
                length = 200 * min(1.0, max(0.01, (log10(x) - 3) / 15))
                size = {"width": length, "height": 14}
                parts.append(d.shape("rect", role, x=0, y=y + 6, **size))
                parts.append(d.label(length + 6, y + 17, f"{x:,} {unit}", "ink"))
                y += 18
            y += 24
        return d.picture(380, y - 8, self._words(), *parts)

    def _words(self):
        one, two = self.cost, self.other
        return (
            f"Bill of a layer with T = {self.T}, d = {self.d} and h = {self.h} in "
            f"{self.dtype}: {one.matmuls:,} FLOPs for the two products and "
            f"{one.score_bytes:,} bytes of scores; beside it {two.matmuls:,} FLOPs and "
            f"{two.score_bytes:,} bytes."
        )


SHOWN = (
    ("matmuls", "QKᵀ and AV", "FLOPs"),
    ("score_bytes", "scores held at once", "bytes"),
    ("bytes_moved", "memory traffic", "bytes"),
)


def _figures(cost):
    """Name the figures of a bill as the view does."""
    names = ("matmuls", "projections", "flops", "score_bytes", "tensor_bytes")
    figures = {
        name: getattr(cost, name) for name in (*names, "bytes_moved", "intensity")
    }
    return figures | {"softmax": cost.scale + cost.softmax + cost.rescaling}
