"""Figures of shapes and of cost (page 3)."""

import numpy as np

from ._style import INK, KEY, MUTED, QUERY, VALUE, WEIGHT, subplots

_AROUND = 2.1  # cells' heights that the name of a matrix and its shape take


def shape_trace(Q, K, V, A, output, *, row):
    """Draw the computation as coloured grids, with one query's row framed.

    Parameters
    ----------
    Q, K, V, A, output : array_like
        Matrices of shapes (n, d_k), (m, d_k), (m, d_v), (n, m), (n, d_v).
    row : int
        Index of the query to follow.
    """
    Q, K, V, A, output = map(np.asarray, (Q, K, V, A, output))
    n, d_k = Q.shape
    m, d_v = V.shape
    # One scale for both lines of matrices: room for the tallest, its name and shape.
    room = [max(n, tallest) + _AROUND for tallest in (d_k, m)]
    fig, axes = subplots(2, 1, height=4.0, height_ratios=room)
    top = (
        (Q, "Q", QUERY, "n × $d_k$", row),
        (K.T, "Kᵀ", KEY, "$d_k$ × m", None),
        (Q @ K.T, "QKᵀ", WEIGHT, "n × m", row),
    )
    bottom = (
        (A, "A", WEIGHT, "n × m", row),
        (V, "V", VALUE, "m × $d_v$", None),
        (output, "AV", INK, "n × $d_v$", row),
    )
    for ax, grids in zip(axes, (top, bottom), strict=True):
        _line_of_grids(ax, grids, signs=("×", "="))
    axes[0].set_title("scores")
    axes[1].set_title("softmax of each scaled row, then the output")
    return fig, axes


def _line_of_grids(ax, grids, *, signs):
    """Draw matrices from left to right with a sign between neighbours."""
    x = 0.0
    tallest = max(len(matrix) for matrix, *_ in grids)
    for i, (matrix, name, colour, shape, row) in enumerate(grids):
        rows, columns = matrix.shape
        y = (tallest - rows) / 2
        _grid(ax, matrix, x, y, colour)
        if row is not None:
            _cell(ax, x, y + row, columns, facecolor="none", ec=INK, lw=2, zorder=3)
        ax.text(x + columns / 2, y - 0.3, name, ha="center", color=colour)
        ax.text(x + columns / 2, y + rows + 0.85, shape, ha="center", color=INK)
        x += columns + 1.6
        if i < len(signs):
            ax.text(x - 0.8, tallest / 2 + 0.2, signs[i], ha="center", fontsize="large")
    ax.set(xlim=(-0.2, 17.4), ylim=(tallest + _AROUND - 1, -1), aspect="equal")
    ax.axis("off")


def _grid(ax, matrix, x, y, colour):
    """Draw one matrix; the larger an entry in size, the darker its cell."""
    size = np.abs(matrix)
    shade = 0.1 + 0.8 * size / (size.max() or 1)
    for (i, j), alpha in np.ndenumerate(shade):
        _cell(ax, x + j, y + i, 1, facecolor=colour, alpha=alpha, ec="white")


def _cell(ax, x, y, width, **style):
    """Draw a rectangle of height 1 with its corner at (x, y)."""
    from matplotlib.patches import Rectangle

    ax.add_patch(Rectangle((x, y), width, 1, **style))


def bill(lengths, *, attention, projections, crossing):
    """Draw the FLOPs of attention and of the projections against the length.

    Parameters
    ----------
    lengths, attention, projections : array_like, shape (p,)
    crossing : int
        Length at which the two cost the same.
    """
    fig, ax = subplots(height=3.2)
    ax.loglog(lengths, projections, color=MUTED, linestyle="--", label="projections")
    ax.loglog(lengths, attention, color=WEIGHT, label="attention")
    ax.axvline(crossing, color=INK, linewidth=1, linestyle=":")
    ax.annotate(
        f"T = 2d = {crossing}",
        (crossing, min(attention)),
        xytext=(6, 4),
        textcoords="offset points",
    )
    ax.set_xscale("log", base=2)
    ticks = lengths[::2]
    ax.set_xticks(ticks, [str(t) for t in ticks])
    ax.minorticks_off()
    ax.set(xlabel="length T", ylabel="FLOPs of a layer")
    ax.legend()
    return fig, ax
