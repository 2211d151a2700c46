"""The commands of `sdpa`; `grade` has a module of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from .cli_grade import grade as grade_class_command
from .cli_options import Name, Salt, Seed, Student, explained, secret_of
from .selftest.bank import LETTERS, bank, bank_json
from .selftest.blank import answers_schema, blank_sheet, sheet_text
from .selftest.gradebook import read_roster, replace_file
from .selftest.grading import GRADED, grade
from .selftest.notebooks import read_notebook
from .selftest.records import Settings, seed_for
from .selftest.sheets import check_student, check_variant, read_sheet
from .selftest.submissions import LIMITS, Source, suffix
from .selftest.variants import student_seed

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Grade the self-test of the chapter. Nothing in a submission is executed.",
)


@app.command()
def sheet(student: Student = "", variant: Seed = None):
    """Print a blank answer sheet."""
    with explained():
        check_student(student)
        check_variant(variant)
        typer.echo(sheet_text(blank_sheet(student, variant)), nl=False)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A sheet or a notebook.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
):
    """Grade one sheet or notebook and explain; exit with 1 if a person is needed."""
    with explained():
        if suffix(file.name) not in LIMITS:
            raise ValueError(f"{file}: expected a name in .json or .ipynb")
        data = Source(file.name, path=str(file)).read()
        read = read_notebook if suffix(file.name) == ".ipynb" else read_sheet
        answers = read(data)
        seed = seed_for(answers, answers.student, Settings(practice=True))
        verdict = grade(answers.answers, seed=seed)
    notes = [*answers.notes, *verdict.notes]
    status = GRADED if not answers.notes else "needs_review"
    content = verdict.data() | {"notes": notes}
    if answers.notes:
        content["status"] = status
    if as_json:
        typer.echo(json.dumps(content, indent=1))
    else:
        _explain(verdict, notes)
    raise typer.Exit(0 if content["status"] == GRADED else 1)


def _explain(verdict, notes):
    """Print a table of parts, and the total."""
    table = Table("part", "credit", "feedback", box=None, pad_edge=False)
    for letter, parts in verdict.items.items():
        for part in parts:
            name = f"({letter}) {part.name}"
            table.add_row(name, f"{part.credit:g}", _plain(part.text))
    console = Console()
    console.print(table)
    for note in notes:
        console.print(f"Note: {_plain(note)}", markup=False)
    console.print(f"Total: {verdict.total:.2f} of {len(LETTERS)}", highlight=False)


def _plain(text):
    """Return text without the brackets that rich takes for markup."""
    return text.replace("[", r"\[")


@app.command()
def schema():
    """Print the JSON Schema of answer sheets."""
    typer.echo(json.dumps(answers_schema(), indent=1))


@app.command(name="bank")
def print_bank(variant: Seed = None):
    """Print questions, answers and known slips as JSON, for other graders."""
    with explained():
        typer.echo(bank_json(variant))


@app.command()
def variant(
    seed: Seed = None,
    salt: Salt = None,
    assignment: Name = "",
    student: Student = "",
    roster: Annotated[
        Path | None,
        typer.Option(help="CSV of ids: write questions and a sheet for each."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for them.")] = Path("variants"),
):
    """Print the questions with other numbers: from a seed, or for a student."""
    with explained():
        secret = secret_of(salt, assignment)
        if roster is None:
            if secret is not None:
                seed = student_seed(secret, assignment, _named(student))
            typer.echo(_questions(seed))
            return
        if secret is None:
            raise ValueError("--roster needs --variant-salt-file and --assignment")
        out.mkdir(parents=True, exist_ok=True)
        for who in read_roster(roster):
            seed = student_seed(secret, assignment, who)
            replace_file(out / f"{who}.txt", _questions(seed) + "\n")
            filled = sheet_text(blank_sheet(who, assignment))
            replace_file(out / f"{who}.json", filled)


def _named(student):
    if not check_student(student):
        raise ValueError("--variant-salt-file needs --student, or --roster")
    return student


def _questions(seed):
    """Return the questions of a bank as text."""
    items = bank(seed)["items"].items()
    return "\n\n".join(
        f"({letter}) {item['title']}\n{item['question']}" for letter, item in items
    )


app.command()(grade_class_command)
