"""Try the book in environments that are made for the purpose.

    python -m tools.fresh pinned|oldest|newest|binder|colab [--python PROGRAM]

| Set | Installs | Then |
| --- | --- | --- |
| `pinned` | the pins of requirements.txt | tests, and all notebooks |
| `oldest` | the pins, with the oldest NumPy that pyproject.toml allows | the same |
| `newest` | what pip finds today, within pyproject.toml | the same |
| `binder` | what `binder/` asks for | all notebooks; sizes |
| `colab` | an older and a newer set, without `sdpa` | the published notebooks |

`TORCH_INDEX` names another index for torch, as in the Makefile. Nothing is left behind.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

from tools.fresh_binder import install_binder
from tools.reproducible import REPRODUCIBLE

ROOT = Path(__file__).parents[1]
EXTRAS = "notebooks,train,grade,dask,test"
TESTED = ("src", "tests/unit", "tests/property", "tests/grading", "README.md")
PINS = ROOT / "requirements.txt"


class Failed(Exception):
    """A command that failed, after it has said why."""


class Environment:
    """A virtual environment of its own.

    Parameters
    ----------
    folder
        Where to make it.
    python
        The Python to make it with; the one that runs this when empty.
    """

    def __init__(self, folder: Path, python: str = ""):
        self.folder = folder
        self.python = folder / "bin" / "python"
        if python:
            subprocess.run([python, "-m", "venv", folder], check=True)
        else:
            venv.create(folder, with_pip=True, symlinks=True)

    def run(self, *arguments: str | Path, path: str = "", cwd: Path = ROOT) -> None:
        """Run Python with arguments; nothing of the caller's packages is seen.

        Raises
        ------
        Failed
            If it exits with anything but 0.
        """
        settings = {**os.environ, **REPRODUCIBLE, "PYTHONPATH": path}
        settings["PATH"] = f"{self.folder / 'bin'}{os.pathsep}{settings['PATH']}"
        command = [str(one) for one in (self.python, *arguments)]
        if subprocess.run(command, cwd=cwd, env=settings, check=False).returncode:
            raise Failed(f"failed: {' '.join(command[1:5])} …")

    def install(self, *arguments: str | Path, cwd: Path = ROOT) -> None:
        """Install with pip."""
        index = os.environ.get("TORCH_INDEX")
        extra = ["--extra-index-url", index] if index else []
        self.run("-m", "pip", "install", "--quiet", *extra, *arguments, cwd=cwd)

    def show(self) -> None:
        """Print the versions that matter."""
        names = "numpy torch matplotlib anywidget".split()
        code = (
            "import sys, importlib.metadata as m\n"
            f"print('Python', sys.version.split()[0], *(f'{{n}} {{m.version(n)}}' "
            f"for n in {names}), sep=' · ', flush=True)"
        )
        self.run("-c", code)


def oldest_numpy() -> str:
    """Give the requirement of the oldest NumPy that the package allows.

    Examples
    --------
    >>> oldest_numpy().startswith("numpy==2.")
    True
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    bound = re.fullmatch(r"numpy>=([\d.]+)", project["project"]["dependencies"][0])
    return f"numpy=={bound[1]}.*"


def constraints(name: str) -> str:
    """Give the constraints of a set, as the text of a file for pip."""
    if name == "newest":
        return ""
    pins = PINS.read_text(encoding="utf-8")
    if name == "oldest":
        pins = re.sub(r"(?m)^numpy==.*$", oldest_numpy(), pins)
    return pins


def check(environment: Environment, *, strict: bool) -> None:
    """Run the tests of the package, and compare all notebooks with a fresh run.

    Parameters
    ----------
    environment
        With the package and its test tools.
    strict
        Whether a warning is an error. Versions that nobody here has seen may warn.
    """
    quiet = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    quiet += () if strict else ("-W", "default")
    environment.run(*quiet, *TESTED, path=str(ROOT))
    nbval = ("-p", "tools.nbval_semicolons", "--nbval", "--nbval-current-env")
    sanitised = ("--nbval-sanitize-with", "tools/nbval.cfg")
    pages = sorted((ROOT / "chapters").glob("*.ipynb"))
    environment.run(*quiet, *nbval, *sanitised, *pages, path=str(ROOT))


def try_set(name: str, folder: Path, python: str) -> None:
    """Make the environment of a set, and try it."""
    if name == "colab":
        from tools.fresh_colab import try_colab  # needs nbformat, the others nothing

        try_colab(lambda where: Environment(folder / where, python), folder)
        return
    environment = Environment(folder / "venv", python)
    if name == "binder":
        install_binder(environment, folder)
        environment.show()
        environment.run("-m", "tools.fresh_binder", path=str(ROOT))
        return
    limits = folder / "constraints.txt"
    limits.write_text(constraints(name), encoding="utf-8")
    environment.install("--constraint", limits, f".[{EXTRAS}]")
    environment.show()
    check(environment, strict=name != "newest")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.fresh")
    parser.add_argument("set", choices="pinned oldest newest binder colab".split())
    parser.add_argument("--python", default="", help="the Python to try it with")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="sdpa-") as folder:
        # Where setuptools collects a wheel, with what was there the last time.
        shutil.rmtree(ROOT / "build", ignore_errors=True)
        try:
            try_set(options.set, Path(folder), options.python)
        except (Failed, subprocess.CalledProcessError) as error:
            print(error, file=sys.stderr)
            print("0 passed, 1 failed")
            return 1
        finally:
            shutil.rmtree(ROOT / "build", ignore_errors=True)
    print("1 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
