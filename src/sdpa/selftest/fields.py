"""What a field of an answer sheet may hold: checked strictly, described in a schema.

A field is described by a small dict, which the bank publishes, for instance
`{"type": "numbers", "length": 3}`. Every value passes or is refused with a message
that says what was given and what to write instead; nothing is converted silently.
"""

from __future__ import annotations

import json
import math
import re

from .limits import FORMULA
from .messages import Refused, general, say, shown

TEXT = FORMULA["characters"]
_DECIMAL = re.compile(
    r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*", re.ASCII
)


def read_field(value, field):
    """Return the value of a field, or refuse it.

    Parameters
    ----------
    value : object
        What JSON holds there.
    field : dict
        Its description; ``type`` is one of `text`, `texts`, `option`, `numbers`,
        `rows` or `indices`.

    Returns
    -------
    str or int or list

    Raises
    ------
    Refused
        With what was given, what was expected, and what to write.

    Examples
    --------
    >>> read_field([0.5, 0.5], {"type": "numbers", "length": 2})
    [0.5, 0.5]
    >>> read_field(["0,5", 0.5], {"type": "numbers", "length": 2})
    Traceback (most recent call last):
    ...
    sdpa.selftest.messages.Refused: entry 1 is the text '0,5', expected a number:
    write 0.5, with a point and without quotes
    """
    return READERS[field["type"]](value, field)


def _text(value, field):
    if not isinstance(value, str):
        raise Refused("no_text", given=shown(value))
    if len(value) > TEXT:
        raise Refused("text_too_long", length=len(value), most=TEXT)
    if not value.isascii() and any(0xD800 <= ord(c) < 0xE000 for c in value):
        raise Refused("half_character")
    return value


def _texts(value, field):
    _list(value, field["length"], "texts")
    return [_text(entry, field) for entry in value]


def _option(value, field):
    """One of a few; texts in any case, and numbers only as numbers."""
    if isinstance(value, str):
        value = " ".join(_text(value, field).lower().split())
    for option in field["options"]:
        if not isinstance(value, bool) and value == option:
            return option
    options = say("or").join(json.dumps(option) for option in field["options"])
    raise Refused("no_option", given=shown(value), options=options)


def _list(value, length, what):
    if not isinstance(value, list):
        raise Refused(f"no_{what}", given=shown(value), length=length)
    if len(value) != length:
        raise Refused(f"{what}_length", given=shown(value), length=length)


def _all_numbers(values, field, place):
    """Return a list of numbers, or refuse the first that is none."""
    limit = field.get("limit", FORMULA["number"])
    for i, value in enumerate(values, 1):
        if type(value) not in (int, float) or not -limit <= value <= limit:
            _refuse_number(value, place(i), limit)
    return values


def _refuse_number(value, place, limit):
    """Say what is wrong with a number: a message for each way people write it."""
    if type(value) not in (int, float):
        advice = _advice(value) if isinstance(value, str) else ""
        raise Refused("no_number", place=place, given=shown(value), advice=advice)
    if value != value or value in (math.inf, -math.inf):
        raise Refused("not_finite", place=place)
    given = general(value) if abs(value) < 1e300 else say("huge")
    raise Refused("too_large", place=place, given=given, most=general(limit))


def _advice(text):
    """Say how to write a number that came as text."""
    if any(c.isdecimal() and not c.isascii() for c in text):
        return say("odd_digits")
    match = _DECIMAL.fullmatch(text.replace(",", ".", 1).replace("−", "-"))
    if match is None or len(match[1]) > 24 or not math.isfinite(float(match[1])):
        return ""
    return say("with_a_point" if "," in text else "without_quotes", number=match[1])


def _numbers(value, field):
    _list(value, field["length"], "numbers")
    return _all_numbers(value, field, lambda i: say("entry", place=i))


def _rows(value, field):
    """Return rows of numbers; where `flat` is true, a single row may stand bare."""
    columns, most = field["columns"], field["rows"]
    flat = isinstance(value, list) and value and not isinstance(value[0], list)
    if flat and field.get("flat"):
        value = [value]
    if not isinstance(value, list) or not 1 <= len(value) <= most:
        raise Refused("no_rows", given=shown(value), most=most)
    for i, row in enumerate(value, 1):
        if not isinstance(row, list) or len(row) != columns:
            raise Refused("no_row", row=i, given=shown(row), columns=columns)
    return [_row(row, i, field) for i, row in enumerate(value, 1)]


def _row(row, number, field):
    def place(i):
        return say("entry_of_row", place=i, row=number)

    return _all_numbers(row, field, place)


def _indices(value, field):
    """Return places in a list, counted from 1, sorted; a single one may stand bare."""
    most = field["largest"]
    value = value if isinstance(value, list) else [value]
    if not 1 <= len(value) <= most:
        raise Refused("no_places", given=shown(value), most=most)
    for entry in value:
        if type(entry) not in (int, float) or entry not in range(1, most + 1):
            raise Refused("no_place", given=shown(entry), most=most)
    if len(set(value)) != len(value):
        raise Refused("place_twice", most=most)
    return sorted(int(entry) for entry in value)


READERS = {
    "text": _text,
    "texts": _texts,
    "option": _option,
    "numbers": _numbers,
    "rows": _rows,
    "indices": _indices,
}


def field_schema(field):
    """Return the JSON Schema of a field.

    Examples
    --------
    >>> field_schema({"type": "option", "options": [1, 2]})
    {'enum': [1, 2]}
    """
    return _SCHEMAS[field["type"]](field)


def _array(items, least, most=None):
    return {
        "type": "array",
        "items": items,
        "minItems": least,
        "maxItems": least if most is None else most,
    }


def _bounded(field):
    limit = field.get("limit", FORMULA["number"])
    return {"type": "number", "minimum": -limit, "maximum": limit}


def _rows_schema(field):
    row = _array(_bounded(field), field["columns"])
    rows = _array(row, 1, field["rows"])
    return {"anyOf": [row, rows]} if field.get("flat") else rows


def _indices_schema(field):
    place = {"type": "integer", "minimum": 1, "maximum": field["largest"]}
    places = _array(place, 1, field["largest"]) | {"uniqueItems": True}
    return {"anyOf": [place, places]}


_SCHEMAS = {
    "text": lambda field: {"type": "string", "maxLength": TEXT},
    "texts": lambda field: _array(
        {"type": "string", "maxLength": TEXT}, field["length"]
    ),
    "option": lambda field: {"enum": field["options"]},
    "numbers": lambda field: _array(_bounded(field), field["length"]),
    "rows": _rows_schema,
    "indices": _indices_schema,
}
