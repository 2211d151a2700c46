"""The form of the self-test page: its modules joined into a script, and its data.

The modules in `page/` are ES modules. A page that is opened from a folder may not
import any, so they are joined into one classic script, each in a scope of its own.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from .bank import LETTERS, bank

FOLDER = Path(__file__).parent / "page"
GRADER = ("messages", "fields", "expressions", "judges", "reader", "grader")
FORM = (*GRADER, "store", "controls", "verdicts", "question", "form")
# Practice numbers that the page offers. Each is a file that is loaded when it is asked
# for: keys and slips are computed here, exactly, and not a second time by the page.
SEEDS = range(1, 25)
UNUSED = {"given", "undetectable"}  # what graders do not read
_IMPORT = re.compile(r'^import (\{[^}]+\}) from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:const|class) (\w+))", re.MULTILINE)


def joined(names: tuple[str, ...]) -> str:
    """Return modules as statements of one script; `$name` holds what one exports.

    Examples
    --------
    >>> joined(("messages",)).splitlines()[0]
    'const $messages = (() => {'
    """
    return "".join(map(_scoped, names))


def _scoped(name):
    """Return a module as a function that is called at once."""
    text = (FOLDER / f"{name}.js").read_text(encoding="utf-8")
    exported = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(r"const \1 = $\2;\n", text))
    return f"const ${name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def form_script() -> str:
    """Return the script of a page with forms."""
    data = {"bank": without(bank(), UNUSED), "seeds": [*SEEDS]}
    return (
        '(() => {\n"use strict";\n'
        f"{joined(FORM)}"
        f"$form.start({_literal(data)});\n"
        "})();\n"
    )


def variant_script(seed: int) -> str:
    """Return the script that brings the numbers of a variant to the page."""
    return f"sdpaVariant({seed}, {_literal(changes(seed))});\n"


def changes(seed: int) -> dict[str, Any]:
    """Return what differs from the bank of the book: questions, and some parts.

    Examples
    --------
    >>> "flops" in changes(1)["e"]["parts"], "formula" in changes(1)["e"]["parts"]
    (True, False)
    """
    book, other, result = bank()["items"], bank(seed)["items"], {}
    for letter in LETTERS:
        pairs = zip(book[letter]["parts"], other[letter]["parts"], strict=True)
        parts = {new["id"]: new for old, new in pairs if new != old}
        question = other[letter]["question"]
        result[letter] = {"question": question, "parts": without(parts, UNUSED)}
    return result


def without(data: Any, keys: set[str]) -> Any:
    """Return JSON data without some keys, at any depth.

    Examples
    --------
    >>> without({"a": [{"b": 1, "c": 2}]}, {"b"})
    {'a': [{'c': 2}]}
    """
    if isinstance(data, dict):
        return {k: without(v, keys) for k, v in data.items() if k not in keys}
    return [without(x, keys) for x in data] if isinstance(data, list) else data


def style() -> str:
    """Return the style sheet of the forms."""
    return (FOLDER / "form.css").read_text(encoding="utf-8")


def _literal(data):
    """Write data as JavaScript."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False)
