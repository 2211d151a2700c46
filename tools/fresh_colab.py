"""The notebooks as Colab would run them: published, alone, in somebody else's versions.

Colab itself cannot be had here. What stands in for it is an environment with what Colab
brings along, once in older and once in newer versions than the pins, in which a module
`google.colab` is loaded before anything else.
"""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from tools import publish

ROOT = Path(__file__).parents[1]
BROUGHT = ["numpy", "torch", "matplotlib", "ipywidgets", "ipykernel", "threadpoolctl"]
# Only to run the notebooks from outside; nothing in them imports it.
RUNNER = ["nbclient", "nbformat"]
VERSIONS = {
    "older": ["numpy==2.0.*", "matplotlib==3.9.*", "ipywidgets==8.1.0"],
    "newer": [],
}
SAME = (
    "import sys, importlib.metadata as m; "
    "print(*(f'{n}=={m.version(n)}' for n in sys.argv[1:]))"
)


def pretend(library: Path) -> None:
    """Put a `google.colab` into an environment, loaded at the start as on Colab."""
    package = library / "google" / "colab"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    (library / "colab.pth").write_text("import google.colab\n", encoding="utf-8")


def snapshot(source: Path, target: Path) -> str:
    """Copy a checkout as it stands into a repository of one commit; give its hash.

    Raises
    ------
    RuntimeError
        If git fails.
    """
    listed = publish.git(
        source, "ls-files", "--cached", "--others", "--exclude-standard"
    )
    for name in listed.splitlines():
        if (source / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, target / name)
    publish.git(target, "init", "--quiet")
    publish.git(target, "add", "--all")
    who = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org")
    publish.git(target, *who, "commit", "--quiet", "--message", "Everything")
    return publish.git(target, "rev-parse", "HEAD")


def published(repository: Path, commit: str, target: Path) -> Path:
    """Write the published notebooks of a commit to a folder; give the folder."""
    made = publish.prepare(repository, f"git+{repository.as_uri()}", commit)
    target.mkdir()
    archive = target / "chapters.tar"
    publish.git(repository, "archive", "--output", str(archive), made, publish.FOLDER)
    shutil.unpack_archive(archive, target, filter="data")
    return target / publish.FOLDER


def try_colab(make: Callable, folder: Path) -> None:
    """Run the published notebooks in older and in newer versions.

    Parameters
    ----------
    make
        Makes an environment of a name.
    folder
        Where there is room.
    """
    repository = folder / "repository"
    repository.mkdir()
    commit = snapshot(ROOT, repository)
    pages = published(repository, commit, folder / "published")
    for name, versions in VERSIONS.items():
        environment = make(name)
        limits = folder / f"{name}.txt"
        limits.write_text("\n".join(versions), encoding="utf-8")
        environment.install("--constraint", limits, *BROUGHT, *RUNNER)
        pretend(next((environment.folder / "lib").glob("python*")) / "site-packages")
        command = [environment.python, "-c", SAME, *BROUGHT]
        before = subprocess.check_output(command, text=True)
        print(f"{name}: {before}", end="", flush=True)
        files = sorted(pages.glob("*.ipynb"))
        tools = str(ROOT)
        environment.run("-m", "tools.notebooks", "run", *files, path=tools, cwd=pages)
        if (after := subprocess.check_output(command, text=True)) != before:
            raise RuntimeError(f"the set-up cell changed versions: {after}")
