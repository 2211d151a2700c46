"""Tiny sites to build and to spoil, and the whole book in a real browser."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import browser as browsers
from tools.compressed import served

ROOT = Path(__file__).parents[2]
CONFIG = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
extensions = ["myst_parser", "tools.ext.mathml"]
myst_enable_extensions = ["amsmath", "dollarmath"]
html_math_renderer = "mathml"
html_theme = "basic"
project = "tiny"
"""


@pytest.fixture
def build(tmp_path):
    """Give a function that builds a page with the maths extension alone."""

    def run(markdown: str) -> tuple[subprocess.CompletedProcess, Path]:
        source, output = tmp_path / "source", tmp_path / "site"
        source.mkdir(exist_ok=True)
        (source / "conf.py").write_text(CONFIG)
        (source / "index.md").write_text(f"# Page\n\n{markdown}\n")
        done = subprocess.run(
            [sys.executable, "-m", "sphinx", "-q", "-W", "-n", "--keep-going"]
            + [str(source), str(output)],
            capture_output=True,
            text=True,
            check=False,
        )
        return done, output

    return run


@pytest.fixture(scope="session")
def book(tmp_path_factory) -> Path:
    """Build the whole book once, for all workers, and give its folder."""
    base = tmp_path_factory.getbasetemp()
    # Under xdist every worker has a folder of its own inside a common one.
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    site = shared / "book" / "_build" / "html"
    with (shared / "book.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "book.built").exists():
            command = [str(Path(sys.executable).with_name("jupyter-book")), "build"]
            command += [".", "--all", "-n", "-q", "--path-output", str(shared / "book")]
            settings = {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
            environment = {**os.environ, **settings}
            environment.pop("BOOK_SITE_URL", None)
            done = subprocess.run(
                command,
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0 and (site / "index.html").exists(), done.stderr
            (shared / "book.built").touch()
    return site


@pytest.fixture(scope="session")
def address(book):
    """Serve the book with compression, and give its address."""
    with served(book) as url:
        yield url


@pytest.fixture(scope="session")
def chromium():
    """Start Chromium; a machine without it fails."""
    with browsers.launched() as browser:
        yield browser


@pytest.fixture
def context(chromium):
    """Give a function that opens a fresh profile, and close them afterwards."""
    opened = []

    def open_one(**options):
        opened.append(chromium.new_context(**options))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()
