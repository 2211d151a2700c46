"""What the commands share: options, and how errors are told."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from .selftest.sheets import BadFile, check_variant

Student = Annotated[str, typer.Option(help="Id of the student.")]
Seed = Annotated[int | None, typer.Option(help="Seed of other numbers.")]
Salt = Annotated[
    Path | None,
    typer.Option(
        "--variant-salt-file", help="File with the secret of per-student numbers."
    ),
]
Name = Annotated[str, typer.Option(help="Name of the assignment; with a salt.")]


def fail(message: object) -> None:
    """Say why nothing could be done, and exit with code 2."""
    typer.echo(f"sdpa: {message}", err=True)
    raise typer.Exit(2)


@contextmanager
def explained():
    """Turn what goes wrong with files and options into a line and exit code 2."""
    try:
        yield
    except BadFile as error:
        fail(f"{error.status}: {error.reason}")
    except (OSError, ValueError) as error:
        fail(error)


def secret_of(path, assignment):
    """Read the salt; it and the assignment's name go together."""
    if path is None:
        if assignment:
            raise ValueError("--assignment needs --variant-salt-file")
        return None
    if not isinstance(check_variant(assignment or 0), str):
        raise ValueError("--variant-salt-file needs --assignment")
    secret = path.read_text(encoding="utf-8").strip()
    if len(secret) < 8:
        raise ValueError(f"{path}: the salt has {len(secret)} characters, expected 8")
    return secret
