"""Items (b) and (d): answers that are numbers, and what common slips would give."""

from __future__ import annotations

import math
import operator

import numpy as np

from ..attention import attention_weights
from ..similarity import cosine
from ..softmax import softmax
from .variants import PUBLIC, SOURCE_VALUES
from .wrong import vector_part

SIDE = 0.02  # tolerance of a typed side, and the least gap of a counterexample
_ROWS = {"type": "rows", "rows": 6, "columns": 2}
_QUERIES = _ROWS | {"limit": 1000, "flat": False}
_SIDE = _ROWS | {"flat": True}
PAIR_FIELDS = {
    "step": {"type": "text"},
    "Q1": _QUERIES,
    "Q2": _QUERIES,
    "left": _SIDE,
    "right": _SIDE,
}
LOOKUP_FIELDS = {
    "weights": {"type": "numbers", "length": 3},
    "output": {"type": "numbers", "length": 2},
    "largest": {"type": "indices", "largest": 3},
}


def additivity_item(given):
    """Build item (b): a pair of queries for which attention is not additive."""
    public = given == PUBLIC["b"]
    return {
        "given": given,
        "question": (
            f"K = {given['K']} and V = {given['V']} stay fixed. Name the step that "
            "makes Q ↦ Attn(Q, K, V) non-linear, and give Q1 and Q2 (one or more rows "
            "each, entries of at most 1000 in size) for which Attn(Q1 + Q2) differs "
            "from Attn(Q1) + Attn(Q2), with both sides."
        ),
        "fields": PAIR_FIELDS,
        "parts": [
            _step(),
            {"id": "pair", "kind": "pair_of_queries", "fields": ["Q1", "Q2"]}
            | _sides(given, public),
            {
                "id": "sides",
                "kind": "sides",
                "fields": ["Q1", "Q2", "left", "right"],
                "wrong": [
                    {"tags": ["no_scale"], "scale": 1.0},
                    {"tags": ["divided_by_d_k"], "scale": 0.5},
                ],
            }
            | _sides(given, public),
        ],
    }


def _sides(given, public):
    """Return what both parts of the counterexample compute with.

    The zero query with the values of the section is a valid proof as well, and any
    other pair with those values says nothing.
    """
    data = {"K": given["K"], "V": given["V"], "scale": 1 / math.sqrt(2), "within": SIDE}
    return data | {"source_values": SOURCE_VALUES} if public else data


def _step():
    accepted = {
        "right": ["softmax", "the softmax", "softmax step", "row-wise softmax"],
        "part_of_softmax": [
            "exp",
            "the exponential",
            "exponential",
            "exponentials",
            "normalisation",
            "normalization",
            "the normalisation",
            "the normalization",
            "normalise",
            "normalize",
            "division by the sum",
        ],
    }
    wrong = {
        "linear_scores": ["qk^t", "qk", "scores", "dot product", "q k^t", "matmul"],
        "linear_scale": ["scale", "scaling", "division by sqrt(d_k)", "sqrt(d_k)"],
        "linear_average": ["av", "output", "weighted sum", "times v", "average"],
    }
    spellings = {s: [tag, 1] for tag, group in accepted.items() for s in group}
    spellings |= {s: [tag, 0] for tag, group in wrong.items() for s in group}
    return {"id": "step", "kind": "choice", "fields": ["step"], "spellings": spellings}


def lookup_item(given):
    """Build item (d): weights and output for another query."""
    K, V = (np.array(given[name], float) for name in "KV")
    query, old = (np.array([given[name]], float) for name in ("query", "old_query"))
    weights = attention_weights(query, K)[0]
    slips, outputs = _slips_and_outputs(weights, query, old, K, V)
    order = np.flatnonzero(np.isclose(weights, weights.max(), rtol=1e-9)) + 1
    own = {"field": "weights", "V": given["V"], "credit": 0.5, "sum_within": 0.01}
    return {
        "given": given,
        "question": (
            f"K = {given['K']} and V = {given['V']}. The query changes from "
            f"{given['old_query']} to {given['query']}. Give the weights, the output, "
            "and the place or places (from 1) of the largest weight."
        ),
        "fields": LOOKUP_FIELDS,
        "parts": [
            vector_part("weights", weights, slips, 6e-4, 3e-3),
            vector_part("output", weights @ V, outputs, 2.5e-3, 0.02) | {"own": own},
            {
                "id": "largest",
                "kind": "places",
                "fields": ["largest"],
                "right": order.tolist(),
                "some": 0.5,
            },
        ],
    }


def _slips_and_outputs(weights, query, old, K, V):
    """Return wrong weights and wrong outputs, each by its tag."""
    slips = {tag: w[0] for tag, w in _slips(query, old, K, V).items()}
    outputs = {tag: w @ V for tag, w in slips.items()}
    swapped = attention_weights(query, V)[0]
    slips["keys_and_values_swapped"], outputs["keys_and_values_swapped"] = (
        swapped,
        swapped @ K,
    )
    outputs["output_reversed"] = (weights @ V)[::-1]
    outputs["plain_mean"] = V.mean(0)
    return slips, outputs


def _slips(query, old, K, V):
    """Run the perturbed pipelines; rows of weights, shape (1, m), for each."""
    S = query @ K.T  # (1, m)
    root = math.sqrt(K.shape[1])
    scaled = S / root
    total = S.sum()
    return {
        "no_scale": attention_weights(query, K, scale=1),
        "divided_by_d_k": attention_weights(query, K, scale=1 / root**2),
        "multiplied": attention_weights(query, K, scale=root),
        "divided_by_root_m": attention_weights(query, K, scale=1 / math.sqrt(len(K))),
        "scaled_after_softmax": softmax(S) / root,
        "over_queries": softmax(scaled, axis=0),
        "not_normalised": np.exp(scaled),
        "not_normalised_not_scaled": np.exp(S),
        "no_softmax": scaled,
        "raw_scores": S,
        "linear_normalisation": S / (total if total else 1),
        "hard_maximum": (S == S.max()) / (S == S.max()).sum(),
        "first_maximum": np.eye(len(K))[[S.argmax()]],
        "negated": attention_weights(-query, K),
        "cosine": softmax(cosine(query, K)),
        "cosine_scaled": softmax(cosine(query, K) / root),
        "sigmoid": 1 / (1 + np.exp(-scaled)),
        "base_2": softmax(scaled * math.log(2)),
        "old_query": attention_weights(old, K),
        "coordinates_swapped": attention_weights(query[:, ::-1], K),
        "uniform": np.full((1, len(K)), 1 / len(K)),
    }


def both_sides(Q1, Q2, K, V, scale):
    """Return Attn(Q1 + Q2) and Attn(Q1) + Attn(Q2), a list of rows each.

    Examples
    --------
    >>> left, right = both_sides(
    ...     [[1, 0]], [[1, 0]], PUBLIC["b"]["K"], PUBLIC["b"]["V"], 2**-0.5)
    >>> np.round(left, 4), np.round(right, 4)
    (array([[ 1.6871, -1.6871]]), array([[ 2.0334, -2.0334]]))
    """
    outputs = [_attend(q, K, V, scale) for q in (*_plus(Q1, Q2), *Q1, *Q2)]
    n = len(Q1)
    return outputs[:n], _plus(outputs[n : 2 * n], outputs[2 * n :])


def _plus(A, B):
    return [list(map(operator.add, a, b)) for a, b in zip(A, B, strict=True)]


def _attend(q, K, V, scale):
    """Return `attention` of one query, in plain numbers.

    Three keys take less time to add up than to put into arrays, and every sheet needs
    it several times. A test holds it against `sdpa.attention`.
    """
    scores = [scale * sum(map(operator.mul, q, key)) for key in K]
    largest = max(scores)
    weights = [math.exp(score - largest) for score in scores]
    total = sum(weights)
    return [
        sum(map(operator.mul, weights, column)) / total
        for column in zip(*V, strict=True)
    ]
