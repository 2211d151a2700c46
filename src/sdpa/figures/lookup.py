"""Figures of lookups: hard and soft, vectors and their weights (pages 1, 2, 5)."""

import numpy as np

from ._style import INK, KEY, MUTED, QUERY, VALUE, WEIGHT, subplots


def hard_and_soft(score, hard, soft):
    """Draw the answers of a hard and of a soft lookup against a sliding score.

    Parameters
    ----------
    score, hard, soft : array_like, shape (p,)
        The sliding score and the two answers at each of its values.
    """
    fig, ax = subplots(height=2.8)
    ax.step(score, hard, color=MUTED, label="hard", where="post")
    ax.plot(score, soft, color=WEIGHT, label="soft")
    ax.set(xlabel="the fifth score", ylabel="first number of the answer")
    ax.legend(title="lookup")
    return fig, ax


def weights_at_temperatures(temperatures, weights):
    """Draw one bar chart of weights for each temperature.

    Parameters
    ----------
    temperatures : sequence of float, length p
    weights : array_like, shape (p, m)
    """
    fig, axes = subplots(1, len(temperatures), height=2.4, sharey=True)
    for ax, temperature, alpha in zip(axes, temperatures, weights, strict=True):
        key = np.arange(1, len(alpha) + 1)
        ax.bar(key, alpha, color=WEIGHT)
        ax.set(title=f"τ = {temperature:g}", xticks=key, ylim=(0, 1))
        ax.grid(axis="x", visible=False)
    axes[0].set_ylabel("weight")
    fig.supxlabel("key", fontsize="medium", color=INK)
    return fig, axes


def turning_key(angle, score, *, lengths):
    """Draw the score of a key that turns around a fixed query, one curve a length.

    Parameters
    ----------
    angle : array_like, shape (p,)
        Angle between query and key, degrees.
    score : array_like, shape (len(lengths), p)
    lengths : sequence of float
        Length of the key for each curve.
    """
    fig, ax = subplots(height=2.9)
    for row, length, style in zip(score, lengths, ("-", "--", ":"), strict=False):
        ax.plot(angle, row, style, color=KEY, label=f"{length:g}")
    ax.axhline(0, color=MUTED, linewidth=1)
    ax.set(
        xlabel="angle between query and key, degrees",
        ylabel="score q·k",
        xticks=np.arange(0, 361, 90),
    )
    ax.legend(title="length of k")
    return fig, ax


def query_over_keys(query, keys, weights, *, values=None, output=None):
    """Draw a query and keys as arrows in the plane; the weights are line widths.

    With `values` and `output`, a second panel shows the output inside the region
    that the values span.

    Parameters
    ----------
    query : array_like, shape (2,)
    keys : array_like, shape (m, 2)
    weights : array_like, shape (m,)
    values : array_like, shape (m, 2), optional
    output : array_like, shape (2,), optional
    """
    panels = 1 if values is None else 2
    fig, axes = subplots(1, panels, height=3.0, squeeze=False)
    _arrows(axes[0, 0], np.asarray(query), np.asarray(keys), np.asarray(weights))
    if values is not None:
        _hull(axes[0, 1], np.asarray(values), np.asarray(weights), np.asarray(output))
    return fig, axes[0]


def _arrows(ax, query, keys, weights):
    """Draw the left panel of `query_over_keys`."""
    for i, (key, weight) in enumerate(zip(keys, weights, strict=True), start=1):
        _arrow(ax, key, KEY, 0.8 + 6 * weight)
        ax.annotate(
            f"k{i}: {weight:.3f}", key, xytext=(5, 5), textcoords="offset points"
        )
    _arrow(ax, query, QUERY, 2.0)
    ax.annotate("q", query, xytext=(5, -14), textcoords="offset points", color=QUERY)
    reach = 1.45 * max(np.abs(keys).max(), np.abs(query).max())
    low = min(0, keys.min(), query.min()) - 0.2 * reach
    ax.update_datalim([(low, low), (reach, reach)])
    ax.autoscale_view()
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_title("keys, weights")


def _arrow(ax, tip, colour, width):
    """Draw one arrow from the origin to `tip`."""
    ax.annotate(
        "",
        tip,
        xytext=(0, 0),
        arrowprops={
            "arrowstyle": "-|>",
            "color": colour,
            "linewidth": width,
            "shrinkA": 0,
            "shrinkB": 0,
        },
    )


def _hull(ax, values, weights, output):
    """Draw the right panel of `query_over_keys`."""
    centre = values.mean(axis=0)
    order = np.argsort(np.arctan2(*(values - centre).T[::-1]))
    ax.fill(*values[order].T, facecolor=VALUE, alpha=0.12, edgecolor=VALUE)
    ax.scatter(*values.T, s=20 + 300 * weights, color=VALUE, zorder=3)
    for i, value in enumerate(values, start=1):
        ax.annotate(f"v{i}", value, xytext=(8, 6), textcoords="offset points")
    ax.scatter(*output, marker="X", s=90, color=WEIGHT, zorder=4)
    ax.annotate(
        "output",
        output,
        xytext=(-8, -14),
        textcoords="offset points",
        ha="right",
        color=WEIGHT,
    )
    ax.margins(0.25)
    ax.set(title="values, output")
    ax.set_aspect("equal", adjustable="datalim")
