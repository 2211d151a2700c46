"""The environment that Binder would build, and how large it is.

    python -m tools.fresh_binder

runs all notebooks in the environment it is called in, and writes nothing.
"""

import re
import sys
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
REQUIREMENTS = ROOT / "binder" / "requirements.txt"
INDEX = re.compile(r"(?m)^--extra-index-url\s+(\S+)\n")
SECONDS = 10
MEGA = 1_000_000


def answers(address: str) -> bool:
    """Tell whether a server answers, whatever it says."""
    try:
        with urlopen(Request(address, method="HEAD"), timeout=SECONDS):
            return True
    except (URLError, OSError, ValueError):
        return False


def reachable(text: str, *, ask=answers) -> str:
    """Leave out of a file of requirements the indexes that do not answer.

    Parameters
    ----------
    text
        The file.
    ask
        Tells whether an address answers.

    Examples
    --------
    >>> text = "--extra-index-url https://example.org/cpu\\ntorch\\n"
    >>> reachable(text, ask=lambda address: False)
    'torch\\n'
    """

    def keep(line: re.Match) -> str:
        if ask(line[1]):
            return line[0]
        print(f"{line[1]} does not answer; left out", file=sys.stderr)
        return ""

    return INDEX.sub(keep, text)


def megabytes(folder: Path) -> float:
    """Give the size of all files in a folder, in MB."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sum(path.stat().st_size for path in files) / MEGA


def unpacked(wheels: list[Path]) -> float:
    """Give the size of what wheels hold, in MB."""
    entries = (entry for wheel in wheels for entry in ZipFile(wheel).infolist())
    return sum(entry.file_size for entry in entries) / MEGA


def largest(folder: Path, count: int = 4) -> str:
    """Name the largest files of a folder."""
    files = sorted(folder.iterdir(), key=lambda path: path.stat().st_size, reverse=True)
    return ", ".join(
        f"{path.name.partition('-')[0]} {path.stat().st_size / MEGA:.0f}"
        for path in files[:count]
    )


def install_binder(environment, folder: Path) -> None:
    """Install what `binder/requirements.txt` asks for, by way of its wheels.

    Parameters
    ----------
    environment
        A fresh `tools.fresh.Environment`.
    folder
        Where there is room for the wheels.
    """
    asked = reachable(REQUIREMENTS.read_text(encoding="utf-8"))
    # The copy lies elsewhere, and pip reads the path from there.
    asked = asked.replace("../requirements.txt", str(ROOT / "requirements.txt"))
    copy, wheels = folder / "requirements.txt", folder / "wheels"
    copy.write_text(asked, encoding="utf-8")
    environment.run("-m", "pip", "wheel", "--quiet", "-w", wheels, "-r", copy)
    files = sorted(wheels.glob("*.whl"))
    print(
        f"{len(files)} wheels, {megabytes(wheels):.0f} MB to download (the largest, in "
        f"MB: {largest(wheels)}), {unpacked(files):.0f} MB unpacked",
        flush=True,
    )
    environment.install("--no-deps", "--no-index", *files)


def run_all() -> int:
    """Run all notebooks, and say how many give their stored bytes; count failures."""
    from tools import notebooks

    failed, same, paths = 0, 0, notebooks.find([])
    for path in paths:
        try:
            text = notebooks.execute(path)
        except (notebooks.CellFailed, ValueError) as error:
            print(error, file=sys.stderr)
            failed += 1
            continue
        same += text == path.read_text(encoding="utf-8")
    ran = len(paths) - failed
    print(f"{ran} of {len(paths)} notebooks run, {same} with the stored bytes")
    return failed


if __name__ == "__main__":
    sys.exit(run_all() > 0)
