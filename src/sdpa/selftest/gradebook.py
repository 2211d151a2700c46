"""From records to rows: who has which grade, and what a person has to look at."""

from __future__ import annotations

import csv
import io
import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from .bank import LETTERS
from .batch import Entry
from .journal import Journal
from .sheets import STUDENT

AMBIGUOUS, MISSING = "ambiguous", "missing"
POLICIES = ("latest", "best", "first")
FORMULA = "=+-@\t\r\n＝＋－＠"  # with these, spreadsheets begin a formula


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the gradebook.

    Attributes
    ----------
    student : str
        Empty for a file of which nobody knows whose it is.
    status : str
        ``graded``, ``needs_review``, ``ambiguous``, ``refused``, ``unreadable``; or
        ``missing`` for somebody on the roster who handed in nothing.
    total : float
    scores : tuple of float
        For the items a to e; empty if nothing was graded.
    file, reason, digest, key : str
        The file, what a person should know, and where its record stands.
    when : float
    """

    student: str
    status: str
    total: float = 0.0
    scores: tuple[float, ...] = ()
    file: str = ""
    reason: str = ""
    digest: str = ""
    key: str = ""
    when: float = 0.0


def rows_of(
    entries: Iterable[Entry],
    journal: Journal,
    *,
    policy: str | None = None,
    roster: Iterable[str] | None = None,
) -> list[Row]:
    """Return one row a student, and one for each file of nobody.

    Parameters
    ----------
    entries : iterable of Entry
    journal : Journal
    policy : {"latest", "best", "first"}, optional
        Which of several different submissions counts. Without one they are
        ``ambiguous``.
    roster : iterable of str, optional
        Who is in the class.

    Returns
    -------
    list of Row
        Sorted by student, then by file.
    """
    check_policy(policy)
    by_student, rows = defaultdict(list), []
    for entry in entries:
        row = _row(journal.head(entry.key), entry)
        (by_student[row.student] if row.student else rows).append(row)
    chosen = {who: decide(found, policy) for who, found in by_student.items()}
    if roster is not None:
        chosen = _on_roster(chosen, set(roster))
    return sorted([*rows, *chosen.values()], key=lambda row: (row.student, row.file))


def check_policy(policy: str | None) -> None:
    """Raise ValueError if there is no such policy."""
    if policy is not None and policy not in POLICIES:
        raise ValueError(f"policy is {policy!r}, expected one of {', '.join(POLICIES)}")


def _row(record, entry):
    scores = tuple(record["scores"].get(letter, 0) for letter in LETTERS)
    return Row(
        record["student"],
        record["status"],
        record["total"],
        scores if record["scores"] else (),
        record["file"],
        record["reason"],
        record["digest"],
        entry.key,
        entry.when,
    )


def decide(rows: list[Row], policy: str | None = None) -> Row:
    """Return the row that counts among those of one student.

    Examples
    --------
    >>> one = Row("ann", "graded", 3.0, digest="x", file="1.json")
    >>> two = Row("ann", "graded", 4.0, digest="y", file="2.json")
    >>> decide([one, two]).status, decide([one, two], "best").file
    ('ambiguous', '2.json')
    """
    rows = sorted(rows, key=lambda row: (row.when, row.file))
    if len({row.digest for row in rows}) == 1:
        return rows[0]  # the same answers: they merge
    if policy == "best":
        return max(rows, key=lambda row: (bool(row.scores), row.total))
    if policy is not None:
        return rows[-1 if policy == "latest" else 0]
    files = sorted(row.file for row in rows)
    shown = ", ".join(files[:4]) + (f" and {len(files) - 4} more" if files[4:] else "")
    return Row(
        rows[0].student,
        AMBIGUOUS,
        file=files[0],
        reason=f"{len(files)} submissions that differ ({shown}): choose a policy, or "
        "keep one",
    )


def _on_roster(chosen, roster):
    """Add who is missing, and mark who is not known."""
    for who, row in chosen.items():
        if who not in roster:
            status = "needs_review" if row.status == "graded" else row.status
            reason = "; ".join(filter(None, ["not on the roster", row.reason]))
            chosen[who] = replace(row, status=status, reason=reason)
    missing = {who: Row(who, MISSING) for who in roster - chosen.keys()}
    return chosen | missing


def read_roster(path: Path) -> list[str]:
    """Read the ids of a class: the column `student` of a CSV, or its first column.

    Raises
    ------
    ValueError
        If an id is none, or there is none at all.
    """
    text = path.read_text(encoding="utf-8-sig")
    lines = [line for line in csv.reader(io.StringIO(text)) if any(line)]
    titles = [title.strip().lower() for title in lines[0]] if lines else []
    column = titles.index("student") if "student" in titles else 0
    lines = lines[1:] if "student" in titles else lines
    ids = [line[column].strip() if len(line) > column else "" for line in lines]
    for number, student in enumerate(ids, 1):
        if not STUDENT.fullmatch(student):
            raise ValueError(
                f"{path}: {student!r} (entry {number}) is not a student id"
            )
    if not ids:
        raise ValueError(f"{path}: no student; expected a CSV with a column 'student'")
    return ids


def safe(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula.

    Examples
    --------
    >>> safe("=1+1"), safe("ann")
    ("'=1+1", 'ann')
    """
    text = str(text)
    return f"'{text}" if text.lstrip(" \u00a0")[:1] in (*FORMULA,) else text


def grades_csv(rows: Iterable[Row]) -> str:
    """Return the gradebook as CSV, every cell quoted.

    Examples
    --------
    >>> print(grades_csv([Row("ann", "graded", 1.5, (1, 0.5, 0, 0, 0), "ann.json")]))
    "student","total","a","b","c","d","e","status","file","reason"
    "ann","1.5000","1.0000","0.5000","0.0000","0.0000","0.0000","graded","ann.json",""
    <BLANKLINE>
    """
    titles = ["student", "total", *LETTERS, "status", "file", "reason"]
    lines = [titles]
    for row in rows:
        counts = row.status not in (AMBIGUOUS, MISSING)
        scores = row.scores or (0,) * len(LETTERS)
        numbers = [f"{x:.4f}" if counts else "" for x in (row.total, *scores)]
        texts = [safe(text) for text in (row.status, row.file, row.reason)]
        lines.append([safe(row.student), *numbers, *texts])
    return to_csv(lines)


def to_csv(lines: Iterable[Iterable[str]]) -> str:
    """Write lines as CSV with every cell quoted."""
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(lines)
    return out.getvalue()


def replace_file(path: Path, text: str) -> None:
    """Write a file as a whole: readers see the old one or the new one."""
    part = path.with_name(path.name + ".part")
    part.write_bytes(text.encode("utf-8", "replace"))
    os.replace(part, path)
