"""What `make bench` measured on one machine, for the pages and the README to show."""

from __future__ import annotations

import json
from pathlib import Path

DATA = Path(__file__).parent / "data" / "attention.json"


def load(path: Path = DATA) -> dict:
    """Read the stored measurements.

    Returns
    -------
    dict
        ``machine`` (what they come from), ``limits`` (the parts alone), ``times`` and
        ``memory`` (a list of rows each: contender, T, heads and what was measured).

    Raises
    ------
    FileNotFoundError
        If nothing was measured yet; the message says what to run.

    Examples
    --------
    >>> sorted(load())
    ['limits', 'machine', 'memory', 'times']
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing; run `make bench` to measure")
    return json.loads(path.read_text(encoding="utf-8"))


def find(rows: list[dict], **wanted) -> dict | None:
    """Return the first row that has these entries, or None.

    Examples
    --------
    >>> find([{"T": 1, "heads": 1}, {"T": 2, "heads": 8}], T=2)
    {'T': 2, 'heads': 8}
    """
    return next((row for row in rows if wanted.items() <= row.items()), None)


def curves(rows: list[dict], key: str, **wanted) -> dict[str, tuple[list, list]]:
    """Gather one curve over T for each contender.

    Parameters
    ----------
    rows : list of dict
        ``times`` or ``memory`` of `load`.
    key : str
        What to gather, such as "seconds" or "bytes". Rows without it are left out.
    **wanted
        Entries that a row must have, such as ``heads=1``.

    Returns
    -------
    dict of str to (list, list)
        By contender: the numbers of tokens, and what was measured.

    Examples
    --------
    >>> row = {"contender": "ours", "heads": 1}
    >>> curves([row | {"T": 1, "bytes": 5}, row | {"T": 2, "bytes": 9}], "bytes")
    {'ours': ([1, 2], [5, 9])}
    """
    found: dict[str, tuple[list, list]] = {}
    for row in rows:
        if key in row and wanted.items() <= row.items():
            tokens, values = found.setdefault(row["contender"], ([], []))
            tokens.append(row["T"])
            values.append(row[key])
    return found
