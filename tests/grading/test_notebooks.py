"""Notebooks as submissions: what counts, what does not, and that nothing is run."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import nbclient
import nbformat
import numpy as np
import pytest
import torch

from sdpa.selftest import BadFile, bank, check, checked, grade, read_notebook
from sdpa.selftest.notebooks import MIME, NOTEBOOK_BYTES, VALUES
from tests.grading.samples import GOOD, code, kept, notebook

BOOK = Path(__file__).parents[2] / "chapters" / "07_self_test.ipynb"
LITERAL = 'check("c", variance="d_k*sigma**4", divisor="sigma**2*sqrt(d_k)")'


def test_answers_are_taken_from_outputs():
    cells = [code("", kept(letter)) for letter in GOOD]
    sheet = read_notebook(notebook(*cells))
    assert (sheet.student, sheet.answers, sheet.notes) == ("ann", GOOD, ())


def test_the_last_answer_counts():
    wrong = kept("c", {"variance": "d_k"})
    cells = [code("", wrong, kept("c")), code("", kept("d")), code("", kept("d", {}))]
    assert read_notebook(notebook(*cells)).answers == {"c": GOOD["c"], "d": {}}


def test_bundles_may_be_text():
    text = json.dumps(kept("c"))
    assert read_notebook(notebook(code("", text))).answers == {"c": GOOD["c"]}
    assert read_notebook(notebook(code("", [text[:9], text[9:]]))).answers["c"]


def test_cleared_outputs_leave_the_literal_arguments():
    source = [
        "from sdpa.selftest import check\n",
        "%matplotlib inline\n",
        "!echo hello\n",
        'check("d", weights=(0.198, 0.401, 0.401), output=[3.983, 6.017], '
        "largest=[2, +3])\n",
        "sdpa.selftest." + LITERAL,
    ]
    sheet = read_notebook(notebook(code(source)))
    assert grade(sheet.answers).score("d") == 1
    assert (sheet.answers["c"], sheet.notes) == (GOOD["c"], ())


def test_outputs_come_before_sources():
    sheet = read_notebook(notebook(code(LITERAL, kept("c", {"variance": "d_k"}))))
    assert sheet.answers == {"c": {"variance": "d_k"}}


@pytest.mark.parametrize(
    "argument",
    ["w", "np.array([1, 2])", "[0.1] * 3", "1e5j", "b'x'", "f'{1}'", "...",
     "open('/etc/passwd').read()", "[" * 12 + "1" + "]" * 12, "-[1]", "{1, 2}"],
)  # fmt: skip
def test_what_is_not_written_out_needs_a_person(argument):
    sheet = read_notebook(
        notebook(code(f'check("d", largest=[2, 3], weights={argument})'))
    )
    assert sheet.answers == {"d": {"largest": [2, 3]}}
    (note,) = sheet.notes
    assert note == (
        "item d: cell 1 was not run, and weights is not written out in numbers: "
        "run the cell and save the notebook"
    )


@pytest.mark.parametrize(
    ("source", "note"),
    [
        ("check('c', variance=", "cell 1 calls check, but is not Python"),
        ("check('d', weights=" + "(" * 500, "is not Python"),
        ("check('d', w=" + "-" * 60_000 + "1)", "is not Python"),
        ("check('d', w=" + "1+" * 30_000 + "1)", None),
        ("check('d', w=" + "a." * 30_000 + "a)", None),
        ("check('d', w=" + "not " * 15_000 + "1)", None),
        ("#" * 70_000 + "check(", "cell 1 is too long to be read"),
        ("check(\0)", "is not Python"),
        ("", "no call of check was found"),
        ("check(*'d', weights=[1])", "no call of check was found"),
        ("check(item, weights=[1])", "no call of check was found"),
        ("uncheck('d', weights=[1])", "no call of check was found"),
    ],
)
def test_odd_sources(source, note):
    notes = read_notebook(notebook(code(source))).notes
    assert notes
    assert note is None or any(note in text for text in notes), notes


@pytest.mark.parametrize(
    ("data", "status", "reason"),
    [
        (b"", "unreadable", "the file is empty"),
        (b"null", "unreadable", "not a notebook"),
        (b'{"cells": 1}', "unreadable", "not a notebook"),
        (b"[" * 10**6, "unreadable", "nested too deeply"),
        (b'{"worksheets": 1}', "unreadable", "an old notebook that cannot be upgraded"),
        (b"," * (VALUES + 1), "refused", "more than 2,000,000 values"),
        (b" " * (NOTEBOOK_BYTES + 1), "refused", "expected 20 MiB at most"),
        (notebook(student="a b"), "refused", "student is the text 'a b'"),
        (notebook(code("", kept("c", student="bob"))), "refused", "several students"),
        (notebook(code("", kept("c", variant=1), kept("d"))), "refused", "variants"),
        (
            notebook(code("", kept("c", variant=[]))),
            "refused",
            "variant is a list of 0",
        ),
    ],
)
def test_files(data, status, reason):
    with pytest.raises(BadFile) as error:
        read_notebook(data)
    assert (error.value.status, reason in error.value.reason) == (status, True), (
        error.value.reason
    )


def test_old_notebooks_are_upgraded():
    cell = {
        "cell_type": "code",
        "language": "python",
        "metadata": {},
        "collapsed": False,
        "prompt_number": 1,
        "input": LITERAL,
        "outputs": [],
    }
    old = {"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0}
    old |= {"worksheets": [{"cells": [cell], "metadata": {}}]}
    assert read_notebook(json.dumps(old).encode()).answers == {"c": GOOD["c"]}


@pytest.mark.parametrize(
    "cell",
    [1, None, [], {}, {"cell_type": "code"}, {"cell_type": "code", "outputs": 1},
     {"cell_type": "code", "outputs": [1, {"data": 1}, {"data": {MIME: 1}}]},
     {"cell_type": "code", "outputs": [{"data": {MIME: "{"}},
      {"data": {MIME: ["\ud800"]}}]},
     {"cell_type": "code", "source": 1}, {"cell_type": "code", "source": [1, None]},
     code("", {"format": "sdpa-answer/1", "item": ["a"]}),
     code("", {"format": "sdpa-answer/1", "item": "z"}),
     code("", {"format": "sdpa-answer/2", "item": "c"})],
)  # fmt: skip
def test_odd_cells_are_passed_over(cell):
    sheet = read_notebook(notebook(cell, code("", kept("c"))))
    assert sheet.answers == {"c": GOOD["c"]}


def test_a_forged_verdict_is_worth_nothing():
    forged = kept("c", {"variance": "1"}, score=1, credit=1, verdict="right")
    source = "import sdpa.selftest.grading as g\ng.grade = lambda *a: 5\ncheck('c')"
    sheet = read_notebook(notebook(code(source, forged)))
    assert grade(sheet.answers).total == 0


def test_nothing_in_a_notebook_is_run(tmp_path):
    trace = tmp_path / "trace"
    source = f"check('c', variance=open({str(trace)!r}, 'w').write('x'))\n"
    source += f"open({str(trace)!r}, 'w')\n"
    read_notebook(notebook(code(source)))
    assert not trace.exists()


def test_check_keeps_what_can_be_graded_again():
    result = checked(
        "d",
        student="ann",
        weights=np.array([[0.198, 0.401, 0.401]]),
        output=(np.float32(3.983), 6.017),
        largest={2, 3},
    )
    assert [part.tag for part in result.parts] == ["right"] * 3
    bundle = result._repr_mimebundle_()
    assert bundle["text/plain"].startswith("(d)  3 of 3")
    assert "<caption>Verdict on (d)</caption>" in bundle["text/html"]
    sheet = read_notebook(notebook(code("", json.loads(json.dumps(bundle[MIME])))))
    assert grade(sheet.answers).score("d") == 1


def test_check_takes_tensors():
    result = checked("d", weights=torch.tensor([0.198, 0.401, 0.401]))
    assert result.parts[0].tag == "right"


@pytest.mark.parametrize(
    "value",
    [np.array([np.nan, 0, 0]), [float("inf"), 0, 0], np.zeros((100, 100)), object(),
     [1j, 0, 0], [0] * 5000, {"a": 1}, np.array(["<b>", "", ""]), b"x"],
)  # fmt: skip
def test_check_refuses_what_is_no_answer(value):
    result = checked("d", weights=value)
    assert result.parts[0].tag == "refused"
    json.dumps(result.answer, allow_nan=False)
    assert "<b>" not in result.html()


def test_check_prints_and_explains(capsys):
    assert check("c", variance="d_k*sigma**2", divsor="1") is None
    out = capsys.readouterr().out
    assert "(c)  0 of 2" in out
    assert "Both q and k are spread out" in out
    assert "item c has no field the text 'divsor'" in out


@pytest.mark.parametrize("item", ["f", "", "ab", None, 1])
def test_check_knows_its_items(item):
    with pytest.raises(ValueError, match="choose one of a, b, c, d, e"):
        check(item)


def test_check_shows_a_bundle_in_a_notebook(monkeypatch):
    shown = []
    fake = SimpleNamespace(
        get_ipython=object,
        display=SimpleNamespace(
            display=lambda bundle, raw: shown.append((bundle, raw))
        ),
    )
    monkeypatch.setitem(sys.modules, "IPython", fake)
    check("c", variance="d_k*sigma**4")
    ((bundle, raw),) = shown
    assert (bundle.keys(), raw) == ({"text/plain", "text/html", MIME}, True)


def test_check_keeps_but_does_not_judge_what_needs_the_salt():
    result = checked("c", variant="week-3", variance="d_k*sigma**4")
    assert result.parts[0].tag == "kept" and result.answer["variant"] == "week-3"


def test_a_notebook_that_was_run_and_saved_can_be_handed_in():
    """The whole way: a real kernel, the display, the file, the grader."""
    source = "import os\nos.environ['OMP_NUM_THREADS'] = '1'\n"
    source += f"from sdpa.selftest import check\n{LITERAL}\nNone"
    saved = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    nbclient.NotebookClient(saved, timeout=120).execute()
    nbformat.validate(saved)
    (output,) = saved.cells[0].outputs
    assert output["output_type"] == "display_data"
    assert output["data"]["text/plain"].startswith("(c)  2 of 2")
    saved.cells[0].source = ""
    sheet = read_notebook(nbformat.writes(saved).encode())
    assert sheet.answers == {"c": GOOD["c"]}


def cleared(notebook):
    """Return a notebook without its outputs."""
    for cell in notebook["cells"]:
        cell.pop("outputs", None)
    return notebook


def test_the_notebook_of_the_book_is_a_blank_submission():
    """As stored, and with its outputs cleared: nothing answered, nothing to look at."""
    items = bank()["items"]
    without = json.dumps(cleared(json.loads(BOOK.read_bytes()))).encode()
    for data in (BOOK.read_bytes(), without):
        read = read_notebook(data)
        verdict = grade(read.answers)
        assert (verdict.total, verdict.status, read.notes) == (0, "graded", ())
        fields = {letter: set(answer) for letter, answer in read.answers.items()}
        assert fields == {letter: set(items[letter]["fields"]) for letter in items}


def test_a_starter_cell_that_is_filled_in_is_graded():
    book = cleared(json.loads(BOOK.read_bytes()))
    cell = next(cell for cell in book["cells"] if cell["id"] == "d-start")
    source = "".join(cell["source"]).replace("largest=None", "largest=[2, 3]")
    source = source.replace("weights=None", "weights=[0.198, 0.401, 0.401]")
    cell["source"] = source
    verdict = grade(read_notebook(json.dumps(book).encode()).answers)
    assert [part.credit for part in verdict.items["d"]] == [1, 0, 1]
