"""From a sheet's answers to a verdict: parts, items and the total."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .bank import LETTERS, bank
from .fields import read_field
from .judging import JUDGES
from .limits import SHEET
from .messages import Refused, say, shown
from .texts import FEEDBACK

GRADED, NEEDS_REVIEW = "graded", "needs_review"


@dataclass(frozen=True, slots=True)
class Part:
    """The verdict on one part.

    Attributes
    ----------
    name : str
    credit : float
        0 to 1.
    tag : str
        ``right``, a slip, ``missing``, or ``refused`` for what cannot be understood.
    text : str
        What the reader is told.
    """

    name: str
    credit: float
    tag: str
    text: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a sheet.

    Attributes
    ----------
    items : dict of str to tuple of Part
        For each letter.
    notes : tuple of str
        What could not be understood outside the parts.

    Examples
    --------
    >>> verdict = grade({"c": {"variance": "d_k*sigma**4"}})
    >>> verdict.total, verdict.score("c"), verdict.status
    (0.5, 0.5, 'graded')
    """

    items: dict[str, tuple[Part, ...]]
    notes: tuple[str, ...] = ()

    def score(self, letter):
        """Return the mean credit of an item's parts, 0 to 1."""
        parts = self.items[letter]
        return sum(part.credit for part in parts) / len(parts)

    @property
    def total(self):
        """Return the sum of the items' scores, 0 to 5."""
        return sum(self.score(letter) for letter in self.items)

    @property
    def status(self):
        """Return ``needs_review`` if anything could not be understood."""
        refused = any(
            p.tag == "refused" for parts in self.items.values() for p in parts
        )
        return NEEDS_REVIEW if refused or self.notes else GRADED

    def data(self):
        """Return the verdict as JSON types."""
        items = {
            letter: {
                "score": self.score(letter),
                "parts": {
                    p.name: {"credit": p.credit, "tag": p.tag, "text": p.text}
                    for p in parts
                },
            }
            for letter, parts in self.items.items()
        }
        return {
            "total": sum(item["score"] for item in items.values()),
            "status": self.status,
            "notes": list(self.notes),
            "items": items,
        }


def grade(answers: Any, *, seed: int | None = None) -> Verdict:
    """Grade the answers of a sheet; never raises for what a student wrote.

    Parameters
    ----------
    answers : dict
        From item letters to their fields, as JSON has them.
    seed : int, optional
        The variant, as for `bank`.

    Returns
    -------
    Verdict
        What is missing or cannot be understood counts 0.

    Examples
    --------
    >>> verdict = grade({"a": {"scores": "xz,yz->yx", "shape": ["n", "d_v"]}})
    >>> [(p.name, p.tag) for p in verdict.items["a"]]
    [('scores', 'transposed_output'), ('output', 'missing'), ('shape', 'right')]
    """
    notes = []
    if not isinstance(answers, dict):
        notes.append(say("no_answers", given=shown(answers)))
        answers = {}
    odd = [letter for letter in answers if letter not in (*LETTERS,)]
    notes += [say("no_item", given=shown(letter)) for letter in odd[: SHEET["notes"]]]
    items = {
        letter: _grade_item(letter, item, answers.get(letter, {}), notes)
        for letter, item in bank(seed)["items"].items()
    }
    return Verdict(items, tuple(notes[: SHEET["notes"]]))


def _grade_item(letter, item, answer, notes):
    """Read the fields of one item and judge its parts."""
    if not isinstance(answer, dict):
        notes.append(say("item_no_object", item=letter, given=shown(answer)))
        answer = {}
    fields, values, refused = item["fields"], {}, {}
    for name in [name for name in answer if name not in fields][: SHEET["notes"]]:
        known = ", ".join(fields)
        notes.append(say("no_field", item=letter, given=shown(name), known=known))
    for name, field in fields.items():
        value = answer.get(name)
        if value is not None and value != "":  # null and "" are blanks of a sheet
            try:
                values[name] = read_field(value, field)
            except Refused as error:
                refused[name] = say("part", name=name, message=error)
    return tuple(_grade_part(part, values, refused) for part in item["parts"])


def _grade_part(part, values, refused):
    """Judge one part if what it reads is there and was understood."""
    name, fields, by = part["id"], part["fields"], part.get("by", [])
    for field in (*fields, *by):
        if field in refused:
            return Part(name, 0, "refused", refused[field])
    absent = [field for field in fields if field not in values]
    if absent:
        tag = "missing" if len(absent) == len(fields) else "incomplete"
        return Part(name, 0, tag, FEEDBACK[tag])
    absent = [field for field in by if field not in values]
    if absent:
        text = FEEDBACK["no_context"].format(fields=" and ".join(absent))
        return Part(name, 0, "no_context", text)
    try:
        tag, credit = JUDGES[part["kind"]](part, values)
    except Refused as error:
        return Part(name, 0, "refused", say("part", name=name, message=error))
    return Part(name, credit, tag, FEEDBACK[tag])
