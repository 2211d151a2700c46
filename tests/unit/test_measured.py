"""What is shown of the benchmark is what was stored."""

import re
from pathlib import Path

import pytest

from benchmarks import _report
from sdpa import measured

ROOT = Path(__file__).parents[2]


def test_report_is_made_of_the_stored_results():
    report = (ROOT / "benchmarks/results/attention.md").read_text(encoding="utf-8")
    assert report == _report.markdown(measured.load())


def test_readme_shows_rows_of_the_report():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    report = _report.markdown(measured.load())
    section = re.search(r"### How fast is it\?\n(.*?)\n## ", readme, re.DOTALL)[1]
    rows = [line for line in section.splitlines() if line.startswith("| fp")]
    assert len(rows) >= 3
    assert all(row in report for row in rows)


def test_missing_results_say_what_to_run(tmp_path):
    with pytest.raises(FileNotFoundError, match="make bench"):
        measured.load(tmp_path / "attention.json")
