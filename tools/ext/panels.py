"""Figures whose panels stand side by side, or below each other for want of room.

Matplotlib writes one drawing. Cut between its columns, it is a row of drawings that
a page can wrap; put back together, they are the same figure. A panel that shares the
y axis of the first in its row has no labels of its own, and borrows them when it comes
to stand at the start of a line.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

GROUP = re.compile(r'^  <g id="([a-z]+)_\d+">\n.*?^  </g>\n', re.M | re.S)
GROUND = re.compile(r'<path d="M (\S+) (\S+) \nL (\S+) \S+ \nL \S+ (\S+) ')
AXIS_Y = re.compile(
    r'^   <g id="(matplotlib\.axis_\d*[02468])">\n(.*?)^   </g>\n', re.M | re.S
)
PLACE = re.compile(r'(?:"M |(?<!<tspan) x="|translate\()([\d.]+)(?: |" y=")([\d.]+)')
WORDS = re.compile(
    r'text-anchor: (start|middle);[^>]*? x="([\d.]+)"[^>]*>([^<]*)</text>'
)
LETTER = 6.3  # points that a letter takes, about
PIXELS = 96 / 72  # for a point
BESIDE = 2  # panels in a line where there is no room for all, if they are more
ROOM = 8.0  # points from one panel to the labels of the next
LINE = 5.0  # points from the base of a line of text to what is below


@dataclass
class Axes:
    """One pair of axes: where it stands, and how Matplotlib wrote it."""

    drawing: str
    left: float
    right: float
    top: float
    bottom: float

    @classmethod
    def read(cls, drawing: str) -> Axes:
        """Take the place from the ground, which is drawn first."""
        left, bottom, right, top = map(float, GROUND.search(drawing).groups())
        return cls(drawing, left, right, top, bottom)

    def labels(self) -> tuple[str, bool]:
        """Give the id of the y axis, and whether it needs no other's labels."""
        axis = AXIS_Y.search(self.drawing)
        return (axis[1], "<text" in axis[2]) if axis else ("", True)


@dataclass
class Column:
    """The axes above each other in one column, and the strip that they take."""

    axes: list[Axes]
    start: float = 0.0
    end: float = 0.0

    @property
    def left(self) -> float:
        """Where the axes begin."""
        return min(one.left for one in self.axes)

    @property
    def right(self) -> float:
        """Where the axes end."""
        return max(one.right for one in self.axes)

    @property
    def reach(self) -> float:
        """Where the last word ends, about: it may stand out into the gap."""
        ends = [self.end]
        for one in self.axes:
            for anchor, x, word in WORDS.findall(one.drawing):
                share = 1 if anchor == "start" else 0.5
                ends.append(float(x) + share * LETTER * len(html.unescape(word)))
        return max(ends)

    @property
    def labelled(self) -> bool:
        """Whether the axes have labels of their own."""
        return any(one.labels()[1] for one in self.axes)


@dataclass
class Part:
    """A part of the figure as an element of the page."""

    kind: str
    view: tuple[float, float, float, float]  # left, top, width, height
    drawing: str
    style: str


def columns(drawing: str, width: float) -> list[Column]:
    """Sort the axes of a drawing into columns, from left to right.

    Those whose places overlap from left to right belong to one column.
    """
    found = [Axes.read(one[0]) for one in GROUP.finditer(drawing) if one[1] == "axes"]
    sorted_: list[Column] = []
    for axes in sorted(found, key=lambda one: (one.left, one.top)):
        if sorted_ and axes.left < sorted_[-1].right:
            sorted_[-1].axes.append(axes)
        else:
            sorted_.append(Column([axes]))
    for before, column in zip(sorted_, sorted_[1:], strict=False):
        gap = column.left - before.right
        cut = before.right + (min(ROOM, gap / 2) if column.labelled else gap / 2)
        before.end = column.start = cut
    if sorted_:
        sorted_[-1].end = width
    return sorted_


def parts(drawing: str, width: float, height: float) -> list[Part]:
    """Cut a drawing into what is above, its columns, and what is below.

    Returns
    -------
    list of Part
        Empty if the figure has to stay in one piece: it has no columns, they are of
        different length, or something stands beside them.
    """
    found = columns(drawing, width)
    if len(found) < 2 or len({len(column.axes) for column in found}) > 1:
        return []
    top = min(one.top for column in found for one in column.axes)
    bottom = max(one.bottom for column in found for one in column.axes)
    above, beside, below = _outside(drawing, top, bottom)
    if beside:
        return []
    start, end = 0.0, height
    result = []
    if above:
        places = [(float(x), float(y)) for x, y in PLACE.findall(above)]
        start = max(y for _, y in places) + LINE
        margin = min(x for x, _ in places) - LINE
        # It is centred: as much room is left on the right.
        view = (margin, 0.0, width - 2 * margin, start)
        result.append(Part("panels-line", view, above, _line(view)))
    if below:
        end = min(float(y) for _, y in PLACE.findall(below)) - 2 * LINE
    result += _strips(found, start, end - start, width)
    if below:
        # Its middle: the text keeps its size if the line is half as wide as the figure.
        view = (width / 4, end, width / 2, height - end)
        result.append(Part("panels-line", view, below, _line(view)))
    return result


def _outside(drawing: str, top: float, bottom: float) -> tuple[str, str, str]:
    """Collect what belongs to no axes: what is above all, beside some, below all."""
    above, beside, below = "", "", ""
    for group in GROUP.finditer(drawing):
        if group[1] in ("axes", "patch"):
            continue
        heights = [float(y) for _, y in PLACE.findall(group[0])]
        if max(heights) < top:
            above += group[0]
        elif min(heights) > bottom:
            below += group[0]
        else:
            beside += group[0]
    return above, beside, below


def _line(view: tuple) -> str:
    """Style a line of its own, at its natural size whatever the width."""
    return f"height: {view[3] * PIXELS:.0f}px"


def _strips(found: list[Column], top: float, height: float, width: float) -> list[Part]:
    """Make a part of each column, with its widths in a row and in lines."""
    beside = 1 if len(found) == BESIDE else BESIDE
    shifts = [
        0.0
        if at % beside or column.labelled
        else found[0].left - column.left + column.start
        for at, column in enumerate(found)
    ]
    sizes = [column.end - column.start for column in found]
    longest = 0.0
    for at in range(0, len(found), beside):
        line = found[at : at + beside]
        length = sum(shifts[at : at + beside]) + sum(sizes[at : at + beside])
        longest = max(longest, length + line[-1].reach - line[-1].end)
    result = []
    for column, size, shift in zip(found, sizes, shifts, strict=True):
        drawing = "".join(one.drawing for one in column.axes)
        if shift:
            drawing = _borrowed(column, found[0]) + drawing
        style = (
            f"--row: {size / width:.4%}; --line: {size / longest:.4%}; "
            f"--shift: {shift / longest:.4%}"
        )
        view = (column.start, top, size, height)
        result.append(Part("panel", view, drawing, style))
    return result


def _borrowed(column: Column, first: Column) -> str:
    """Draw the y axes of the first column again, beside this one."""
    uses = (
        f'<use href="#{one.labels()[0]}" x="{axes.left - one.left:.2f}"/>'
        for one, axes in zip(first.axes, column.axes, strict=True)
    )
    return f'<g class="panel-borrowed">{"".join(uses)}</g>'
