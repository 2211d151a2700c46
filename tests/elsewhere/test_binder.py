"""Binder installs what the notebooks import, and no test tools."""

import re
import tomllib
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from tools import binder, fresh_binder

ROOT = Path(__file__).parents[2]
TEXT = binder.REQUIREMENTS.read_text(encoding="utf-8")


def test_notebooks_find_all_they_import():
    assert binder.missing(binder.sources(), TEXT) == []


@pytest.mark.parametrize(
    ("asked", "absent"),
    [
        (".[notebooks]", ["torch"]),
        (".[train]", ["matplotlib"]),
        ("numpy", ["matplotlib", "sdpa", "torch"]),
    ],
)
def test_smaller_set_is_found_out(asked, absent):
    code = ["import sdpa, torch", "import matplotlib.pyplot as plt, numpy, json"]
    assert binder.missing(code, asked) == absent


def test_what_a_package_brings_along_counts():
    assert binder.missing(["import traitlets"], "ipywidgets") == []
    assert binder.missing(["import traitlets"], "numpy") == ["traitlets"]


def test_sources_hold_notebooks_and_package():
    code = binder.sources()
    assert any("figures.setup()" in text for text in code)
    assert "torch" in binder.imported(code)


def test_no_test_tools_and_no_cuda():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    tools = {binder.Requirement(entry).name for entry in extras["test"]}
    runners = {"hypothesis", "nbval", "playwright", "pytest", "pytest-xdist", "ruff"}
    wanted = binder.asked_for(TEXT)
    assert tools.isdisjoint(one.name for one in wanted)
    assert runners <= tools and runners.isdisjoint(binder.closure(wanted))
    assert re.search(r"(?m)^--extra-index-url \S+/cpu$", TEXT)


def test_python_is_pinned_to_one_that_is_tested():
    runtime = (ROOT / "binder" / "runtime.txt").read_text().strip()
    pages = (ROOT / ".github" / "workflows" / "test.yml").read_text()
    assert runtime == "python-3.11" and 'python-version: "3.11"' in pages


def test_versions_are_those_of_the_book():
    line = next(line for line in TEXT.splitlines() if line.startswith("--constraint"))
    path = (binder.REQUIREMENTS.parent / line.split()[1]).resolve()
    assert path == ROOT / "requirements.txt"


def test_index_that_does_not_answer_is_left_out(capsys):
    asked = []
    text = fresh_binder.reachable(TEXT, ask=lambda address: asked.append(address))
    assert len(asked) == 1 and asked[0] in TEXT and asked[0] not in text
    assert text.count("\n") == TEXT.count("\n") - 1
    assert "left out" in capsys.readouterr().err
    assert fresh_binder.reachable(TEXT, ask=lambda address: True) == TEXT


def test_sizes_are_counted(tmp_path):
    (tmp_path / "torch-2.whl").write_bytes(bytes(3_000_000))
    (tmp_path / "numpy-2.whl").write_bytes(bytes(1_000_000))
    assert fresh_binder.megabytes(tmp_path) == 4
    assert fresh_binder.largest(tmp_path, 1) == "torch 3"


def test_what_wheels_hold_is_counted(tmp_path):
    wheel = tmp_path / "small-1.whl"
    with ZipFile(wheel, "w", ZIP_DEFLATED) as archive:
        archive.writestr("small.py", bytes(2_000_000))
    assert fresh_binder.unpacked([wheel, wheel]) == 4 > fresh_binder.megabytes(tmp_path)
