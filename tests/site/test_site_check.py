"""Every fault that a built page can have is found, and only then."""

import pytest

from tools import site_check
from tools.toc import Toc

PAGE = """<!doctype html><html lang="en"><head><title>Page</title>
<link rel="stylesheet" href="style.css"></head><body>
<p id="here">Text, a <a href="https://example.org/x">link</a>, <a href="#here">up</a>,
<a href="other.html#there">other</a>.</p>
<img src="a.png" alt="A line that climbs.">
<svg aria-label="A line"></svg><span aria-hidden="true"><svg></svg></span>
<div class="math"><math><semantics><mi>x</mi><annotation>x</annotation></semantics>
</math></div><script src="own.js"></script></body></html>"""


@pytest.fixture
def site(tmp_path):
    """Make a site of two pages without a fault, and its table of contents."""
    for name in ("a.png", "own.js", "style.css"):
        (tmp_path / name).write_text("")
    (tmp_path / "other.html").write_text('<h1 id="there">There</h1>')
    (tmp_path / "page.html").write_text(PAGE)
    return tmp_path


def problems(site, old="", new=""):
    """Change the page, and check the site again."""
    site_check.soup.cache_clear()
    site_check.anchors.cache_clear()
    assert old in PAGE
    (site / "page.html").write_text(PAGE.replace(old, new) if old else PAGE)
    return site_check.problems(site)


def test_tidy_site_passes(site):
    assert problems(site) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (' alt="A line that climbs."', "", "no alt text"),
        ('alt="A line that climbs."', 'alt=""', "no alt text"),
        ("A line that climbs.", "../_images/4f.png", "a file path as alt text"),
        (' aria-label="A line"', "", "neither a title nor an aria-label"),
        (' aria-hidden="true"', "", "neither a title nor an aria-label"),
        ("<math>", '<math role="img">', "has the role 'img'"),
        ("<annotation>x</annotation>", "", "LaTeX source"),
        ('<div class="math">', '<div class="math">x</div><div>', "not converted"),
        ("#here", "#nowhere", "no such anchor"),
        ("other.html#there", "other.html#gone", "no such anchor"),
        ("other.html#there", "gone.html", "leads nowhere"),
        ("other.html#there", "../", "leads nowhere"),
        ('src="a.png"', 'src="b.png"', "leads nowhere"),
        ('src="own.js"', 'src="https://cdn.example.org/x.js"', "fetches"),
        ('src="own.js"', 'src="//cdn.example.org/x.js"', "fetches"),
        ('href="style.css"', 'href="https://fonts.example.org/x.css"', "fetches"),
        ('src="a.png"', 'src="https://example.org/a.png"', "fetches"),
        ("</head>", "<style>@import 'https://e.org/x'</style></head>", "fetches"),
        ('src="own.js">', ">window.MathJax = {}", "mentions MathJax"),
    ],
)
def test_fault_is_found(old, new, message, site):
    found = problems(site, old, new)
    assert len(found) == 1 and found[0].startswith("page.html: "), found
    assert message in found[0]


def test_font_from_elsewhere_is_found(site):
    (site / "style.css").write_text("@font-face { src: url(https://e.org/f.woff2) }")
    assert problems(site) == [
        "style.css: a style sheet fetches https://e.org/f.woff2; serve it from the site"
    ]


def test_empty_site_is_a_problem(tmp_path):
    assert "holds no page" in site_check.problems(tmp_path)[0]


def test_page_that_was_not_built_is_found(site):
    toc = Toc(site / "page.md", ((site / "gone.ipynb",),))
    found = site_check.pages_missing(site, toc, site)
    assert len(found) == 1 and found[0].startswith("gone.html: ")
