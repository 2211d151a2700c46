"""Items (a) and (c): answers that are index strings, names and formulas."""

from __future__ import annotations

import re
from functools import cache, lru_cache

import numpy as np

from .wrong import formula_case

TEXT = {"type": "text"}


@lru_cache(maxsize=1024)
def canonical(subscripts):
    """Rename the letters of an einsum string in order of appearance.

    Examples
    --------
    >>> canonical("ik,jk->ij")
    'ab,cb->ac'
    """
    names = {}
    return "".join(
        names.setdefault(c, chr(97 + len(names))) if c.isalpha() else c
        for c in subscripts
    )


def _wrong_strings(k, v):
    """Return what common slips give, for the layouts of K and V."""
    return {
        "scores": {
            "transposed_output": f"ik,{k}->ji",
            "operand_transposed": f"ik,{k[::-1]}->ij",
            "no_sum": f"ik,{k}->ijk",
            "summed_over_keys": f"ik,{k}->ik",
            "keys_only": f"ik,{k}->jk",
            "summed_too_much": f"ik,{k}->i",
            "query_transposed": f"ki,{k}->ij",
            "no_softmax_between": f"ik,{k},{v}->id",
        },
        "output": {
            "transposed_output": f"ij,{v}->di",
            "operand_transposed": f"ij,{v[::-1]}->id",
            "no_sum": f"ij,{v}->ijd",
            "summed_over_queries": f"ij,{v}->jd",
            "summed_over_values": f"ij,{v}->ij",
            "summed_too_much": f"ij,{v}->i",
            "weights_transposed": f"ji,{v}->id",
            "no_softmax_between": f"ik,{k},{v}->id",
        },
    }


def shapes_item(given):
    """Build item (a) for one layout of K and V."""
    k = "jk" if given["keys"] == "m d_k" else "kj"
    v = "jd" if given["values"] == "m d_v" else "dj"
    right = {"scores": f"ik,{k}->ij", "output": f"ij,{v}->id"}
    wrong = _wrong_strings(k, v)
    return {
        "given": given,
        "question": (
            f"Q has shape (n, d_k), K ({', '.join(given['keys'].split())}), "
            f"V ({', '.join(given['values'].split())}). Write the einsum string of the "
            "scores from Q and K, that of the output from the weights and V, and the "
            "shape of the output."
        ),
        "fields": {
            "scores": TEXT,
            "output": TEXT,
            "shape": {"type": "texts", "length": 2},
        },
        "parts": [_subscripts(name, right[name], wrong[name]) for name in right]
        + [_shape()],
    }


def _subscripts(name, right, wrong):
    wrong = [{"tags": [tag], "value": canonical(s)} for tag, s in wrong.items()]
    return {
        "id": name,
        "kind": "subscripts",
        "fields": [name],
        "right": canonical(right),
        "wrong": [entry for entry in wrong if entry["value"] != canonical(right)],
    }


def _shape():
    wrong = {
        "swapped": ["d_v", "n"],
        "keys_for_queries": ["m", "d_v"],
        "shape_of_scores": ["n", "m"],
        "d_k_for_d_v": ["n", "d_k"],
        "d_for_d_v": ["n", "d"],
    }
    return {
        "id": "shape",
        "kind": "names",
        "fields": ["shape"],
        "right": ["n", "d_v"],
        "wrong": [{"tags": [tag], "value": value} for tag, value in wrong.items()],
    }


def same_name(text):
    """Bring a name of a dimension to one spelling.

    Examples
    --------
    >>> same_name(" d_{v}")
    'dv'
    """
    return re.sub(r"[\s_{}$]", "", text).lower()


def variance_item(given):
    """Build item (c): the std of a coordinate is σ for q, and f·σᵖ for k."""
    f, p = given["factor"], given["power"]
    key_std = "σ" if (f, p) == (1, 1) else f"{f}·σ" + (f"**{p}" if p > 1 else "")
    return {
        "given": given,
        "question": (
            "The coordinates of q and k are independent, with mean 0 and standard "
            f"deviation σ for q, {key_std} for k. Give Var[q·k], and the divisor that "
            "makes the variance of the scores 1, as formulas in sigma and d_k."
        ),
        "fields": {"variance": TEXT, "divisor": TEXT},
        "parts": _variance_parts(f, p),
    }


@cache
def _variance_parts(f, p):
    """Build both parts; never at σ = 1, where several wrong answers agree."""
    rng = np.random.default_rng(602)
    points = {
        "sigma": np.concatenate(
            [rng.uniform(0.4, 0.9, 12), rng.uniform(1.15, 2.5, 12)]
        ),
        "d_k": rng.integers(2, 129, 24).astype(float),
    }
    points = {name: values.round(6).tolist() for name, values in points.items()}
    both = f"sigma**{1 + p}"
    return [
        _formula("variance", points, *_variances(f, p, both)),
        _formula("divisor", points, *_divisors(f, p, both)),
    ]


def _formula(name, points, right, wrong):
    """Build the part of one formula."""
    return {
        "id": name,
        "kind": "formula",
        "fields": [name],
        "by": [],
        "relative": 1e-9,
        "points": points,
        "cases": {"": formula_case(points, [right], wrong)},
    }


def _variances(f, p, both):
    """Return the variance, and what comes of common slips."""
    wrong = {
        "no_d_k": f"{f * f}*{both}**2",
        "at_sigma_1": f"{f * f}*d_k",
        "one_factor": "d_k*sigma**2",
        "not_squared": f"{f}*d_k*{both}",
        "standard_deviation": f"{f}*sqrt(d_k)*{both}",
        "d_k_squared": f"{f * f}*d_k**2*{both}**2",
        "root_of_d_k": f"{f * f}*sqrt(d_k)*{both}**2",
        "sigma_once": "d_k*sigma",
        "sum_for_product": f"d_k*(sigma**2 + {f * f}*sigma**{2 * p})",
        "k_like_q": "d_k*sigma**4",
        "factor_not_squared": f"{f}*d_k*{both}**2",
        "reciprocal": f"1/({f * f}*d_k*{both}**2)",
    }
    return f"{f * f}*d_k*{both}**2", wrong


def _divisors(f, p, both):
    """Return the divisor, and what comes of common slips."""
    right = f"{f}*sqrt(d_k)*{both}"
    wrong = {
        "reciprocal": f"1/({right})",
        "at_sigma_1": "sqrt(d_k)",
        "variance_for_root": f"{f * f}*d_k*{both}**2",
        "no_d_k": f"{f}*{both}",
        "d_k_not_rooted": f"{f}*d_k*{both}",
        "one_factor": "sigma*sqrt(d_k)",
        "sigma_not_rooted": f"{f * f}*sqrt(d_k)*{both}**2",
        "half_exponent": f"sqrt({f}*d_k*{both})",
        "sigma_below": f"sqrt(d_k)/({f}*{both})",
        "k_like_q": "sigma**2*sqrt(d_k)",
    }
    return right, wrong
