"""What a form writes beside a field: a label, a hint, and a word for each cell."""

from __future__ import annotations

_COORDINATES = ["coordinate 1", "coordinate 2"]
_KEYS = ["key 1", "key 2", "key 3"]
_DESIGNS = ["h heads", "one head"]
_IN_SIGMA = "A formula in sigma and d_k, with + - * / ** and sqrt( )."
# A label, a hint, and what stands beside the cells of a list.
FIELDS = {
    "a": {
        "scores": ("Scores, from Q and K", "An einsum string, as in ab,bc->ac."),
        "output": ("Output, from the weights and V", "An einsum string."),
        "shape": ("Shape of the output", "Two names of sizes.", ["rows", "columns"]),
    },
    "b": {
        "step": ("The step that is not linear", "A word or two."),
        "Q1": ("Q1", "Entries of at most 1000 in size.", _COORDINATES),
        "Q2": ("Q2", "As many rows as Q1.", _COORDINATES),
        "left": ("Attn(Q1 + Q2)", "Three decimals or more.", _COORDINATES),
        "right": ("Attn(Q1) + Attn(Q2)", "Three decimals or more.", _COORDINATES),
    },
    "c": {
        "variance": ("Var[q·k]", _IN_SIGMA),
        "divisor": ("Divisor of the scores", _IN_SIGMA),
    },
    "d": {
        "weights": ("Weights", "Three decimals or more.", _KEYS),
        "output": ("Output", "Three decimals or more.", _COORDINATES),
        "largest": ("Keys with the largest weight", "All that apply.", _KEYS),
    },
    "e": {
        "convention": ("A multiply-add counts as", "One FLOP or two."),
        "scope": ("The FLOPs count", "The projections are W_Q, W_K, W_V and W_O."),
        "flops": ("FLOPs", "Whole numbers; 1.5e9 is one as well.", _DESIGNS),
        "entries": ("Score entries", "Whole numbers.", _DESIGNS),
        "dtype": ("Scores are kept in", "It says how many bytes an entry has."),
        "bytes": ("Bytes of the scores", "Bytes, not MiB.", _DESIGNS),
        "cheaper": ("Less compute", "A design, or equal; and by how much."),
        "less_memory": ("Less memory for scores", "A design, or equal."),
        "formula": (
            "FLOPs of h heads",
            "A formula in T, d, h and d_k, in your convention and scope.",
        ),
    },
}
PARTS = {"pair": "The pair", "sides": "Both sides"}


def labelled(letter, item):
    """Return the fields and parts of an item with their labels.

    Examples
    --------
    >>> parts = [{"id": "variance"}]
    >>> labelled("c", {"fields": {"variance": {"type": "text"}}, "parts": parts})
    ... # doctest: +ELLIPSIS
    {'fields': {'variance': {'type': 'text', 'label': 'Var[q·k]', ...
    """
    fields = {}
    for name, field in item["fields"].items():
        label, hint, *cells = FIELDS[letter][name]
        fields[name] = field | {"label": label, "hint": hint}
        if cells:
            fields[name]["cells"] = cells[0]
    parts = [
        part | {"label": PARTS.get(part["id"]) or fields[part["id"]]["label"]}
        for part in item["parts"]
    ]
    return {"fields": fields, "parts": parts}
