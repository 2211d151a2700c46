"""Rules that a page can use stay, and only those."""

import pytest

from tools.ext import purge

PAGE = '<p class="kept">x</p><script src="own.js"></script>'


@pytest.mark.parametrize(
    ("rule", "stays"),
    [
        (".kept{a:b}", True),
        (".gone{a:b}", False),
        (".kept .gone{a:b}", False),
        ("p:not(.gone){a:b}", True),
        (".made-up{a:b}", True),  # a script puts the name together
        (".named{a:b}", True),  # a script names it
        (":root{--a:b}", True),
        ("html[data-theme=dark] p{a:b}", True),
        ("@font-face{src:url(x)}", True),
        ("@keyframes turn{to{a:b}}", True),
        ("@media print{.gone{a:b}}", False),
        ("@media print{.kept{a:b}}", True),
        ('.kept:before{content:"};{"}', True),
    ],
)
def test_rule_stays_when_it_is_used(rule, stays, tmp_path):
    (tmp_path / "_static").mkdir()
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "own.js").write_text("list.add('made-' + what, \"named\")")
    sheet = tmp_path / "_static" / "theme.css"
    sheet.write_text(f"/* .gone */{rule}")
    purge.purge_theme(tmp_path)
    assert sheet.read_text() == (rule if stays else "")
