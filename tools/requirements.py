"""Resolve pyproject.toml into the exact pins of requirements.txt.

The pins must install from the Python Package Index as they stand, wherever they were
resolved: what pip is told on this machine (indexes, folders of wheels, constraints)
stays out of the file, and so do local versions such as `+cpu` and the CUDA packages
that torch brings along on some platforms only.

Pins that still fit stay as they are. To take newer versions, delete their lines from
requirements.txt first, or pass `--upgrade`, which pip-compile then gets.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PINS = ROOT / "requirements.txt"
PLATFORM_ONLY = re.compile(r"(nvidia-|cuda-|triton\b)")
HEADER = """\
# Exact pins for reading, running and testing, made from pyproject.toml by
# `make requirements` on Python 3.11. Also the constraints of every install.
"""
# `all` would add this package itself to the pins; `pins` is what resolves them.
NOT_PINNED = {"all", "pins"}
COMMAND = [
    "--quiet",
    "--strip-extras",
    "--no-annotate",
    "--no-header",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "--no-emit-options",
    "--allow-unsafe",  # setuptools, which a test builds the package with
]


def pins(resolved: str) -> list[str]:
    """Keep the portable pins of what pip-compile resolved, sorted by name.

    Raises
    ------
    ValueError
        If a line is no exact pin, such as a path or an option of pip.

    Examples
    --------
    >>> pins("torch==2.13.0+cpu\\nnumpy==2.4.6\\nnvidia-cublas==13.1\\n")
    ['numpy==2.4.6', 'torch==2.13.0']
    """
    kept = []
    for line in resolved.splitlines():
        line = line.split("#")[0].strip()
        if not line or PLATFORM_ONLY.match(line):
            continue
        pin = re.fullmatch(r"([A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*)(\+[\w.]+)?", line)
        if not pin:
            raise ValueError(f"not an exact pin: {line!r}; resolve it on Python 3.11")
        kept.append(pin[1])
    return sorted(kept, key=str.lower)


def extras() -> list[str]:
    """List the extras of pyproject.toml that the pins cover.

    Examples
    --------
    >>> "site" in extras(), "all" in extras()
    (True, False)
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    optional = project["project"]["optional-dependencies"]
    return [name for name in optional if name not in NOT_PINNED]


def resolve(*options: str) -> str:
    """Run pip-compile on pyproject.toml with all extras but its own."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / PINS.name
        if PINS.is_file():
            shutil.copy(PINS, output)  # the pins to keep
        subprocess.run(
            [sys.executable, "-m", "piptools", "compile", *COMMAND, *options]
            + [f"--extra={name}" for name in extras()]
            + ["--output-file", str(output), "pyproject.toml"],
            cwd=ROOT,
            check=True,
        )
        return output.read_text(encoding="utf-8")


if __name__ == "__main__":
    text = HEADER + "\n".join(pins(resolve(*sys.argv[1:]))) + "\n"
    PINS.write_text(text, encoding="utf-8")
    print(f"requirements.txt: {text.count('==')} pins")
