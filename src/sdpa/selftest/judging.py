"""Verdicts: one function for each kind of part, all of them reading the bank only.

A judge gets the part, as the bank has it, and the values of its item's fields, which
have passed `read_field`. It returns `(tag, credit)`; `Refused` means that a value could
not be understood after all. Another language can follow this description; every number
and word below comes from the bank, and so does every message. The modules in `page/`
are such a grader, in JavaScript.

Before a judge is called: a field that is null or "" is not answered. If a field of
the part (``fields``, ``by``) was refused, so is the part: credit 0. If none of
``fields`` is answered the tag is ``missing``, if some are not, ``incomplete``; if one
of ``by`` is not, ``no_context``.

A part with ``cases`` is compared with one of them: its key is the values of the fields
in ``by``, joined by "|". Slips are tried in order, and the first that fits gives its
first tag and its ``credit`` (0 if it has none). If none fits the tag is ``other``.

subscripts
    Leave out white space and read → as ->. If the text begins with "..." and has it
    once for every operand and for the result, leave it out. Letters, commas, one ->.
    Rename letters in order of appearance to a, b, c and compare.
names
    Leave out white space, _ { } $, ignore case, and compare.
choice
    NFKC, lower case, single blanks, no dot at the end: look up in ``spellings``.
formula
    Evaluate at ``points``, with the grammar of `sdpa.selftest.expressions`. Equal
    means within ``relative`` of the known value at every point. One of ``right``, else
    the slips; else ``constant`` if all are within ``relative`` of the first.
vector
    Within ``tight`` of right, or of a slip; then within ``loose``, where right is
    called ``rounded``. Before a slip or ``other`` is returned: if ``own`` is there,
    its field adds up to 1 within ``sum_within``, and the answer is within ``loose`` of
    that field times ``V``, the tag is ``own`` with its credit.
numbers
    Each from ``low`` to ``high``, widened by ``relative``. Then ``own``: each within
    ``relative`` of the entry of its field (all above 0) times the size of the dtype
    that the field ``by`` names. Then the slips, widened likewise.
places
    Equal to ``right``; a proper part of it is ``some_places``, with credit ``some``.
pair_of_queries, sides
    L = Attn(Q1 + Q2) and R = Attn(Q1) + Attn(Q2) with ``K``, ``V``, ``scale``. The
    pair is right if an entry differs by more than ``within``; the sides are right if
    all entries are within it. ``zero_query``, with full credit for both: Q1 = Q2 = 0
    and the sides fit with ``source_values`` as V. Wrong sides, in this order: one fits
    (``left_wrong``, ``right_wrong``), exchanged, the scales under ``wrong``,
    ``source_values``.
"""

from __future__ import annotations

from .number_judges import numbers, pair_of_queries, places, sides, vector
from .text_judges import choice, formula, names, subscripts

JUDGES = {
    judge.__name__: judge
    for judge in (
        subscripts,
        names,
        choice,
        formula,
        vector,
        numbers,
        places,
        pair_of_queries,
        sides,
    )
}
