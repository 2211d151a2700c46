"""The command `sdpa grade`: a whole class, with progress and a summary."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from .cli_options import Name, Salt, explained, secret_of
from .selftest.classes import Outputs, grade_class
from .selftest.gradebook import read_roster
from .selftest.records import Settings
from .selftest.submissions import Submissions

SERIAL = 2000  # below as many files, starting processes takes longer than grading


Paths = Annotated[list[Path], typer.Argument(help="Folders, files, zip archives.")]
Out = Annotated[Path, typer.Option(help="Folder for the results.")]
Roster = Annotated[Path | None, typer.Option(help="CSV with the ids of the class.")]
Policy = Annotated[
    str | None, typer.Option(help="Of several submissions: latest, best or first.")
]
IdFrom = Annotated[str, typer.Option(help="Whose it is: sheet or filename.")]
Jobs = Annotated[int, typer.Option(help="Processes; 0 decides by itself.")]
Dask = Annotated[str, typer.Option(help="Address of a Dask scheduler.")]
Canvas = Annotated[Path | None, typer.Option(help="Canvas export to fill.")]
CanvasColumn = Annotated[str | None, typer.Option(help="Title of its column.")]
Moodle = Annotated[bool, typer.Option("--moodle", help="Write moodle.csv.")]
Gradescope = Annotated[
    bool, typer.Option("--gradescope", help="Write results for Gradescope.")
]


def grade(
    paths: Paths,
    out: Out,
    roster: Roster = None,
    policy: Policy = None,
    salt: Salt = None,
    assignment: Name = "",
    id_from: IdFrom = "sheet",
    jobs: Jobs = 0,
    dask: Dask = "",
    canvas: Canvas = None,
    canvas_column: CanvasColumn = None,
    moodle: Moodle = False,
    gradescope: Gradescope = False,
):
    """Grade a class: 0 all graded, 1 something needs a person, 2 nothing was done."""
    with explained():
        if id_from not in ("sheet", "filename"):
            raise ValueError(f"--id-from is {id_from!r}, expected sheet or filename")
        settings = Settings(
            secret_of(salt, assignment), assignment or None, id_from=id_from
        )
        template = None if canvas is None else canvas.read_text(encoding="utf-8-sig")
        options = {
            "policy": policy,
            "roster": None if roster is None else read_roster(roster),
            "outputs": Outputs(template, canvas_column, moodle, gradescope),
        }
        code = _grade(paths, out, settings, options, jobs, dask)
    raise typer.Exit(code)


def _grade(paths, out, settings, options, jobs, dask):
    """Grade with whatever computes, and return the exit code."""
    with Submissions(paths, skip=out) as found:
        total, ignored = len(found.sources), found.ignored
    if not total and options["roster"] is None:
        raise ValueError("no sheet, notebook or archive was found")
    with _executor(total, jobs, dask) as executor, _bar(total) as progress:
        rows, report = grade_class(
            paths, out, settings, executor=executor, progress=progress, **options
        )
    return _summary(rows, report, out, ignored)


@contextmanager
def _executor(total, jobs, dask):
    """Give what computes: nothing for this process, processes, or a cluster."""
    jobs = jobs or (1 if total < SERIAL else os.cpu_count() or 1)
    if dask:
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise ValueError("--dask needs: pip install 'sdpa[dask]'") from None
        with Client(dask) as client:
            yield client.get_executor()
    elif jobs > 1:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(jobs, mp_context=context) as executor:
            yield executor
    else:
        yield None


@contextmanager
def _bar(total):
    """Show how far grading is, on standard error and only to people."""
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("grading", total=total)
        yield lambda done: bar.advance(task, done)


def _summary(rows, report, out, ignored):
    """Print counts and what needs a person; return the exit code."""
    console = Console(highlight=False)
    table = Table("status", "students", box=None, pad_edge=False)
    for status, count in sorted(report.statuses.items()):
        table.add_row(status, str(count))
    console.print(table)
    for row in report.look_at[:20]:
        line = f"{row.status}: {row.student or '?'} ({row.file}) {row.reason}"
        console.print(line, markup=False, soft_wrap=True)
    if len(report.look_at) > 20:
        console.print("... and more: see the report")
    if ignored:
        console.print(f"{ignored} files of other kinds were passed over")
    console.print(f"Results: {out}", markup=False, soft_wrap=True)
    if not any(row.scores for row in rows):
        return 2
    return 1 if report.look_at else 0
