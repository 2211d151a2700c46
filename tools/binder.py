"""Does the set of packages that Binder installs hold what the notebooks import?

    python -m tools.binder

The answer here comes from names alone and takes seconds; `make fresh SET=binder` builds
the environment, and runs every notebook in it.
"""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools import canonical
from tools.hygiene import code_cells
from tools.toc import Toc

ROOT = Path(__file__).parents[1]
REQUIREMENTS = ROOT / "binder" / "requirements.txt"
PROJECT = "sdpa"
# A path to this repository, with extras.
HERE = re.compile(r"\.(?:\[(?P<extras>[\w,\s-]*)\])?")


def imported(sources: list[str]) -> set[str]:
    """Name the modules that pieces of code import, without the standard library.

    Examples
    --------
    >>> sorted(imported(["import numpy as np, sys", "from torch.nn import Linear"]))
    ['numpy', 'torch']
    """
    found = set()
    for node in (node for source in sources for node in ast.walk(ast.parse(source))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module)
    return {name.partition(".")[0] for name in found} - sys.stdlib_module_names


def sources(root: Path = ROOT) -> list[str]:
    """Collect the code of the notebooks, and of the package that they import."""
    cells = [
        cell.source
        for page in Toc.load(root).notebooks()
        for cell in code_cells(canonical.load(page))
    ]
    command = ("cli", "__main__")  # notebooks have no use for the command line
    modules = [
        path.read_text(encoding="utf-8")
        for path in (root / "src").rglob("*.py")
        if not path.stem.startswith(command)
    ]
    return cells + modules


def asked_for(text: str, root: Path = ROOT) -> list[Requirement]:
    """List the requirements of a file for pip; a path to this project becomes its own.

    Raises
    ------
    ValueError
        If a line is neither a requirement nor an option with two hyphens.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    found = []
    for line in (line.partition("#")[0].strip() for line in text.splitlines()):
        if not line or line.startswith("--"):
            continue
        if here := HERE.fullmatch(line):
            named = [one.strip() for one in (here["extras"] or "").split(",") if one]
            wanted = [*project["project"]["dependencies"]]
            wanted += [entry for name in named for entry in extras[name]]
            found += [PROJECT, *wanted]
        else:
            found.append(line)
    return [Requirement(entry) for entry in found]


def closure(wanted: list[Requirement]) -> set[str]:
    """Name the distributions that requirements bring along, from what is installed."""
    found, waiting = set(), [*wanted]
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        if name in found:
            continue
        found.add(name)
        for entry in () if name == PROJECT else requires(name) or ():
            needed = Requirement(entry)
            if not needed.marker or needed.marker.evaluate({"extra": ""}):
                waiting.append(needed)
    return found


def missing(sources: list[str], text: str) -> list[str]:
    """Name the modules that are imported and that no requirement brings along.

    Parameters
    ----------
    sources
        Pieces of Python.
    text
        A file of requirements, such as `binder/requirements.txt`.
    """
    brought = closure(asked_for(text))
    owners = {**packages_distributions(), PROJECT: [PROJECT]}
    return sorted(
        module
        for module in imported(sources)
        if brought.isdisjoint(map(canonicalize_name, owners.get(module, ())))
    )


if __name__ == "__main__":
    absent = missing(sources(), REQUIREMENTS.read_text(encoding="utf-8"))
    for module in absent:
        print(f"notebooks import {module}; name its package in binder/requirements.txt")
    print(f"{len(absent)} missing")
    sys.exit(bool(absent))
