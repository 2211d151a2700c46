"""What several tests of grading begin with."""

import pytest

from tests.grading.samples import code, kept, notebook, sheet


@pytest.fixture
def folder(tmp_path):
    """A folder with one good sheet and one good notebook."""
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "ann.json").write_bytes(sheet("ann"))
    (folder / "bob.ipynb").write_bytes(notebook(code("", kept("c")), student="bob"))
    return folder
