"""The first cell installs the package on Colab, and does nothing anywhere else."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import nbformat
import pytest

from tools import canonical, fresh_colab, hygiene, publish, setup_cell
from tools.toc import Toc

ROOT = Path(__file__).parents[2]
PAGE = "chapters/01_soft_lookup.ipynb"
# What a build without network needs, and what the package itself does.
BORROWED = (
    "setuptools",
    "setuptools-*",
    "_distutils_hack",
    "numpy",
    "numpy.libs",
    "numpy-*",
)


def first_cell(text: str) -> str:
    """Give the source of the first cell of a notebook."""
    return canonical.loads(text).cells[0].source


def test_every_notebook_begins_with_the_cell():
    for page in Toc.load(ROOT).notebooks():
        text = page.read_text(encoding="utf-8")
        assert text == canonical.dumps(setup_cell.insert(canonical.loads(text))), (
            f"{page.name}: run python -m tools.setup_cell"
        )


def test_cell_is_short_and_hidden():
    cell = setup_cell.cell()
    assert len(cell.source.splitlines()) <= hygiene.MAX_LINES
    assert cell.metadata.tags == ["remove-cell"] and cell.outputs == []


def small() -> nbformat.NotebookNode:
    """Make a notebook of two executed cells without the set-up cell."""
    result = nbformat.v4.new_output("execute_result", {"text/plain": "1"})
    result.execution_count = 2
    cells = [
        nbformat.v4.new_code_cell("import sys", id="imports", execution_count=1),
        nbformat.v4.new_code_cell("1", id="one", execution_count=2, outputs=[result]),
    ]
    return canonical.normalise(nbformat.v4.new_notebook(cells=cells, nbformat_minor=5))


def test_inserting_keeps_results_and_counts_in_order(tmp_path):
    once = canonical.dumps(setup_cell.insert(small()))
    path = tmp_path / "page.ipynb"
    path.write_text(once, encoding="utf-8")
    assert hygiene.problems(path) == []
    assert setup_cell.main([str(path)]) == 0
    assert path.read_text(encoding="utf-8") == once
    changed = canonical.loads(once)
    assert changed.cells[2].outputs[0].execution_count == 3
    changed.cells[0].source = "an older cell"
    assert canonical.dumps(setup_cell.insert(changed)) == once


def test_imports_are_still_expected_in_one_cell(tmp_path):
    notebook = setup_cell.insert(small())
    notebook.cells[2].source = "import os"
    path = tmp_path / "page.ipynb"
    path.write_text(canonical.dumps(notebook), encoding="utf-8")
    assert any("cell one imports" in problem for problem in hygiene.problems(path))


def test_only_what_to_install_is_written_into_a_copy():
    text = canonical.dumps(setup_cell.insert(small()))
    copy = setup_cell.published(text, "git+https://example.org/book@abc")
    packages = '"anywidget psygnal git+https://example.org/book@abc"'
    assert copy.replace(packages.replace('"', '\\"'), '\\"\\"') == text
    with pytest.raises(ValueError, match="tools.setup_cell"):
        setup_cell.published(canonical.dumps(small()), "git+https://example.org")


def run(code: str, python=sys.executable, **variables) -> subprocess.CompletedProcess:
    """Run code in a process of its own."""
    return subprocess.run(
        [python, "-c", code],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


PRETEND = "import sys, types; sys.modules['google.colab'] = types.ModuleType('colab')\n"
CAUGHT = "import subprocess; subprocess.run = lambda *a, **k: print('ran', *a)\n"


def test_elsewhere_the_cell_does_nothing(tmp_path):
    # No package and no network in sight: all that could happen would fail.
    lone = (sys.executable, "-I", "-S", "-c", CAUGHT + setup_cell.SOURCE)
    done = subprocess.run(lone, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_on_colab_with_the_package_the_cell_does_nothing():
    found = os.pathsep.join([str(ROOT / "src"), *filter(None, sys.path)])
    done = run(PRETEND + CAUGHT + setup_cell.SOURCE, PYTHONPATH=found)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_unpublished_copy_says_what_to_do(tmp_path):
    lone = (sys.executable, "-I", "-S", "-c", PRETEND + CAUGHT + setup_cell.SOURCE)
    done = subprocess.run(lone, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1 and done.stdout == ""
    assert "use the book's Colab button, or set PACKAGES" in done.stderr


@pytest.fixture
def colab(tmp_path) -> Path:
    """Make an environment like Colab's: NumPy and pip, a google.colab, no sdpa."""
    venv.create(tmp_path / "venv", with_pip=True, symlinks=True)
    library = next((tmp_path / "venv" / "lib").glob("python*")) / "site-packages"
    installed = Path(sysconfig.get_path("purelib"))
    for found in (path for name in BORROWED for path in installed.glob(name)):
        shutil.rmtree(library / found.name, ignore_errors=True)
        (library / found.name).symlink_to(found)
    for name in setup_cell.MISSING_ON_COLAB:  # there already, in an older version
        (library / f"{name}-0.0.1.dist-info").mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0.1\n"
        (library / f"{name}-0.0.1.dist-info" / "METADATA").write_text(metadata)
        (library / f"{name}-0.0.1.dist-info" / "INSTALLER").write_text("pip\n")
    fresh_colab.pretend(library)
    return tmp_path / "venv" / "bin" / "python"


def test_published_cell_installs_its_own_commit(colab, tmp_path):
    repository = tmp_path / "repository"
    repository.mkdir()
    commit = fresh_colab.snapshot(ROOT, repository)
    page = canonical.dumps(setup_cell.insert(small()))
    text = setup_cell.published(page, f"git+{repository.as_uri()}@{commit}")
    # What is on the branch by now is not what was published.
    (repository / "src" / "sdpa" / "__init__.py").write_text("raise SystemError\n")
    who = ("-c", "user.name=N", "-c", "user.email=n@example.org")
    publish.git(repository, *who, "commit", "-q", "-a", "-m", "later")
    offline = {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1", "PYTHONPATH": ""}
    check = (
        "\nimport sdpa, json, importlib.metadata as m\n"
        "print(sdpa.__file__, sdpa.softmax([0, 0]).tolist())\n"
        "print(m.distribution('sdpa').read_text('direct_url.json'))\n"
        "print(m.version('anywidget'), m.version('psygnal'))\n"
    )
    done = run(first_cell(text) + check, python=colab, **offline)
    assert done.returncode == 0, done.stderr
    where, direct, versions = done.stdout.strip().splitlines()
    assert where.startswith(str(colab.parents[1])) and "[0.5, 0.5]" in where
    assert commit in direct and '"editable"' not in direct
    assert versions == "0.0.1 0.0.1"
