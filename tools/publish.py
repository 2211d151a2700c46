"""Publish the notebooks that the Colab buttons open.

    python -m tools.publish          # says what it would push
    python -m tools.publish --push   # pushes it to `origin`

Colab fetches one file and knows nothing of the rest of the repository. So the notebooks
of a branch are copied to a branch of their own, `published-main` for `main`, in which
the first cell of each names this repository and this very commit. That branch is the
commit that was published and one more on top; nothing in the checkout changes.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import setup_cell
from tools.ext import repository
from tools.ext.repository import ROOT

FOLDER = "chapters"
MESSAGE = "Say in the notebooks where they come from"
IDENTITY = "%an%n%ae%n%aI"


def git(folder: Path, *arguments: str, stdin: str | None = None, **env: str) -> str:
    """Run git and give what it says.

    Raises
    ------
    RuntimeError
        If git fails; with its own words.
    """
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**os.environ, **env},
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.rstrip("\n")


def identity(folder: Path, commit: str) -> dict[str, str]:
    """Give the author and date of a commit, so that the same source gives one hash."""
    name, mail, date = git(folder, "log", "-1", f"--format={IDENTITY}", commit).split(
        "\n"
    )
    return {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", name), ("EMAIL", mail), ("DATE", date))
    }


def prepare(folder: Path, address: str, commit: str) -> str:
    """Make the commit to publish, and give its hash; nothing points to it yet.

    Parameters
    ----------
    folder
        The checkout.
    address
        Where pip finds the repository, such as `git+https://…`, without a commit.
    commit
        The commit to publish.

    Raises
    ------
    RuntimeError
        If git fails.
    ValueError
        If a notebook of that commit lacks the set-up cell.
    """
    listed = git(folder, "ls-tree", "-r", "--name-only", commit, f"{FOLDER}/")
    pages = [name for name in listed.splitlines() if name.endswith(".ipynb")]
    with tempfile.TemporaryDirectory() as scratch:
        index = {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        git(folder, "read-tree", commit, **index)
        for page in pages:
            text = git(folder, "show", f"{commit}:{page}") + "\n"
            try:
                text = setup_cell.published(text, f"{address}@{commit}")
            except ValueError as error:
                raise ValueError(f"{page}: {error}") from None
            blob = git(folder, "hash-object", "-w", "--stdin", stdin=text)
            entry = f"100644,{blob},{page}"
            git(folder, "update-index", "--cacheinfo", entry, **index)
        tree = git(folder, "write-tree", **index)
    parent = ("-p", commit, "-m", MESSAGE)
    return git(folder, "commit-tree", tree, *parent, **identity(folder, commit))


def main(arguments: list[str] | None = None) -> int:
    """Prepare, and push if asked to; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.publish")
    parser.add_argument("--push", action="store_true", help="push to origin")
    push = parser.parse_args(arguments).push
    try:
        book = repository.find()
        if book is None or book.colab("") is None:
            print("Colab opens notebooks from GitHub only; nothing to publish")
            return 0
        commit = git(ROOT, "rev-parse", "HEAD")
        made = prepare(ROOT, f"git+{book.url}", commit)
        if push:
            target = f"{made}:refs/heads/{book.published}"
            git(ROOT, "push", "--force", "--quiet", "origin", target)
    except (RuntimeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    verb = "pushed" if push else "would push"
    print(f"{verb} {made[:12]} to {book.published} of {book.url}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
