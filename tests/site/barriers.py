"""What axe-core finds on a page that is open, asked often and answered soon.

The script is read into a page once, and asked again after each change of theme or size.
"""

from pathlib import Path

from axe_playwright_python.base import AXE_FILE_PATH

from tests.site.pages import SIZES, wait_until

THEMES = ("light", "dark")
# The theme changes colours and nothing else, so all rules run in light, and those that
# look at colours in dark once more.
COLOURS = {"color-contrast", "link-in-text-block", "link-in-text-block-style"}
MODES = [(size, theme) for size in SIZES for theme in THEMES]
SETTLED = 400  # ms after which the theme has made what scrolls focusable

# axe measures the contrast of two of a kind: text of one class and colour on the same
# grounds. Thousands of equal words of code would take it minutes.
TWO_OF_A_KIND = """() => {
  const known = new WeakMap();
  const grounds = element => {
    if (!element) return "";
    if (!known.has(element)) {
      const style = getComputedStyle(element);
      const look = ["backgroundColor", "backgroundImage", "opacity", "filter",
        "mixBlendMode", "position"].map(name => style[name]).join();
      const plain = look === "rgba(0, 0, 0, 0),none,1,none,normal,static";
      known.set(element, grounds(element.parentElement) + (plain ? "" : "|" + look));
    }
    return known.get(element);
  };
  const own = element => [...element.childNodes].filter(
    node => node.nodeType === Node.TEXT_NODE).map(node => node.data.trim()).join("");
  const seen = new Map();
  for (const element of document.querySelectorAll("body, body *")) {
    element.removeAttribute("data-kind");
    const field = element.matches("input, select, textarea");
    const { length } = own(element);
    if (!field && !length) continue;
    const style = getComputedStyle(element);
    const kind = ["color", "fontSize", "fontWeight", "textShadow", "display",
      "visibility"].map(name => style[name]).concat(
      element.localName, element.getAttribute("class"), grounds(element),
      length > 1).join(";"); // axe does not judge single letters
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    if (field || count <= 2) element.setAttribute("data-kind", "");
  }
}"""
CONFIGURE = """axe.configure({ rules: [
  { id: "color-contrast", selector: "[data-kind]" },
  { id: "target-size", enabled: true },
]})"""
UNFOLD = "document.querySelectorAll('details').forEach(box => box.open = true)"
RUN = """async options => {
  const { violations } = await axe.run(document, options);
  return violations.flatMap(({ id, help, nodes }) => nodes.map(
    ({ target, html }) => `${id}: ${help}: ${target} ${html.slice(0, 150)}`));
}"""
OPTIONS = {"resultTypes": ["violations"], "iframes": False}
ONLY_COLOURS = OPTIONS | {"runOnly": {"type": "rule", "values": sorted(COLOURS)}}


def prepare(page) -> None:
    """Read axe-core into a page, and unfold what is folded."""
    page.evaluate(Path(AXE_FILE_PATH).read_text(encoding="utf-8"))
    # Not every version has every rule that looks at colours.
    known = page.evaluate("axe.getRules().map(rule => rule.ruleId)")
    ONLY_COLOURS["runOnly"]["values"] = sorted(COLOURS.intersection(known))
    page.evaluate(CONFIGURE)
    page.evaluate(UNFOLD)


def violations(page, options=OPTIONS) -> list[str]:
    """Say in a line each what axe finds on a prepared page as it stands."""
    page.evaluate(TWO_OF_A_KIND)
    return page.evaluate(RUN, options)


def resize(page, size: str) -> None:
    """Give a page another window, and the theme the time to follow."""
    page.set_viewport_size(SIZES[size])
    page.wait_for_timeout(SETTLED)


def recolour(page, theme: str) -> None:
    """Ask for light or dark, as the reader's system does."""
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    wait_until(page, f"document.documentElement.dataset.theme == '{theme}'")


def in_every_mode(page) -> list[tuple[str, str, str]]:
    """Collect the size, the theme and the words of what axe finds in each mode."""
    found = []
    for size in SIZES:
        resize(page, size)
        for theme in THEMES:
            recolour(page, theme)
            options = OPTIONS if theme == "light" else ONLY_COLOURS
            found += [(size, theme, line) for line in violations(page, options)]
    return found
