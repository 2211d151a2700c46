"""The commands: what they print, write, and exit with."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from sdpa.cli import app
from sdpa.selftest import bank_json
from tests.grading.samples import GOOD, answers, sheet


def run(*args, code=0):
    """Run a command in this process; return what it printed."""
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def test_a_blank_sheet_can_be_filled_in_and_checked(tmp_path):
    blank = json.loads(run("sheet", "--student", "ann"))
    assert blank["answers"].keys() == GOOD.keys()
    assert all(
        v is None for fields in blank["answers"].values() for v in fields.values()
    )
    path = tmp_path / "sheet.json"
    path.write_text(json.dumps(blank | {"answers": GOOD}), "utf-8")
    assert "Total: 5.00 of 5" in run("check", path)


def test_check_explains_and_says_when_a_person_is_needed(tmp_path):
    path = tmp_path / "sheet.json"
    path.write_bytes(sheet("ann", answers(c={"divisor": "sqrt(d_k)"})))
    assert "True for unit variances only" in run("check", path)
    path.write_bytes(sheet("ann", answers(c={"divisor": "2d_k[0]"}), extra=1))
    out = run("check", path, code=1)
    assert "left square bracket" in out and "Note: key the text 'extra'" in out
    content = json.loads(run("check", path, "--json", code=1))
    assert (content["total"], content["status"]) == (4.5, "needs_review")


def test_check_reads_notebooks_and_practice_seeds(folder, tmp_path):
    assert "Total: 1.00 of 5" in run("check", folder / "bob.ipynb")
    path = tmp_path / "seven.json"
    path.write_bytes(sheet("ann", variant=7))
    assert "You left out" in run("check", path) or "Not right" in run("check", path)


@pytest.mark.parametrize("data", [b"{", sheet(format="x"), sheet(variant="week-3")])
def test_check_exits_with_2_when_nothing_can_be_done(tmp_path, data):
    path = tmp_path / "sheet.json"
    path.write_bytes(data)
    assert run("check", path, code=2).startswith("sdpa: ")
    run("check", tmp_path / "nothing.json", code=2)
    run("check", tmp_path / "essay.pdf", code=2)


def test_grade_exits_with_0_when_all_are_graded(folder, tmp_path):
    out = run("grade", folder, "--out", tmp_path / "out")
    assert "graded  2" in out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"grades.csv", "report.html", "journal.jsonl", "feedback"}


def test_grade_exits_with_1_when_a_person_is_needed(folder, tmp_path):
    (folder / "eve.json").write_bytes(b"{")
    (folder / "ann2.json").write_bytes(sheet("ann", {}))
    (folder / "notes.txt").write_text("x")
    out = run("grade", folder, "--out", tmp_path / "out", code=1)
    assert "unreadable: eve (eve.json) not JSON at line 1" in out
    assert "ambiguous: ann" in out
    assert "1 files of other kinds were passed over" in out
    out = run("grade", folder, "--out", tmp_path / "out", "--policy", "best", code=1)
    assert "ambiguous" not in out


@pytest.mark.parametrize(
    "options",
    [("--policy", "worst"), ("--id-from", "moon"), ("--roster", "nothing.csv"),
     ("--assignment", "week-3"), ("--variant-salt-file", "nothing")],
)  # fmt: skip
def test_grade_exits_with_2_when_options_are_wrong(folder, tmp_path, options):
    out = run("grade", folder, "--out", tmp_path / "out", *options, code=2)
    assert out.startswith("sdpa: ")
    assert not (tmp_path / "out" / "grades.csv").exists()


def test_grade_exits_with_2_when_there_is_nothing_to_grade(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    run("grade", tmp_path / "empty", "--out", tmp_path / "out", code=2)
    run("grade", tmp_path / "missing", "--out", tmp_path / "out", code=2)
    (tmp_path / "empty" / "eve.json").write_bytes(b"{")
    run("grade", tmp_path / "empty", "--out", tmp_path / "out", code=2)


def test_exports(folder, tmp_path):
    template = tmp_path / "canvas.csv"
    template.write_text("Student,ID,Test (1)\nAnn,ann,\n", "utf-8")
    out = tmp_path / "out"
    run("grade", folder, "--out", out, "--canvas", template, "--moodle", "--gradescope")
    assert '"Ann","ann","5.00"' in (out / "canvas.csv").read_text("utf-8")
    assert (out / "moodle.csv").exists() and (out / "gradescope" / "bob.json").exists()


def test_variants_for_a_class(tmp_path):
    salt, roster = tmp_path / "salt", tmp_path / "roster.csv"
    salt.write_text("correct horse battery", "utf-8")
    roster.write_text("student\nann\nbob\n", "utf-8")
    secret = ("--variant-salt-file", salt, "--assignment", "week-3")
    folder = tmp_path / "variants"
    run("variant", *secret, "--roster", roster, "--out", folder)
    texts = {
        name: (folder / f"{name}.txt").read_text("utf-8") for name in ("ann", "bob")
    }
    assert texts["ann"] != texts["bob"]
    assert run("variant", *secret, "--student", "ann") == texts["ann"]
    blank = json.loads((folder / "ann.json").read_text("utf-8"))
    assert (blank["student"], blank["variant"]) == ("ann", "week-3")
    out = run("grade", folder, "--out", tmp_path / "out", *secret, code=0)
    assert "graded  2" in out
    run("variant", *secret, code=2)
    salt.write_text("short", "utf-8")
    run("variant", *secret, "--student", "ann", code=2)


def test_schema_and_bank_are_json():
    assert json.loads(run("schema"))["title"] == "Answers to the self-test"
    assert run("bank", "--variant", 7).strip() == bank_json(7)
    assert run("bank", "--variant", -1, code=2).startswith("sdpa: ")


def fresh(source):
    """Run Python in a fresh process."""
    return subprocess.run(
        [sys.executable, "-c", source],
        env={"PYTHONPATH": ":".join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
    )


def test_check_needs_nothing_but_numpy():
    heavy = "msgspec nbformat typer rich click dask distributed sympy torch".split()
    source = f"""
import sys
for name in {heavy}: sys.modules[name] = None
from sdpa.selftest import check, read_sheet, read_notebook
check("c", variance="d_k*sigma**4")
"""
    result = fresh(source)
    assert "Right." in result.stdout, result.stderr


def test_importing_sdpa_loads_none_of_it():
    result = fresh("import sys, sdpa; print(*sys.modules)")
    loaded = {name.split(".")[0] for name in result.stdout.split()}
    assert "sdpa" in loaded and "sdpa.selftest" not in result.stdout.split()
    assert loaded.isdisjoint({"nbformat", "typer", "rich", "dask", "distributed"})


def test_the_command_says_what_is_missing():
    source = "import sys; sys.modules['typer'] = None\n"
    result = fresh(source + "from sdpa.__main__ import main; main()")
    assert result.returncode == 1
    assert result.stderr.strip() == "typer is not installed: pip install 'sdpa[grade]'"
