"""A small notebook that is as it should be, for tests to spoil."""

from pathlib import Path

import pytest

from tests.notebooks.samples import tidy
from tools import canonical


@pytest.fixture
def notebook():
    """Give a notebook without a fault."""
    return tidy()


@pytest.fixture
def save(tmp_path: Path):
    """Give a function that writes a notebook to a temporary file."""

    def write(notebook, name: str = "page") -> Path:
        path = tmp_path / f"{name}.ipynb"
        path.write_text(canonical.dumps(notebook), encoding="utf-8")
        return path

    return write
