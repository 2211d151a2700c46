"""What describes the book to others agrees with the package."""

import re
import tomllib
from pathlib import Path

import yaml

import sdpa

ROOT = Path(__file__).parents[2]


def test_citation_has_the_version_and_title_of_the_book():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    assert str(citation["version"]) == sdpa.__version__
    assert citation["title"] == config["title"]


def test_pins_are_exact_portable_and_complete():
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==\d[\w.]*", pin) for pin in pins)
    pinned = {pin.partition("==")[0].lower().replace("_", "-") for pin in pins}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = list(project["dependencies"])
    for extra in ("site", "notebooks", "train", "test"):
        wanted += extras[extra]
    names = {re.match(r"[\w.-]+", entry)[0].lower() for entry in wanted}
    assert names <= pinned


def test_every_dependency_says_why():
    text = (ROOT / "pyproject.toml").read_text()
    entries = [
        line for line in text.splitlines() if re.match(r'    "[\w.-]+[>=]=\d', line)
    ]
    lines = text.splitlines()
    unexplained = [
        entry
        for entry in entries
        if "#" not in entry and "#" not in lines[lines.index(entry) - 1]
    ]
    assert entries and not unexplained


def test_version_is_written_once():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" not in project and project["dynamic"] == ["version"]
