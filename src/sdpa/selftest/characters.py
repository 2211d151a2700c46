"""The characters of a typed formula: what people write for σ, √, powers and signs."""

from __future__ import annotations

import re
import unicodedata

LIMITS = {"characters": 200, "number": 1e15, "exponent": 16, "depth": 40}
SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
SYMBOLS = {
    "σ": " sigma ",  # the spaces keep d_kσ apart: two names, not a new one
    "√": " √ ",
    "·": "*",
    "⋅": "*",
    "×": "*",
    "−": "-",
    "–": "-",
    "÷": "/",
    "^": "**",
    "\u00a0": " ",
    "\t": " ",
    **{c: f"**{i}" for i, c in enumerate(SUPERSCRIPTS)},
}


class Refused(ValueError):
    """An answer that cannot be read; the message says what to write instead."""


def plain(text):
    """Return the formula in ASCII (and √), or name the first character that is odd.

    Parameters
    ----------
    text : str
        What was typed, with σ, √, raised digits and signs of multiplication.

    Returns
    -------
    str

    Raises
    ------
    Refused
        If a character is not part of the grammar.

    Examples
    --------
    >>> plain("d_k·σ⁴").split()
    ['d_k*', 'sigma', '**4']
    """
    if len(text) > LIMITS["characters"]:
        raise Refused(
            f"the formula has {len(text)} characters, expected {LIMITS['characters']}"
            " at most"
        )
    text = re.sub(f"(?<=[{SUPERSCRIPTS}])(?=[{SUPERSCRIPTS}])", "", text)
    return "".join(map(_plain_character, text))


def _plain_character(c):
    """Translate one character."""
    if c in SYMBOLS:
        return SYMBOLS[c]
    if c == " " or (c.isascii() and (c.isalnum() or c in "_.+-*/()")):
        return c
    if c == ",":
        raise Refused("',' is not understood: write a decimal point, as in 0.5")
    letter = unicodedata.normalize("NFKC", c)  # mathematical italics, for instance
    if letter == "σ" or (letter.isascii() and letter.isalpha() and len(letter) == 1):
        return SYMBOLS.get(letter, letter)
    if c.isdigit():
        raise Refused(f"{c!r} is not understood: write the digits 0 to 9")
    name = unicodedata.name(c, f"U+{ord(c):04X}").lower()
    raise Refused(
        f"{ascii(c)} ({name}) is not understood: use names, numbers, + - * / ** ( )"
    )
