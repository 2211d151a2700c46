"""Figures of what attention costs in time and memory, as measured (page 3)."""

import numpy as np

from ._style import INK, KEY, MUTED, QUERY, VALUE, WEIGHT, subplots

# One look for each way of computing: told apart without colour as well.
_LOOKS = {
    "attention_streaming": {"color": QUERY, "marker": "o", "linestyle": "-"},
    "attention": {"color": WEIGHT, "marker": "s", "linestyle": "--"},
    "naive NumPy": {"color": KEY, "marker": "^", "linestyle": "-."},
    "einsum": {"color": MUTED, "marker": "v", "linestyle": ":"},
    "torch eager": {"color": VALUE, "marker": "D", "linestyle": "--"},
    "torch fused": {"color": INK, "marker": "x", "linestyle": "-"},
}
_UNITS = {2**10: "KiB", 2**20: "MiB", 2**30: "GiB"}


def time_against_T(times):
    """Draw the time of one call against the number of tokens.

    Parameters
    ----------
    times : dict of str to pair of array_like, shapes (p,)
        By name: numbers of tokens, and seconds.
    """
    fig, ax = subplots(height=3.8)
    _curves(ax, times)
    ax.set(yscale="log", ylabel="seconds a call")
    return fig, ax


def memory_against_T(held):
    """Draw the memory a call holds beyond its inputs against the number of tokens.

    Parameters
    ----------
    held : dict of str to pair of array_like, shapes (p,)
        By name: numbers of tokens, and bytes.
    """
    fig, ax = subplots(height=3.8)
    _curves(ax, held)
    ax.set(yscale="log", ylabel="extra memory")
    low, high = ax.get_ylim()
    ticks = [2.0**k for k in range(10, 41, 2) if low <= 2.0**k <= high]
    ax.set_yticks(ticks, [_bytes(tick) for tick in ticks])
    ax.minorticks_off()
    return fig, ax


def roofline(points, *, peak, bandwidth):
    """Draw speeds under the roof that memory and arithmetic put over them.

    Parameters
    ----------
    points : dict of str to pair of float
        By name: FLOPs a byte, and GFLOP/s.
    peak : float
        GFLOP/s of the matrix product alone.
    bandwidth : float
        GB/s of main memory.
    """
    fig, ax = subplots(height=3.6)
    speeds = [speed for _, speed in points.values()]
    right = 4 * max(peak / bandwidth, *(x for x, _ in points.values()))
    x = np.geomspace(1, right, 200)
    ax.plot(x, np.minimum(peak, bandwidth * x), color=MUTED)
    ax.annotate(
        "matrix products alone",
        (right, peak),
        xytext=(0, 5),
        textcoords="offset points",
        ha="right",
        color=MUTED,
    )
    for name, (intensity, speed) in points.items():
        look = {**_look(name), "linestyle": "none"}
        ax.plot(intensity, speed, label=name, markersize=8, **look)
    ax.set(
        xscale="log",
        yscale="log",
        xlim=(1, right),
        ylim=(min(speeds) / 2, 2 * peak),
        xlabel="FLOPs a byte moved, by the cost model",
        ylabel="GFLOP/s",
    )
    ax.legend(loc="lower right")
    return fig, ax


def _curves(ax, series):
    """Draw one curve a name over a logarithmic axis of tokens."""
    for name, (tokens, values) in series.items():
        ax.plot(tokens, values, label=name, markersize=5, **_look(name))
    ticks = sorted({int(T) for tokens, _ in series.values() for T in tokens})
    ax.set_xscale("log", base=2)
    ax.set_xticks(ticks, [f"{T:,}" for T in ticks])
    ax.set_xlabel("tokens T")
    ax.legend()


def _look(name):
    """Return the colour, marker and line of a way of computing."""
    return _LOOKS.get(name, {"color": MUTED, "marker": ".", "linestyle": ":"})


def _bytes(size):
    """Write a power of two of bytes in the largest unit that it fills."""
    unit = max(unit for unit in _UNITS if unit <= size)
    return f"{size / unit:g} {_UNITS[unit]}"
