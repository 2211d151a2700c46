"""Views as Python has them: state, errors, HTML, and how notebooks store them."""

import json
import re
from inspect import signature

import numpy as np
import pytest
import traitlets as t
from nbformat.v4 import new_code_cell, new_notebook, new_output

from sdpa import attention_weights, soft_lookup, views
from sdpa.views import _sources
from tests.unit.test_import import loaded_modules
from tests.views.cases import CASES
from tools import canonical

LIVE = canonical.LIVE


@pytest.mark.parametrize(
    "first", ["import sdpa.views", "from sdpa.views import _sources"]
)
def test_widgets_are_loaded_when_a_view_is_asked_for(first):
    assert "anywidget" not in loaded_modules(first=first)
    assert "anywidget" in loaded_modules(first="from sdpa.views import Temperature")


def test_unknown_view_is_refused():
    with pytest.raises(AttributeError, match="Temprature"):
        views.Temprature  # noqa: B018
    with pytest.raises(ValueError, match="temprature.*expected one of.*temperature"):
        _sources.module("temprature")


def test_every_view_has_both_files_and_is_listed():
    assert sorted(CASES) == _sources.names()
    assert len(views.__all__) == len(CASES)
    assert set(views.__all__) <= set(dir(views))


@pytest.mark.parametrize("name", CASES)
def test_signature_names_the_state(name):
    cls = CASES[name].cls
    assert set(signature(cls).parameters) == set(cls.class_traits(state=True))


@pytest.mark.parametrize("name", CASES)
def test_state_goes_through_json_and_back(name):
    case = CASES[name]
    for part in case.states:
        state = json.loads(json.dumps(case.complete(part), allow_nan=False))
        assert json.loads(json.dumps(case.cls.from_state(state).state())) == state


def test_python_reads_sets_and_observes():
    view, seen = views.Query(), []
    view.observe(lambda change: seen.append((change.old, change.new)), "q")
    view.q = np.array([0, 1])
    assert view.q == (0.0, 1.0) and seen == [((1.0, 0.0), (0.0, 1.0))]
    view.q = (0, 1)  # no change: nobody is told
    assert len(seen) == 1
    np.testing.assert_allclose(view.weights, attention_weights([[0, 1]], view.K)[0])


def test_rows_that_belong_together_are_set_together():
    view = views.Temperature()
    with pytest.raises(t.TraitError, match="scores has 2 rows and values has 5.*set"):
        view.scores = (1, 2)
    assert len(view.scores) == 5
    view.set(scores=(1, 2), values=((1, 0), (0, 1)))
    expected = soft_lookup([[1, 2]], [[1, 0], [0, 1]])[0]
    np.testing.assert_allclose(view.output, expected)
    with pytest.raises(t.TraitError):
        view.set(temperature=5, scores=(1,))
    assert view.temperature == 1 and len(view.scores) == 2


@pytest.mark.parametrize(
    ("cls", "state", "error", "says"),
    [
        ("Temperature", {"temperature": -1}, t.TraitError, "-1.*from 0 to inf"),
        ("Temperature", {"temperature": np.nan}, t.TraitError, "nan"),
        ("Temperature", {"temperature": True}, t.TraitError, "True"),
        ("Temperature", {"scores": (9,)}, t.TraitError, "from -4 to 4"),
        ("Temperature", {"values": ((1,),) * 5}, t.TraitError, "length 2"),
        ("Temperature", {"heat": 1}, TypeError, "no heat.*scores, temperature"),
        ("Query", {"q": (1, 2, 3)}, t.TraitError, "length 2"),
        ("Query", {"q": (1, np.inf)}, t.TraitError, "finite"),
        ("Query", {"similarity": "euclid"}, t.TraitError, "euclid"),
        ("Query", {"w": (1, 2, 3)}, t.TraitError, "w has 3 rows and W_q has 2"),
        ("Stuck", {"d_k": 5}, t.TraitError, "d_k"),
        ("Stuck", {"step": 301}, t.TraitError, "step"),
    ],
)
def test_wrong_state_is_refused_in_words(cls, state, error, says):
    with pytest.raises(error, match=says):
        getattr(views, cls)(**state)


@pytest.mark.parametrize("name", CASES)
def test_html_is_whole_without_scripts_and_the_same_twice(name):
    cls = CASES[name].cls
    text, again = cls()._repr_html_(), cls()._repr_html_()
    assert text == again and repr(cls()) == repr(cls())
    assert f'data-sdpa-view="{name}"' in text
    state = re.search(r'<script type="application/json">(.*?)</script>', text)[1]
    assert json.loads(state) == json.loads(json.dumps(cls().state()))
    assert len(re.search(r'aria-label="([^"]+)"', text)[1]) > 40
    assert " id=" not in text  # two views of a kind may share a page


def test_stored_view_is_still_and_other_widgets_stay_live():
    widget = {"model_id": "7"}

    def notebook(**data):
        output = new_output("display_data", data={LIVE: widget} | data)
        cell = new_code_cell("view", id="view", outputs=[output])
        metadata = {"widgets": {"state": {"7": {}}}}
        return canonical.normalise(new_notebook(cells=[cell], metadata=metadata))

    still = notebook(**{"text/html": "<div></div>"})
    assert list(still.cells[0].outputs[0].data) == ["text/html"]
    assert "widgets" not in still.metadata
    live = notebook()
    assert LIVE in live.cells[0].outputs[0].data and "widgets" in live.metadata


@pytest.mark.parametrize("name", _sources.names())
def test_javascript_stands_for_itself(name):
    """No import, no evaluation, nothing from elsewhere."""
    source = _sources.module(name)
    assert not re.search(r"^\s*import\b", source, re.MULTILINE)
    assert not re.search(r"\beval\(|new Function|https?:(?!//www\.w3)", source)
    assert source.count("export ") == 1
    assert "export " not in _sources.script(name)
