"""The view of the bill: exact numbers, presets, and what stays when heads change."""

import numpy as np
import pytest
from traitlets import TraitError

from sdpa import attention_cost
from sdpa.views import Bill
from tests.views.bench import Bench
from tests.views.cases import CASES

EXACT = """async ([state]) => {
  const el = document.querySelector('[data-sdpa-view="bill"]');
  for (const [key, x] of Object.entries(state)) el.sdpaModel.set(key, x);
  await null;
  return Object.fromEntries([...el.querySelectorAll("[data-value]")].map(
    (node) => [node.dataset.value, [node.dataset.exact, node.textContent]]));
}"""


@pytest.fixture
def bench(context, tmp_path):
    """Open the view alone, and look for faults afterwards."""
    opened = Bench.alone(context().new_page(), tmp_path, Bill())
    yield opened
    assert not opened.faults


def test_whole_numbers_are_exact_to_the_last_digit(bench):
    case, rng = CASES["bill"], np.random.default_rng(5)
    parts = [*case.states, *(case.draw(rng) for _ in range(40))]
    largest = 0
    for part in parts:
        view = Bill.from_state(part)
        shown = bench.page.evaluate(EXACT, [view.state()])
        for name, x in view.quantities().items():
            if isinstance(x, int) and name in shown:
                assert shown[name] == [str(x), f"{x:,}"], (name, part)
                largest = max(largest, x)
    assert largest > 2**53  # beyond what a double can tell apart


def test_self_test_e_stands_side_by_side(bench):
    bench.root.get_by_role("button", name="self-test (e)").click()
    assert bench.number("this.matmuls") == bench.number("beside.matmuls") == 4 * 4096**3
    assert bench.number("this.score_bytes") == 2**30
    assert bench.number("beside.score_bytes") == 2**25
    text = bench.root.inner_text()
    for said in ("1 GiB · 1.07 GB", "32 MiB · 33.6 MB", "× 32", "+1.1 %", "one head"):
        assert said in text
    assert (
        "32 heads beside one head" in bench.root.locator(".sdpa-sentence").inner_text()
    )


def test_heads_move_scores_and_leave_products_alone(bench):
    slider = bench.root.get_by_label("heads")
    slider.focus()
    seen = set()
    bench.page.keyboard.press("Home")
    products = bench.number("this.matmuls")
    for _ in range(20):
        h = int(bench.number("h"))
        seen.add(h)
        assert 768 % h == 0
        assert bench.number("this.matmuls") == products
        assert bench.number("this.score_bytes") == h * 2 * 1024**2
        bench.page.keyboard.press("ArrowRight")
    assert seen == {k for k in range(1, 129) if 768 % k == 0}


def test_a_width_that_the_heads_do_not_divide_changes_them(bench):
    bench.root.get_by_label("width").focus()
    for _ in range(8):
        bench.page.keyboard.press("ArrowRight")
        state = bench.state()
        assert state["d"] % state["h"] == 0
    assert state["d"] > 4096


def test_a_block_is_asked_for_only_when_it_counts(bench):
    block = bench.root.get_by_label("keys in a block")
    assert not block.is_visible()
    bench.root.get_by_label("beside it").select_option("way")
    assert block.is_visible()
    before = bench.number("beside.score_bytes")
    block.select_option("64")
    assert bench.number("beside.score_bytes") == before / 8
    assert bench.number("this.score_bytes") == 12 * 2 * 1024**2


def test_longer_bars_for_larger_numbers(bench):
    bars = "nodes => nodes.map(node => node.getBoundingClientRect().width)"
    fills = bench.root.locator(".sdpa-fill:visible")
    before = fills.evaluate_all(bars)
    bench.set({"T": 2**12, "beside": "twice"})
    after = fills.evaluate_all(bars)
    assert all(b > a for a, b in zip(before, after, strict=True))
    assert all(
        other > mine for mine, other in zip(after[::2], after[1::2], strict=True)
    )


def test_python_gives_costs():
    view = Bill(T=4096, d=4096, h=32)
    expected = attention_cost(4096, 4096, 128, 128, heads=32, dtype="fp16")
    assert view.cost == expected
    view.beside = "way"
    assert view.other.streaming and view.other.matmuls == expected.matmuls
    view.beside = "twice"
    assert view.other.matmuls == 4 * expected.matmuls


def test_python_refuses_heads_that_do_not_divide_the_width():
    view = Bill()
    with pytest.raises(
        TraitError, match=r"h is 7, which does not divide d = 768; .*set"
    ):
        view.h = 7
    view.set(d=896, h=7)
    assert (view.d, view.h) == (896, 7)
