"""The characters of a typed formula: what people write for σ, √, powers and signs."""

from __future__ import annotations

import re
import unicodedata

from .limits import FORMULA
from .messages import Refused

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
}
_RAISED = re.compile(f"[{SUPERSCRIPTS}]+")
_LOWERED = str.maketrans(SUPERSCRIPTS, "0123456789")


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
    if len(text) > FORMULA["characters"]:
        most = FORMULA["characters"]
        raise Refused("formula_too_long", length=len(text), most=most)
    text = _RAISED.sub(lambda run: f"**{run[0].translate(_LOWERED)}", text)
    return "".join(map(_plain_character, text))


def _plain_character(c):
    """Translate one character."""
    if c in SYMBOLS:
        return SYMBOLS[c]
    if c == " " or (c.isascii() and (c.isalnum() or c in "_.+-*/()")):
        return c
    if c == ",":
        raise Refused("comma")
    letter = unicodedata.normalize("NFKC", c)  # mathematical italics, for instance
    if letter == "σ" or (letter.isascii() and letter.isalpha() and len(letter) == 1):
        return SYMBOLS.get(letter, letter)
    if c.isdecimal():
        raise Refused("odd_digit", given=ascii(c))
    name = unicodedata.name(c, f"U+{ord(c):04X}").lower()
    raise Refused("odd_character", given=ascii(c), name=name)
