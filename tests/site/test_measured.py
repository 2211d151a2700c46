"""The README shows what was measured of the pages."""

import json
from pathlib import Path

from benchmarks import site

README = Path(__file__).parents[2] / "README.md"


def test_readme_shows_the_stored_weights():
    stored = json.loads(site.STORED.read_text(encoding="utf-8"))
    assert site.table(stored) in README.read_text(encoding="utf-8")


def test_stranger_is_told_from_the_book():
    found = site.PACKAGED.fullmatch("https://cdn.jsdelivr.net/npm/@a/b@^1/dist/x.js")
    assert found["package"] == "@a/b@^1" and found["path"] == "dist/x.js"
    assert not site.PACKAGED.fullmatch("https://example.org/npm/b@1/x.js")
