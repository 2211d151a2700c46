"""Where the source of this copy of the book lies, and the buttons that lead there.

Nobody edits a file to publish a copy. The address comes from the first of these:

1. `BOOK_REPOSITORY` and `BOOK_BRANCH`; an empty `BOOK_REPOSITORY` stands for none;
2. GitHub's own variables, in one of its workflows;
3. git: the address of `origin`, and the branch that is checked out.

With an address that is not on GitHub or GitLab, such as a folder, or with none, the
site gets no button that leads away from it.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

ROOT = Path(__file__).parents[2]
VARIABLE, BRANCH = "BOOK_REPOSITORY", "BOOK_BRANCH"
BINDER = "https://mybinder.org/v2"
COLAB = "https://colab.research.google.com/github"
# ssh's short form, git@host:owner/name
SHORT = re.compile(r"(?:[\w.-]+@)?(?P<host>[\w-]+(?:\.[\w-]+)+):(?P<path>[^/:].*)")
FORGES = ("github", "gitlab")
NAME = re.compile(r"[\w.-]+(?:/[\w.-]+)+")


@dataclass(frozen=True)
class Repository:
    """A repository on a forge, and the addresses of what it holds.

    Parameters
    ----------
    host
        Such as `"gitlab.com"`.
    name
        Owner and name; with groups in between on GitLab.
    branch
        The branch that the site is built from.

    Examples
    --------
    >>> book = Repository("github.com", "YOUR-NAME/book", "main")
    >>> book.edit("chapters/run.md")
    'https://github.com/YOUR-NAME/book/edit/main/chapters/run.md'
    """

    host: str
    name: str
    branch: str = "main"

    @property
    def forge(self) -> str:
        """Give the kind of forge: `"github"` or `"gitlab"`."""
        return next(forge for forge in FORGES if forge in self.host.split("."))

    @property
    def url(self) -> str:
        """Give the address for people."""
        return f"https://{self.host}/{self.name}"

    @property
    def published(self) -> str:
        """Name the branch with the notebooks that know where they come from."""
        return "published-" + self.branch.replace("/", "-")

    def edit(self, path: str) -> str:
        """Give the address of an editor for a file."""
        middle = "-/edit" if self.forge == "gitlab" else "edit"
        return f"{self.url}/{middle}/{quote(self.branch)}/{quote(path)}"

    def issue(self, title: str) -> str:
        """Give the address of a form for a new issue."""
        if self.forge == "gitlab":
            return f"{self.url}/-/issues/new?" + urlencode({"issue[title]": title})
        return f"{self.url}/issues/new?" + urlencode({"title": title})

    def binder(self, path: str) -> str:
        """Give the address that opens a file in JupyterLab on Binder."""
        if self.host == "github.com":
            source = f"gh/{self.name}"
        elif self.host == "gitlab.com":
            source = "gl/" + quote(self.name, safe="")
        else:
            source = "git/" + quote(self.url, safe="")
        branch = quote(self.branch, safe="")
        return f"{BINDER}/{source}/{branch}?urlpath=lab/tree/{quote(path)}"

    def colab(self, path: str) -> str | None:
        """Give the address that opens a notebook on Colab, which reads GitHub only."""
        if self.host != "github.com":
            return None
        return f"{COLAB}/{self.name}/blob/{quote(self.published)}/{quote(path)}"


def parse(address: str) -> Repository | None:
    """Read the address of a repository, in the forms that git knows.

    Examples
    --------
    >>> parse("git@gitlab.com:group/team/book.git").url
    'https://gitlab.com/group/team/book'
    >>> parse("/srv/git/book.git") is None
    True
    """
    if short := SHORT.fullmatch(address.strip()):
        host, path = short["host"], short["path"]
    else:
        parts = urlsplit(address.strip())
        if parts.scheme not in ("http", "https", "ssh", "git") or not parts.hostname:
            return None
        host, path = parts.hostname, parts.path
    name = path.strip("/").removesuffix(".git").rstrip("/")
    host = host.lower().removeprefix("www.")
    known = any(forge in host.split(".") for forge in FORGES)
    return Repository(host, name) if known and NAME.fullmatch(name) else None


def _git(folder: Path, *arguments: str) -> str:
    """Ask git; an empty answer when it has none or is not there."""
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _from_git(folder: Path) -> Repository | None:
    # A folder inside somebody else's repository is no part of that repository.
    top = _git(folder, "rev-parse", "--show-toplevel")
    if not top or Path(top).resolve() != folder.resolve():
        return None
    if found := parse(_git(folder, "remote", "get-url", "origin")):
        branch = _git(folder, "symbolic-ref", "--short", "HEAD")  # none when detached
        return replace(found, branch=branch or found.branch)
    return None


def find(
    environment: Mapping[str, str] = os.environ, *, folder: Path = ROOT
) -> Repository | None:
    """Find the repository of this copy; see the top of this module for the order.

    Parameters
    ----------
    environment
        Where to look for variables.
    folder
        The checkout to ask git about.

    Raises
    ------
    ValueError
        If `BOOK_REPOSITORY` is no address on GitHub or GitLab.

    Examples
    --------
    >>> find({"BOOK_REPOSITORY": ""}) is None
    True
    """
    if (value := environment.get(VARIABLE)) is not None:
        found = parse(value)
        if value and found is None:
            raise ValueError(
                f"{VARIABLE} is {value!r}, expected an address on GitHub or GitLab, "
                "such as https://github.com/YOUR-NAME/YOUR-BOOK; correct it or unset it"
            )
    elif name := environment.get("GITHUB_REPOSITORY"):
        server = environment.get("GITHUB_SERVER_URL", "https://github.com")
        found = parse(f"{server}/{name}")
        # The first is set for pull requests only, whose own name is no branch.
        branch = environment.get("GITHUB_HEAD_REF") or environment.get(
            "GITHUB_REF_NAME"
        )
        found = found and replace(found, branch=branch or found.branch)
    else:
        found = _from_git(folder)
    branch = environment.get(BRANCH)
    return replace(found, branch=branch) if found and branch else found
