"""One palette and one set of proportions for every figure of the book."""

# Colour-blind safe; each role keeps its colour on every page.
QUERY = "#0b6bb8"
KEY = "#c2570c"
VALUE = "#1a7f4b"
WEIGHT = "#8b3fa8"
INK = "#1f2933"
MUTED = "#5b6770"
GRID = "#d5dbe1"

# Narrow on purpose: on a phone, 360 px wide, the text is still larger than 9 px. Panels
# side by side have more room; there they stand below each other.
WIDTH, WIDTH_OF_PANELS = 4.6, 5.4

_RC = {
    "figure.facecolor": "white",
    "figure.dpi": 100,
    "font.size": 10.5,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "lines.linewidth": 2.0,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    # Text stays text, and the same data gives the same bytes.
    "svg.fonttype": "none",
    "svg.hashsalt": "sdpa",
}


def setup():
    """Give this session the book's style and, in a notebook, reproducible SVG figures.

    Notebooks call it once, in their first cell. Outside IPython only the style
    is set.
    """
    import matplotlib as mpl

    mpl.rcParams.update(_RC)
    try:
        from IPython import get_ipython
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:
        return
    if get_ipython() is not None:
        # Untrimmed, so that all figures have the same width on the page.
        set_matplotlib_formats("svg", metadata={"Date": None}, bbox_inches=None)


def subplots(rows=1, columns=1, *, height=3.0, **kwargs):
    """`plt.subplots` at the book's width, with a layout that leaves no overlap."""
    import matplotlib.pyplot as plt

    size = (WIDTH if columns == 1 else WIDTH_OF_PANELS, height)
    return plt.subplots(rows, columns, figsize=size, layout="constrained", **kwargs)
