"""The buttons in the header that lead to Binder, Colab and the repository.

The theme has such buttons, but they know no branch with a slash and no groups on
GitLab, and their logos are not part of this site.
"""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ConfigError

from tools.ext import repository
from tools.ext.repository import Repository

ELSEWHERE = "repository"  # the tag of `{only}` for what needs an address


def link(text: str, hint: str, icon: str, url: str) -> dict:
    """Describe a button as the theme's templates want it."""
    return {"type": "link", "text": text, "tooltip": hint, "icon": icon, "url": url}


def group(hint: str, icon: str, buttons: list[dict]) -> dict:
    """Describe a menu as the theme's templates want it."""
    return {"type": "group", "tooltip": hint, "icon": icon, "buttons": buttons}


def launch(book: Repository, path: str) -> dict:
    """Make the menu of the places where a notebook runs."""
    buttons = [
        link("Binder", "Run this page on Binder", "fas fa-flask", book.binder(path))
    ]
    if url := book.colab(path):
        buttons.append(link("Colab", "Run this page on Colab", "fas fa-cloud", url))
    return group("Run this page elsewhere", "fas fa-rocket", buttons)


def source(book: Repository, path: str) -> dict:
    """Make the menu of what to do with the source of a page."""
    buttons = [
        link("Repository", "The source of the book", "fas fa-code-branch", book.url),
        link(
            "Edit this page",
            "Suggest a change to this page",
            "fas fa-pen",
            book.edit(path),
        ),
        link(
            "Open an issue",
            "Report a mistake on this page",
            "fas fa-circle-exclamation",
            book.issue(f"Mistake in {path}"),
        ),
    ]
    return group("Source of this page", "fas fa-code-branch", buttons)


def add(app: Sphinx, pagename, templatename, context, doctree) -> None:
    """Add the buttons of a page; pages that are generated have no source."""
    book = app.config.book_repository
    if not book or doctree is None or "header_buttons" not in context:
        return
    path = Path(app.env.doc2path(pagename)).relative_to(app.srcdir).as_posix()
    menus = [source(book, path)]
    if path.endswith(".ipynb"):
        menus.insert(0, launch(book, path))
    context["header_buttons"][:0] = menus


def configure(app: Sphinx, config) -> None:
    """Find out the address before anything is built."""
    try:
        config.book_repository = repository.find(folder=Path(app.srcdir))
    except ValueError as error:
        raise ConfigError(str(error)) from None
    if config.book_repository:
        app.tags.add(ELSEWHERE)


def setup(app: Sphinx) -> dict:
    """Register the buttons."""
    # Pages are written anew when the address changes, but not read anew.
    app.add_config_value("book_repository", None, "html")
    app.connect("config-inited", configure)
    app.connect("html-page-context", add, priority=502)  # after the theme's own
    return {"parallel_read_safe": True, "parallel_write_safe": True}
