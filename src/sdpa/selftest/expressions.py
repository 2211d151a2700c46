r"""Formulas that a reader types: a small grammar, read without running anything.

The whole grammar, so that another language can be written to it::

    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/") signed)*
    signed  = ("+" | "-") signed | power
    power   = atom (("**" | "^") signed)?          exponents hold no names
    atom    = number | name | function "(" sum ")" | "√" atom | "(" sum ")"

Two atoms side by side are refused: `2 d_k` could mean `2*d_k`, or a slip.
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from .characters import plain
from .limits import FORMULA
from .messages import Refused, general, say

FUNCTIONS = {"sqrt": np.sqrt, "exp": np.exp, "log": np.log, "abs": np.abs}
ALIASES = {"dk": "d_k"}
_TOKEN = re.compile(
    r" *(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)|(?P<mark>\*\*|[-+*/()√]))"
)
_OPERATORS = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": np.power,
}


def evaluate(text, points):
    """Compute a typed formula at points, or say why it cannot be read.

    Parameters
    ----------
    text : str
        At most 200 characters of the grammar above.
    points : dict of str to ndarray, shape (p,)
        A value for each name, at each of the points.

    Returns
    -------
    ndarray, shape (p,)
        float64.

    Raises
    ------
    Refused
        If the text is not such a formula, uses a name that is not in `points`, or is
        not finite at a point.

    Examples
    --------
    >>> evaluate("√d_k * σ²", {"d_k": np.array([4.0]), "sigma": np.array([3.0])})
    array([18.])
    >>> evaluate("2d_k", {"d_k": np.array([4.0])})
    Traceback (most recent call last):
    ...
    sdpa.selftest.messages.Refused: write a sign between '2' and 'd_k', as in 2*d_k
    """
    with np.errstate(all="ignore"):
        value, _ = _Reader(_tokens(plain(text)), points).whole()
    size = len(next(iter(points.values())))
    value = np.broadcast_to(np.asarray(value, float), (size,))
    if not np.isfinite(value).all():
        raise Refused("undefined")
    return value


@lru_cache(maxsize=4096)
def _tokens(text):
    """Cut the text into (kind, token) pairs."""
    tokens, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Refused("odd_token", given=text[at:].strip()[:10])
        tokens.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return (*tokens, ("end", say("the_end")))


class _Reader:
    """Read tokens from left to right and compute on the way.

    Every method returns the value, and whether it is free of names.
    """

    def __init__(self, tokens, points):
        self.tokens, self.points, self.at, self.depth = tokens, points, 0, 0

    def take(self, *wanted):
        """Return the next token and step over it if it is one of those."""
        token = self.tokens[self.at][1]
        if token not in wanted:
            return None
        self.at += 1
        return token

    def whole(self):
        result = self.sum()
        kind, token = self.tokens[self.at]
        if kind in ("number", "name") or token in ("(", "√"):
            before = self.tokens[self.at - 1][1]
            raise Refused("no_sign", before=before, after=token)
        if kind != "end":
            raise Refused("one_too_many", given=token)
        return result

    def sum(self):
        return self.chain(self.product, "+", "-")

    def product(self):
        return self.chain(self.signed, "*", "/")

    def chain(self, operand, *signs):
        """Read operands that are joined by signs of the same rank."""
        value, constant = operand()
        while (sign := self.take(*signs)) is not None:
            right, also = operand()
            value, constant = _OPERATORS[sign](value, right), constant and also
        return value, constant

    def signed(self):
        self.depth += 1
        if self.depth > FORMULA["depth"]:
            raise Refused("too_deep")
        sign = self.take("+", "-")
        value, constant = self.power() if sign is None else self.signed()
        self.depth -= 1
        return (-value if sign == "-" else value), constant

    def power(self):
        base, constant = self.atom()
        if self.take("**") is None:
            return base, constant
        exponent, fixed = self.signed()
        if not fixed:
            raise Refused("exponent_with_name")
        if not abs(exponent) <= FORMULA["exponent"]:
            raise Refused("exponent_too_large", most=FORMULA["exponent"])
        return np.power(base, exponent), constant

    def atom(self):
        kind, token = self.tokens[self.at]
        if kind == "end" or token not in ("(", "√") and kind == "mark":
            raise Refused("operand_missing", token=token)
        self.at += 1
        if kind == "number":
            return _number(token), True
        if kind == "name":
            return self.name(token)
        return self.root() if token == "√" else self.bracket()

    def root(self):
        self.depth += 1
        if self.depth > FORMULA["depth"]:
            raise Refused("too_deep")
        value, constant = self.atom()
        self.depth -= 1
        return np.sqrt(value), constant

    def bracket(self):
        result = self.sum()
        if self.take(")") is None:
            token = self.tokens[self.at][1]
            raise Refused("bracket_missing", token=token)
        return result

    def name(self, name):
        if name in FUNCTIONS:
            if self.take("(") is None:
                raise Refused("function_bare", name=name)
            value, constant = self.bracket()
            return FUNCTIONS[name](value), constant
        known = ALIASES.get(name, name)
        if known not in self.points:
            names = ", ".join(self.points)
            raise Refused("no_name", given=name, names=names)
        return self.points[known], False


def _number(token):
    """Read a number that is not too large."""
    value = float(token)
    if value > FORMULA["number"]:
        most = general(FORMULA["number"])
        raise Refused("number_too_large", given=token[:20], most=most)
    return np.float64(value)
