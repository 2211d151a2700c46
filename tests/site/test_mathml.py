"""Formulas become MathML while the site is built, or the build fails."""

from io import BytesIO

import pytest
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont

from tests.site.pages import CHAPTERS, settle
from tools.ext import fonts, mathml

MARK_LETTERS = """() => {
  const seen = new Set();
  const letters = "article math :is(mi, mo, mn, mtext)";
  for (const letter of document.querySelectorAll(letters)) {
    const kind = letter.localName + letter.textContent;
    const shown = letter.checkVisibility() && letter.textContent.trim();
    if (shown && !seen.has(kind)) letter.dataset.letter = "";
    if (shown) seen.add(kind);
  }
}"""
# Every command and environment that the book may use.
SUPPORTED = [
    r"\operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
    r"\boxed{\ \text{Attn}(Q,\, K,\, V) = V. \ }",
    r"\dfrac12 \tfrac12 \lVert J\rVert_2 \le \mathbb{E}[X] + \mathrm{Var}[X]",
    r"\underbrace{QK^\top}_{n\times m}\ \overset{\text{row-wise}}{\longrightarrow} A",
    r"\begin{cases} x & x \ge 0 \\ -x & \text{otherwise} \end{cases}",
    r"\begin{aligned} a &= b \\ &= c \end{aligned} \qquad",
    r"\begin{pmatrix}1&2\\3&4\end{pmatrix}",
    r"\Theta(T^2 d), \quad \langle q, k\rangle, \quad \sum_{j=1}^m \partial \alpha",
    r"s(q,k)=w^\top\tanh(W_q q), \bar{x}, \hat{x}, \widehat{x}, \overline{xy}, \ldots",
    r"\Bigl( x \Bigr) \big| \mid \infty \to \implies \approx \odot \mathcal{N}(0, 1)",
]


@pytest.mark.parametrize("latex", SUPPORTED)
def test_command_is_supported(latex):
    converted = mathml.convert(latex, display=True)
    assert converted.startswith('<math display="block">')
    annotation = BeautifulSoup(converted, "html.parser").find("annotation")
    assert annotation.get_text() == latex


def test_boxed_has_a_frame_of_its_own():
    converted = mathml.convert(r"\boxed{x} + y")
    assert '<mrow class="boxed"><mi>x</mi></mrow>' in converted
    assert "menclose" not in converted


def test_prime_has_the_form_for_scripts(build):
    done, site = build("The derivative $f'$, and $x$.")
    assert done.returncode == 0, done.stderr
    assert 'class="prime"' in (site / "index.html").read_text()
    font = TTFont(site / "_static" / mathml.FONT.name)
    scripts = font["GSUB"].table.ScriptList.ScriptRecord
    assert "DFLT" in [record.ScriptTag for record in scripts]
    assert fonts.PRIMES <= set(font.getGlyphOrder())


def test_every_letter_comes_from_the_font_of_the_book(address, chromium):
    """The browser says which fonts it took, also for forms it makes up itself."""
    page = chromium.new_page()
    for path in CHAPTERS:
        page.goto(f"{address}/{path}")
        settle(page)
        page.evaluate(MARK_LETTERS)
        session = page.context.new_cdp_session(page)
        session.send("DOM.enable")
        session.send("CSS.enable")
        root = session.send("DOM.getDocument")["root"]["nodeId"]
        query = {"nodeId": root, "selector": "[data-letter]"}
        for node in session.send("DOM.querySelectorAll", query)["nodeIds"]:
            drawn = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})
            foreign = [one for one in drawn["fonts"] if not one["isCustomFont"]]
            what = {"nodeId": node}
            assert not foreign, session.send("DOM.getOuterHTML", what)["outerHTML"]
    page.context.close()


def test_unknown_command_says_which():
    with pytest.raises(ValueError, match=r"nosuchcommand"):
        mathml.convert(r"\nosuchcommand{x}")


@pytest.mark.parametrize(
    ("latex", "aligned"),
    [
        ("a = b", "a = b"),
        (r"a &= b \\ c &= d", r"\begin{aligned}a &= b \\ c &= d\end{aligned}"),
        ("a = b\n\nc = d", r"\begin{aligned}a = b\\c = d\end{aligned}"),
        (r"\begin{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}1\\2\end{pmatrix}"),
    ],
)
def test_line_breaks_get_their_environment(latex, aligned):
    assert mathml.align(latex) == aligned


def test_page_has_formulas_with_source_number_and_font(build):
    done, site = build("Inline $x^2$.\n\n$$\n\\boxed{y}\n$$ (box)\n\nSee {eq}`box`.")
    assert done.returncode == 0, done.stderr
    page = BeautifulSoup((site / "index.html").read_text(), "html.parser")
    inline, block = page.find_all("math")
    assert inline.find("annotation").get_text() == "x^2"
    assert block["display"] == "block" and block.find(class_="boxed")
    assert block.parent["class"] == ["math-scroll"]
    assert page.find(class_="eqno").get_text().startswith("(1)")
    assert "(1)" in [a.get_text() for a in page.find_all("a", href="#equation-box")]
    assert "MathJax" not in str(page)
    font = site / "_static" / mathml.FONT.name
    assert font.stat().st_size < mathml.FONT.stat().st_size / 10
    glyphs = TTFont(font).getBestCmap()
    assert {ord("x"), ord("𝑥"), ord("2")} <= glyphs.keys()
    assert ord("z") not in glyphs


def test_unknown_command_fails_the_build_and_names_place_and_formula(build):
    done, site = build("Fine: $x$.\n\nNot fine: $\\nosuchcommand y$.")
    assert done.returncode != 0
    for part in ("index.md, line 5", r"\nosuchcommand y", "Unknown command"):
        assert part in done.stderr.replace("\\\\", "\\")


def test_numbered_environments_do_not_number_themselves(build):
    done, site = build("\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}")
    assert done.returncode == 0, done.stderr
    page = BeautifulSoup((site / "index.html").read_text(), "html.parser")
    for annotation in page.find_all("annotation"):
        annotation.decompose()
    assert page.find("math").get_text().replace("\n", "") == "a=bc=d"


def test_place_in_a_notebook_is_its_cell():
    node = mathml.nodes.math()
    node.source, node.line = "page.ipynb", 30_004
    assert mathml.where(node) == "page.ipynb, cell 3, line 4"


def test_subset_is_the_same_every_time():
    first = fonts.subset_font(mathml.FONT, set("xy"))
    assert first == fonts.subset_font(mathml.FONT, set("xy"))
    assert TTFont(BytesIO(first)).flavor == "woff2"


def test_punctuation_stays_with_its_formula(build):
    done, site = build("Some words ($x$, $y$) and $z$ more.")
    assert done.returncode == 0, done.stderr
    page = BeautifulSoup((site / "index.html").read_text(), "html.parser")
    for annotation in page.find_all("annotation"):
        annotation.decompose()
    assert [tied.get_text() for tied in page.select(".math-tied")] == ["(x,", "y)"]
    assert page.find("p").get_text() == "Some words (x, y) and z more."
