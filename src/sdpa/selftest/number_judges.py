"""Verdicts on numbers: lists within a tolerance, ranges, places, counterexamples."""

from __future__ import annotations

import operator
from itertools import chain

from .messages import Refused
from .numeric import both_sides


def case_of(part, values):
    """Return the key of the case that the reader's own conventions select."""
    return "|".join(str(values[name]) for name in part["by"])


def vector(part, values):
    """Judge numbers, each within a tolerance: tight first, then loose."""
    field = part["fields"][0]
    given = values[field]

    def near(x, within):
        return all(abs(a - b) <= within for a, b in zip(given, x, strict=True))

    for within, tag in ((part["tight"], "right"), (part["loose"], "rounded")):
        if near(part["right"], within):
            return tag, 1
        for slip in part["wrong"]:
            if near(slip["value"], within):
                if _own_output(part, given, values):
                    return "own", part["own"]["credit"]
                return slip["tags"][0], slip.get("credit", 0)
    if _own_output(part, given, values):
        return "own", part["own"]["credit"]
    return "other", 0


def _own_output(part, given, values):
    """Say whether an output follows from the reader's own weights, which sum to 1."""
    own = part.get("own")
    weights = own and values.get(own["field"])
    if not weights or abs(sum(weights) - 1) > own["sum_within"]:
        return False
    columns = zip(*own["V"], strict=True)
    expected = [sum(map(operator.mul, weights, column)) for column in columns]
    return all(
        abs(a - b) <= part["loose"] for a, b in zip(given, expected, strict=True)
    )


def numbers(part, values):
    """Judge numbers that may lie in a range, with a relative slack."""
    case = part["cases"][case_of(part, values)]
    given = values[part["fields"][0]]
    slack = part["relative"]

    def within(low, high):
        return all(
            a * (1 - slack) <= x <= b * (1 + slack)
            for a, x, b in zip(low, given, high, strict=True)
        )

    if within(case["low"], case["high"]):
        return "right", 1
    if _own_bytes(part, given, values):
        return "own", part["own"]["credit"]
    for slip in case["wrong"]:
        if within(slip["value"], slip["value"]):
            return slip["tags"][0], slip.get("credit", 0)
    return "other", 0


def _own_bytes(part, given, values):
    """Say whether bytes follow from the reader's own entries, which are above 0."""
    own = part.get("own")
    entries = own and values.get(own["field"])
    if not entries or min(entries) <= 0:
        return False
    size, slack = own["sizes"][values[own["by"]]], part["relative"]
    return all(
        abs(x - size * n) <= slack * size * n
        for x, n in zip(given, entries, strict=True)
    )


def places(part, values):
    """Judge places in a list; some of the right ones alone earn a part."""
    given, right = values[part["fields"][0]], part["right"]
    if given == right:
        return "right", 1
    if set(given) < set(right):
        return "some_places", part["some"]
    return "other_places", 0


def pair_of_queries(part, values):
    """Judge a counterexample by computing both sides."""
    left, right = _computed(part, values)
    if _gap(left, right) > part["within"]:
        return "right", 1
    if _is_zero_proof(part, values):
        return "zero_query", 1
    return "no_gap", 0


def _computed(part, values):
    """Return both sides for the reader's pair; two parts need them."""
    if "computed" not in values:
        pair = _queries(values)
        values["computed"] = both_sides(*pair, part["K"], part["V"], part["scale"])
    return values["computed"]


def _queries(values):
    """Return Q1 and Q2, which need as many rows."""
    Q1, Q2 = values["Q1"], values["Q2"]
    if len(Q1) != len(Q2):
        raise Refused("rows_differ", first=len(Q1), second=len(Q2))
    return Q1, Q2


def _typed(values, sides, within):
    """Say of each typed side whether it is the computed one."""
    return [
        len(values[name]) == len(side) and _gap(values[name], side) <= within
        for name, side in zip(("left", "right"), sides, strict=True)
    ]


def _gap(A, B):
    """Return the largest difference of two lists of rows."""
    pairs = zip(chain(*A), chain(*B), strict=True)
    return max(abs(a - b) for a, b in pairs)


def _is_zero_proof(part, values):
    """Say whether Attn(0) ≠ 0 is shown, with the values of the worked example."""
    if "source_values" not in part or not {"left", "right"} <= values.keys():
        return False
    if any(chain(*values["Q1"], *values["Q2"])):
        return False
    sides = both_sides(
        *_queries(values), part["K"], part["source_values"], part["scale"]
    )
    return all(_typed(values, sides, part["within"]))


def sides(part, values):
    """Judge the two sides that belong to the reader's own pair."""
    pair, within = _queries(values), part["within"]
    for name in ("left", "right"):
        if len(values[name]) != len(pair[0]):
            rows, given = len(pair[0]), len(values[name])
            raise Refused("side_rows", name=name, given=given, rows=rows)
    K, V, scale = part["K"], part["V"], part["scale"]
    computed = _computed(part, values)
    fits = _typed(values, computed, within)
    if all(fits):
        return "right", 1
    if _is_zero_proof(part, values):
        return "zero_query", 1
    if any(fits):
        return ("right_wrong" if fits[0] else "left_wrong"), 0
    if all(_typed(values, computed[::-1], within)):
        return "sides_swapped", 0
    slips = [(slip["tags"][0], V, slip["scale"]) for slip in part["wrong"]]
    if "source_values" in part:
        slips.append(("source_values", part["source_values"], scale))
    for tag, V, scale in slips:
        if all(_typed(values, both_sides(*pair, K, V, scale), within)):
            return tag, 0
    return "other", 0
