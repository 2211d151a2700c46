"""Sheets and notebooks that the tests of grading start from."""

import copy
import json

from sdpa.selftest.bank import bank
from sdpa.selftest.notebooks import MIME
from sdpa.selftest.numeric import both_sides

GOOD = {
    "a": {"scores": "ik,jk->ij", "output": "ij,jd->id", "shape": ["n", "d_v"]},
    "b": {
        "step": "softmax",
        "Q1": [[1, 0]],
        "Q2": [[1, 0]],
        "left": [1.6871, -1.6871],
        "right": [2.0334, -2.0334],
    },
    "c": {"variance": "d_k*sigma**4", "divisor": "sigma**2*sqrt(d_k)"},
    "d": {
        "weights": [0.198, 0.401, 0.401],
        "output": [3.983, 6.017],
        "largest": [2, 3],
    },
    "e": {
        "convention": 2,
        "scope": "attention",
        "flops": [2.74878e11, 2.74878e11],
        "entries": [536870912, 16777216],
        "dtype": "fp16",
        "bytes": [1073741824, 33554432],
        "cheaper": "equal",
        "less_memory": "single head",
        "formula": "4*T**2*d_k*h",
    },
}


def answers(**items):
    """Return the right answers with some fields of some items replaced."""
    result = copy.deepcopy(GOOD)
    for letter, fields in items.items():
        result[letter] |= fields
    return result


def sheet(student="ann", content=None, **others):
    """Return a sheet as bytes."""
    answers = GOOD if content is None else content
    whole = {"format": "sdpa-answers/1", "student": student, "variant": None}
    return json.dumps(whole | {"answers": answers} | others).encode()


def raw(fields, letter="d"):
    """Return a sheet whose item is this text, which need not be JSON."""
    return (
        '{"format": "sdpa-answers/1", "student": "ann", "variant": null, '
        f'"answers": {{"{letter}": {fields}}}}}'
    ).encode()


def code(source="", *bundles):
    """Return a code cell whose outputs hold these answers."""
    outputs = [
        {"output_type": "display_data", "metadata": {}, "data": {MIME: bundle}}
        for bundle in bundles
    ]
    return {
        "cell_type": "code",
        "metadata": {},
        "execution_count": None,
        "source": source,
        "outputs": outputs,
    }


def kept(item, answer=None, **others):
    """Return what `check` keeps in an output."""
    answer = GOOD[item] if answer is None else answer
    return {"format": "sdpa-answer/1", "item": item, "answer": answer} | others


def notebook(*cells, student="ann"):
    """Return a notebook as bytes."""
    metadata = {"sdpa": {"student": student}} if student else {}
    whole = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole).encode()


def right_answers(seed):
    """Return the right answers to any bank, made from the bank."""
    items = bank(seed)["items"]
    parts = {
        (letter, part["id"]): part
        for letter in items
        for part in items[letter]["parts"]
    }
    K, V = (items["b"]["given"][name] for name in "KV")
    scale = parts["b", "pair"]["scale"]
    left, right = both_sides([[1, 0]], [[1, 0]], K, V, scale)
    flops = parts["e", "flops"]["cases"]["2|attention"]["low"]
    return {
        "a": {
            "scores": parts["a", "scores"]["right"],
            "output": parts["a", "output"]["right"],
            "shape": ["n", "d_v"],
        },
        "b": GOOD["b"] | {"left": left, "right": right},
        "c": {
            name: parts["c", name]["cases"][""]["right"][0]
            for name in ("variance", "divisor")
        },
        "d": {name: parts["d", name]["right"] for name in GOOD["d"]},
        "e": GOOD["e"]
        | {
            "flops": flops,
            "entries": parts["e", "entries"]["cases"][""]["low"],
            "bytes": parts["e", "bytes"]["cases"]["fp16"]["low"],
        },
    }
