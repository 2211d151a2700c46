"""Answer sheets, written blank and described by a JSON Schema."""

from __future__ import annotations

import json
from typing import Any

from .bank import ANSWERS, LETTERS, bank
from .fields import field_schema
from .sheets import STUDENT


def blank_sheet(student: str = "", variant: int | str | None = None) -> dict[str, Any]:
    """Return a sheet to fill in: every field is there, and null.

    Examples
    --------
    >>> blank_sheet()["answers"]["c"]
    {'variance': None, 'divisor': None}
    """
    items = bank()["items"]
    answers = {letter: dict.fromkeys(items[letter]["fields"]) for letter in LETTERS}
    return {
        "format": ANSWERS,
        "student": student,
        "variant": variant,
        "answers": answers,
    }


def sheet_text(sheet: dict[str, Any]) -> str:
    """Write a sheet so that people can edit it: a line for each field."""
    head = {key: value for key, value in sheet.items() if key != "answers"}
    lines = [f"  {json.dumps(k)}: {json.dumps(v)}," for k, v in head.items()]
    items = []
    for letter, fields in sheet["answers"].items():
        inner = ",\n".join(f'      "{k}": {json.dumps(v)}' for k, v in fields.items())
        items.append(f'    "{letter}": {{\n{inner}\n    }}')
    body = ",\n".join(items)
    return "\n".join(["{", *lines, f'  "answers": {{\n{body}\n  }}', "}\n"])


def answers_schema() -> dict[str, Any]:
    """Return the JSON Schema of answer sheets.

    Returns
    -------
    dict
        JSON Schema 2020-12. Grading is a little more lenient: it takes some words in
        any case, and an unknown key costs nothing but a person's look.

    Examples
    --------
    >>> answers_schema()["properties"]["format"]
    {'const': 'sdpa-answers/1'}
    """
    items = {}
    for letter, item in bank()["items"].items():
        fields = {
            name: {"anyOf": [{"type": "null"}, field_schema(described)]}
            for name, described in item["fields"].items()
        }
        items[letter] = _closed(fields) | {"title": item["title"]}
    variants = [
        {"type": "null"},
        {"type": "integer", "minimum": 0, "maximum": 2**53 - 1},
        {"type": "string", "pattern": f"^{STUDENT.pattern}$"},
    ]
    properties = {
        "format": {"const": ANSWERS},
        "student": {"type": "string", "pattern": f"^({STUDENT.pattern})?$"},
        "variant": {"anyOf": variants},
        "answers": _closed(items),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Answers to the self-test",
        **_closed(properties),
        "required": ["format", "answers"],
    }


def _closed(properties):
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
