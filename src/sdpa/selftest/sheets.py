"""Answer sheets, read strictly."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .bank import ANSWERS
from .fields import shown

SHEET_BYTES = 2**20
STUDENT = re.compile(r"[A-Za-z0-9._@-]{1,64}")
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
        raise BadFile(UNREADABLE, "the file is empty")
    hooks = {"object_pairs_hook": _once, "parse_constant": _no_constant}
    try:
        text = data.decode("utf-8-sig")
        return json.loads(text, parse_int=_integer, **(hooks if strict else {}))
    except UnicodeDecodeError as error:
        reason = f"byte {error.start} is not UTF-8: save the file as UTF-8"
    except json.JSONDecodeError as error:
        reason = (
            f"not JSON at line {error.lineno}, column {error.colno} "
            f"({error.msg.lower()}){_hint(text, error.pos)}"
        )
    except RecursionError:
        reason = "the JSON is nested too deeply"
    raise BadFile(UNREADABLE, reason)


def _once(pairs):
    """Build an object whose keys stand once."""
    result = dict(pairs)
    if len(result) != len(pairs):
        twice = next(key for key, n in Counter(k for k, _ in pairs).items() if n > 1)
        raise BadFile(REFUSED, f"the key {twice!a:.40} stands twice: keep one of them")
    return result


def _no_constant(name):
    raise BadFile(UNREADABLE, f"{name} is not a number of JSON: leave the field out")


def _integer(digits):
    """Parse an integer; one that no answer needs may as well be a float."""
    return int(digits) if len(digits) <= 17 else float(digits)


def _hint(text, at):
    """Guess what went wrong near a syntax error."""
    near = text[max(at - 1, 0) : at + 1]
    if not near.isascii() and any(c.isdigit() for c in near):
        return ": write the digits 0 to 9"
    if at >= len(text.rstrip()) or '"' not in text[at + 1 :]:
        return ": the end of the file is missing"
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
    if len(data) > SHEET_BYTES:
        raise BadFile(
            REFUSED, f"the sheet has {len(data)} bytes, expected 1 MiB at most"
        )
    content = read_json(data)
    if not isinstance(content, dict):
        raise BadFile(REFUSED, f"the file holds {shown(content)}, expected an object")
    if content.get("format") != ANSWERS:
        given = shown(content["format"]) if "format" in content else "missing"
        raise BadFile(REFUSED, f'format is {given}, expected "{ANSWERS}"')
    known = ("format", "student", "variant", "answers")
    odd = [key for key in content if key not in known]
    notes = tuple(
        f"key {shown(key)} is not known: {', '.join(known)} are" for key in odd
    )
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
        raise BadFile(
            REFUSED,
            f"student is {shown(student)}, expected 1 to 64 of the letters A-Z and "
            "a-z, digits, and . _ @ -",
        )
    return student


def check_variant(variant: Any) -> Any:
    """Return a variant, or refuse it."""
    whole = isinstance(variant, int) and not isinstance(variant, bool)
    named = isinstance(variant, str) and STUDENT.fullmatch(variant)
    if variant is None or named or (whole and 0 <= variant < 2**53):
        return variant
    raise BadFile(
        REFUSED,
        f"variant is {shown(variant)}, expected null, a whole number or the name of "
        "an assignment",
    )
