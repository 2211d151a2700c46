"""One version everywhere, one citation, and a release that refuses to contradict it."""

import re
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

import sdpa
from tools import citation, release

ROOT = Path(__file__).parents[2]
VERSION = sdpa.__version__


def test_version_is_a_literal_in_one_place():
    texts = {
        path: path.read_text(encoding="utf-8")
        for folder in ("src", "tools")
        for path in (ROOT / folder).rglob("*.py")
    }
    found = [path for path, text in texts.items() if f'version__ = "{VERSION}"' in text]
    assert found == [ROOT / "src" / "sdpa" / "__init__.py"]


def test_page_shows_the_citation_that_the_file_gives():
    page = (ROOT / "chapters" / "course.md").read_text(encoding="utf-8")
    shown = re.search(r"```bibtex\n(.*?)\n```", page, re.DOTALL)
    assert shown[1] == citation.bibtex(), "run python -m tools.citation"


def test_citation_follows_the_file(tmp_path):
    cited = {
        "title": "A copy",
        "version": "2.0.0",
        "authors": [{"family-names": "Noether", "given-names": "Emmy"}],
        "date-released": "2027-01-31",
        "url": "https://example.org/book",
    }
    (tmp_path / "CITATION.cff").write_text(yaml.safe_dump(cited))
    (tmp_path / "_config.yml").write_text('copyright: "2026"\n')
    lines = citation.bibtex(tmp_path).splitlines()
    assert "  year = {2027}," in lines and "  version = {2.0.0}," in lines
    assert "  url = {https://example.org/book}," in lines
    assert not any("doi" in line for line in lines)


@pytest.fixture
def book(tmp_path):
    """Make a checkout that is ready for a release."""
    site = tmp_path / "_build" / "html"
    (site / "chapters").mkdir(parents=True)
    (site / "index.html").write_text("<p>first</p>")
    (site / "chapters" / "a.html").write_text("<p>second</p>")
    (site / release.PDF).write_bytes(b"%PDF")
    (tmp_path / "CITATION.cff").write_text(f"version: {VERSION}\n")
    (tmp_path / "CHANGELOG.md").write_text(
        f"# Changelog\n\n## {VERSION} (today)\n\n- All.\n\n## 0.0.1\n\n- Less.\n"
    )
    (tmp_path / "build").mkdir()
    return tmp_path


def test_release_holds_wheel_site_pdf_and_notes(book, monkeypatch):
    built = []
    monkeypatch.setattr(release.subprocess, "run", lambda c, check: built.append(c))
    assert release.main(["--tag", f"v{VERSION}"], root=book) == 0
    assert "wheel" in built[0] and str(book) == built[0][-1]
    assert not (book / "build").exists()
    dist = book / "dist"
    assert (dist / "notes.md").read_text() == "- All.\n"
    assert (dist / f"sdpa-{VERSION}.pdf").read_bytes() == b"%PDF"
    with ZipFile(dist / f"sdpa-{VERSION}-site.zip") as archive:
        names = archive.namelist()
    folder = f"sdpa-{VERSION}-site"
    assert names == [f"{folder}/chapters/a.html", f"{folder}/index.html"]
    first = (dist / f"sdpa-{VERSION}-site.zip").read_bytes()
    release.main([], root=book)
    assert (dist / f"sdpa-{VERSION}-site.zip").read_bytes() == first


@pytest.mark.parametrize(
    ("name", "text", "tag", "says"),
    [
        ("CITATION.cff", "version: 9.9.9\n", "", "CITATION.cff says 9.9.9"),
        ("CHANGELOG.md", "## Unreleased\n", "", "CHANGELOG.md has no section"),
        ("CHANGELOG.md", None, "v9.9.9", "the tag is v9.9.9"),
        ("_build/html/chapter.pdf", "", "", "run `make pdf`"),
    ],
)
def test_contradiction_stops_a_release(book, name, text, tag, says, capsys):
    if text == "":
        (book / name).unlink()
    elif text:
        (book / name).write_text(text)
    assert release.main(["--tag", tag], root=book) == 1
    assert says in capsys.readouterr().err
    assert not (book / "dist").exists()
