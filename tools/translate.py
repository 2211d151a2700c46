"""Translate the book: catalogues of what there is to say, and sites from translations.

    python -m tools.translate catalogues          # _build/gettext/**/*.pot
    python -m tools.translate site LANGUAGE       # _build/LANGUAGE/html, from locale/
    python -m tools.translate pseudo PAGE         # _build/en_XA/html: a try

A translation is a folder `locale/LANGUAGE/LC_MESSAGES/` with a `.po` file for each
page, beside `_toc.yml`. What it lacks stays in English. The pseudo-translation marks
each sentence of a page instead of translating it, and so shows what a translator can
reach, and that formulas, links and citations survive.
"""

import argparse
import logging
import sys
from io import BytesIO
from pathlib import Path

from babel.messages import Catalog
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "_build"
PSEUDO = "en_XA"  # the code that others use for English with accents
LEFT, RIGHT = "⟦", "⟧"
ACCENTS = str.maketrans("aeiouAEIOUcn", "àéîöûÀÉÎÖÛçñ")


def build(root: Path, output: Path, builder: str, settings: dict) -> None:
    """Build a book with settings of Sphinx on top of its own.

    Parameters
    ----------
    root
        The folder of `_config.yml`.
    output
        Where the files go.
    builder
        A builder of Sphinx: `"gettext"` or `"html"`.
    settings
        Such as `{"language": "de"}`.

    Raises
    ------
    RuntimeError
        If the build fails.
    """
    from jupyter_book.sphinx import build_sphinx

    logging.getLogger("fontTools").setLevel(logging.WARNING)
    done = build_sphinx(
        str(root),
        str(output),
        noconfig=True,  # no conf.py: _config.yml says it all
        path_config=str(root / "_config.yml"),
        # Jupyter Book takes the last one out again, and misses it when it is not there.
        confoverrides={**settings, "latex_individualpages": False},
        builder=builder,
        doctreedir=str(output.parent / f".doctrees-{builder}"),
        force_all=True,
        freshenv=True,
        quiet=True,
    )
    if done != 0:
        raise RuntimeError(f"the builder {builder} failed; it says why above")


def catalogues(root: Path, output: Path) -> list[Path]:
    """Write a catalogue for each page; give their files."""
    build(root, output, "gettext", {"gettext_compact": False})
    return sorted(output.rglob("*.pot"))


def translated(root: Path, locale: Path, language: str, output: Path) -> None:
    """Build the site in a language from the `.po` files in a folder."""
    settings = {
        "language": language,
        "locale_dirs": [str(locale)],
        "gettext_compact": False,
    }
    build(root, output, "html", settings)


def accent(text: str) -> str:
    """Mark a message so that it can be told from English, and keep its markup.

    Examples
    --------
    >>> accent("One plain sentence.")
    '⟦Öñé plàîñ séñtéñçé.⟧'
    >>> accent("See [the proof](x.md).")
    '⟦See [the proof](x.md).⟧'
    """
    plain = not any(sign in text for sign in "`$*[]{}<>|:\\_")
    return LEFT + (text.translate(ACCENTS) if plain else text) + RIGHT


def pseudo(catalogue: Path, target: Path) -> Catalog:
    """Write a pseudo-translation of a catalogue as a `.po` file."""
    with catalogue.open("rb") as file:
        messages = read_po(file, locale="en")
    for message in messages:
        if message.id and isinstance(message.id, str):
            message.string = accent(message.id)
            message.flags.discard("fuzzy")
    messages.fuzzy = False
    written = BytesIO()
    write_po(written, messages, width=0)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(written.getvalue())
    return messages


def pseudo_site(root: Path, page: str, build_folder: Path) -> Path:
    """Build the site with one page in pseudo-translation; give the built page.

    Parameters
    ----------
    root
        The folder of `_config.yml`.
    page
        As in `_toc.yml`, such as `"chapters/06_one_phrase"`.
    build_folder
        Where catalogues and site go.

    Raises
    ------
    ValueError
        If the book has no such page.
    """
    found = build_folder / "gettext" / f"{page}.pot"
    if found not in catalogues(root, build_folder / "gettext"):
        raise ValueError(f"no page {page!r}; name one as in _toc.yml")
    locale = build_folder / PSEUDO / "locale"
    pseudo(found, locale / PSEUDO / "LC_MESSAGES" / f"{page}.po")
    site = build_folder / PSEUDO / "html"
    translated(root, locale, PSEUDO, site)
    return site / f"{page}.html"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="tools.translate")
    parser.add_argument("task", choices=["catalogues", "site", "pseudo"])
    parser.add_argument("name", nargs="?", help="a language, or a page")
    options = parser.parse_args(arguments)
    try:
        if options.task == "catalogues":
            found = catalogues(ROOT, BUILD / "gettext")
            print(f"{len(found)} catalogues in {BUILD / 'gettext'}")
        elif not options.name:
            parser.error(f"{options.task} needs a name")
        elif options.task == "site":
            site = BUILD / options.name / "html"
            translated(ROOT, ROOT / "locale", options.name, site)
            print(site / "index.html")
        else:
            print(pseudo_site(ROOT, options.name, BUILD))
    except (RuntimeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
