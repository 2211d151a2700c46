"""Every fault that a stored notebook can have is found, and only then."""

import json

import pytest
from nbformat.v4 import new_code_cell, new_output

from tests.notebooks.samples import image, stream
from tools import hygiene, notebooks


def cell(notebook, name):
    """Find a cell by its id."""
    return next(cell for cell in notebook.cells if cell.id == name)


def unexecuted(notebook):
    for number in (1, 2, 4):
        notebook.cells[number].execution_count = None
        notebook.cells[number].outputs = []


def out_of_order(notebook):
    cell(notebook, "exponential").execution_count = 7


def raised(notebook):
    error = new_output("error", ename="ValueError", evalue="no", traceback=["no"])
    cell(notebook, "exponential").outputs = [error]


def warned(notebook):
    cell(notebook, "exponential").outputs = [stream("RuntimeWarning: no", "stderr")]


def without_alt(notebook):
    del cell(notebook, "figure").metadata["mystnb"]["image"]


def with_short_alt(notebook):
    cell(notebook, "figure").metadata["mystnb"]["image"]["alt"] = "A curve."


def with_caption_as_alt(notebook):
    shown = cell(notebook, "figure").metadata["mystnb"]
    shown["figure"]["caption"] = shown["image"]["alt"]


def without_caption(notebook):
    del cell(notebook, "figure").metadata["mystnb"]["figure"]


def repeated_id(notebook):
    cell(notebook, "result").id = "title"


def random_id(notebook):
    cell(notebook, "result").id = "3f2a91bc"


def many_cells(notebook):
    notebook.cells += [
        new_code_cell("0", id=f"more-{n}", execution_count=4 + n) for n in range(40)
    ]


def long_cell(notebook):
    cell(notebook, "imports").source = "import math\n" + "x = 0\n" * 15


def defines(notebook):
    cell(notebook, "exponential").source = "def f():\n    pass"


def imports_late(notebook):
    cell(notebook, "exponential").source = "import cmath"


def has_a_magic(notebook):
    cell(notebook, "exponential").source = "%time 1"


def prints_twice(notebook):
    cell(notebook, "exponential").outputs = [stream("1"), image(), stream("2")]
    shown = cell(notebook, "figure").metadata["mystnb"]
    cell(notebook, "exponential").metadata["mystnb"] = shown


def is_large(notebook):
    cell(notebook, "exponential").outputs = [stream("x" * 300_000)]


FAULTS = {
    unexecuted: "execution count None, expected 1",
    out_of_order: "execution count 7, expected 2",
    raised: "raised ValueError",
    warned: "wrote to stderr",
    without_alt: "0 characters of alt text",
    with_short_alt: "8 characters of alt text",
    with_caption_as_alt: "caption as alt text",
    without_caption: "no caption",
    repeated_id: "repeats the id 'title'",
    random_id: "has the id '3f2a91bc'",
    many_cells: "45 cells, at most 40",
    long_cell: "16 lines, at most 15",
    defines: "defines a function",
    imports_late: "first code cell",
    has_a_magic: "not plain Python",
    prints_twice: "3 outputs",
    is_large: "at most 300000",
}


def test_tidy_notebook_passes(notebook, save):
    assert hygiene.problems(save(notebook)) == []


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_fault_is_found(fault, notebook, save):
    fault(notebook)
    assert any(FAULTS[fault] in problem for problem in hygiene.problems(save(notebook)))


def test_exercise_may_define(notebook, save):
    defines(notebook)
    cell(notebook, "exponential").metadata["tags"] = ["exercise"]
    assert hygiene.problems(save(notebook)) == []


@pytest.mark.parametrize(
    "edit",
    [
        lambda raw: raw["metadata"]["language_info"].update(version="3.11.7"),
        lambda raw: raw["metadata"].update(colab={}),
        lambda raw: raw["cells"][1]["metadata"].update(collapsed=True),
        lambda raw: raw["metadata"]["kernelspec"].update(name="my-kernel"),
    ],
    ids=["language version", "notebook key", "cell key", "kernel"],
)
def test_hand_edited_metadata_is_found(edit, notebook, save):
    path = save(notebook)
    raw = json.loads(path.read_text())
    edit(raw)
    path.write_text(
        json.dumps(raw, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    )
    assert any("edited by hand" in problem for problem in hygiene.problems(path))


def test_cell_without_id_is_found(notebook, save):
    path = save(notebook)
    raw = json.loads(path.read_text())
    del raw["cells"][0]["id"]
    path.write_text(json.dumps(raw))
    assert any("has the id ''" in problem for problem in hygiene.problems(path))


@pytest.mark.parametrize("text", ["", "{}", "[]", "not json", '{"nbformat": 3}'])
def test_what_is_no_notebook_is_one_problem(text, tmp_path):
    path = tmp_path / "page.ipynb"
    path.write_text(text)
    assert len(hygiene.problems(path)) == 1


def test_command_line_counts_and_fails(notebook, save, capsys):
    good = save(notebook, "good")
    raised(notebook)
    bad = save(notebook, "bad")
    assert notebooks.main(["check", str(good)]) == 0
    assert notebooks.main(["check", str(good), str(bad)]) == 1
    printed = capsys.readouterr().out
    assert f"{bad}: cell exponential raised ValueError" in printed
    assert printed.endswith("1 passed, 1 failed\n")


def test_unknown_path_is_an_error(capsys):
    assert notebooks.main(["check", "nowhere.ipynb"]) == 2
    assert "no such notebook: nowhere.ipynb" in capsys.readouterr().err
