"""In JupyterLab a view and Python share their state, and compute the same numbers."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook, writes

from sdpa import views
from tests.site.pages import faults
from tests.views.bench import Bench
from tools import canonical

ROOT = Path(__file__).parents[2]
PATIENCE = 60  # seconds, for a slow machine
FIRST = """from sdpa import views
view = views.Temperature()
seen = []
view.observe(lambda change: seen.append(change.new), "temperature")
view"""
SECOND = "view.temperature = 0; view.scores = (2, 1, 2, -1, 2)"
THIRD = "print([view.temperature, seen[-1], *view.weights])"
OTHERS = """from IPython.display import display
display(*(getattr(views, name)() for name in views.__all__ if name != "Temperature"))"""


@pytest.fixture
def lab(tmp_path):
    """Start JupyterLab on a notebook, and give the notebook's address."""
    cells = [new_code_cell(source) for source in (FIRST, SECOND, THIRD, OTHERS)]
    notebook = new_notebook(cells=cells, metadata={"kernelspec": canonical.KERNEL})
    (tmp_path / "views.ipynb").write_text(writes(notebook))
    with started(tmp_path) as address:
        yield f"{address}/lab/tree/views.ipynb?reset"


@contextmanager
def started(folder: Path):
    """Run a server with settings and files of its own, and end it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    settings = {
        f"JUPYTER_{kind}_DIR": str(folder / kind)
        for kind in ("CONFIG", "DATA", "RUNTIME")
    }
    settings |= {"IPYTHONDIR": str(folder / "ipython"), "JUPYTER_NO_CONFIG": "1"}
    settings["PYTHONPATH"] = f"{ROOT / 'src'}:{ROOT}"
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", "--ip=127.0.0.1"]
    command += ["--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"]
    command += [
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    log = folder / "server.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            command,
            env={**os.environ, **settings},
            stdout=output,
            stderr=output,
            cwd=folder,
        )
        try:
            wait_for(server, f"{address}/api", log)
            yield address
        finally:
            server.terminate()  # ends its kernels, too
            server.wait(timeout=PATIENCE)


def wait_for(server: subprocess.Popen, address: str, log: Path) -> None:
    """Wait until a server answers."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()[-2000:]}")


def run(page, cell: int) -> None:
    """Run a cell and wait until it has been counted.

    A cell that is run before the kernel is connected is forgotten: ask again then.
    """
    source = page.locator(".jp-CodeCell .cm-content").nth(cell)
    prompt = page.locator(".jp-CodeCell .jp-InputPrompt").nth(cell)
    end = time.monotonic() + PATIENCE
    while prompt.inner_text().strip() in ("", "[ ]:"):
        assert time.monotonic() < end, f"cell {cell} did not run"
        source.click()
        page.keyboard.press("Shift+Enter")
        page.wait_for_timeout(2000)
    prompt.filter(has_text=re.compile(r"\d")).wait_for(timeout=1000 * PATIENCE)


def eventually(bench: Bench, quantity: str, expected: float) -> None:
    """Wait until a number that is shown has a value."""
    bench.root.locator(
        f'[data-value="{quantity}"][data-exact="{expected:g}"]'
    ).first.wait_for(timeout=1000 * PATIENCE)


def test_view_and_python_share_their_state(lab, context):
    page = context(viewport={"width": 1280, "height": 1400}).new_page()
    found = faults(page)
    # A slow machine is asked which kernel it wants: the one that is proposed.
    page.add_locator_handler(
        page.locator("dialog .jp-mod-accept"), lambda accept: accept.first.click()
    )
    page.goto(lab)
    page.locator(".jp-CodeCell").first.wait_for(timeout=1000 * PATIENCE)
    run(page, 0)
    bench = Bench(page, "temperature")
    eventually(bench, "temperature", 1)
    same(bench, views.Temperature())

    run(page, 1)  # Python moves the page
    eventually(bench, "temperature", 0)
    eventually(bench, "scores.3", 2)
    same(bench, views.Temperature(temperature=0, scores=(2, 1, 2, -1, 2)))

    dial = bench.root.locator('input[type="range"]')
    dial.focus()
    page.keyboard.press("End")  # the page moves Python
    page.keyboard.press("ArrowLeft")
    shown = bench.number("temperature")
    assert 1 < shown < np.inf
    run(page, 2)
    output = page.locator(".jp-CodeCell").nth(2).locator(".jp-OutputArea-output")
    printed = json.loads(
        output.inner_text().replace("np.float64(", "").replace(")", "")
    )
    weights = [bench.number(f"weights.{i}") for i in range(1, 6)]
    np.testing.assert_allclose(printed, [shown, shown, *weights], rtol=1e-9)

    run(page, 3)
    for name in sorted(set(views.__all__) - {"Temperature"}):
        view = getattr(views, name)()
        other = Bench(page, view.view_name)
        other.root.locator(".sdpa-prompt").wait_for(timeout=1000 * PATIENCE)
        same(other, view)
    assert not [line for line in found if line.startswith("error:")]


def same(bench: Bench, view) -> None:
    """Compare all numbers of a view with those of Python."""
    found = dict(
        bench.root.evaluate(
            "el => Object.entries(el.sdpaNumbers).map(([key, x]) => [key, String(x)])"
        )
    )
    expected = view.quantities()
    assert found.keys() == expected.keys()
    for key, x in expected.items():
        np.testing.assert_allclose(float(found[key]), float(x), rtol=1e-9, atol=1e-12)
