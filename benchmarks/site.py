"""What a page weighs, beside the same page of an unmodified Jupyter Book.

    python -m benchmarks.site

Both are built from the same chapters, served with compression, and opened in Chromium.
The unmodified book asks other hosts for scripts. Those that npm also has are answered
from there, compressed; the rest are counted as requests, and their weight is missing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from tools.browser import launched
from tools.compressed import served
from tools.toc import Toc

ROOT = Path(__file__).parents[1]
STORED = Path(__file__).parent / "results" / "site.json"
# Only what the content needs, so that the pages hold the same.
UNMODIFIED = """\
title: "Scaled dot-product attention: an executable chapter"
author: The sdpa authors
only_build_toc_files: true
execute: {execute_notebooks: "off"}
bibtex_bibfiles: [chapters/references.bib]
sphinx:
  extra_extensions: [sphinx.ext.autodoc, sphinx.ext.napoleon]
"""
# jsDelivr serves what npm has, at addresses that say where.
PACKAGED = re.compile(
    r"https://cdn\.jsdelivr\.net/npm/(?P<package>(?:@[^/]+/)?[^/@]+@[^/]+)/(?P<path>.+)"
)
WINDOW = {"width": 1280, "height": 800}


@dataclass(frozen=True)
class Weight:
    """What opening one page fetches.

    Parameters
    ----------
    requests
        How many files.
    strangers
        How many of them from other hosts.
    unanswered
        How many of those could not be had; their bytes are missing.
    compressed, whole
        Bytes that travel, and bytes once unpacked.
    """

    requests: int
    strangers: int
    unanswered: int
    compressed: int
    whole: int


class Packages:
    """Files of npm packages, fetched once."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._known = folder, {}

    def file(self, url: str) -> bytes | None:
        """Give what jsDelivr would answer, or nothing."""
        found = PACKAGED.fullmatch(url.split("?")[0])
        if not found:
            return None
        path = self._package(found["package"]) / found["path"]
        return path.read_bytes() if path.is_file() else None

    def _package(self, name: str) -> Path:
        if name not in self._known:
            folder = self._folder / str(len(self._known))
            folder.mkdir()
            npm = shutil.which("npm") or "npm"
            done = subprocess.run(
                (npm, "pack", "--silent", name),
                cwd=folder,
                capture_output=True,
                check=False,
            )
            if done.returncode == 0:
                with tarfile.open(next(folder.glob("*.tgz"))) as archive:
                    archive.extractall(folder, filter="data")
            self._known[name] = folder / "package"
        return self._known[name]


def build(source: Path, output: Path) -> Path:
    """Build a book, and give the folder of its pages."""
    command = Path(sys.executable).with_name("jupyter-book")
    subprocess.run(
        (command, "build", source, "--all", "-q", "--path-output", output),
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=source,
        check=True,
    )
    return output / "_build" / "html"


def unmodified(folder: Path) -> Path:
    """Build the same chapters as Jupyter Book does when nobody tells it otherwise."""
    shutil.copytree(ROOT / "chapters", folder / "chapters")
    shutil.copy(ROOT / "_toc.yml", folder)
    (folder / "_config.yml").write_text(UNMODIFIED, encoding="utf-8")
    return build(folder, folder / "built")


def weigh(browser, base: str, path: str, packages: Packages) -> Weight:
    """Open a page with an empty cache, and sum up what it fetches."""
    context = browser.new_context(viewport=WINDOW)
    page = context.new_page()
    own, sent, unpacked, unanswered = [], [], [], []

    def stranger(route) -> None:
        body = packages.file(route.request.url)
        if body is None:
            unanswered.append(route.request.url)
            route.abort()
            return
        sent.append(len(gzip.compress(body)))
        unpacked.append(len(body))
        route.fulfill(body=body, headers={"Access-Control-Allow-Origin": "*"})

    page.route(
        lambda url: url.startswith("http") and not url.startswith(base), stranger
    )
    page.on("response", lambda one: own.append(one) if one.url.startswith(base) else 0)
    page.goto(f"{base}/{path}", wait_until="networkidle")
    strangers = len(sent) + len(unanswered)
    for response in own:
        size = response.request.sizes()
        sent.append(size["responseBodySize"] + size["responseHeadersSize"])
        unpacked.append(len(response.body()))
    context.close()
    return Weight(
        len(own) + strangers, strangers, len(unanswered), sum(sent), sum(unpacked)
    )


def measure() -> dict:
    """Build both books and weigh every page of both."""
    pages = Toc.load(ROOT).pages()
    paths = [page.relative_to(ROOT).with_suffix(".html").as_posix() for page in pages]
    weights: dict[str, dict[str, dict]] = {}
    with tempfile.TemporaryDirectory() as name, launched() as browser:
        folder = Path(name)
        for part in ("plain", "npm", "ours"):
            (folder / part).mkdir()
        packages = Packages(folder / "npm")
        sites = {
            "unmodified": unmodified(folder / "plain"),
            "this book": build(ROOT, folder / "ours"),
        }
        for book, site in sites.items():
            with served(site) as base:
                weights[book] = {
                    path: asdict(weigh(browser, base, path, packages)) for path in paths
                }
    versions = {name: version(name) for name in ("jupyter-book", "sphinx-book-theme")}
    return {"versions": versions, "weights": weights}


def table(measured: dict) -> str:
    """Make the table of the README: the median page, and the heaviest.

    Examples
    --------
    >>> light = dict(requests=2, strangers=0, unanswered=0, compressed=4000, whole=9e3)
    >>> heavy = dict(requests=9, strangers=3, unanswered=1, compressed=7000, whole=5e6)
    >>> print(table({"weights": {"a": {"p": light}, "b": {"p": heavy}}}))
    | Page | Requests | to other hosts | Compressed | Unpacked |
    | --- | --- | --- | --- | --- |
    | a, median | 2 | 0 | 4 kB | 9 kB |
    | a, heaviest | 2 | 0 | 4 kB | 9 kB |
    | b, median | 9 | 3 | 7 kB | 5,000 kB |
    | b, heaviest | 9 | 3 | 7 kB | 5,000 kB |
    """
    lines = ["| Page | Requests | to other hosts | Compressed | Unpacked |"]
    lines.append("| --- | --- | --- | --- | --- |")
    for book, pages in measured["weights"].items():
        for which, choose in (("median", statistics.median_high), ("heaviest", max)):
            requests, strangers, compressed, whole = (
                choose([page[name] for page in pages.values()])
                for name in ("requests", "strangers", "compressed", "whole")
            )
            lines.append(
                f"| {book}, {which} | {requests} | {strangers} "
                f"| {compressed / 1e3:,.0f} kB | {whole / 1e3:,.0f} kB |"
            )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="benchmarks.site", description=__doc__)
    parser.parse_args(arguments)
    measured = measure()
    STORED.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    print(table(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
