r"""Figures as a part of the page, so that they follow the theme.

A figure in an `<img>` knows nothing of the page around it. Inside the page its text
is text, its colours are those of the style sheet, in light and in dark, and it costs no
request. Only figures that keep to the palette are drawn anew in dark mode; any other
stays as it is, on a white card.
"""

import html
import re
from pathlib import Path

from tools.ext import panels

# The palette of the figures, and the names that the style sheet has for it.
PALETTE = {
    "#0b6bb8": "query",
    "#c2570c": "key",
    "#1a7f4b": "value",
    "#8b3fa8": "weight",
    "#1f2933": "ink",
    "#5b6770": "muted",
    "#d5dbe1": "grid",
    "#ffffff": "paper",
}
IMAGE = re.compile(r'<img\b[^>]*?\bsrc="([^"]*_images/[^"]+\.svg)"[^>]*?/?>')
ATTRIBUTE = re.compile(r'\b(alt|style)="([^"]*)"')
COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b(?=[;\"])")
# What Matplotlib writes for programs that draw, and a page has no use for.
NOISE = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>"
    r'|<style\b.*?</style>|\sxmlns(:xlink)?="[^"]*"|\sversion="[^"]*"',
    re.DOTALL,
)
EMPTY = re.compile(r"<defs>\s*</defs>")
FONTS = re.compile(r"font-family: [^;\"]*;?\s*")
FONT = re.compile(r"(font: (?:[a-z0-9]+ )*?[\d.]+px) [^;\"]*")
SIZE = re.compile(r'<svg\b[^>]*?\bviewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>')
DEFINITIONS = re.compile(r"^ <defs>.*?^ </defs>", re.DOTALL | re.MULTILINE)
SEAM = "\f"  # between pieces that are recoloured as one


def follows_theme(drawing: str) -> bool:
    """Tell whether a drawing keeps to the palette.

    Examples
    --------
    >>> follows_theme('<path style="fill: #1f2933"/>')
    True
    >>> follows_theme('<path style="fill: #123456"/>')
    False
    """
    found = {colour.lower() for colour in COLOUR.findall(drawing)}
    return found <= set(PALETTE) and "<image" not in drawing


def recolour(drawing: str) -> str:
    """Name the colours of a drawing, as the style sheet does.

    Examples
    --------
    >>> recolour('<path style="fill: #1f2933"/>')
    '<path style="fill: var(--book-ink)"/>'
    """
    return COLOUR.sub(lambda hit: f"var(--book-{PALETTE[hit[0].lower()]})", drawing)


def rename(drawing: str, prefix: str) -> str:
    """Keep the ids that are pointed at, and make them unique on the page.

    Examples
    --------
    >>> rename('<g id="a"/><path id="b"/><use xlink:href="#b"/>', "f1")
    '<g/><path id="f1-b"/><use href="#f1-b"/>'
    """
    drawing = drawing.replace("xlink:href", "href")
    used = set(re.findall(r'(?:url\(|href=")#([^)"]+)', drawing))
    drawing = re.sub(
        r'\sid="([^"]*)"',
        lambda hit: f' id="{prefix}-{hit[1]}"' if hit[1] in used else "",
        drawing,
    )
    return re.sub(r'(url\(|href=")#', rf"\1#{prefix}-", drawing)


def inline(drawing: str, alt: str, prefix: str, style: str = "") -> str:
    """Turn the text of an SVG file into an element of a page.

    Parameters
    ----------
    drawing
        The SVG file as Matplotlib writes it.
    alt
        What there is to see, as HTML source; it becomes the accessible name.
    prefix
        What makes ids unique on the page.
    style
        The style that the image had.

    Raises
    ------
    ValueError
        If the drawing has no view box from 0 0.
    """
    kept = EMPTY.sub("", NOISE.sub("", drawing))
    kept = FONT.sub(r"\1 var(--figure-font)", FONTS.sub("", kept))
    size = SIZE.search(kept)
    if size is None:
        raise ValueError("the drawing has no viewBox='0 0 …'; write it with Matplotlib")
    width, height = (float(number) for number in size.groups())
    content = kept[size.end() :].removesuffix("\n").removesuffix("</svg>")
    cut = panels.parts(content, width, height)
    pieces = [part.drawing for part in cut] or [content]
    if cut:
        pieces[0] += "".join(DEFINITIONS.findall(content))
    body = rename(SEAM.join(pieces), prefix)
    themed = follows_theme(body)
    body = re.sub(r"[^\S\f]+", " ", recolour(body) if themed else body)
    kind = "figure" if themed else "figure figure-card"
    name = f'role="img" aria-label="{alt}"'
    if cut:
        style = f"--full: {width * panels.PIXELS:.0f}px; {style}".strip()
        shown = "".join(map(_part, cut, body.split(SEAM)))
        shown = f'<span class="{kind} panels" {name} style="{style}">{shown}</span>'
    else:
        place = f'viewBox="0 0 {size[1]} {size[2]}" {_pixels(width, height)}'
        place += f' style="{style}"' if style else ""
        shown = f'<svg class="{kind}" {name} {place}>{body.strip()}</svg>'
    return f'<span class="figure-scroll" tabindex="0">{shown}</span>'


def _part(part: panels.Part, body: str) -> str:
    """Write one part of a figure that was cut."""
    view = " ".join(f"{number:.6g}" for number in part.view)
    place = f'viewBox="{view}" {_pixels(*part.view[2:])} style="{part.style}"'
    return f'<svg class="{part.kind}" aria-hidden="true" {place}>{body.strip()}</svg>'


def _pixels(width: float, height: float) -> str:
    """Give a size in points as the attributes of an element."""
    return f'width="{width * panels.PIXELS:.0f}" height="{height * panels.PIXELS:.0f}"'


def inline_all(page: str, folder: Path) -> str:
    """Put the figures of a page, which stands in a folder, into the page.

    An image without a text that says what it shows is left for the check to find.
    """
    count = 0

    def put(image: re.Match) -> str:
        nonlocal count
        attributes = dict(ATTRIBUTE.findall(image[0]))
        path = folder / html.unescape(image[1])
        if not attributes.get("alt") or not path.is_file():
            return image[0]
        count += 1
        drawing = path.read_text(encoding="utf-8")
        style = attributes.get("style", "")
        return inline(drawing, attributes["alt"], f"figure-{count}", style)

    return IMAGE.sub(put, page)
