"""What a field of an answer sheet may hold: checked strictly, described in a schema.

A field is described by a small dict, which the bank publishes, for instance
`{"type": "numbers", "length": 3}`. Every value passes or is refused with a message
that says what was given and what to write instead; nothing is converted silently.
"""

from __future__ import annotations

import math

from .characters import LIMITS, Refused

TEXT = LIMITS["characters"]


def shown(value):
    """Describe a value in a message: short, and free of line breaks.

    Examples
    --------
    >>> shown([1, 2]), shown(True), shown("0,5")
    ('a list of 2', 'true', "the text '0,5'")
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        text = value if len(value) <= 24 else value[:21] + "..."
        return f"the text {ascii(text)}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    return f"{value!r:.24}"


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
    sdpa.selftest.characters.Refused: entry 1 is the text '0,5', expected a number:
    write 0.5, with a point and without quotes
    """
    return READERS[field["type"]](value, field)


def _text(value, field):
    if not isinstance(value, str):
        raise Refused(f"{shown(value)} was given, expected text in quotes")
    if len(value) > TEXT:
        raise Refused(f"{len(value)} characters were given, expected {TEXT} at most")
    if not value.isascii() and any(0xD800 <= ord(c) < 0xE000 for c in value):
        raise Refused("the text holds half a character (a lone surrogate)")
    return value


def _texts(value, field):
    _list(value, field["length"], "texts", "in quotes")
    return [_text(entry, field) for entry in value]


def _option(value, field):
    """One of a few; texts in any case, and numbers only as numbers."""
    if isinstance(value, str):
        value = " ".join(_text(value, field).lower().split())
    for option in field["options"]:
        if not isinstance(value, bool) and value == option:
            return option
    expected = " or ".join(
        f"{option!r}".replace("'", '"') for option in field["options"]
    )
    raise Refused(f"{shown(value)} was given, expected {expected}")


def _list(value, length, what, how="in square brackets"):
    if not isinstance(value, list):
        raise Refused(
            f"{shown(value)} was given, expected a list of {length} {what}, {how}"
        )
    if len(value) != length:
        raise Refused(f"{shown(value)} was given, expected {length} {what}")


def _number(value, place, limit):
    """Check one number; a message for each way in which people write it."""
    if type(value) not in (int, float):
        advice = _advice(value) if isinstance(value, str) else ""
        raise Refused(f"{place} is {shown(value)}, expected a number{advice}")
    if value != value or value in (math.inf, -math.inf):
        raise Refused(f"{place} is not finite: leave the field out if you have none")
    if abs(value) > limit:
        given = f"{value:.6g}" if abs(value) < 1e300 else "too large"
        raise Refused(f"{place} is {given}, expected {limit:g} at most in size")
    return value


def _advice(text):
    """Say how to write a number that came as text."""
    if not text.isascii() and any(c.isdigit() for c in text):
        return ": write the digits 0 to 9, without quotes"
    try:
        number = float(text.replace(",", ".", 1)) if text.isascii() else math.nan
    except ValueError:
        return ""
    if not math.isfinite(number) or "_" in text:
        return ""
    point = "with a point and " if "," in text else ""
    return f": write {number:g}, {point}without quotes"


def _numbers(value, field):
    _list(value, field["length"], "numbers")
    limit = field.get("limit", LIMITS["number"])
    return [_number(x, f"entry {i}", limit) for i, x in enumerate(value, 1)]


def _rows(value, field):
    """Return rows of numbers; where `flat` is true, a single row may stand bare."""
    columns, most = field["columns"], field["rows"]
    limit = field.get("limit", LIMITS["number"])
    flat = isinstance(value, list) and value and not isinstance(value[0], list)
    if flat and field.get("flat"):
        value = [value]
    if not isinstance(value, list) or not 1 <= len(value) <= most:
        raise Refused(
            f"{shown(value)} was given, expected 1 to {most} rows, as in [[1, 0]]"
        )
    for i, row in enumerate(value, 1):
        if not isinstance(row, list) or len(row) != columns:
            raise Refused(
                f"row {i} is {shown(row)}, expected {columns} numbers: "
                "write rows in double brackets, as in [[1, 0]]"
            )
    return [
        [_number(x, f"entry {j} of row {i}", limit) for j, x in enumerate(row, 1)]
        for i, row in enumerate(value, 1)
    ]


def _indices(value, field):
    """Return places in a list, counted from 1, sorted; a single one may stand bare."""
    most = field["largest"]
    expected = f"expected places from 1 to {most}, as in [1, 2]"
    value = value if isinstance(value, list) else [value]
    if not 1 <= len(value) <= most:
        raise Refused(f"{shown(value)} was given, {expected}")
    for entry in value:
        if type(entry) not in (int, float) or entry not in range(1, most + 1):
            raise Refused(f"{shown(entry)} was given, {expected}, counted from 1")
    if len(set(value)) != len(value):
        raise Refused(f"a place was given twice, {expected}")
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
    limit = field.get("limit", LIMITS["number"])
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
