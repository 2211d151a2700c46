"""The view of saturation: its mathematics, and that it is worked by hand."""

import numpy as np
import pytest
from traitlets import TraitError

from sdpa import saturation
from sdpa.views import Saturation
from tests.views.bench import Bench
from tests.views.inside import evaluate

DEEP = 1024


@pytest.fixture
def bench(context, tmp_path):
    """Open the view alone, and look for faults afterwards."""
    opened = Bench.alone(context().new_page(), tmp_path, Saturation())
    yield opened
    assert not opened.faults


@pytest.mark.parametrize("d_k", [1, 31, 32, 33, 500, DEEP])
def test_scores_are_those_of_python(d_k, page):
    view = Saturation(d_k=d_k, m=32)
    call = f"scoresAt(draws(1), {d_k}, 32).map((row) => [...row])"
    np.testing.assert_allclose(
        evaluate(page, "saturation", call), view.scores, rtol=0, atol=1e-11
    )


def test_a_move_takes_as_many_products_at_any_width(page):
    # 31 coordinates at most lie between a width and the kept sum below it
    call = """(() => {
      const data = draws(1);
      return [1, 31, 32, 63, 500, 991, 1023, 1024].map((d_k) => {
        scoresAt(data, d_k, 32);
        return data.products;
      });
    })()"""
    products = evaluate(page, "saturation", call)
    assert products == [3200 * k for k in (1, 31, 0, 31, 20, 31, 31, 0)]


def test_gradients_are_right_where_they_are_tiny(page):
    view = Saturation(d_k=DEEP, m=32)
    rows = f"scoresAt(draws(1), {DEEP}, 32).map((row) => row.sort().reverse())"
    call = f"{rows}.map((row) => measureRow(row).gradient)"
    expected = saturation(view.scores).jacobian_trace
    assert expected.min() < 1e-14  # 1 - Σα² would be 0 or noise here
    np.testing.assert_allclose(
        evaluate(page, "saturation", call), expected, rtol=1e-9, atol=0
    )


def test_python_properties():
    view = Saturation(d_k=64, m=16)
    narrow = Saturation(d_k=32, m=8)
    assert view.scores.shape == (100, 16)
    np.testing.assert_allclose(view.weights.sum(axis=1), 1)
    # a wider head keeps the coordinates of a narrower one
    drawn = Saturation(d_k=33, m=8).scores - narrow.scores
    assert np.linalg.matrix_rank(drawn) == 1
    assert not np.allclose(Saturation(seed=2).scores, view.scores)
    np.testing.assert_allclose(
        view.unscaled_weights.max(axis=1), saturation(view.scores).largest
    )


def test_spread_is_the_square_root_of_the_width():
    spreads = [
        Saturation(d_k=256, m=32, seed=seed).scores.std() / 16 for seed in range(20)
    ]
    # keys are shared: the spread of one draw varies by a few per cent
    assert abs(np.mean(spreads) - 1) < 0.03


@pytest.mark.parametrize("state", [{"d_k": 0}, {"d_k": 1025}, {"m": 1}, {"row": 1.5}])
def test_python_refuses_what_makes_no_sense(state):
    (name,) = state
    with pytest.raises(TraitError, match=f"{name} is .*, expected a whole number"):
        Saturation(**state)


def test_observe_hears_of_a_change():
    view, heard = Saturation(), []
    view.observe(lambda change: heard.append(change.new), "d_k")
    view.d_k = 256
    assert heard == [256]


def test_slider_goes_from_end_to_end(bench):
    width = bench.root.get_by_label("width")
    width.focus()
    bench.page.keyboard.press("End")
    assert bench.number("d_k") == DEEP
    frozen = bench.number("unscaled.effective_keys")
    assert bench.number("scaled.spread") == pytest.approx(1, abs=0.2)
    bench.page.keyboard.press("Home")
    assert bench.number("d_k") == 1
    assert frozen < 1.5 < bench.number("unscaled.effective_keys")
    # at width 1 nothing is divided
    assert bench.number("unscaled.spread") == bench.number("scaled.spread")


def test_pulling_the_line_in_the_walks_sets_the_width(bench):
    area = bench.root.locator(".area").first
    box = area.bounding_box()
    middle = box["y"] + box["height"] / 2
    bench.page.mouse.move(box["x"] + box["width"] / 4, middle)
    bench.page.mouse.down()
    assert bench.number("d_k") == pytest.approx(
        64, abs=8
    )  # a quarter of √1024, squared
    bench.page.mouse.move(box["x"] + box["width"] / 2, middle)
    bench.page.mouse.up()
    assert bench.number("d_k") == pytest.approx(256, abs=16)


def test_touch_sets_the_width(context, tmp_path):
    page = context(has_touch=True).new_page()
    bench = Bench.alone(page, tmp_path, Saturation())
    box = bench.root.locator(".area").last.bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 20)
    assert bench.number("d_k") == pytest.approx(256, abs=16)
    assert not bench.faults


def test_new_draws_change_the_walks(bench):
    walks = bench.root.locator(".walks").first
    before = walks.get_attribute("d")
    bench.root.get_by_role("button", name="New draws").click()
    assert walks.get_attribute("d") != before
    assert before.count("M") == 16  # one walk for each key
