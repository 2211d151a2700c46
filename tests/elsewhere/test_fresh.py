"""Environments made for a trial: what they hold, and that a failure is one."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from tools import fresh

ROOT = Path(__file__).parents[2]
PINS = (ROOT / "requirements.txt").read_text(encoding="utf-8")


def test_sets_differ_in_numpy_alone():
    pinned, oldest = fresh.constraints("pinned"), fresh.constraints("oldest")
    assert pinned == PINS and fresh.constraints("newest") == ""
    differing = set(oldest.splitlines()) ^ set(pinned.splitlines())
    assert {line.partition("==")[0] for line in differing} == {"numpy"}
    assert fresh.oldest_numpy() in oldest


def test_environment_is_its_own_and_reports_failure(tmp_path):
    environment = fresh.Environment(tmp_path / "venv")
    environment.run("-c", "import sys; assert sys.prefix != sys.base_prefix")
    with pytest.raises(fresh.Failed, match="-c"):
        environment.run("-c", "import sys; sys.exit(3)")
    with pytest.raises(fresh.Failed):
        environment.run("-c", "import numpy")


def test_failed_trial_gives_exit_code_1(monkeypatch, capsys):
    def fail(*arguments):
        raise fresh.Failed("no such wheel")

    monkeypatch.setattr(fresh, "try_set", fail)
    assert fresh.main(["pinned"]) == 1
    said = capsys.readouterr()
    assert "no such wheel" in said.err and "0 passed, 1 failed" in said.out


def test_tests_that_are_tried_exist():
    assert all((ROOT / path).exists() for path in fresh.TESTED)


def test_declared_pythons_are_those_that_a_job_proves():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {
        found[1]
        for entry in project["classifiers"]
        if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", entry))
    }
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    jobs = yaml.safe_load(text)["jobs"]
    matrix = jobs["versions"]["strategy"]["matrix"]["include"]
    setup = jobs["test"]["steps"][1]["with"]
    proved = {setup["python-version"], *(row["python"] for row in matrix)}
    assert declared == proved
    assert project["requires-python"] == f">={min(declared)}"
    assert {row["set"] for row in matrix} == {"pinned", "oldest"}
