"""The view of shapes: what it highlights is what depends, by mouse, finger and keys."""

import re

import numpy as np
import pytest
from traitlets import TraitError

from sdpa import attention, attention_weights, trace
from sdpa.views import Shapes
from sdpa.views.shapes import PARTS
from tests.views.bench import Bench

ROLES = """root => Object.fromEntries([...root.querySelectorAll("[data-value]")]
  .filter(node => node.dataset.role)
  .map(node => [node.dataset.value, node.dataset.role]))"""
FINAL = re.compile(r"= (−?[\d.]+)\.$")
MASKS = (
    {},
    {"rule": "causal", "n": 4, "m": 4},
    # keys 1 and 2 hidden from query 1, everything from query 2
    {"rule": "own", "hidden": [3, 31, 0, 0, 0, 0, 0, 0]},
)


@pytest.fixture
def bench(context, tmp_path):
    """Open the view alone, and look for faults afterwards."""
    opened = Bench.alone(context().new_page(), tmp_path, Shapes())
    yield opened
    assert not opened.faults


def cell(bench, part, row, column):
    """Find an entry, or with 0 the number of a row or column."""
    at = f'[data-part="{part}"][data-row="{row}"][data-column="{column}"]'
    return bench.root.locator(at)


def matrices(Q, K, V, mask):
    """Compute every matrix from inputs that may be disturbed."""
    A, scores = attention_weights(Q, K, mask=mask), Q @ K.T
    made = {"QKt": scores, "S": scores / np.sqrt(Q.shape[1]), "A": A, "AV": A @ V}
    return {"Q": Q, "Kt": K.T, "V": V} | made


def anything_like(view):
    """Draw inputs of the view's shapes: a 0 among its own would hide effects."""
    rng = np.random.default_rng(0)
    return {
        name: rng.standard_normal(matrix.shape)
        for name, matrix in (("Q", view.Q), ("Kt", view.K), ("V", view.V))
    }


def names(part, where):
    """Name entries as `data-value` does."""
    return {f"{part}.{i + 1}.{j + 1}" for i, j in np.argwhere(where)}


@pytest.mark.parametrize("state", MASKS)
def test_highlights_are_what_a_disturbance_changes(state, bench):
    view = Shapes.from_state(state)
    inputs = anything_like(view)
    before = matrices(*inputs.values(), view.mask)
    rng = np.random.default_rng(1)
    # a row that sees one key has weight 1 whatever its score: nothing to measure there
    single = {f"A.{i + 1}." for i in np.flatnonzero(view.mask.sum(axis=1) == 1)}
    single |= {f"AV.{x.split('.')[1]}." for x in single}
    for part in inputs:
        for _ in range(6):
            i, j = (int(rng.integers(k)) for k in before[part].shape)
            disturbed = {name: x.copy() for name, x in inputs.items()}
            disturbed[part][(j, i) if part == "Kt" else (i, j)] += 0.37
            after = matrices(*disturbed.values(), view.mask)
            changed = set().union(
                *(names(name, after[name] != before[name]) for name in before)
            )
            bench.set(view.state() | {"part": part, "row": i + 1, "column": j + 1})
            roles = bench.root.evaluate(ROLES)
            marked = {key for key, role in roles.items() if role in ("here", "effect")}
            doubtful = {
                key for key in marked ^ changed if not key.startswith(tuple(single))
            }
            assert not doubtful


@pytest.mark.parametrize("state", MASKS)
def test_sources_are_the_entries_with_an_effect_on_it(state, bench):
    view = Shapes.from_state(state)
    inputs = anything_like(view)
    before = matrices(*inputs.values(), view.mask)
    for part, i, j in (
        ("QKt", 0, 1),
        ("S", 2, 2),
        ("A", 2, 1),
        ("AV", 2, 0),
        ("AV", 1, 1),
    ):
        bench.set(view.state() | {"part": part, "row": i + 1, "column": j + 1})
        roles = bench.root.evaluate(ROLES)
        marked = {
            key
            for key, role in roles.items()
            if role in ("source", "cause") and key.split(".")[0] in inputs
        }
        expected = set()
        for name, matrix in inputs.items():
            for index in np.ndindex(matrix.shape):
                disturbed = {key: x.copy() for key, x in inputs.items()}
                disturbed[name][index] += 0.37
                after = matrices(*disturbed.values(), view.mask)[part][i, j]
                if after != before[part][i, j]:
                    r, c = index[::-1] if name == "Kt" else index
                    expected.add(f"{name}.{r + 1}.{c + 1}")
        assert marked == expected


def test_numbers_are_those_of_the_hand_calculation():
    view = Shapes()
    by_hand, found = trace(view.Q, view.K, view.V), view.matrices()
    for part, expected in (
        ("QKt", by_hand.scores),
        ("S", by_hand.scaled),
        ("A", by_hand.weights),
        ("AV", by_hand.output),
    ):
        np.testing.assert_allclose(found[part], expected, rtol=1e-12)


@pytest.mark.parametrize("state", [{}, {"n": 8, "m": 8, "d_k": 8, "rule": "causal"}])
def test_sentence_ends_with_the_number_of_the_entry(state, bench):
    view = Shapes.from_state(state)
    for part in ("QKt", "S", "A", "AV"):
        bench.set(view.state() | {"part": part, "row": 3, "column": 2})
        said = bench.root.locator(".sdpa-sentence").inner_text()
        number = float(FINAL.search(said)[1].replace("−", "-"))
        assert number == pytest.approx(view.matrices()[part][2, 1], abs=5.1e-4), said


def test_score_is_spelled_out_as_a_product(bench):
    bench.set(Shapes().state() | {"part": "QKt", "row": 1, "column": 2})
    said = bench.root.locator(".sdpa-sentence").inner_text()
    left, terms = re.fullmatch(r"(.*?\[1, 2\] = q₁ · k₂) = (.*) = .*\.", said).groups()
    assert left.startswith("QKᵀ")
    products = [term.strip("()").split("·") for term in terms.split(" + ")]
    clean = [
        [float(x.strip("()").replace("−", "-")) for x in pair] for pair in products
    ]
    np.testing.assert_array_equal(np.array(clean).T, [Shapes().Q[0], Shapes().K[1]])


def test_hovering_points_and_a_click_holds(bench):
    cell(bench, "S", 2, 3).hover()
    assert [bench.state()[x] for x in ("part", "row", "column")] == ["S", 2, 3]
    cell(bench, "A", 3, 0).hover()
    assert [bench.state()[x] for x in ("part", "row", "column")] == ["A", 3, 0]
    cell(bench, "A", 1, 4).click()
    cell(bench, "Q", 1, 1).hover()
    assert bench.state()["part"] == "A"  # held
    cell(bench, "A", 1, 4).click()
    cell(bench, "Q", 1, 1).hover()
    assert bench.state()["part"] == "Q"


def test_a_tap_points(context, tmp_path):
    bench = Bench.alone(context(has_touch=True).new_page(), tmp_path, Shapes())
    cell(bench, "V", 4, 2).tap()
    assert [bench.state()[x] for x in ("part", "row", "column")] == ["V", 4, 2]
    assert not bench.faults


def test_arrow_keys_walk_and_enter_hides(bench):
    cell(bench, "A", 1, 1).focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown"):
        bench.page.keyboard.press(key)
    state = bench.state()
    assert (state["part"], state["row"], state["column"]) == ("A", 3, 2)
    assert bench.page.evaluate("document.activeElement.dataset.row") == "3"
    bench.page.keyboard.press("Enter")
    assert bench.number("A.3.2") == 0
    assert sum(bench.number(f"A.3.{j}") for j in range(1, 6)) == pytest.approx(1)
    bench.page.keyboard.press("Enter")
    assert bench.number("A.3.2") > 0


def test_one_tab_stop_for_each_matrix(bench):
    stops = bench.root.locator('[data-part][tabindex="0"]')
    assert stops.count() == len(PARTS)


def test_a_hidden_row_is_zero(bench):
    cell(bench, "S", 2, 0).click()
    bench.root.get_by_role("button", name="Hide row 2").click()
    assert [bench.number(f"A.2.{j}") for j in range(1, 6)] == [0] * 5
    assert [bench.number(f"AV.2.{e}") for e in (1, 2)] == [0, 0]
    assert "may see no key at all" in _said(bench, "A", 2, 1)
    assert bench.number("A.1.1") > 0
    cell(bench, "S", 2, 0).click()
    bench.root.get_by_role("button", name="Show row 2").click()
    assert bench.number("A.2.1") > 0


def _said(bench, part, row, column):
    bench.set({"part": part, "row": row, "column": column})
    return bench.root.locator(".sdpa-sentence").inner_text()


def test_steps_reveal_one_product_after_the_other(bench):
    bench.root.get_by_label("QKᵀ", exact=True).check()
    assert bench.state()["part"] == "QKt"
    hidden = '[aria-label$="not yet computed"]'
    parts = "nodes => [...new Set(nodes.map(node => node.dataset.part))].sort()"
    assert bench.root.locator(hidden).evaluate_all(parts) == ["A", "AV", "S"]
    cell(bench, "A", 1, 1).hover()
    assert bench.state()["part"] == "QKt"  # there is nothing to point at yet
    bench.root.get_by_label("QKᵀ", exact=True).focus()
    for part in ("S", "A", "AV"):
        bench.page.keyboard.press("ArrowRight")
        assert bench.state()["part"] == part
    assert bench.root.locator(hidden).count() == 0


def test_rows_and_columns_of_a_product_continue_its_factors(bench):
    for row, column in ((1, 1), (3, 2)):
        along = {part: (row, column) for part in ("QKt", "S", "A", "AV")}
        ends = {"Q": (row, 1), "Kt": (1, column), "V": (1, column)}
        boxes = {
            part: cell(bench, part, *at).bounding_box()
            for part, at in (along | ends).items()
        }
        for part in ("QKt", "S", "A", "AV"):
            assert boxes[part]["y"] == pytest.approx(boxes["Q"]["y"], abs=1)
        assert boxes["Kt"]["x"] == pytest.approx(boxes["QKt"]["x"], abs=1)
        assert boxes["V"]["x"] == pytest.approx(boxes["AV"]["x"], abs=1)
        assert boxes["A"]["width"] == pytest.approx(boxes["Q"]["width"], abs=1)


@pytest.mark.parametrize("rule", ["none", "causal", "padding"])
def test_mask_can_be_set_from_python(rule):
    view = Shapes(rule=rule)
    mask = view.mask
    view.mask = mask
    assert view.rule == "own"
    np.testing.assert_array_equal(view.mask, mask)
    np.testing.assert_array_equal(
        view.output, attention(view.Q, view.K, view.V, mask=mask)
    )


def test_matrices_keep_their_entries_when_they_grow():
    small, large = Shapes(n=2, d_k=3), Shapes(n=8, d_k=8)
    np.testing.assert_array_equal(large.Q[:2, :3], small.Q)


@pytest.mark.parametrize("mask", [np.ones((3, 5)), np.ones((5, 3), bool), True])
def test_python_refuses_other_masks(mask):
    with pytest.raises(ValueError, match=r"boolean, of shape \(n, m\) = \(3, 5\)"):
        Shapes().mask = mask


def test_python_refuses_what_is_no_part_of_the_state():
    for state in ({"n": 9}, {"rule": "future"}, {"hidden": [0.5] * 8}, {"hidden": [0]}):
        with pytest.raises(TraitError):
            Shapes(**state)
