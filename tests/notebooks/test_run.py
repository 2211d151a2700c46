"""Executing: the same bytes twice, nothing written on failure, nothing stale."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tools import canonical, hygiene, notebooks

ROOT = Path(notebooks.__file__).parents[1]


def fresh(*sources: str):
    """Make a notebook that was never executed."""
    cells = [new_code_cell(code, id=f"step-{n}") for n, code in enumerate(sources)]
    return new_notebook(cells=[*cells], nbformat_minor=5)


@pytest.fixture
def module(tmp_path):
    """Write a module next to the notebook, whose value a test can change."""
    path = tmp_path / "quantity.py"
    path.write_text("VALUE = 1\n")
    return path


def nbval(path: Path) -> subprocess.CompletedProcess:
    """Compare stored outputs with a fresh run, as `make test` does."""
    options = ["--nbval", "--nbval-current-env", "-p", "tools.nbval_semicolons"]
    options += ["--nbval-sanitize-with", str(ROOT / "tools" / "nbval.cfg")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = str(ROOT)
    return subprocess.run(
        [*command, *options, str(path)],
        cwd=path.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_twice_gives_identical_bytes(save):
    path = save(
        fresh(
            "from ipywidgets import IntSlider, VBox",
            "print(object())",
            "VBox([IntSlider(), IntSlider()])",
            "for i in range(3):\n    print(i, flush=True)",
        )
    )
    assert notebooks.main(["run", str(path)]) == 0
    first = path.read_bytes()
    assert notebooks.main(["run", str(path)]) == 0
    assert path.read_bytes() == first
    assert b"at 0x0>" in first and b"model_id" in first
    assert hygiene.problems(path) == []


def test_raising_cell_leaves_the_file_alone(save, capsys):
    path = save(fresh("x = 1", "1 / 0"))
    before = path.read_bytes()
    assert notebooks.main(["run", str(path)]) == 1
    assert path.read_bytes() == before
    said = capsys.readouterr()
    assert "cell step-1 raised" in said.err and "ZeroDivisionError" in said.err
    assert str(path) in said.err
    assert said.out.endswith("0 passed, 1 failed\n")


def test_metadata_of_the_book_is_kept(save):
    notebook = fresh("x = 1")
    notebook.metadata = {"sdpa": {"constants": {"2017": "year"}}, "colab": {}}
    path = save(notebook)
    assert notebooks.main(["run", str(path)]) == 0
    kept = canonical.load(path).metadata
    assert kept["sdpa"] == {"constants": {"2017": "year"}}
    assert "colab" not in kept and kept["language_info"] == {"name": "python"}


def test_stale_output_fails(save, module):
    path = save(fresh("import quantity", "print(quantity.VALUE)", "quantity;"))
    assert notebooks.main(["run", str(path)]) == 0
    current = nbval(path)
    assert current.returncode == 0, current.stdout + current.stderr
    assert "3 passed" in current.stdout
    module.write_text("VALUE = 2\n")
    stale = nbval(path)
    assert stale.returncode == 1
    assert "1 failed, 2 passed" in stale.stdout
