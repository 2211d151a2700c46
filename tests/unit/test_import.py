"""`import sdpa` stays light, and the package keeps to its own promises."""

import doctest
import inspect
import os
import subprocess
import sys

import pytest

import sdpa

HEAVY = ("torch", "matplotlib", "scipy", "pandas", "IPython", "anywidget")
SCRIPT = """
import sys
{first}
import sdpa
print(*sorted({{name.partition(".")[0] for name in sys.modules}}))
"""


def loaded_modules(first=""):
    """Return the top-level modules that a fresh Python has after `import sdpa`."""
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(first=first)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(result.stdout.split())


def test_import_loads_nothing_heavy():
    loaded = loaded_modules()
    assert {"sdpa", "numpy"} <= loaded
    assert loaded.isdisjoint(HEAVY)


def test_the_test_above_can_fail():
    loaded = loaded_modules(first="import matplotlib")
    assert not loaded.isdisjoint(HEAVY)


def test_all_lists_what_can_be_imported_sorted_and_once():
    assert sorted(set(sdpa.__all__)) == list(sdpa.__all__)
    assert all(hasattr(sdpa, name) for name in sdpa.__all__)


def has_summary(doc):
    """Say whether a docstring begins with one line, a full stop and a blank line."""
    lines = (doc or "").splitlines()
    return bool(lines) and lines[0].endswith(".") and lines[1:2] in ([], [""])


@pytest.mark.parametrize("name", sdpa.__all__)
def test_public_names_are_documented_and_functions_show_an_example(name):
    """The examples are doctests, and run with the others."""
    thing = getattr(sdpa, name)
    doc = inspect.getdoc(thing)
    assert has_summary(doc)
    assert ">>>" in doc or not inspect.isfunction(thing)


@pytest.mark.parametrize("name", ["attention", "softmax", "trace", "dot_product"])
def test_doctest_finds_the_examples(name):
    """A decorator could hide them: doctest skips what seems to come from elsewhere."""
    module = sys.modules[getattr(sdpa, name).__module__]
    found = {
        test.name for test in doctest.DocTestFinder().find(module) if test.examples
    }
    assert f"{module.__name__}.{name}" in found


def test_the_version_is_a_plain_number():
    assert all(part.isdigit() for part in sdpa.__version__.split("."))
