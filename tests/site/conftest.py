"""Tiny sites to build and to spoil."""

import subprocess
import sys
from pathlib import Path

import pytest

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
