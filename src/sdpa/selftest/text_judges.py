"""Verdicts on text: einsum strings, names of dimensions, words and formulas."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import numpy as np

from .expressions import evaluate
from .messages import Refused
from .number_judges import case_of
from .symbolic import canonical, same_name

_SUBSCRIPTS = re.compile(r"[A-Za-z]+(,[A-Za-z]+)*->[A-Za-z]*")


def subscripts(part, values):
    """Judge an einsum string; its letters are free, its layout is not."""
    text = re.sub(r"\s", "", values[part["fields"][0]]).replace("→", "->")
    if text.startswith("...") and text.count("...") == text.count(",") + 2:
        text = text.replace("...", "")  # leading dimensions on all sides change nothing
    if not _SUBSCRIPTS.fullmatch(text):
        raise Refused("no_subscripts")
    return _among(part, lambda right: canonical(text) == right)


def names(part, values):
    """Judge a list of names, in any of their spellings."""
    given = [same_name(name) for name in values[part["fields"][0]]]
    return _among(part, lambda right: given == [same_name(name) for name in right])


def _among(part, matches):
    """Return the verdict of the first value that matches."""
    if matches(part["right"]):
        return "right", 1
    for slip in part["wrong"]:
        if matches(slip["value"]):
            return slip["tags"][0], slip.get("credit", 0)
    return "other", 0


def choice(part, values):
    """Judge a word or two; one that is not known needs a person."""
    text = values[part["fields"][0]]
    key = " ".join(unicodedata.normalize("NFKC", text).lower().split()).rstrip(".")
    if key not in part["spellings"]:
        raise Refused("unknown_word")
    return tuple(part["spellings"][key])


def formula(part, values):
    """Judge a formula by its values at the points of the part."""
    case = part["cases"][case_of(part, values)]
    text = values[part["fields"][0]]
    points = _points(part)
    value = _evaluated(text, points)

    def matches(known):
        expected = _evaluated(known, points)
        return (np.abs(value - expected) <= part["relative"] * np.abs(expected)).all()

    if any(matches(known) for known in case["right"]):
        return "right", 1
    for slip in case["wrong"]:
        if matches(slip["formula"]):
            return slip["tags"][0], slip.get("credit", 0)
    spread = np.abs(value - value[0])
    constant = (spread <= part["relative"] * np.abs(value[0])).all()
    return ("constant" if constant else "other"), 0


class _Points(dict):
    """Points as arrays; hashed by identity, so that values at them can be kept."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


_POINTS: dict[str, tuple[dict, _Points]] = {}


def _points(part):
    """Return the points of a part as arrays; those of the last bank are kept."""
    kept = _POINTS.get(part["id"])
    if kept is None or (kept[0] is not part["points"] and kept[0] != part["points"]):
        arrays = {name: np.array(x, float) for name, x in part["points"].items()}
        kept = _POINTS[part["id"]] = part["points"], _Points(arrays)
    return kept[1]


@lru_cache(maxsize=8192)
def _evaluated(text, points):
    """Return the values of a formula; the bank's and most students' come again."""
    return evaluate(text, points)
