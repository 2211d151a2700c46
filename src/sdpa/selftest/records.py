"""One file, one record: what grading keeps of a submission, as plain data."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .bank import key_version
from .grading import Verdict, grade
from .notebooks import read_notebook
from .sheets import REFUSED, STUDENT, BadFile, Sheet, read_sheet
from .submissions import suffix
from .variants import student_seed


@dataclass(frozen=True, slots=True)
class Settings:
    """What the verdicts of a batch depend on, besides the files.

    Attributes
    ----------
    salt : str or None
        The instructor's secret; None if everybody has the numbers of the book.
    assignment : str or None
        The name that sheets carry as their variant; with a salt only.
    practice : bool
        Accept practice seeds, which students choose themselves.
    id_from : str
        ``sheet``: what the submission says, or else its file name; ``filename``: the
        file name alone, up to the first underscore or blank.
    """

    salt: str | None = None
    assignment: str | None = None
    practice: bool = False
    id_from: str = "sheet"

    def version(self):
        """Return a fingerprint of the grader, the key and these settings."""
        salt = hashlib.sha256((self.salt or "").encode()).hexdigest()[:16]
        parts = [grader_version(), key_version(), salt, self.assignment]
        return _digest([*parts, self.practice, self.id_from])


@cache
def grader_version():
    """Return a fingerprint of the code that verdicts come from.

    Examples
    --------
    >>> len(grader_version())
    16
    """
    package = Path(__file__).parent
    sources = [*package.glob("*.py"), *package.parent.glob("*.py")]
    names = sorted(sources, key=lambda path: (path.parent.name, path.name))
    whole = hashlib.sha256(b"".join(path.read_bytes() for path in names))
    return whole.hexdigest()[:16]


def _digest(content):
    """Return a fingerprint of JSON data; equal data have equal ones."""
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def seed_for(sheet: Sheet, student: str, settings: Settings) -> int | None:
    """Return the seed of the numbers that a sheet has to answer.

    Raises
    ------
    BadFile
        If the sheet is for other numbers than the batch.

    Examples
    --------
    >>> seed_for(Sheet("ann", None, {}), "ann", Settings()) is None
    True
    """
    if settings.salt is not None:
        if sheet.variant == settings.assignment:
            return student_seed(settings.salt, settings.assignment, student)
        expected = f"{settings.assignment!r}"
    elif sheet.variant is None:
        return None
    elif settings.practice and isinstance(sheet.variant, int):
        return sheet.variant
    else:
        expected = "null, the numbers of the book"
    raise BadFile(REFUSED, f"variant is {sheet.variant!r}, expected {expected}")


def student_of(name: str, named: str, settings: Settings) -> str:
    """Return whose submission it is; empty if nobody can be told."""
    stem = os.path.splitext(name.rpartition("/")[2])[0]
    if settings.id_from == "filename":
        stem = stem.replace(" ", "_").split("_")[0]
    elif named:
        return named
    return stem if STUDENT.fullmatch(stem) else ""


def grade_file(name: str, data: bytes, settings: Settings) -> dict:
    """Grade one file; whatever it holds, the result is a record.

    Parameters
    ----------
    name : str
        Its name; the ending says what it is.
    data : bytes
    settings : Settings

    Returns
    -------
    dict
        ``file``, ``student``, ``status``, ``reason``, ``digest`` of the answers,
        ``total``, ``scores`` and ``verdict``.

    Examples
    --------
    >>> grade_file("ann.json", b"{", Settings())["reason"][:26]
    'not JSON at line 1, column'
    """
    student = student_of(name, "", settings)
    try:
        read = read_notebook if suffix(name) == ".ipynb" else read_sheet
        sheet = read(data)
        student = student_of(name, sheet.student, settings)
        if not student:
            raise BadFile(REFUSED, "no student is named, and the file name is no id")
        seed = seed_for(sheet, student, settings)
        verdict = grade(sheet.answers, seed=seed)
        verdict = Verdict(verdict.items, verdict.notes + sheet.notes)
        return _record(name, student, verdict, _digest([sheet.variant, sheet.answers]))
    except BadFile as error:
        return bad_record(name, student, error)
    except Exception as error:  # one bad file must never cost another
        reason = f"the grader failed ({type(error).__name__}): please report it"
        return bad_record(name, student, BadFile("unreadable", reason))


def _record(name, student, verdict, digest):
    data = verdict.data()
    scores = {letter: item["score"] for letter, item in data["items"].items()}
    return {
        "file": name,
        "student": student,
        "status": data["status"],
        "reason": "; ".join(_reasons(verdict))[:500],
        "digest": digest,
        "total": round(data["total"], 4),
        "scores": {letter: round(score, 4) for letter, score in scores.items()},
        "verdict": data,
    }


def _reasons(verdict):
    yield from verdict.notes
    for letter, parts in verdict.items.items():
        for part in parts:
            if part.tag == "refused":
                yield f"({letter}) {part.text}"


def bad_record(name: str, student: str, error: BadFile) -> dict:
    """Return the record of a file that was not graded."""
    return {
        "file": name,
        "student": student,
        "status": error.status,
        "reason": error.reason,
        "digest": _digest([name, error.status, error.reason]),
        "total": 0,
        "scores": {},
        "verdict": None,
    }


def grade_chunk(files: list[tuple[str, bytes]], settings: Settings) -> list[str]:
    """Grade several files in one go; what a worker process is given.

    Returns
    -------
    list of str
        A line for each file, as `record_text` writes it.
    """
    return [record_text(grade_file(name, data, settings)) for name, data in files]


def record_text(record: dict) -> str:
    """Write a record on one line: its head, a tab, and its verdict, each as JSON.

    Rows of a gradebook need the head alone, and feedback holds the verdict as it is.

    Examples
    --------
    >>> record_text({"file": "a.json", "verdict": None})
    '{"file":"a.json"}\\tnull'
    """
    head = {key: value for key, value in record.items() if key != "verdict"}
    parts = (head, record["verdict"])
    return "\t".join(json.dumps(part, separators=(",", ":")) for part in parts)
