"""Publishing adds one commit on a branch of its own, and changes nothing here."""

import json
import shutil
from pathlib import Path

import pytest

from tests.elsewhere.test_setup_cell import small
from tools import canonical, publish, setup_cell
from tools.ext import repository
from tools.ext.repository import Repository

ROOT = Path(__file__).parents[2]
BOOK = Repository("github.com", "ann/book", "fix/typo")
WHO = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Make a checkout of a small book, with an origin to push to."""
    origin, folder = tmp_path / "origin.git", tmp_path / "checkout"
    (folder / "chapters").mkdir(parents=True)
    notebook = setup_cell.insert(small())
    for name in ("one.ipynb", "two.ipynb"):
        (folder / "chapters" / name).write_text(canonical.dumps(notebook), "utf-8")
    (folder / "chapters" / "text.md").write_text("# Text\n")
    publish.git(tmp_path, "init", "-q", "--bare", str(origin))
    publish.git(folder, "init", "-q")
    publish.git(folder, "remote", "add", "origin", str(origin))
    publish.git(folder, "add", "--all")
    publish.git(folder, *WHO, "commit", "-q", "-m", "one")
    monkeypatch.setattr(publish, "ROOT", folder)
    monkeypatch.setattr(repository, "find", lambda: BOOK)
    return folder


def test_published_branch_is_the_commit_and_its_address(checkout, capsys):
    commit = publish.git(checkout, "rev-parse", "HEAD")
    refs = publish.git(checkout, "for-each-ref", "refs/heads")
    assert publish.main(["--push"]) == 0
    assert (
        "published-fix-typo of https://github.com/ann/book" in capsys.readouterr().out
    )
    origin = checkout.parent / "origin.git"
    assert publish.git(origin, "rev-parse", "published-fix-typo^") == commit
    changed = publish.git(
        origin, "diff", "--stat", "--format=", commit, "published-fix-typo"
    )
    assert "2 files changed, 2 insertions(+), 2 deletions(-)" in changed
    for name in ("one", "two"):
        blob = f"published-fix-typo:chapters/{name}.ipynb"
        cell = json.loads(publish.git(origin, "show", blob))["cells"][0]
        source = "".join(cell["source"])
        assert f"git+https://github.com/ann/book@{commit}" in source
    # Nothing in the checkout has changed: no file, no branch, nothing staged.
    assert publish.git(checkout, "status", "--porcelain") == ""
    assert publish.git(checkout, "for-each-ref", "refs/heads") == refs


def test_publishing_again_gives_the_same_commit(checkout):
    commit = publish.git(checkout, "rev-parse", "HEAD")
    first = publish.prepare(checkout, "git+https://example.org/book", commit)
    assert publish.prepare(checkout, "git+https://example.org/book", commit) == first


def test_newer_commit_takes_the_place_of_an_older_one(checkout):
    assert publish.main(["--push"]) == 0
    publish.git(checkout, *WHO, "commit", "-q", "--allow-empty", "--amend", "-m", "two")
    assert publish.main(["--push"]) == 0
    origin = checkout.parent / "origin.git"
    commit = publish.git(checkout, "rev-parse", "HEAD")
    assert publish.git(origin, "rev-parse", "published-fix-typo^") == commit


def test_without_push_nothing_leaves(checkout, capsys):
    assert publish.main([]) == 0
    assert capsys.readouterr().out.startswith("would push")
    assert publish.git(checkout.parent / "origin.git", "for-each-ref") == ""


def test_notebook_without_the_cell_is_an_error(checkout, capsys):
    page = checkout / "chapters" / "two.ipynb"
    page.write_text(canonical.dumps(small()), encoding="utf-8")
    publish.git(checkout, *WHO, "commit", "-q", "-a", "-m", "two")
    assert publish.main(["--push"]) == 1
    assert "chapters/two.ipynb: no set-up cell" in capsys.readouterr().err


def test_refused_push_is_an_error(checkout, capsys):
    shutil.rmtree(checkout.parent / "origin.git")
    assert publish.main(["--push"]) == 1
    assert "git push failed" in capsys.readouterr().err


@pytest.mark.parametrize("book", [None, Repository("gitlab.com", "ann/book", "main")])
def test_without_colab_there_is_nothing_to_publish(checkout, monkeypatch, book, capsys):
    monkeypatch.setattr(repository, "find", lambda: book)
    assert publish.main(["--push"]) == 0
    assert "nothing to publish" in capsys.readouterr().out
