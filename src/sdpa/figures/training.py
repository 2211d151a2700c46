"""Figures of the training experiments (page 4)."""

import numpy as np

from ._style import MUTED, VALUE, subplots
from .saturation import SCALED, UNSCALED

STYLES = {
    "sqrt": (SCALED, "scaled"),
    "none": (UNSCALED, "unscaled"),
    "inverse": ({"color": VALUE, "linestyle": ":"}, "scaled by 1/$d_k$"),
}
LABELS = {
    "accuracy": "share right",
    "loss": "loss",
    "entropy": "entropy in nats",
    "effective_keys": "effective keys",
    "gradient": "gradient norm",
}


def share_solved(results, *, beside=()):
    """Draw the share solved against the width, a panel for each learning rate.

    Parameters
    ----------
    results, beside : sequence of sdpa.training.Curves
        Scaled and unscaled, at several widths, all with the same learning rates.
        Lines are means over seeds and bands reach over all of them; `beside`, a
        longer run, is drawn as circles.
    """
    rates = results[0].config.learning_rates
    fig, axes = subplots(1, len(rates), height=2.9, sharey=True)
    for position, (ax, rate) in enumerate(zip(axes, rates, strict=True)):
        for scale, group in _by_scale(results).items():
            values = [curves.final()[:, position] for curves in group]
            _widths(ax, group, values, scale)
        for scale, group in _by_scale(beside).items():
            _circles(
                ax, group, [curves.final()[:, position] for curves in group], scale
            )
        ax.set_title(f"rate {rate:g}")
        _finish(ax, results)
    axes[0].set_ylabel("share solved")
    _legend(fig, axes[-1])
    return fig, axes


def final_accuracy(panels, *, beside=None):
    """Draw the accuracy at the best learning rate against the width.

    Parameters
    ----------
    panels : dict of str to sequence of sdpa.training.Curves
        By title, two or four of them. Lines are means over seeds and bands reach
        over all of them.
    beside : dict of str to sequence of sdpa.training.Curves, optional
        Another run, by the same titles, drawn as circles.
    """
    rows = len(panels) // 2
    fig, axes = subplots(rows, 2, height=0.6 + 2.2 * rows, sharey=True)
    for ax, (title, results) in zip(np.ravel(axes), panels.items(), strict=True):
        for scale, group in _by_scale(results).items():
            _widths(ax, group, [curves.best_final() for curves in group], scale)
        for scale, group in _by_scale((beside or {}).get(title, ())).items():
            _circles(ax, group, [curves.best_final() for curves in group], scale)
        ax.set_title(title)
        _finish(ax, results)
    for ax in np.reshape(axes, (rows, 2))[:, 0]:
        ax.set_ylabel(LABELS["accuracy"])
    _legend(fig, np.ravel(axes)[-1])
    return fig, axes


def training_curves(results, *, measure="accuracy", limit=None):
    """Draw a measure while training, at the best learning rate, a panel each width.

    Parameters
    ----------
    results : sequence of sdpa.training.Curves
        Scaled and unscaled, at one to four widths.
    measure : str, default "accuracy"
        Which measure; lines are medians over seeds and bands reach over all of them.
    limit : float, optional
        A level to mark, such as the largest value possible.
    """
    widths = sorted({curves.config.d_k for curves in results})
    fig, axes = subplots(1, len(widths), height=2.8, sharey=True, squeeze=False)
    for ax, width in zip(axes[0], widths, strict=True):
        for curves in (c for c in results if c.config.d_k == width):
            style, name = STYLES[curves.config.scale]
            low, middle, high = curves.band(measure)
            _band(ax, curves.steps, low, high, style)
            ax.plot(curves.steps, middle, label=name, **style)
        if limit is not None:
            ax.axhline(limit, color=MUTED, linestyle=":", linewidth=1.2)
        ax.set(title=f"$d_k$ = {width}", xlabel="step")
        ax.set_xticks((0, curves.steps[-1] // 2, curves.steps[-1]))
    axes[0, 0].set_ylabel(LABELS[measure])
    if measure == "gradient":  # over many powers of ten
        axes[0, 0].set(yscale="log", ylim=(1e-12, None))
    else:
        axes[0, 0].set_ylim(0, 1.03 if measure == "accuracy" else None)
    _legend(fig, axes[0, -1])
    return fig, axes[0]


def learning_rate_window(panels):
    """Draw the final accuracy against the learning rate.

    Parameters
    ----------
    panels : dict of str to sequence of sdpa.training.Curves
        By title; scaled and unscaled at one width. Lines are means over seeds and
        bands reach over all of them.
    """
    fig, axes = subplots(1, len(panels), height=2.8, sharey=True, squeeze=False)
    for ax, (title, results) in zip(axes[0], panels.items(), strict=True):
        for curves in results:
            style, name = STYLES[curves.config.scale]
            rates, values = curves.config.learning_rates, curves.final()
            _band(ax, rates, values.min(0), values.max(0), style)
            ax.plot(
                rates, values.mean(0), marker="o", markersize=4, label=name, **style
            )
        ax.set(title=title, xlabel="learning rate", xscale="log", ylim=(0, 1.03))
        ax.set_xticks(rates, [f"{rate:g}" for rate in rates])
        ax.minorticks_off()
    axes[0, 0].set_ylabel(LABELS["accuracy"])
    _legend(fig, axes[0, 0])
    return fig, axes[0]


def _by_scale(results):
    """Sort results by width, under their scale."""
    return {
        scale: sorted(
            (curves for curves in results if curves.config.scale == scale),
            key=lambda curves: curves.config.d_k,
        )
        for scale in STYLES
        if any(curves.config.scale == scale for curves in results)
    }


def _widths(ax, group, values, scale):
    """Draw means over seeds against widths, and a band from lowest to highest."""
    style, name = STYLES[scale]
    widths = [curves.config.d_k for curves in group]
    _band(ax, widths, [v.min() for v in values], [v.max() for v in values], style)
    ax.plot(widths, [v.mean() for v in values], label=name, **style)


def _circles(ax, group, values, scale):
    """Draw means over seeds against widths as circles."""
    ax.plot(
        [curves.config.d_k for curves in group],
        [v.mean() for v in values],
        "o",
        color=STYLES[scale][0]["color"],
        markerfacecolor="none",
        markersize=5,
    )


def _band(ax, x, low, high, style):
    """Fill between the lowest and the highest seed."""
    ax.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0)


def _finish(ax, results):
    """Label an axis of widths sparsely, and an axis of shares in full."""
    widths = sorted({curves.config.d_k for curves in results})
    ax.set_xscale("log", base=2)
    shown = [4, 64, 1024] if widths[-1] >= 1024 else widths
    ax.set_xticks(shown, [str(width) for width in shown])
    ax.minorticks_off()
    ax.set(xlabel="width $d_k$", ylim=(0, 1.03))


def _legend(fig, ax):
    """Explain the lines of one of the axes above all of them, where nothing is."""
    handles, names = ax.get_legend_handles_labels()
    fig.legend(handles, names, loc="outside upper center", ncols=len(names))
