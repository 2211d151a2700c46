"""The question bank: all that grading needs to know, as plain data.

`bank()` returns what `bank_json()` prints; Python grades from it as well, so that a
grader in another language, which reads the JSON, needs no constant of its own.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache

from .bill import bill_item
from .characters import SUPERSCRIPTS, SYMBOLS
from .expressions import ALIASES, FUNCTIONS
from .labels import labelled
from .limits import FORMULA, SHEET
from .messages import MESSAGES, TYPED
from .numeric import additivity_item, lookup_item
from .symbolic import shapes_item, variance_item
from .texts import FEEDBACK, HINTS, TITLES
from .variants import numbers_from

BANK = "sdpa-bank/1"
ANSWERS = "sdpa-answers/1"
LETTERS = "abcde"
BUILDERS = dict(
    zip(
        LETTERS,
        (shapes_item, additivity_item, variance_item, lookup_item, bill_item),
        strict=True,
    )
)


@lru_cache(maxsize=64)
def bank(seed=None):
    """Return questions, right answers and known slips.

    Parameters
    ----------
    seed : int, optional
        For other numbers than the book's; at least 0.

    Returns
    -------
    dict
        Made of JSON types. Treat it as read-only: it is kept for the next call.

    Raises
    ------
    TypeError, ValueError
        If the seed is not an integer from 0 to 2⁵³.

    Notes
    -----
    ``items`` holds, for each letter, ``question``, ``given``, ``hints``, ``fields``
    (see `sdpa.selftest.fields`; each with the ``label`` and the ``hint`` of a form)
    and ``parts``. A part names its ``kind`` (see
    `sdpa.selftest.judging`, a function for each), the ``fields`` it reads, what is
    right, and under ``wrong`` the values of known slips with their ``tags``; slips
    that give the right value here are ``undetectable``. ``feedback`` has a text for
    each tag, ``messages`` one for each way in which something cannot be read, and
    ``typed`` those that differ in a form. ``grammar`` and ``sheet`` hold the limits.

    Examples
    --------
    >>> [part["id"] for part in bank()["items"]["d"]["parts"]]
    ['weights', 'output', 'largest']
    >>> bank(7)["items"]["d"]["given"] == bank()["items"]["d"]["given"]
    False
    """
    if seed is not None:
        _check_seed(seed)
    items = {}
    for letter, item in _items(seed).items():
        words = {"title": TITLES[letter], "hints": HINTS[letter]}
        items[letter] = item | words | labelled(letter, item)
    grammar = {"symbols": SYMBOLS, "aliases": ALIASES, "functions": list(FUNCTIONS)}
    grammar |= {"superscripts": SUPERSCRIPTS, "limits": FORMULA}
    return {
        "format": BANK,
        "answers": ANSWERS,
        "variant": seed,
        "grammar": grammar,
        "sheet": SHEET,
        "messages": MESSAGES,
        "typed": TYPED,
        "feedback": FEEDBACK,
        "items": items,
    }


def _check_seed(seed):
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"the variant is {seed!r}, expected an integer or None")
    if not 0 <= seed < 2**53:
        raise ValueError(f"the variant is {seed}, expected 0 to 2**53 - 1")


def _items(seed):
    """Build the items; draw again while a slip in (d) would go unnoticed."""
    attempt = 0
    while True:
        given = numbers_from(seed, attempt)
        lookup = lookup_item(given["d"])
        hidden = any(part.get("undetectable") for part in lookup["parts"])
        if seed is None or not hidden:
            break
        attempt += 1
    build = BUILDERS | {"d": lambda _: lookup}
    return {letter: build[letter](given[letter]) for letter in LETTERS}


def bank_json(seed=None):
    """Return the bank as JSON text: the same bytes for the same seed.

    Parameters
    ----------
    seed : int, optional
        As for `bank`.

    Returns
    -------
    str
        One line of ASCII.

    Examples
    --------
    >>> json.loads(bank_json()) == bank()
    True
    """
    return json.dumps(bank(seed), separators=(",", ":"), allow_nan=False)


@lru_cache(maxsize=1)
def key_version():
    """Return a fingerprint of the public bank, for journals.

    Examples
    --------
    >>> len(key_version())
    16
    """
    return hashlib.sha256(bank_json().encode()).hexdigest()[:16]
