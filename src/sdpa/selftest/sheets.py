"""Answer sheets, read strictly."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .bank import ANSWERS
from .limits import SHEET
from .messages import say, shown

STUDENT = re.compile(SHEET["student"])
_TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
REFUSED, UNREADABLE = "refused", "unreadable"


class BadFile(ValueError):
    """A file that cannot be graded.

    Parameters
    ----------
    status : str
        ``unreadable`` for what is broken, ``refused`` for what breaks a rule.
    reason : str
        What was found, and what to do.
    """

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status, self.reason = status, reason

    def __reduce__(self):
        return type(self), (self.status, self.reason)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one submission says.

    Attributes
    ----------
    student : str
        Empty if the submission names nobody.
    variant : None, int or str
        The book's numbers, a practice seed, or the name of an assignment.
    answers : dict
        From item letters to fields, unchecked.
    notes : tuple of str
        What could not be understood and needs a person.
    """

    student: str
    variant: Any
    answers: Any
    notes: tuple[str, ...] = field(default=())


def read_json(data: bytes, *, strict: bool = True) -> Any:
    """Parse JSON; say where and why if it is not.

    Parameters
    ----------
    data : bytes
    strict : bool, default True
        Refuse NaN, infinities and keys that stand twice as well.

    Returns
    -------
    object

    Raises
    ------
    BadFile
        With status ``unreadable``, or ``refused`` for a key that stands twice.

    Examples
    --------
    >>> read_json(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    sdpa.selftest.sheets.BadFile: the key 'a' stands twice: keep one of them
    """
    if not data.strip():
        raise BadFile(UNREADABLE, say("empty"))
    if strict and _too_deep(data):
        raise BadFile(UNREADABLE, say("nested"))
    hooks = {"object_pairs_hook": _once, "parse_constant": _no_constant}
    try:
        text = data.decode("utf-8-sig")
        return json.loads(text, parse_int=_integer, **(hooks if strict else {}))
    except UnicodeDecodeError:
        reason = say("no_utf8")
    except json.JSONDecodeError as error:
        reason = say(
            "no_json",
            line=error.lineno,
            column=error.colno,
            what=error.msg.lower(),
            hint=_hint(text, error),
        )
    except RecursionError:
        reason = say("nested")
    raise BadFile(UNREADABLE, reason)


def _too_deep(data):
    """Say whether brackets are nested deeper than any sheet needs."""
    most = SHEET["nesting"]
    if data.count(b"[") + data.count(b"{") <= most:
        return False
    depth = 0
    for bracket in re.findall(rb"[][{}]", _TEXTS.sub(b"", data)):
        depth += 1 if bracket in b"[{" else -1
        if depth > most:
            return True
    return False


def _once(pairs):
    """Build an object whose keys stand once."""
    result = dict(pairs)
    if len(result) != len(pairs):
        twice = next(key for key, n in Counter(k for k, _ in pairs).items() if n > 1)
        raise BadFile(REFUSED, say("key_twice", given=ascii(twice)[:40]))
    return result


def _no_constant(name):
    raise BadFile(UNREADABLE, say("no_constant", given=name))


def _integer(digits):
    """Parse an integer; one that no answer needs may as well be a float."""
    return int(digits) if len(digits) <= 17 else float(digits)


def _hint(text, error):
    """Guess what went wrong near a syntax error."""
    at = error.pos
    near = text[max(at - 1, 0) : at + 1]
    if not near.isascii() and any(c.isdigit() for c in near):
        return say("hint_digits")
    if at >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
        return say("hint_end")
    return ""


def read_sheet(data: bytes) -> Sheet:
    """Read an answer sheet.

    Parameters
    ----------
    data : bytes
        JSON in the format ``sdpa-answers/1``, 1 MiB at most.

    Returns
    -------
    Sheet
        Its answers are checked later, field by field.

    Raises
    ------
    BadFile
        If it is too large, is not JSON, or is not such a sheet.

    Examples
    --------
    >>> read_sheet(b'{"format": "sdpa-answers/1", "student": "ann", "answers": {}}')
    Sheet(student='ann', variant=None, answers={}, notes=())
    """
    if len(data) > SHEET["bytes"]:
        raise BadFile(REFUSED, say("sheet_too_large", given=len(data)))
    content = read_json(data)
    if not isinstance(content, dict):
        raise BadFile(REFUSED, say("sheet_no_object", given=shown(content)))
    if content.get("format") != ANSWERS:
        given = shown(content["format"]) if "format" in content else say("missing")
        raise BadFile(REFUSED, say("no_format", given=given, expected=ANSWERS))
    known = ", ".join(SHEET["keys"])
    odd = [key for key in content if key not in SHEET["keys"]][: SHEET["notes"]]
    notes = [say("unknown_key", given=shown(key), known=known) for key in odd]
    return Sheet(
        check_student(content.get("student")),
        check_variant(content.get("variant")),
        content.get("answers", {}),
        tuple(notes),
    )


def check_student(student: Any) -> str:
    """Return the id of a student, empty if there is none, or refuse it.

    Examples
    --------
    >>> check_student(None), check_student("ann@example.org")
    ('', 'ann@example.org')
    """
    if student is None or student == "":
        return ""
    if not isinstance(student, str) or not STUDENT.fullmatch(student):
        raise BadFile(REFUSED, say("no_student", given=shown(student)))
    return student


def check_variant(variant: Any) -> Any:
    """Return a variant, or refuse it; 7.0 is 7, as JSON Schema has it.

    Examples
    --------
    >>> check_variant(7.0), check_variant("week-3")
    (7, 'week-3')
    """
    if variant is None or (isinstance(variant, str) and STUDENT.fullmatch(variant)):
        return variant
    number = isinstance(variant, int | float) and not isinstance(variant, bool)
    if number and 0 <= variant < SHEET["variants"] and variant == int(variant):
        return int(variant)
    raise BadFile(REFUSED, say("no_variant", given=shown(variant)))
