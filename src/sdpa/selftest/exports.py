"""Grades for learning platforms. Only rows with status ``graded`` are handed over.

What needs a person stays as it is on the platform, until the person has looked.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from pathlib import Path

from .bank import LETTERS
from .gradebook import Row, safe, to_csv
from .texts import TITLES

CANVAS_IDS = ("SIS User ID", "SIS Login ID", "ID")


def canvas_csv(template: str, rows: Iterable[Row], column: str | None = None) -> str:
    """Fill the export of a Canvas gradebook.

    Parameters
    ----------
    template : str
        The instructor's own export; all but one column is kept.
    rows : iterable of Row
    column : str, optional
        Title of the assignment's column; needed if there are several.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        If it is not such an export, or the column cannot be told.

    Notes
    -----
    Students are matched by id only (SIS user, SIS login or Canvas id), never by name.

    Examples
    --------
    >>> template = "Student,ID,SIS Login ID,Test (1)\\nAnn A,7,ann,\\n"
    >>> canvas_csv(template, [Row("ann", "graded", 4.5)]).splitlines()[1]
    '"Ann A","7","ann","4.50"'
    """
    lines = list(csv.reader(io.StringIO(template.removeprefix("\ufeff"))))
    titles = lines[0] if lines else []
    ids = [titles.index(name) for name in CANVAS_IDS if name in titles]
    if not ids:
        raise ValueError(f"not a Canvas export: no column {' or '.join(CANVAS_IDS)}")
    target = titles.index(_canvas_column(titles, column))
    grades = {row.student: f"{row.total:.2f}" for row in rows if row.status == "graded"}
    for line in lines[1:]:
        known = [line[i].strip() for i in ids if i < len(line)]
        grade = next((grades[who] for who in known if who in grades), None)
        if grade is not None and target < len(line):
            line[target] = grade
    return to_csv(lines)


def _canvas_column(titles, column):
    """Return the title of the assignment's column."""
    assignments = [title for title in titles if re.search(r"\(\d+\)$", title)]
    if column is not None and column in titles:
        return column
    if column is None and len(assignments) == 1:
        return assignments[0]
    raise ValueError(
        f"the Canvas column is {column!r}; name one of: {', '.join(assignments)}"
    )


def moodle_csv(rows: Iterable[Row]) -> str:
    """Return a file for Moodle's grade import, grade and feedback together.

    Ids with an @ go to the column of e-mail addresses, others to that of id numbers.

    Examples
    --------
    >>> print(moodle_csv([Row("ann", "graded", 4.5, (1, 1, 1, 1, 0.5))]))
    "ID number","Email address","Grade","Feedback"
    "ann","","4.50","a 1.00, b 1.00, c 1.00, d 1.00, e 0.50"
    <BLANKLINE>
    """
    lines = [["ID number", "Email address", "Grade", "Feedback"]]
    for row in rows:
        if row.status == "graded":
            who = safe(row.student)
            ids = ["", who] if "@" in row.student else [who, ""]
            scores = zip(LETTERS, row.scores, strict=False)
            feedback = ", ".join(f"{letter} {score:.2f}" for letter, score in scores)
            lines.append([*ids, f"{row.total:.2f}", feedback])
    return to_csv(lines)


def gradescope_json(row: Row, record: dict | None) -> str:
    """Return Gradescope's ``results.json`` of one submission.

    Examples
    --------
    >>> json.loads(gradescope_json(Row("ann", "refused", reason="no"), None))["score"]
    0
    """
    verdict = record["verdict"] if record else None
    tests = []
    for letter, item in (verdict["items"] if verdict else {}).items():
        lines = (f"{name}: {p['text']}" for name, p in item["parts"].items())
        tests.append(
            {
                "name": f"({letter}) {TITLES[letter]}",
                "score": round(item["score"], 4),
                "max_score": 1,
                "output": "\n".join(lines),
            }
        )
    output = row.status if not row.reason else f"{row.status}: {row.reason}"
    content = {"score": row.total if verdict else 0, "output": output, "tests": tests}
    return json.dumps(content) + "\n"


def write_gradescope(out: Path, row: Row, record: dict | None) -> None:
    """Write the results of one student to a folder."""
    out.mkdir(exist_ok=True)
    (out / f"{row.student}.json").write_text(gradescope_json(row, record), "utf-8")
