"""What is particular to a view: pulling by mouse and finger, steering, playing."""

import numpy as np
import pytest

from sdpa import trace, views
from sdpa.training.free_queries import FreeQueries, _train_scores
from sdpa.views import _replay
from tests.views.bench import Bench

K, V = [[1, 0], [0, 1], [1, 1]], [[10, 0], [0, 10], [5, 5]]


@pytest.fixture
def alone(context, tmp_path):
    """Give a function that opens a view alone, and look for faults afterwards."""
    opened = []

    def open_one(view, **options):
        page = context(viewport={"width": 700, "height": 800}, **options).new_page()
        opened.append(Bench.alone(page, tmp_path, view))
        return opened[-1]

    yield open_one
    for one in opened:
        assert not one.faults


def middle(locator):
    """Give the middle of an element on the screen."""
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def pull_by_mouse(page, start, end):
    """Press, move in steps, let go."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    page.mouse.up()


def pull_by_finger(page, start, end):
    """Do the same on a touch screen."""
    session = page.context.new_cdp_session(page)
    steps = [np.add(start, np.subtract(end, start) * part) for part in (0, 0.5, 1)]
    for kind, (x, y) in zip(
        ("touchStart", "touchMove", "touchMove"), steps, strict=True
    ):
        point = {"x": float(x), "y": float(y)}
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        page.wait_for_timeout(50)  # a finger's moves arrive once a frame
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


PULLS = [(pull_by_mouse, False), (pull_by_finger, True)]


@pytest.mark.parametrize(("pull", "touch"), PULLS)
def test_score_is_pulled_up(pull, touch, alone):
    bench = alone(views.Temperature(), has_touch=touch)
    pin = bench.root.locator(".handle").nth(3)
    x, y = middle(pin)
    pull(bench.page, (x, y), (x, y - 60))
    scores = bench.state()["scores"]
    assert scores[3] > 2.5 and scores[:3] == [2, 1, 0.5]
    pull(bench.page, middle(pin), (x, y - 600))
    assert bench.state()["scores"][3] == 4  # the end of the drawing
    assert not touch or bench.page.evaluate("scrollY") == 0


@pytest.mark.parametrize(("pull", "touch"), PULLS)
def test_query_is_pulled_to_a_quarter_turn(pull, touch, alone):
    bench = alone(views.Query(), has_touch=touch)
    query, other = (
        bench.root.get_by_role("slider", name=name) for name in ("query q", "key 2")
    )
    pull(bench.page, middle(query), middle(other))
    assert bench.state()["q"] == [0, 1]
    assert query.get_attribute("aria-valuetext") == "(0, 1)"


def test_typing_a_query_gives_the_answer_of_the_self_test(alone):
    bench = alone(views.Query())
    opening = [bench.number(f"weights.{i}") for i in (1, 2, 3)]
    np.testing.assert_allclose(opening, trace([[1, 0]], K, V).weights[0], rtol=1e-12)
    for j, text in ((1, "0"), (2, "1")):
        bench.root.get_by_label(f"q, coordinate {j}").fill(text)
    steps = trace([[0, 1]], K, V)
    weights = [bench.number(f"weights.{i}") for i in (1, 2, 3)]
    np.testing.assert_allclose(weights, steps.weights[0], rtol=1e-12)
    output = [bench.number(f"output.{j}") for j in (1, 2)]
    np.testing.assert_allclose(output, steps.output[0], rtol=1e-12)
    assert "Keys 2 and 3" in bench.root.locator(".sdpa-sentence").text_content()


def test_keyboard_steers_query_and_keys(alone):
    bench = alone(views.Query())
    for name, trait, row in (("query q", "q", None), ("key 2", "K", 1)):
        handle = bench.root.get_by_role("slider", name=name)
        handle.focus()
        before = bench.state()[trait]
        before = before if row is None else before[row]
        for key in ("ArrowLeft", "ArrowUp", "ArrowUp", "Shift+ArrowLeft"):
            bench.page.keyboard.press(key)
        after = bench.state()[trait]
        after = after if row is None else after[row]
        np.testing.assert_allclose(after, [before[0] - 1.1, before[1] + 0.2])


def test_half_typed_number_is_neither_lost_nor_taken(alone):
    bench = alone(views.Query())
    field = bench.root.get_by_label("q, coordinate 1")
    field.fill("")
    assert bench.state()["q"] == [1, 0]
    field.fill("7")  # beyond the drawing
    assert bench.state()["q"] == [1, 0]
    assert field.get_attribute("aria-invalid") is not None
    field.blur()
    assert field.input_value() == "1"
    field.press_sequentially("")
    field.fill("1.5")
    assert bench.state()["q"] == [1.5, 0] and field.input_value() == "1.5"


def test_replay_plays_and_pauses(alone):
    bench = alone(views.Stuck())
    bench.root.get_by_role("button", name="Play").click()
    bench.page.wait_for_timeout(400)
    bench.root.get_by_role("button", name="Pause").click()
    paused = bench.state()["step"]
    assert 0 < paused < 300
    bench.page.wait_for_timeout(200)
    assert bench.state()["step"] == paused
    bench.root.get_by_role("button", name="Next step").click()
    assert bench.state()["step"] == paused + 1


def test_reset_stops_the_replay(alone):
    bench = alone(views.Stuck())
    bench.root.get_by_role("button", name="Play").click()
    bench.page.wait_for_timeout(200)
    bench.root.get_by_role("button", name="Reset").click()
    bench.page.wait_for_timeout(200)
    assert bench.state()["step"] == 0
    assert bench.root.get_by_role("button", name="Play").is_visible()


def test_reduced_motion_goes_to_the_end_at_once(alone):
    bench = alone(views.Stuck(), reduced_motion="reduce")
    bench.root.get_by_role("button", name="To the end").click()
    assert bench.state()["step"] == 300


@pytest.mark.parametrize(
    ("d_k", "scale", "rate"), [(64, "sqrt", 1.0), (1024, "sqrt", 10.0)]
)
def test_replay_is_experiment_a(d_k, scale, rate):
    """Where rounding is not amplified, the page's own experiment gives the same."""
    scores, gram = _replay.draw(d_k, 1)
    x = _replay.gaussians(1, 20 * 17 * d_k)
    x = (np.floor(x * _replay.GRID + 0.5) / _replay.GRID).reshape(20, 17, d_k)
    q, keys = x[:, 0, :, None], x[:, 1:]
    np.testing.assert_array_equal(scores, (keys @ q)[..., 0])
    np.testing.assert_array_equal(gram, keys @ keys.mT)
    config = FreeQueries(
        d_k=d_k, scale=scale, learning_rates=(rate,), m=16, queries=20, log_every=1
    )
    targets = np.zeros((20, 16, 1))
    targets[:, 0] = 1
    norms = [np.median(norm) for _, norm in _train_scores(config, keys, q, targets)]
    run = _replay.replay(d_k, scale == "sqrt", rate, 1)
    np.testing.assert_allclose(run.gradient, norms, rtol=1e-9)


def test_moving_through_the_replay_is_quick(alone):
    """What was trained is kept: a step reads it. Compared with training, not timed."""
    bench = alone(views.Stuck(d_k=1024))
    took = """async ([key, values]) => {
      const el = document.querySelector("[data-sdpa-view]");
      const times = [];
      for (const x of values) {
        const start = performance.now();
        el.sdpaModel.set(key, x);
        await null;
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
    }"""
    moving = bench.page.evaluate(took, ["step", list(range(1, 100, 3))])
    training = bench.page.evaluate(took, ["seed", [2, 3, 4]])
    assert moving < training / 4
