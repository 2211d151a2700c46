"""Still pictures of views: SVG in the book's palette, from lists of numbers.

The classes are those of `views.css`, so that a picture follows the theme of its page;
the colours stand in the picture as well, for places without the style sheet.
"""

from html import escape

import numpy as np

from ..figures._style import GRID, INK, KEY, MUTED, QUERY, VALUE, WEIGHT

COLOURS = {"query": QUERY, "key": KEY, "value": VALUE, "weight": WEIGHT}
COLOURS |= {"muted": MUTED, "grid": GRID, "ink": INK}


def number(x: float) -> str:
    """Write a coordinate: two decimals are a hundredth of a pixel.

    Examples
    --------
    >>> number(0.5), number(-0.001), number(12)
    ('0.5', '0', '12')
    """
    text = f"{x:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(tag: str, text: str = "", **attributes) -> str:
    """Write an element; numbers are rounded, and `_` in a name stands for `-`.

    Examples
    --------
    >>> element("circle", r=2, class_="key", stroke_width=0.333)
    '<circle r="2" class="key" stroke-width="0.33"/>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="'
        f'{number(x) if isinstance(x, int | float) else escape(x)}"'
        for key, x in attributes.items()
    )
    return f"<{tag}{written}>{text}</{tag}>" if text else f"<{tag}{written}/>"


def shape(tag: str, role: str, **attributes) -> str:
    """Draw a filled shape in the colour of a role."""
    return element(tag, class_=role, fill=COLOURS[role], **attributes)


def line(points, role: str, *, width: float = 1.0, dashed: bool = False) -> str:
    """Draw a line through points in the colour of a role."""
    path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
    classes = f"line {role}" + " dashed" * dashed
    if role in ("grid", "ink"):
        classes = "grid dashed" if dashed else "axis"
        role = "grid" if dashed else "muted"
    return element(
        "path",
        d=path,
        class_=classes,
        fill="none",
        stroke=COLOURS[role],
        stroke_width=width,
    )


def label(
    x: float, y: float, text: str, role: str = "ink", *, at: str = "start"
) -> str:
    """Write text; `at` says whether (x, y) is its start, middle or end."""
    return element(
        "text",
        escape(text),
        x=x,
        y=y,
        class_={"middle": "middle ", "end": "end "}.get(at, "") + role,
        fill=COLOURS[role],
        text_anchor=at,
    )


def picture(width: float, height: float, alt: str, *parts: str) -> str:
    """Put parts together to a picture with a text that says what it shows.

    Examples
    --------
    >>> picture(10, 5, "Nothing")[:48]
    '<svg class="sdpa-drawing" role="img" aria-label='
    """
    return (
        f'<svg class="sdpa-drawing" role="img" aria-label="{escape(alt)}" '
        f'viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{number(width)}" height="{number(height)}" '
        f'style="max-width:{number(width)}px" font-size="13">{"".join(parts)}</svg>'
    )


class Plane:
    """A square with coordinates, both axes alike, that shows all of some points.

    Parameters
    ----------
    points : array_like, shape (p, 2)
        What has to have room.
    size, margin : float
        Side of the square, and what stays free around the points.
    x, y : float
        Where the square's upper left corner lies in the picture.
    """

    def __init__(self, points, *, size: float, margin: float, x=0.0, y=0.0):
        """Choose the unit."""
        low, high = np.min(points, axis=0), np.max(points, axis=0)
        self.unit = (size - 2 * margin) / (max(high - low) or 1)
        self.centre = (low + high) / 2
        self.middle = np.array([x + size / 2, y + size / 2])

    def at(self, point) -> tuple[float, float]:
        """Give the place of a point in the picture, whose y axis points down."""
        x, y = self.middle + self.unit * (point - self.centre) * (1, -1)
        return float(x), float(y)

    def line(self, points, role: str, **options) -> str:
        """Draw a line through points."""
        return line([self.at(point) for point in points], role, **options)

    def dot(self, point, role: str, *, r: float) -> str:
        """Draw a dot."""
        x, y = self.at(point)
        return shape("circle", role, cx=x, cy=y, r=r)

    def label(self, point, text: str, role: str, *, shift) -> str:
        """Write text beside a point."""
        x, y = self.at(point)
        return label(x + shift[0], y + shift[1], text, role)


def values(V, weights, output, *, x: float, y: float) -> str:
    """Draw values, their sizes by weight, and the output as a cross among them."""
    plane = Plane([*V, (0, 0)], size=150, margin=18, x=x, y=y)
    parts = []
    for i, (value, weight) in enumerate(zip(V, weights, strict=True), start=1):
        parts.append(plane.dot(value, "value", r=2.5 + 9 * float(weight) ** 0.5))
        parts.append(plane.label(value, f"v{i}", "ink", shift=(12, -7)))
    a, b = plane.at(output)
    for way in (1, -1):
        ends = [(a - 5, b - 5 * way), (a + 5, b + 5 * way)]
        parts.append(line(ends, "weight", width=3.5))
    return "".join(parts)
