"""Rows, policies, rosters, spreadsheets and learning platforms."""

import csv
import io
import json

import pytest

from sdpa.selftest.bank import LETTERS
from sdpa.selftest.classes import Outputs, grade_class
from sdpa.selftest.exports import canvas_csv, moodle_csv
from sdpa.selftest.gradebook import Row, decide, grades_csv, read_roster, safe
from sdpa.selftest.grading import grade
from sdpa.selftest.texts import FEEDBACK
from tests.grading.samples import answers, sheet

HALF = answers(c={"divisor": "sqrt(d_k)"})


def row(file="1.json", status="graded", total=1.0, digest="", when=0.0):
    return Row("ann", status, total, (1,) if total else (), file, "", digest, "", when)


def test_identical_submissions_merge():
    assert decide([row("2.json"), row("1.json")]).file == "1.json"


@pytest.mark.parametrize(
    ("policy", "file"), [("latest", "2.json"), ("first", "1.json"), ("best", "3.json")]
)
def test_policies(policy, file):
    rows = [
        row("1.json", digest="a", when=1, total=2.0),
        row("2.json", digest="b", when=9, total=1.0),
        row("3.json", digest="c", when=5, total=3.0),
    ]
    assert decide(rows, policy).file == file
    assert decide(rows[::-1], policy).file == file


def test_different_submissions_are_ambiguous_without_a_policy():
    chosen = decide([row("1.json", digest="a"), row("2.json", digest="b")])
    assert (chosen.status, chosen.total, chosen.scores) == ("ambiguous", 0, ())
    assert "2 submissions that differ (1.json, 2.json)" in chosen.reason


def test_an_unreadable_file_beside_a_good_one_is_ambiguous():
    bad = row("0.json", "unreadable", 0, digest="x", when=9)
    rows = [bad, row(digest="y")]
    assert decide(rows).status == "ambiguous"
    assert decide(rows, "best").status == "graded"
    assert decide(rows, "latest").status == "unreadable"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", " ="])
def test_formulas_are_neutralised(start):
    name = start + "cmd|' /C calc'!A0"
    text = grades_csv([Row("", "unreadable", file=name, reason=name)])
    (_, line) = csv.reader(io.StringIO(text))
    assert line[8] == line[9] == "'" + name
    assert all(cell[:1] not in "=+-@\t\r" for cell in line if cell)


def test_every_cell_is_quoted():
    text = grades_csv([Row("ann", "graded", 5, (1,) * 5, 'a"b,c.json')])
    assert text.splitlines()[1].count('"') == 2 * 10 + 2
    assert safe("ann") == "ann" and safe("-ann") == "'-ann"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "1.json").write_bytes(sheet("ann"))
    (folder / "2.json").write_bytes(sheet("bob@x.org", HALF))
    (folder / "3.json").write_bytes(sheet("cid", {"c": {"variance": "2d_k"}}))
    (folder / "4.json").write_bytes(sheet("ann"))
    return folder


def test_the_gradebook(folder, tmp_path):
    grade_class([folder], tmp_path / "out")
    text = (tmp_path / "out" / "grades.csv").read_text("utf-8")
    lines = list(csv.DictReader(io.StringIO(text)))
    found = [(line["student"], line["total"], line["status"]) for line in lines]
    assert found == [
        ("ann", "5.0000", "graded"),
        ("bob@x.org", "4.5000", "graded"),
        ("cid", "0.0000", "needs_review"),
    ]
    assert [lines[1][letter] for letter in LETTERS] == ["1.0000"] * 2 + ["0.5000"] + [
        "1.0000"
    ] * 2
    assert "write a sign between '2' and 'd_k'" in lines[2]["reason"]


def test_a_roster_tells_who_is_missing_and_who_is_unknown(folder, tmp_path):
    roster = tmp_path / "roster.csv"
    roster.write_text("name,student\nA,ann\nD,dora\nC,cid\n", "utf-8")
    rows, _ = grade_class([folder], tmp_path / "out", roster=read_roster(roster))
    found = {row.student: (row.status, row.reason[:17]) for row in rows}
    assert found["dora"] == ("missing", "")
    assert found["bob@x.org"] == ("needs_review", "not on the roster")
    assert found["ann"] == ("graded", "")


@pytest.mark.parametrize("text", ["", "student\n", "=x\n", "a b\n", "student\n\n,x\n"])
def test_a_roster_needs_ids(tmp_path, text):
    path = tmp_path / "roster.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=r"roster.csv: "):
        read_roster(path)


def test_feedback_is_written_for_everybody(folder, tmp_path):
    grade_class([folder], tmp_path / "out", outputs=Outputs(gradescope=True))
    feedback = json.loads((tmp_path / "out/feedback/bob@x.org.json").read_text())
    part = feedback["verdict"]["items"]["c"]["parts"]["divisor"]
    assert (part["credit"], part["tag"]) == (0, "at_sigma_1")
    assert feedback["verdict"] == grade(HALF).data()
    scope = json.loads((tmp_path / "out/gradescope/bob@x.org.json").read_text())
    assert scope["score"] == 4.5
    assert [test["score"] for test in scope["tests"]] == [1, 1, 0.5, 1, 1]


def test_the_report_counts(folder, tmp_path):
    _, report = grade_class([folder], tmp_path / "out")
    assert report.statuses == {"graded": 2, "needs_review": 1}
    assert report.histogram == {4: 2, 0: 1}
    assert report.slips["c", "divisor", FEEDBACK["at_sigma_1"]] == 1
    assert list(report.means())[-1] == "e" and report.means()["c"] == 0.5
    page = (tmp_path / "out/report.html").read_text("utf-8")
    assert "True for unit variances only" in page


CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Quiz (11),Test (22)\n"
    "    Points Possible,,,,,10,5\n"
    '"ann, really",7,ann,a@x,1,3,\n'
    "ann,8,zoe,z@x,1,4,2\n"
    "Bob,9,s9,bob@x.org,1,,\n"
)


def test_canvas_is_filled_by_id_only():
    rows = [Row("ann", "graded", 5), Row("bob@x.org", "graded", 4.5)]
    rows.append(Row("s9", "needs_review", 1))
    with pytest.raises(ValueError, match=r"name one of: Quiz \(11\), Test \(22\)"):
        canvas_csv(CANVAS, rows)
    lines = list(csv.reader(io.StringIO(canvas_csv(CANVAS, rows, "Test (22)"))))
    assert [line[-1] for line in lines] == ["Test (22)", "5", "5.00", "2", "4.50"]
    original = list(csv.reader(io.StringIO(CANVAS)))
    assert [line[:-1] for line in lines] == [line[:-1] for line in original]


def test_what_is_no_canvas_export_is_said_before_the_work(folder, tmp_path):
    with pytest.raises(ValueError, match="not a Canvas export"):
        grade_class([folder], tmp_path / "out", outputs=Outputs(canvas="a,b\n"))
    assert not (tmp_path / "out" / "grades.csv").exists()


def test_moodle_gets_ids_or_addresses_and_only_what_is_graded():
    rows = [Row("ann", "graded", 5, (1,) * 5), Row("b@x", "graded", 1, (1, 0, 0, 0, 0))]
    rows += [Row("cid", "needs_review", 3), Row("dan", "ambiguous")]
    lines = list(csv.reader(io.StringIO(moodle_csv(rows))))[1:]
    assert [line[:3] for line in lines] == [["ann", "", "5.00"], ["", "b@x", "1.00"]]


def test_a_policy_has_to_be_known(tmp_path):
    with pytest.raises(ValueError, match="expected one of latest, best, first"):
        grade_class([tmp_path], tmp_path / "out", policy="worst")
