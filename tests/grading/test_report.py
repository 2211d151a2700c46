"""The report on a class, and the picture of one."""

import json

from sdpa.selftest.classes import grade_class
from sdpa.selftest.gradebook import Row
from sdpa.selftest.reports import ClassReport
from tools import class_report


def test_the_class_of_the_picture(tmp_path):
    """It is made up, and graded like any other: nothing in it is written by hand."""
    folder = tmp_path / "class"
    folder.mkdir()
    class_report.make(folder)
    rows, report = grade_class([folder], tmp_path / "out")
    assert report.statuses["graded"] == class_report.STUDENTS - 2
    assert (report.statuses["ambiguous"], report.statuses["unreadable"]) == (1, 1)
    assert len({row.total for row in rows}) > 10
    assert len(report.slips) > 20


def test_the_picture_is_small():
    assert class_report.PICTURE.stat().st_size <= 80_000


def record(**parts):
    """Return a record whose item (a) has these parts: a tag and a credit each."""
    judged = {
        name: {"tag": tag, "credit": credit, "text": tag}
        for name, (tag, credit) in parts.items()
    }
    verdict = {"items": {"a": {"score": 0.5, "parts": judged}}}
    return {"verdict": verdict, "json": json.dumps(verdict)}


def test_only_what_cost_marks_is_counted_as_a_slip():
    report = ClassReport()
    row = Row("ann", "graded", 2.5, (0.5,) * 5)
    parts = {
        "one": ("by_a_hair", 1),
        "two": ("rounded", 1),
        "three": ("missing", 0),
        "four": ("reciprocal", 0.5),
        "five": ("refused", 0),
    }
    report.add(row, record(**parts))
    assert {name for _, name, _ in report.slips} == {"four", "five"}
    page = report.html()
    assert "the other way up" in page and "Could not be understood" in page
    assert "the products tie" not in page


def test_what_needs_a_person_comes_first_and_is_escaped():
    report = ClassReport()
    report.add(Row("", "unreadable", file="<b>.json", reason="a & b"), None)
    page = report.html()
    assert "&lt;b&gt;.json" in page and "a &amp; b" in page and "<b>.json" not in page
    assert page.index("For a person") < page.index("Totals")
    assert "For a person" not in ClassReport().html()


def test_slips_beyond_the_first_are_folded_away():
    report = ClassReport()
    tags = [f"slip_{i}" for i in range(30)]
    for tag in tags:
        report.slips["a", tag, "text"] += 1
    page = report.html()
    assert page.count("<details>") == 1
    assert all(tag in page for tag in tags)
