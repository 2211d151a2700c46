"""Figures of scores, their softmax and its gradient (page 4)."""

import numpy as np

from ._style import INK, KEY, MUTED, QUERY, WEIGHT, subplots

# Unscaled and scaled keep their colours, and differ in line style as well.
UNSCALED = {"color": KEY, "linestyle": "--"}
SCALED = {"color": QUERY, "linestyle": "-"}


def score_histograms(widths, draws):
    """Draw the distribution of scores at several widths, unscaled and scaled.

    Parameters
    ----------
    widths : sequence of int, length p
    draws : sequence of array_like, length p
        Unscaled scores at each width.
    """
    fig, axes = subplots(2, 1, height=4.4)
    colours = (WEIGHT, KEY, QUERY)
    for width, scores, colour in zip(widths, draws, colours, strict=True):
        for ax, x, reach in zip(
            axes, (scores, scores / np.sqrt(width)), (80, 5), strict=True
        ):
            ax.hist(
                x,
                bins=np.linspace(-reach, reach, 81),
                density=True,
                histtype="step",
                linewidth=1.6,
                color=colour,
                label=f"$d_k$ = {width}",
            )
    axes[0].set(title="unscaled", xlabel="q·k", yscale="log", ylim=(1e-4, None))
    axes[1].set(title="scaled", xlabel="q·k / √$d_k$")
    for ax in axes:
        ax.set_ylabel("density")
    axes[0].legend()
    return fig, axes


def sorted_weights(rows, medians):
    """Draw sorted weights of one row and medians over many, unscaled and scaled.

    Parameters
    ----------
    rows, medians : pair of array_like, shape (2, m)
        Unscaled first, scaled second; each in falling order.
    """
    fig, axes = subplots(1, 2, height=2.5, sharey=True)
    for ax, row, median, title in zip(
        axes, rows, medians, ("unscaled", "scaled by 1/√$d_k$"), strict=True
    ):
        rank = np.arange(1, len(row) + 1)
        ax.bar(rank, row, color=WEIGHT, label="one row")
        ax.plot(rank, median, "o", color=INK, markersize=3.5, label="median")
        ax.set(title=title, xlabel="key, by rank", xticks=(1, 4, 8, 12, 16))
        ax.grid(axis="x", visible=False)
    axes[0].set_ylabel("weight")
    axes[1].legend()
    return fig, axes


def saturation_curves(sweep, *, column):
    """Draw largest weight and effective keys against the width.

    Parameters
    ----------
    sweep : sdpa.Sweep
    column : int
        Which of the sweep's numbers of keys to show.
    """
    fig, axes = subplots(2, 1, height=4.8, sharex=True)
    panels = (("largest", "largest weight"), ("effective_keys", "effective keys"))
    for ax, (measure, label) in zip(axes, panels, strict=True):
        for group, style, name in (
            (sweep.unscaled, UNSCALED, "unscaled"),
            (sweep.scaled, SCALED, "scaled"),
        ):
            summary = group[measure]
            ax.fill_between(
                sweep.d_ks,
                summary.low[:, column],
                summary.high[:, column],
                color=style["color"],
                alpha=0.15,
                linewidth=0,
            )
            ax.plot(sweep.d_ks, summary.median[:, column], label=name, **style)
        ax.set_ylabel(label)
        _width_axis(ax, sweep.d_ks)
    axes[1].set_xlabel("width $d_k$")
    axes[0].legend()
    return fig, axes


def mean_and_median(sweep, *, column):
    """Draw mean and median of the Jacobian's trace against the width.

    Parameters
    ----------
    sweep : sdpa.Sweep
    column : int
        Which of the sweep's numbers of keys to show.
    """
    fig, ax = subplots(height=3.2)
    for group, colour, name in (
        (sweep.scaled, QUERY, "scaled"),
        (sweep.unscaled, KEY, "unscaled"),
    ):
        summary = group["jacobian_trace"]
        ax.plot(sweep.d_ks, summary.mean[:, column], "-", color=colour)
        ax.plot(sweep.d_ks, summary.median[:, column], "--", color=colour)
        if name == "unscaled":
            _label(ax, "unscaled, mean", sweep.d_ks[-1], summary.mean[-1, column], 28)
            _label(ax, "unscaled, median", 130, summary.median[-2, column], -6)
    where = (sweep.d_ks[-1], 1.25)
    ax.annotate("scaled, mean and median", where, ha="right", color=QUERY)
    ax.set(yscale="log", ylim=(1e-4, 3), xlabel="width $d_k$", ylabel="trace of J")
    _width_axis(ax, sweep.d_ks)
    return fig, ax


def random_energy(stds, simulated, theory, *, threshold):
    """Draw effective keys against the spread of the scores, theory and simulation.

    Parameters
    ----------
    stds, simulated, theory : array_like, shape (p,)
    threshold : float
        Standard deviation at which the softmax freezes.
    """
    stds, theory = np.asarray(stds), np.asarray(theory)
    fig, ax = subplots(height=3.4)
    for side in (stds < threshold, stds > threshold):
        ax.plot(stds[side], theory[side], color=WEIGHT)
    ax.plot([], [], color=WEIGHT, label="theory, many keys")
    ax.plot(stds, simulated, "o", color=INK, markersize=3.5, label="simulated")
    ax.axvline(threshold, color=MUTED, linestyle="--", linewidth=1.2)
    ax.annotate(
        "freezes here",
        (threshold, 300),
        xytext=(6, 0),
        textcoords="offset points",
        color=MUTED,
    )
    for std, label in ((1, "scaled"), (8, "unscaled, $d_k$ = 64")):
        height = float(np.interp(std, stds, simulated))
        ax.annotate(
            label,
            (std, height),
            xytext=(14, 34),
            textcoords="offset points",
            ha="center" if std > 1 else "left",
            arrowprops={"arrowstyle": "->", "color": MUTED},
        )
    ax.set(
        yscale="log",
        ylim=(0.8, 4000),
        xlabel="standard deviation of the scores",
        ylabel="effective keys",
    )
    ax.legend(loc="upper right")
    return fig, ax


def _label(ax, text, x, y, shift):
    """Write a curve's name to the left of (x, y), moved up by `shift` points."""
    ax.annotate(
        text,
        (x, y),
        xytext=(0, shift),
        textcoords="offset points",
        ha="right",
        va="center",
        color=KEY,
    )


def _width_axis(ax, widths):
    """Label a logarithmic axis of widths with the widths themselves."""
    ax.set_xscale("log", base=2)
    ax.set_xticks(widths, [str(width) for width in widths])
    ax.minorticks_off()
