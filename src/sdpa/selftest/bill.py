"""Item (e): the bill of many heads and of one, in either convention and scope."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import product

import numpy as np

from ..cost import BYTES_PER_NUMBER, attention_cost
from .wrong import formula_case, pair_case

RELATIVE = 0.005
SCOPES = ["attention", "with projections"]
CASES = list(product((1, 2), SCOPES))
TEXT, PAIR = {"type": "text"}, {"type": "numbers", "length": 2}
FIELDS = {
    "convention": {"type": "option", "options": [1, 2]},
    "scope": {"type": "option", "options": SCOPES},
    "flops": PAIR,
    "entries": PAIR,
    "dtype": {"type": "option", "options": list(BYTES_PER_NUMBER)},
    "bytes": PAIR,
    "cheaper": TEXT,
    "less_memory": TEXT,
    "formula": TEXT,
}


def bill_item(given):
    """Build item (e); pairs of numbers are h heads first, then one head."""
    T, d, h = given["T"], given["d"], given["h"]
    return {
        "given": given,
        "question": (
            f"A layer has T = {T}, d = {d}, h = {h} and d_k = d_v = {d // h}. Give the "
            "FLOPs, the score entries and their bytes for it, then for one head with "
            "d_k = d_v = d. Say whether a multiply-add counts as 1 or 2, whether the "
            "projections are included, and in which dtype scores are kept; which "
            "design is cheaper, and which needs less memory; and a formula for the "
            "FLOPs of h heads in T, d, h and d_k."
        ),
        "fields": FIELDS,
        "parts": _parts(T, d, h),
    }


@lru_cache(maxsize=256)
def _parts(T, d, h):
    """Build the parts; few layers are asked for, so they are kept."""
    return [
        _flops(T, d, h),
        _entries(T, d, h),
        _bytes(T, h),
        *_choices(h),
        _formula(),
    ]


def _pair(name, by, cases):
    return {
        "id": name,
        "kind": "numbers",
        "fields": [name],
        "by": by,
        "relative": RELATIVE,
        "cases": cases,
    }


def _both(convention, scope, T, d, h):
    """Return the least and the most that a full count may give, for h heads and one.

    At most six operations an entry are counted for scale and softmax.
    """
    model = d if scope == "with projections" else None
    low, high = [], []
    for heads in (h, 1):
        k = d // heads
        cost = attention_cost(
            T, T, k, k, heads=heads, d_model=model, flops_per_mac=convention
        )
        low.append(cost.matmuls + cost.projections)
        high.append(cost.matmuls + cost.projections + 6 * cost.score_entries)
    return low, high


def _flops(T, d, h):
    cases = {}
    for convention, scope in CASES:
        low, high = _both(convention, scope, T, d, h)
        base = 2 * convention * T * T * d
        other = SCOPES[scope == SCOPES[0]]
        wrong = {
            "other_convention": _both(3 - convention, scope, T, d, h)[0],
            "other_scope": _both(convention, other, T, d, h)[0],
            "one_product": [base // 2] * 2,
            "projections_only": [4 * convention * T * d * d] * 2,
            "one_head_only": [base // h, base],
            "d_for_d_k": [base * h, base],
            "T_d_squared": [2 * convention * T * d * d] * 2,
            "T_not_squared": [2 * convention * T * d] * 2,
            "swapped_by_heads": [base, base * h],
        }
        cases[f"{convention}|{scope}"] = pair_case(low, high, wrong, RELATIVE)
    return _pair("flops", ["convention", "scope"], cases)


def _entries(T, d, h):
    right = [h * T * T, T * T]
    wrong = {
        "swapped": right[::-1],
        "heads_forgotten": [T * T, T * T],
        "heads_for_both": [h * T * T, h * T * T],
        "scores_and_weights": [2 * h * T * T, 2 * T * T],
        "T_not_squared": [h * T, T],
        "size_of_Q": [T * d, T * d],
        "split_by_heads": [T * T // h, T * T],
    }
    return _pair("entries", [], {"": pair_case(right, right, wrong, RELATIVE)})


def _bytes(T, h):
    entries = [h * T * T, T * T]
    cases = {}
    for dtype, size in BYTES_PER_NUMBER.items():
        right = [size * n for n in entries]
        units = {"kib": 2**10, "mib": 2**20, "gib": 2**30}
        wrong = {f"in_{unit}": [x / u for x in right] for unit, u in units.items()}
        wrong |= {
            "swapped": right[::-1],
            "bits": [8 * x for x in right],
            "entries_for_bytes": entries,
            "fp16_size": [2 * x for x in entries],
            "fp32_size": [4 * x for x in entries],
            "heads_forgotten": [right[1]] * 2,
            "decimal_units": [right[0] / 2**30 * 10**9, right[1] / 2**20 * 10**6],
            "decimal_mega": [x / 2**20 * 10**6 for x in right],
        }
        cases[dtype] = pair_case(right, right, wrong, RELATIVE)
    sizes = {
        "field": "entries",
        "by": "dtype",
        "sizes": BYTES_PER_NUMBER,
        "credit": 0.5,
    }
    return _pair("bytes", ["dtype"], cases) | {"own": sizes}


def _choices(h):
    """Return the two comparisons, by what people write."""
    one = ["single head", "one head", "the single head", "h = 1", "h=1", "single"]
    many = [
        f"{h} heads",
        "many heads",
        "multi head",
        "multi-head",
        f"h = {h}",
        f"h={h}",
    ]
    equal = ["equal", "the same", "same", "tie", "neither", "both", "no difference"]
    hair = ["about 1 %", "about 1%", "by about 1 %", "by about 1%", "by 1 %", "by 1%"]
    by_a_hair = [
        f"{name}{comma} {by}" for name in one for by in hair for comma in (",", "")
    ]
    cheaper = {s: ["right", 1] for s in equal}
    cheaper |= {s: ["by_a_hair", 1] for s in by_a_hair}
    cheaper |= {s: ["by_how_much", 0.5] for s in one}
    cheaper |= {s: ["more_heads", 0] for s in many}
    less = {s: ["right", 1] for s in one}
    less |= {s: ["more_heads_memory", 0] for s in many}
    less |= {s: ["memory_not_equal", 0] for s in equal}
    return [
        {"id": name, "kind": "choice", "fields": [name], "spellings": spellings}
        for name, spellings in (("cheaper", cheaper), ("less_memory", less))
    ]


@cache
def _formula():
    """Return the formula's part; it is compared where T ≠ d, so that no slip hides."""
    rng = np.random.default_rng(603)
    T, h, d_k = (
        rng.integers(low, high, 12) for low, high in ((300, 900), (2, 17), (64, 129))
    )
    values = {"T": T, "d": h * d_k, "h": h, "d_k": d_k}
    points = {name: x.astype(float).tolist() for name, x in values.items()}
    cases = {f"{c}|{scope}": _formulas(points, c, scope) for c, scope in CASES}
    return {
        "id": "formula",
        "kind": "formula",
        "fields": ["formula"],
        "by": ["convention", "scope"],
        "relative": 1e-9,
        "points": points,
        "cases": cases,
    }


def _formulas(points, c, scope):
    more = f" + {4 * c}*T*d**2" if scope == "with projections" else ""
    less = "" if more else f" + {4 * c}*T*d**2"
    base = f"{2 * c}*T**2*d"
    # Scale and softmax: up to six operations an entry, or exactly as in `sdpa.cost`.
    softmax = ["", *(f" + {s}*h*T**2" for s in range(1, 7)), " + h*(6*T**2 - 2*T)"]
    wrong = {
        "other_convention": f"({base}{more})*{3 - c}/{c}",
        "other_scope": base + less,
        "one_product": f"{c}*T**2*d{more}",
        "projections_only": f"{4 * c}*T*d**2",
        "one_head_only": f"{2 * c}*T**2*d_k{more}",
        "d_for_d_k": f"{2 * c}*T**2*d*h{more}",
        "T_d_squared": f"{2 * c}*T*d**2{more}",
        "T_not_squared": f"{2 * c}*T*d{more}",
        "no_factor": "T**2*d",
    }
    return formula_case(points, [base + s + more for s in softmax], wrong)
