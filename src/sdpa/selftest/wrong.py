"""Wrong values beside right ones: grouped when equal, set aside when not wrong here.

A misconception that gives the right value with these numbers cannot be seen: it goes to
`undetectable`. Misconceptions that give one value share an entry with several tags.
"""

from __future__ import annotations

import numpy as np

from .expressions import evaluate

CREDIT = {"reciprocal": 0.5}  # the only wrong value that earns something


def group(wrong, is_right, same):
    """Sort computed misconceptions.

    Parameters
    ----------
    wrong : dict of str to object
        A value for each tag.
    is_right : callable
        Says whether a value would pass, or nearly.
    same : callable
        Says whether two values cannot be told apart.

    Returns
    -------
    groups : list of (list of str, object)
        Tags that share a value, and the value.
    undetectable : list of str
        Tags whose value would pass.

    Examples
    --------
    >>> group({"a": 1, "b": 2, "c": 2, "d": 9}, lambda x: x == 9, lambda x, y: x == y)
    ([(['a'], 1), (['b', 'c'], 2)], ['d'])
    """
    groups, undetectable = [], []
    for tag, value in wrong.items():
        if is_right(value):
            undetectable.append(tag)
            continue
        for tags, other in groups:
            if same(value, other):
                tags.append(tag)
                break
        else:
            groups.append(([tag], value))
    return groups, undetectable


def _credit(entry):
    """Add what a wrong value earns, if anything."""
    credits = [CREDIT.get(tag, 0) for tag in entry["tags"]]
    return entry | {"credit": min(credits)} if min(credits) else entry


def vector_part(name, right, wrong, tight, loose):
    """Build a part that asks for a list of numbers, each within a tolerance.

    Two values count as the same if their loose tolerances overlap.
    """

    right = np.asarray(right).tolist()
    wrong = {tag: np.asarray(value).tolist() for tag, value in wrong.items()}

    def near(x, y):
        return all(abs(a - b) <= 2 * loose for a, b in zip(x, y, strict=True))

    groups, undetectable = group(wrong, lambda x: near(x, right), near)
    return {
        "id": name,
        "kind": "vector",
        "fields": [name],
        "tight": tight,
        "loose": loose,
        "right": right,
        "wrong": [{"tags": t, "value": v} for t, v in groups],
        "undetectable": undetectable,
    }


def formula_case(points, right, wrong):
    """Build what a formula is compared with; equality is taken at the points."""
    points = {name: np.asarray(values, float) for name, values in points.items()}
    values = {text: evaluate(text, points) for text in (*right, *wrong.values())}

    def same(x, y):
        x, y = values[x], values[y]
        return bool((np.abs(x - y) <= 1e-6 * np.abs(y)).all())

    groups, undetectable = group(
        wrong, lambda x: any(same(x, text) for text in right), same
    )
    return {
        "right": right,
        "wrong": [_credit({"tags": t, "formula": text}) for t, text in groups],
        "undetectable": undetectable,
    }


def pair_case(low, high, wrong, relative):
    """Build what two numbers are compared with: a range, and slips."""

    def between(a, x, b):
        return all(
            a * (1 - 3 * relative) <= x <= b * (1 + 3 * relative)
            for a, x, b in zip(a, x, b, strict=True)
        )

    groups, undetectable = group(
        wrong, lambda x: between(low, x, high), lambda x, y: between(y, x, y)
    )
    return {
        "low": list(low),
        "high": list(high),
        "wrong": [{"tags": t, "value": list(v)} for t, v in groups],
        "undetectable": undetectable,
    }
