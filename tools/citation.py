"""How to cite the book: BibTeX from CITATION.cff.

python -m tools.citation
"""

from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]


def names(authors: list[dict]) -> str:
    """Join authors as BibTeX does; an organisation is one name.

    Examples
    --------
    >>> names([{"family-names": "Noether", "given-names": "Emmy"}, {"name": "A team"}])
    'Noether, Emmy and {A team}'
    """
    return " and ".join(
        f"{{{one['name']}}}"
        if "name" in one
        else f"{one['family-names']}, {one['given-names']}"
        for one in authors
    )


def bibtex(root: Path = ROOT) -> str:
    """Write the entry of a book; the year is that of a release, or of the copyright."""
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    released = str(cited.get("date-released", config["copyright"]))
    fields = {
        "author": names(cited["authors"]),
        "title": f"{{{cited['title']}}}",
        "version": cited["version"],
        "year": released[:4],
        "doi": cited.get("doi"),
        "url": cited.get("url") or cited.get("repository-code"),
    }
    lines = [f"  {key} = {{{value}}}," for key, value in fields.items() if value]
    return "\n".join(["@software{sdpa,", *lines, "}"])


if __name__ == "__main__":
    print(bibtex())
