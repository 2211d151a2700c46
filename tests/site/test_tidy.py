"""What the theme leaves to tidy up is tidied up, and nothing else is touched."""

from types import SimpleNamespace

from tools.ext import site

PAGE = """<head>
  <!-- So that users can add custom icons -->
  <script defer src="../_static/scripts/fontawesome.js?digest=5"></script>
  <script src="../_static/scripts/bootstrap.js"></script></head>
<div id="pst-primary-sidebar" class="x"></div>
<summary aria-label="Toggle hidden content">Show the code</summary>
<div role="list" class="citation-list"><div role="doc-biblioentry">A</div></div>"""


def app(folder, form="html"):
    """Stand in for the application: a folder and a builder."""
    config = SimpleNamespace(html_baseurl="", root_doc="index")
    builder = SimpleNamespace(format=form)
    return SimpleNamespace(outdir=folder, builder=builder, config=config)


def test_page_is_tidied_up_once(tmp_path):
    scripts = tmp_path / "_static" / "scripts"
    scripts.mkdir(parents=True)
    for name in ("fontawesome.js", "fontawesome.js.map", "bootstrap.js"):
        (scripts / name).write_text("")
    page = tmp_path / "page.html"
    page.write_text(PAGE)
    site.tidy(app(tmp_path), None)
    once = page.read_text()
    site.tidy(app(tmp_path), None)
    assert page.read_text() == once
    for gone in ("fontawesome", "Toggle", "biblioentry", 'role="list"'):
        assert gone not in once
    assert 'role="complementary"' in once and "bootstrap.js" in once
    assert [path.name for path in scripts.iterdir()] == ["bootstrap.js"]


def test_failed_and_other_builds_are_left_alone(tmp_path):
    page = tmp_path / "page.html"
    page.write_text(PAGE)
    site.tidy(app(tmp_path), ValueError())
    site.tidy(app(tmp_path, "latex"), None)
    assert page.read_text() == PAGE


def test_docstring_cites_and_keeps_absolute_values():
    lines = ["See [vaswani2017]_, |x| and ``a|b``.", ">>> a | b", "A list [1]."]
    site.cite(None, "function", "f", None, None, lines)
    assert lines == [
        "See :cite:t:`vaswani2017`, |x| and ``a|b``.",
        ">>> a | b",
        "A list [1].",
    ]
    lines = ["|x| < 1"]
    site.cite(None, "function", "f", None, None, lines)
    assert lines == [r"\|x\| < 1"]
