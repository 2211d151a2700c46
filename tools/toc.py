"""The table of contents: which pages the book has, and in which parts."""

from dataclasses import dataclass
from pathlib import Path

import yaml


@dataclass(frozen=True)
class Toc:
    """The pages of the book, as files.

    Parameters
    ----------
    root
        The first page.
    parts
        The pages of each part, in order.
    """

    root: Path
    parts: tuple[tuple[Path, ...], ...]

    @classmethod
    def load(cls, folder: Path) -> "Toc":
        """Read `_toc.yml` of a book.

        Raises
        ------
        FileNotFoundError
            If a page of the table of contents does not exist.
        """
        listed = yaml.safe_load((folder / "_toc.yml").read_text(encoding="utf-8"))
        return cls(
            page_file(folder, listed["root"]),
            tuple(
                tuple(page_file(folder, page["file"]) for page in part["chapters"])
                for part in listed["parts"]
            ),
        )

    def pages(self) -> list[Path]:
        """Give every page, the root first."""
        return [self.root, *(page for part in self.parts for page in part)]

    def notebooks(self) -> list[Path]:
        """Give the pages that are notebooks."""
        return [page for page in self.pages() if page.suffix == ".ipynb"]


def page_file(folder: Path, name: str) -> Path:
    """Find the file of a page, which the table of contents names without suffix."""
    for suffix in (".ipynb", ".md"):
        path = folder / f"{name}{suffix}"
        if path.is_file():
            return path
    raise FileNotFoundError(
        f"_toc.yml lists {name}, but there is no {name}.ipynb or .md; write the page "
        "or take it out"
    )
