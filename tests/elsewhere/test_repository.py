"""Where this copy of the book lies is found out, never guessed."""

import subprocess

import pytest

from tools.ext.repository import Repository, find, parse

PAGE = "chapters/01_soft_lookup.ipynb"


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("https://github.com/ann/book", "https://github.com/ann/book"),
        ("https://github.com/ann/book.git", "https://github.com/ann/book"),
        ("https://github.com/ann/book.js/", "https://github.com/ann/book.js"),
        ("https://ann:secret@github.com/ann/book", "https://github.com/ann/book"),
        ("git@github.com:ann/book.git", "https://github.com/ann/book"),
        ("github.com:ann/book", "https://github.com/ann/book"),
        ("ssh://git@github.com/ann/book.git", "https://github.com/ann/book"),
        ("ssh://git@gitlab.com:22/a/b/book.git", "https://gitlab.com/a/b/book"),
        ("git@gitlab.example.org:a/b.git", "https://gitlab.example.org/a/b"),
        ("https://www.GitHub.com/ann/book", "https://github.com/ann/book"),
    ],
)
def test_forms_of_an_address(address, url):
    assert parse(address).url == url


@pytest.mark.parametrize(
    "address",
    [
        "",
        "/srv/git/book.git",
        "../book",
        "file:///srv/github.com/book",
        "C:/books/book",
        "https://example.org/ann/book",
        "https://notgithub.com/ann/book",
        "https://github.com/ann",
        "https://github.com",
        "https://github.com/ann/book?tab=readme",
        "git@github.com:ann/bo ok",
    ],
)
def test_no_address_on_a_forge_is_none(address):
    assert parse(address) is None or "?" in address


def test_query_is_no_part_of_the_address():
    assert parse("https://github.com/ann/book?tab=readme").name == "ann/book"


def test_own_variables_come_first():
    github = {"GITHUB_REPOSITORY": "ann/book", "GITHUB_REF_NAME": "draft"}
    own = {"BOOK_REPOSITORY": "git@gitlab.com:team/book.git", "BOOK_BRANCH": "spring"}
    assert find(github | own) == Repository("gitlab.com", "team/book", "spring")
    assert find(github) == Repository("github.com", "ann/book", "draft")
    assert find(github | {"BOOK_BRANCH": "v1"}).branch == "v1"
    assert find(github | {"BOOK_REPOSITORY": ""}) is None
    pull = github | {"GITHUB_REF_NAME": "7/merge", "GITHUB_HEAD_REF": "typo"}
    assert find(pull).branch == "typo"
    server = github | {"GITHUB_SERVER_URL": "https://github.example.org"}
    assert find(server).url == "https://github.example.org/ann/book"


def test_wrong_variable_says_what_was_expected():
    with pytest.raises(ValueError, match="BOOK_REPOSITORY is 'ann/book', expected"):
        find({"BOOK_REPOSITORY": "ann/book"})


@pytest.fixture
def checkout(tmp_path):
    """Make a repository of one commit on the branch `draft`, without a remote."""
    run = ("git", "-c", "user.name=N", "-c", "user.email=n@example.org")
    subprocess.run([*run, "init", "-q", "-b", "draft"], cwd=tmp_path, check=True)
    commit = [*run, "commit", "-q", "--allow-empty", "-m", "one"]
    subprocess.run(commit, cwd=tmp_path, check=True)
    return tmp_path


def test_git_is_asked_last(checkout):
    assert find({}, folder=checkout) is None
    remote = ["git", "remote", "add", "origin", "git@github.com:ann/book.git"]
    subprocess.run(remote, cwd=checkout, check=True)
    assert find({}, folder=checkout) == Repository("github.com", "ann/book", "draft")
    subprocess.run(["git", "checkout", "-q", "--detach"], cwd=checkout, check=True)
    assert find({}, folder=checkout).branch == "main"
    subprocess.run(
        ["git", "remote", "set-url", "origin", "/srv/book.git"],
        cwd=checkout,
        check=True,
    )
    assert find({}, folder=checkout) is None


def test_folder_inside_another_repository_has_no_address(checkout):
    remote = ["git", "remote", "add", "origin", "git@github.com:ann/other.git"]
    subprocess.run(remote, cwd=checkout, check=True)
    (checkout / "book").mkdir()
    assert find({}, folder=checkout / "book") is None


def test_without_git_there_is_none(checkout, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert find({}, folder=checkout) is None


def test_addresses_on_github():
    book = Repository("github.com", "ann/book", "fix/typo")
    assert book.edit(PAGE) == f"https://github.com/ann/book/edit/fix/typo/{PAGE}"
    assert book.binder(PAGE) == (
        f"https://mybinder.org/v2/gh/ann/book/fix%2Ftypo?urlpath=lab/tree/{PAGE}"
    )
    assert book.colab(PAGE) == (
        "https://colab.research.google.com/github/ann/book/blob/"
        f"published-fix-typo/{PAGE}"
    )
    assert book.issue("A & B") == (
        "https://github.com/ann/book/issues/new?title=A+%26+B"
    )


def test_addresses_on_gitlab():
    book = Repository("gitlab.com", "team/sub/book", "main")
    assert book.edit(PAGE) == f"https://gitlab.com/team/sub/book/-/edit/main/{PAGE}"
    assert book.binder(PAGE) == (
        f"https://mybinder.org/v2/gl/team%2Fsub%2Fbook/main?urlpath=lab/tree/{PAGE}"
    )
    assert book.colab(PAGE) is None
    assert book.issue("A").startswith("https://gitlab.com/team/sub/book/-/issues/new?")


def test_binder_takes_any_server():
    book = Repository("gitlab.example.org", "team/book", "main")
    assert book.binder(PAGE).startswith(
        "https://mybinder.org/v2/git/https%3A%2F%2Fgitlab.example.org%2Fteam%2Fbook/main?"
    )
