"""The numbers of the questions: the book's, or others from a seed."""

from __future__ import annotations

import hashlib

import numpy as np

from ..attention import attention

PUBLIC = {
    "a": {"keys": "m d_k", "values": "m d_v"},
    "b": {"K": [[1, 0], [0, 1], [1, 1]], "V": [[5, -5], [-5, 5], [0, 0]]},
    "c": {"factor": 1, "power": 1},
    "d": {
        "old_query": [1, 0],
        "query": [0, 1],
        "K": [[1, 0], [0, 1], [1, 1]],
        "V": [[10, 0], [0, 10], [5, 5]],
    },
    "e": {"T": 4096, "d": 4096, "h": 32},
}
# What the example of the section uses in (b): there, every pair "works".
SOURCE_VALUES = [[10, 0], [0, 10], [5, 5]]


def student_seed(salt, assignment, student):
    """Derive the seed of one student's numbers; without the salt, nobody can.

    Parameters
    ----------
    salt : str
        A secret of the instructor.
    assignment, student : str

    Returns
    -------
    int
        Below 2⁵³, so that every language holds it exactly.

    Notes
    -----
    The first 53 bits of SHA-256 of ``salt|assignment|student``.

    Examples
    --------
    >>> student_seed("salt", "week 3", "ann") == student_seed("salt", "week 3", "bob")
    False
    """
    text = "|".join((salt, assignment, student))
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 11


def numbers_from(seed, attempt=0):
    """Draw the given numbers of all items.

    Parameters
    ----------
    seed : int or None
        None for the numbers of the book.
    attempt : int, default 0
        The bank tries the next one when a wrong answer would look right.

    Returns
    -------
    dict
        From item letters to what is given there, made of plain lists and integers.

    Examples
    --------
    >>> numbers_from(None)["e"]
    {'T': 4096, 'd': 4096, 'h': 32}
    >>> numbers_from(5) == numbers_from(5)
    True
    """
    if seed is None:
        return PUBLIC
    rng = np.random.default_rng([seed, attempt])
    return {
        "a": {
            "keys": _one_of(rng, ["m d_k", "d_k m"]),
            "values": _one_of(rng, ["m d_v", "d_v m"]),
        },
        "b": _additivity(rng),
        "c": {"factor": int(rng.integers(2, 6)), "power": int(rng.integers(1, 4))},
        "d": _lookup(rng),
        "e": _bill(rng),
    }


def _one_of(rng, options):
    return options[int(rng.integers(len(options)))]


def _keys(rng):
    """Draw three different keys of which no two point the same way."""
    while True:
        K = rng.integers(-2, 3, (3, 2))
        turns = [
            K[i, 0] * K[j, 1] - K[i, 1] * K[j, 0] for i, j in ((0, 1), (0, 2), (1, 2))
        ]
        if all(turns):
            return K


def _additivity(rng):
    """Draw keys and centred values for which a simple pair breaks additivity."""
    while True:
        K, V = _keys(rng), rng.integers(-5, 6, (3, 2))
        V[2] = -V[0] - V[1]
        # Q1 = Q2 = (1, 0) has to work, with something to spare.
        twice, once = attention([[[2, 0]], [[1, 0]]], K, V)
        if np.abs(twice - 2 * once).max() > 0.3:
            return {"K": K.tolist(), "V": V.tolist()}


def _lookup(rng):
    """Draw a worked query and another one."""
    while True:
        old, query = rng.integers(-2, 3, (2, 2))
        if query.any() and old.any() and (old != query).any() and query[0] != query[1]:
            K, V = _keys(rng), rng.integers(0, 11, (3, 2))
            given = {"old_query": old, "query": query, "K": K, "V": V}
            return {name: array.tolist() for name, array in given.items()}


def _bill(rng):
    """Draw a layer with T ≠ d, so that T²d and Td² differ.

    At T = 2d the projections alone cost what the two products do.
    """
    while True:
        T, d = (int(2 ** rng.integers(10, 15)) for _ in range(2))
        if T not in (d, 2 * d):
            return {"T": T, "d": d, "h": int(2 ** rng.integers(3, 6))}
