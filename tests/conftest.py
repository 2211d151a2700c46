"""The whole book, built once, and a real browser, for every test that asks for them."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import browser as browsers
from tools.compressed import served

ROOT = Path(__file__).parents[1]


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
