"""Collect the files of a release in `dist/`: wheel, site, PDF and notes.

    python -m tools.release [--tag v0.1.0]

The version is written once, in `src/sdpa/__init__.py`. A release is refused when its
tag, CITATION.cff or CHANGELOG.md know another one.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import yaml

import sdpa

ROOT = Path(__file__).parents[1]
PDF = "chapter.pdf"
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first date that a zip file can hold


def notes(changelog: str, version: str) -> str:
    """Give the section of a version, without its heading.

    Raises
    ------
    ValueError
        If the changelog has no such section.

    Examples
    --------
    >>> notes("# Changelog\\n\\n## 1.0.0 (today)\\n\\n- All.\\n", "1.0.0")
    '- All.'
    """
    for section in re.split(r"(?m)^## ", changelog)[1:]:
        heading, _, body = section.partition("\n")
        if heading.split()[:1] == [version]:
            return body.strip()
    raise ValueError(
        f"CHANGELOG.md has no section {version}; rename Unreleased to it, with the date"
    )


def disagreements(root: Path, tag: str) -> list[str]:
    """Find what names another version than the package does.

    Parameters
    ----------
    root
        The checkout.
    tag
        The tag of the release; not compared when empty.
    """
    found, version = [], sdpa.__version__
    if tag not in ("", f"v{version}"):
        found.append(f"the tag is {tag}, the package v{version}; change one of them")
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    if str(cited["version"]) != version:
        found.append(f"CITATION.cff says {cited['version']}, the package {version}")
    try:
        notes((root / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    except ValueError as error:
        found.append(str(error))
    return found


def pack(site: Path, target: Path) -> None:
    """Write a site to a zip file; the same site gives the same bytes."""
    with ZipFile(target, "w") as archive:
        for path in sorted(site.rglob("*")):
            name = path.relative_to(site).as_posix()
            if path.is_file() and name != PDF:
                entry = ZipInfo(f"{target.stem}/{name}", EARLIEST)
                entry.compress_type = ZIP_DEFLATED
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes())


def main(arguments: list[str] | None = None, *, root: Path = ROOT) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.release")
    parser.add_argument("--tag", default="", help="must be v and the version")
    tag = parser.parse_args(arguments).tag
    if found := disagreements(root, tag):
        print("\n".join(found), file=sys.stderr)
        return 1
    site, version = root / "_build" / "html", sdpa.__version__
    if not (site / PDF).is_file():
        print(f"{site / PDF} is missing; run `make pdf`", file=sys.stderr)
        return 1
    dist = root / "dist"
    for old in (dist, root / "build"):  # the second holds modules of earlier wheels
        shutil.rmtree(old, ignore_errors=True)
    dist.mkdir()
    wheel = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(dist))
    subprocess.run([sys.executable, *wheel, str(root)], check=True)
    pack(site, dist / f"sdpa-{version}-site.zip")
    shutil.copy(site / PDF, dist / f"sdpa-{version}.pdf")
    text = notes((root / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    (dist / "notes.md").write_text(text + "\n", encoding="utf-8")
    for path in sorted(dist.iterdir()):
        print(f"{path.stat().st_size:>12,}  {path.relative_to(root)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
