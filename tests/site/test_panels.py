"""Panels stand side by side on a wide page, and below each other on a phone."""

import io
import re

import pytest
from matplotlib import pyplot as plt

from sdpa.figures._style import setup, subplots
from tools.ext import drawings, panels

HREF, ID = re.compile(r'href="#([^"]+)"'), re.compile(r'\sid="([^"]+)"')
# Each figure with panels: how wide its lines are, and the places of its panels.
SHOWN = """() => [...document.querySelectorAll(".panels")].map(figure => ({
  scrolls: figure.parentElement.scrollWidth > figure.parentElement.clientWidth,
  panels: [...figure.querySelectorAll(".panel")].map(panel => {
    const box = panel.getBoundingClientRect();
    return [box.left, box.top, box.right];
  }),
  clipped: [...figure.querySelectorAll(".panel text")]
    .filter(text => text.getBoundingClientRect().right > innerWidth - 8).length,
  borrowed: [...figure.querySelectorAll(".panel-borrowed text, .panel-borrowed use")]
    .filter(element => element.getBoundingClientRect().width > 0).length,
}))"""


@pytest.fixture(autouse=True)
def own_style():
    """Keep the book's style from the tests that come after."""
    with plt.rc_context():
        yield


def saved(fig):
    """Return a figure as the text of an SVG file."""
    text = io.StringIO()
    fig.savefig(text, format="svg")
    plt.close(fig)
    return text.getvalue()


def drawn(rows=1, columns=1, *, legend=False, sharey=True):
    """Draw a figure of the book as SVG."""
    setup()
    fig, axes = subplots(rows, columns, sharey=sharey, squeeze=False)
    for ax in axes.flat:
        ax.plot([0, 1], [0, 1], color="#0b6bb8", label="a line")
        ax.set_title("a panel")
    if legend:
        handles = axes[0, 0].get_legend_handles_labels()
        fig.legend(*handles, loc="outside upper center")
        fig.supxlabel("below all")
    return saved(fig)


def inline(*args, **kwargs):
    return drawings.inline(drawn(*args, **kwargs), "Lines", "figure-1")


@pytest.mark.parametrize("rows", [1, 2])
def test_panels_in_one_column_stay_together(rows):
    assert "panels" not in inline(rows)


def test_axes_that_overlap_from_left_to_right_are_one_column():
    fig = plt.figure()
    for place in ((0.1, 0.6, 0.5, 0.3), (0.3, 0.1, 0.5, 0.3)):
        fig.add_axes(place)
    assert "panels" not in drawings.inline(saved(fig), "Axes", "f")


def test_figure_with_something_beside_its_panels_is_not_cut():
    setup()
    fig, _ = subplots(1, 2)
    fig.supylabel("beside all")
    found = drawings.inline(saved(fig), "Axes", "f")
    assert "panels" not in found and "beside all" in found


@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (1, 3), (2, 2), (1, 4)])
def test_every_part_of_a_figure_is_there_once(rows, columns):
    found = inline(rows, columns, legend=True)
    assert found.count('class="panel"') == columns
    assert found.count(">a panel<") == rows * columns
    assert found.count(">a line<") == found.count(">below all<") == 1
    assert found.count('class="panels-line"') == 2
    shares = re.findall(r"--row: ([\d.]+)%", found)
    assert sum(map(float, shares)) == pytest.approx(100, abs=1e-3)


def test_what_is_pointed_at_is_there():
    found = inline(1, 3)
    assert set(HREF.findall(found)) <= set(ID.findall(found))
    assert len(ID.findall(found)) == len(set(ID.findall(found)))


def test_panel_at_the_start_of_a_line_borrows_labels():
    assert inline(1, 2).count("panel-borrowed") == 1
    assert inline(2, 2).count("<use") > inline(1, 2).count("<use")
    assert inline(1, 4).count("panel-borrowed") == 1  # the third


def test_panel_with_labels_borrows_none():
    assert "panel-borrowed" not in inline(1, 2, sharey=False)


def test_words_that_stand_out_have_room_on_a_phone():
    setup()
    fig, axes = subplots(1, 2)
    axes[0].text(1, 1, "a long remark").set_in_layout(False)
    lines = re.findall(r"--line: ([\d.]+)%", drawings.inline(saved(fig), "Axes", "f"))
    assert max(map(float, lines)) < 90


def test_strips_follow_each_other():
    svg = drawn(1, 3)
    first, second, third = panels.columns(svg, 388.8)
    assert first.start == 0 and third.end == 388.8
    assert first.right < first.end == second.start < second.left


@pytest.mark.parametrize(
    "page", ["index.html", "04b_training.html", "05_worked_example.html"]
)
def test_they_stack_on_a_phone(address, context, page):
    wide = context(viewport={"width": 1280, "height": 800}).new_page()
    wide.goto(f"{address}/chapters/{page}")
    for figure in (found := wide.evaluate(SHOWN)):
        assert len({round(top) for _, top, _ in figure["panels"]}) == 1
        assert not figure["borrowed"]
    assert found

    narrow = context(viewport={"width": 360, "height": 740}).new_page()
    narrow.goto(f"{address}/chapters/{page}")
    for figure in narrow.evaluate(SHOWN):
        lines = len({round(top) for _, top, _ in figure["panels"]})
        assert lines == 2 and not figure["scrolls"] and not figure["clipped"]
        assert figure["borrowed"] or page == "05_worked_example.html"
        assert all(0 <= left and right <= 360 for left, _, right in figure["panels"])
