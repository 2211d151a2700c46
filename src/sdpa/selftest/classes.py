"""A whole class: from a folder of submissions to a folder of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from .batch import grade_all
from .exports import canvas_csv, moodle_csv, write_gradescope
from .gradebook import Row, check_policy, grades_csv, replace_file, rows_of
from .journal import Journal
from .records import Settings
from .reports import ClassReport, feedback_html, feedback_json
from .submissions import Submissions


@dataclass(frozen=True, slots=True)
class Outputs:
    """What to write besides gradebook, feedback and report.

    Attributes
    ----------
    canvas : str or None
        Text of the instructor's Canvas export.
    canvas_column : str or None
    moodle, gradescope : bool
    """

    canvas: str | None = None
    canvas_column: str | None = None
    moodle: bool = False
    gradescope: bool = False


def grade_class(
    paths: Iterable[Path],
    out: Path,
    settings: Settings | None = None,
    *,
    policy: str | None = None,
    roster: Iterable[str] | None = None,
    outputs: Outputs | None = None,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[list[Row], ClassReport]:
    """Grade submissions and write the results.

    Parameters
    ----------
    paths : iterable of Path
        Folders, files and zip archives.
    out : Path
        Where the results go: ``grades.csv``, ``feedback/``, ``report.html`` and the
        journal, from which a run that was stopped goes on.
    settings : Settings, optional
    policy, roster
        As for `sdpa.selftest.gradebook.rows_of`.
    outputs : Outputs, optional
        Files for learning platforms.
    executor, progress
        As for `sdpa.selftest.batch.grade_all`.

    Returns
    -------
    rows : list of Row
    report : ClassReport

    Raises
    ------
    FileNotFoundError
        If a path does not exist.
    ValueError
        If the policy or the Canvas export is not one.

    Notes
    -----
    Files are replaced as a whole, and equal submissions give equal bytes, however
    they were computed.
    """
    settings, outputs = settings or Settings(), outputs or Outputs()
    check_policy(policy)  # what is wrong with the options is said before the work
    if outputs.canvas is not None:
        canvas_csv(outputs.canvas, [], outputs.canvas_column)
    (out / "feedback").mkdir(parents=True, exist_ok=True)
    with (
        Submissions(paths, skip=out) as found,
        Journal(out / "journal.jsonl", settings.version()) as journal,
    ):
        entries = grade_all(
            found.sources, journal, settings, executor=executor, progress=progress
        )
        rows = rows_of(entries, journal, policy=policy, roster=roster)
        report = _write_people(rows, journal, out, outputs)
    replace_file(out / "grades.csv", grades_csv(rows))
    replace_file(out / "report.html", report.html())
    _write_exports(rows, out, outputs)
    return rows, report


def _write_exports(rows, out, outputs):
    """Write the files for learning platforms."""
    if outputs.canvas is not None:
        filled = canvas_csv(outputs.canvas, rows, outputs.canvas_column)
        replace_file(out / "canvas.csv", filled)
    if outputs.moodle:
        replace_file(out / "moodle.csv", moodle_csv(rows))


def _write_people(rows, journal, out, outputs):
    """Write each student's feedback, and count for the report on the way."""
    report, folder = ClassReport(), out / "feedback"
    for row in rows:
        record = journal.read(row.key) if row.key else None
        report.add(row, record)
        if not row.student:
            continue
        page, data = feedback_html(row, record), feedback_json(row, record)
        (folder / f"{row.student}.html").write_bytes(page.encode())
        (folder / f"{row.student}.json").write_bytes(data.encode())
        if outputs.gradescope:
            write_gradescope(out / "gradescope", row, record)
    return report
