"""`check` for notebooks: a verdict to look at, and the answer kept as data."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from html import escape
from typing import Any

from .bank import LETTERS, bank
from .grading import Part, grade
from .notebooks import ANSWER, MIME
from .sheets import check_student

_LARGEST = 1000  # entries of an array that could still be an answer


@dataclass(frozen=True, slots=True)
class Checked:
    """A checked answer; notebooks show it as HTML, `print` as text.

    Attributes
    ----------
    answer : dict
        What is kept: item, variant, student and the answer as plain data.
    parts : tuple of Part
    notes : tuple of str
    """

    answer: dict[str, Any]
    parts: tuple[Part, ...]
    notes: tuple[str, ...]

    def __str__(self):
        total = sum(part.credit for part in self.parts)
        lines = [f"({self.answer['item']})  {total:g} of {len(self.parts)}"]
        width = max(len(part.name) for part in self.parts)
        lines += [f"  {p.name:{width}}  {p.credit:g}  {p.text}" for p in self.parts]
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])

    def html(self):
        """Return the verdict as an HTML table."""
        rows = "".join(
            f"<tr><th scope='row'>{escape(p.name)}</th><td>{p.credit:g}</td>"
            f"<td style='text-align:left'>{escape(p.text)}</td></tr>"
            for p in self.parts
        )
        notes = "".join(f"<p>Note: {escape(note)}</p>" for note in self.notes)
        return (
            f"<table><caption>Verdict on ({self.answer['item']})</caption>"
            "<thead><tr><th scope='col'>part</th><th scope='col'>credit</th>"
            f"<th scope='col'>feedback</th></tr></thead><tbody>{rows}</tbody></table>"
            f"{notes}"
        )

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": str(self), "text/html": self.html(), MIME: self.answer}


def checked(item, *, variant=None, student=None, **answers):
    """Check answers to one item and return the verdict, without showing it.

    Parameters
    ----------
    item : str
        One of the letters a to e.
    variant : int or str, optional
        A practice seed. With the name of an assignment the answer is only kept: its
        numbers are the instructor's.
    student : str, optional
        Your id, if the notebook will be handed in.
    **answers
        The fields of the item: numbers, text, lists, arrays or tensors.

    Returns
    -------
    Checked

    Raises
    ------
    ValueError
        If there is no such item, or the id or variant is none.

    Examples
    --------
    >>> print(checked("c", variance="d_k * sigma**4", divisor="sqrt(d_k)"))
    (c)  1 of 2
      variance  1  Right.
      divisor   0  True for unit variances only. Try another sigma.
    """
    if item not in (*LETTERS,):
        raise ValueError(f"there is no item {item!r}: choose one of a, b, c, d, e")
    fields = bank()["items"][item]["fields"]
    plain = {name: _plain(value, fields.get(name)) for name, value in answers.items()}
    answer = {
        "format": ANSWER,
        "item": item,
        "variant": variant,
        "student": check_student(student),
        "answer": plain,
    }
    if isinstance(variant, str):
        kept = Part("answer", 0, "kept", "Kept. It is graded when you hand it in.")
        return Checked(answer, (kept,), ())
    verdict = grade({item: plain}, seed=variant)
    return Checked(answer, verdict.items[item], verdict.notes)


def check(item, *, variant=None, student=None, **answers):
    """Check answers to one item, show the verdict, and keep the answer in the cell.

    Parameters
    ----------
    item, variant, student, **answers
        As for `checked`.

    Raises
    ------
    ValueError
        As `checked`.

    Notes
    -----
    The answer is kept in the cell's output under
    ``application/vnd.sdpa.answer+json``: the saved notebook can be handed in, and is
    graded without being executed.

    Examples
    --------
    >>> check("c", variance="d_k * sigma**4")
    (c)  1 of 2
      variance  1  Right.
      divisor   0  Not answered yet.
    """
    result = checked(item, variant=variant, student=student, **answers)
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        print(result)
    else:
        ipython.display.display(result._repr_mimebundle_(), raw=True)


def _plain(value, field):
    """Turn arrays, tensors and tuples into lists of plain numbers."""
    if hasattr(value, "tolist"):
        shape = tuple(getattr(value, "shape", ()))
        if math.prod(shape) > _LARGEST:
            return f"an array of shape {shape}"
        value = value.tolist()
        # Attention gives one row for one query: shape (1, m).
        if field and field["type"] == "numbers" and len(shape) == 2 and shape[0] == 1:
            value = value[0]
    if isinstance(value, list | tuple | range | set | frozenset):
        if len(value) > _LARGEST:
            return f"{len(value)} entries"
        return [_plain(entry, None) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no word for it
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return f"{type(value).__name__}: {value!s:.40}"
