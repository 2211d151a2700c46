"""What makes a page light: no script, style, icon or file that nothing uses."""

import re
from base64 import b64encode
from importlib.util import find_spec
from pathlib import Path

from tools.ext.fonts import subset_font

# A file of the theme, and what a page that needs it has in its markup.
NEEDED_BY = {
    r"sphinx-design\.min\.css": r'class="(?:[^"]* )?sd-',
    r"design-tabs\.js": r'class="(?:[^"]* )?sd-tab',
    r"togglebutton\.(?:css|js)": r'class="(?:[^"]* )?toggle[ "]',
    r"mystnb\.\w+\.css": r'class="[^"]*\bcell\b',
    r"copybutton\.(?:css|js)|clipboard\.min\.js": r'class="highlight"',
    r"(?:searchtools|language_data|searchindex)\.js": r'id="search-results"',
    # Settings that the theme's own style sheet repeats.
    r"styles/theme\.css": r"(?!)",
}
LINKED = r"\s*<(?:script|link)\b[^>]*(?:src|href)=\"[^\"]*/?(?:{})[^\"]*\"[^>]*>"
TOGGLE_SETTINGS = re.compile(r"\s*<script>(?:let|var) toggle\w+ = [^<]*</script>")
VIEWPORT = re.compile(r'\s*<meta name="viewport"[^>]*>')

ICON = re.compile(r"\bfa-[a-z0-9-]+")
# Rules that do nothing but say which letter of the font an icon is.
ICON_RULE = re.compile(
    r"((?:\.fa-[a-z0-9-]+:{1,2}before,?)+)\{content:\"[^\"]*\"\}", re.IGNORECASE
)
GLYPH = re.compile(r"\\([ef][0-9a-f]{3})\b", re.IGNORECASE)
FACE = re.compile(r"@font-face\{[^}]*\}")
SOLID = "fa-solid-900"
TTF = re.compile(r",url\([^)]*\.ttf\) format\(\"truetype\"\)")
SOURCE_MAP = re.compile(r"\n?(?:/\*|//)# sourceMappingURL=\S+(?: ?\*/)?")


def drop_unused(page: str) -> str:
    """Take scripts and styles out of a page whose markup has no use for them."""
    for files, markup in NEEDED_BY.items():
        if re.search(markup, page):
            continue
        tag = LINKED.format(files)
        page = re.sub(rf"{tag}(?:</script>)?", "", page)
        if files.startswith("togglebutton"):
            page = TOGGLE_SETTINGS.sub("", page)
    first = VIEWPORT.search(page)
    if first:  # the theme says it three times
        rest = VIEWPORT.sub("", page[first.end() :])
        page = page[: first.end()] + rest
    return page


def drop_icons(sheet: str, used: set[str]) -> str:
    r"""Take the icons that are not used out of a style sheet.

    Examples
    --------
    >>> drop_icons('.fa-a:before{content:"\\f1"}.fa-b:before{content:"\\f2"}', {"fa-b"})
    '.fa-b:before{content:"\\f2"}'
    """

    def keep(rule: re.Match) -> str:
        return rule[0] if used & set(ICON.findall(rule[1])) else ""

    def face(rule: re.Match) -> str:
        foreign = "fontawesome" in rule[0] and SOLID not in rule[0]
        return "" if foreign else TTF.sub("", rule[0])

    return FACE.sub(face, ICON_RULE.sub(keep, sheet))


def letters(sheet: str) -> set[str]:
    r"""Find the letters of the icon font in a style sheet, escaped or as they are.

    Examples
    --------
    >>> sorted(letters('a{content:"\\f05a"} b{--icon:"\uf071"} c{content:"x"}'))
    ['\uf05a', '\uf071']
    """
    escaped = {chr(int(code, 16)) for code in GLYPH.findall(sheet)}
    return escaped | {letter for letter in sheet if "\ue000" <= letter <= "\uf8ff"}


def original(name: str) -> Path:
    """Find a file of the theme as it was installed, which is still complete."""
    theme = Path(find_spec("pydata_sphinx_theme").origin).parent
    return theme / "theme" / "pydata_sphinx_theme" / "static" / name


def write_icons(site: Path) -> None:
    """Cut style sheets and icon font down to the icons that pages and scripts name."""
    static = site / "_static"
    sources = [*site.rglob("*.html"), *static.rglob("*.js")]
    used: set[str] = set()
    for source in sources:
        used |= set(ICON.findall(source.read_text(encoding="utf-8")))
    glyphs: set[str] = set()
    for sheet in static.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        kept = drop_icons(SOURCE_MAP.sub("", text), used)
        if kept != text:
            sheet.write_text(kept, encoding="utf-8")
        glyphs |= letters(kept)
    fonts = static / "vendor" / "fontawesome" / "webfonts"
    if not fonts.is_dir():
        return
    for font in fonts.iterdir():
        font.unlink()
    whole = original(f"vendor/fontawesome/webfonts/{SOLID}.woff2")
    (fonts / whole.name).write_bytes(subset_font(whole, glyphs))


def embed_fonts(site: Path) -> None:
    """Put the fonts into the style sheets that name them.

    A style sheet is there before anything is drawn, a font of its own comes later and
    moves what was drawn without it. Cut down, the fonts are small enough.
    """
    named = re.compile(r"url\(\"?([^\")]+\.woff2)\"?\)")
    embedded: set[Path] = set()

    for sheet in (site / "_static").rglob("*.css"):

        def put(address: re.Match, folder: Path = sheet.parent) -> str:
            font = (folder / address[1]).resolve()
            if not font.is_file():
                return address[0]
            embedded.add(font)
            return (
                f"url(data:font/woff2;base64,{b64encode(font.read_bytes()).decode()})"
            )

        text = sheet.read_text(encoding="utf-8")
        if (after := named.sub(put, text)) != text:
            sheet.write_text(after, encoding="utf-8")
    for font in embedded:
        font.unlink()


def remove_files(site: Path) -> None:
    """Remove what no page mentions: maps for debugging, logos, drawn figures."""
    static = site / "_static"
    for unused in {
        *static.rglob("*.map"),
        *static.glob("scripts/fontawesome.js*"),
        *static.glob("*webpack-macros.html"),
        *static.glob("locales/*/LC_MESSAGES/*.*o"),
        *static.glob("images/logo_*"),
    }:
        unused.unlink()
    pages = "\n".join(page.read_text(encoding="utf-8") for page in site.rglob("*.html"))
    for image in (site / "_images").glob("*.svg"):
        if image.name not in pages:
            image.unlink()


def remove_empty_folders(site: Path) -> None:
    """Remove the folders in which nothing is left."""
    for folder in sorted(site.rglob("*"), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
