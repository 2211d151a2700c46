r"""Numbers in prose: find them, and compare them with what the code computed.

A number is what a reader sees as one: `1,024`, `−0.5`, `12 %`, `1/3`, `2^{30}`,
`3 \times 10^{-4}`, `82 thousand`. It may be written in several parts, and then it
stands when its value was computed, or when each of its parts was.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation

EXACT = 15  # decimals to which 1/3 has to agree
FREE_BELOW = 13  # small counts: "two heads", "the 3 keys"
MULTIPLIERS = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
PLAIN = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
NUMBER = re.compile(
    rf"(?<![\w.])(?P<base>{PLAIN})"
    r"(?:[eE](?P<e>[-+]?\d+))?"
    rf"(?:\s*(?:×|\*)\s*10\^(?P<ten>-?\d+))?"
    rf"(?:\^(?P<power>-?\d+))?"
    rf"(?:\s?/\s?(?P<below>{PLAIN})(?![\w/]))?"
    r"(?:\s?(?P<percent>%|per\s?cent\b))?"
    rf"(?:\s(?P<word>{'|'.join(MULTIPLIERS)})\b)?"
)
COUNTED = r"\d+[a-z]?(?:\.\d+)*"
# "§4", "sections 6.3–6.8 and 6.13", "page 12": addresses, not quantities.
REFERENCE = re.compile(
    r"(?:§§?|\b(?:sections?|chapters?|pages?|footnotes?|part|steps?|numbered))"
    rf"[\s§]*{COUNTED}(?:\s*(?:,|–|-|to|and|or|through)+\s*§*{COUNTED})*",
    re.IGNORECASE,
)
# "6.3 Self-attention": a section by its number and title.
TITLE = re.compile(r"^\s*\d+(?:\.\d+)+(?:,\s*\d+(?:\.\d+)+)*(?=\s+[A-Z])")
ORDINAL = re.compile(r"\b\d+(?:st|nd|rd|th)\b")


@dataclass(frozen=True)
class Number:
    """A number as prose states it.

    Parameters
    ----------
    text
        How it is written.
    value
        Its size; signs are left out, since prose says "falls by 0.5".
    decimals
        How many decimals it is given to; negative for 82 thousand.
    parts
        For `1/3` and `2^30`: the numbers it is written with.
    digits
        For `12 %` and `82 thousand`: the number in front, as code may print it.
    """

    text: str
    value: Decimal
    decimals: int
    parts: tuple["Number", ...] = ()
    digits: "Number | None" = None

    @property
    def free(self) -> bool:
        """Whether it is a small whole number, which needs no source."""
        if self.parts:
            return all(part.free for part in self.parts)
        whole = self.text.isdecimal() and self.digits is None
        return whole and self.value < FREE_BELOW


def _simple(text: str) -> Number:
    digits = text.replace(",", "")
    return Number(text, Decimal(digits), len(digits.partition(".")[2]))


def _composed(match: re.Match) -> Number:
    """Put the parts of a match together to one number."""
    text, base = match[0].strip(), _simple(match["base"])
    if match["percent"] or match["word"]:
        shift = -2 if match["percent"] else MULTIPLIERS[match["word"].lower()]
        return Number(
            text, base.value.scaleb(shift), base.decimals - shift, digits=base
        )
    if match["power"] or match["below"]:
        other = _simple((match["power"] or match["below"]).lstrip("-"))
        value = base.value
        if match["power"] and value:
            value = value ** int(match["power"])
        elif match["below"] and other.value:
            value = value / other.value
        return Number(text, value, EXACT, parts=(base, other))
    shift = int(match["e"] or match["ten"] or 0)
    return Number(text, base.value.scaleb(shift), base.decimals - shift)


def find(text: str) -> list[Number]:
    """Find the numbers in a piece of prose, section references left out.

    Examples
    --------
    >>> [number.text for number in find("See §4: of 1,024 keys, T5 uses 12 % or 1/3.")]
    ['1,024', '12 %', '1/3']
    """
    text = re.sub(r"[⁻⁰¹²³⁴-⁹]+", lambda m: "^" + m[0].translate(SUPERSCRIPTS), text)
    text = text.replace("\N{MINUS SIGN}", "-").replace("\N{NO-BREAK SPACE}", " ")
    text = re.sub(r"(?<=\d)[\u2009\u202f](?=\d{3})", ",", text)
    for address in (TITLE, REFERENCE, ORDINAL):
        text = address.sub(" ", text)
    return [_composed(match) for match in NUMBER.finditer(text)]


def find_in_formula(latex: str) -> list[Number]:
    r"""Find the numbers in a formula, indices and lengths left out.

    Examples
    --------
    >>> [n.text for n in find_in_formula(r"x_{14} = \frac12 + 2^{30} \approx 1{,}024")]
    ['1/2', '2^30', '1,024']
    """
    for pattern, replacement in (
        (r"\\(?:h|v)space\*?\{[^}]*\}|\\\\\[[^\]]*\]", " "),
        (r"\\(?:text)?color\{[^}]*\}|\\(?:label|tag|ref)\{[^}]*\}", " "),
        (r"_\{?-?\d+\}?", " "),
        (r"(?<=\d)(?:\{,\}|\\,)(?=\d{3})", ","),
        (r"\\[dt]?frac\s*(\d)\s*(\d)", r" \1/\2 "),
        (r"\\[dt]?frac\s*\{([\d.,]+)\}\s*\{([\d.,]+)\}", r" \1/\2 "),
        (r"\\(?:times|cdot)(?![a-zA-Z])", " × "),
        (r"\^\{(-?\d+)\}", r"^\1"),
        (r"\\%", "%"),
        (r"\\[a-zA-Z]+|\\.", " "),
    ):
        latex = re.sub(pattern, replacement, latex)
    # A letter before a digit is a product here, not a name such as fp16.
    return find(re.sub(r"(?<=[^\W\d_])(?=\d)", " ", latex))


def values(text: str) -> Iterator[Decimal]:
    """Give the sizes of all numbers in something that was printed."""
    for match in re.finditer(r"(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", text):
        try:
            yield Decimal(match[0].replace(",", "").rstrip("."))
        except InvalidOperation:
            continue


def literals(code: str) -> Iterator[Decimal]:
    """Give the sizes of the numbers written in code, and of sums like `2**30`."""
    for node in ast.walk(ast.parse(code)):
        value = _constant(node)
        if value is not None:
            yield abs(Decimal(repr(value)))


def _constant(node: ast.AST) -> int | float | None:
    """Evaluate a literal, or one operation on two literals."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.BinOp):
        left, right = _constant(node.left), _constant(node.right)
        small = left is not None and right is not None and abs(right) <= 64
        if small and isinstance(node.op, ast.Pow | ast.Mult | ast.Div):
            try:
                return eval(compile(ast.Expression(node), "", "eval"), {})
            except ArithmeticError:
                return None
    return None


def rounds_to(computed: Decimal, number: Number) -> bool:
    """Tell whether a computed value, rounded as the prose rounds, is its number.

    Whole numbers from 100 may be rounded to two digits or more: 620 for 624.

    Examples
    --------
    >>> rounds_to(Decimal("624.3"), find("620")[0])
    True
    >>> rounds_to(Decimal("31"), find("30")[0])
    False
    """
    exponents = {-number.decimals}
    if number.value >= 100 and number.value == number.value.to_integral():
        digits = number.value.normalize().as_tuple()
        exponents.add(min(digits.exponent, number.value.adjusted() - 1))
    for exponent in exponents:
        for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN):
            unit = Decimal(1).scaleb(exponent)
            if (computed / unit).to_integral_value(mode) * unit == number.value:
                return True
    return False


def stands(number: Number, computed: Iterable[Decimal]) -> bool:
    """Tell whether a number is free, or among computed values, whole or by parts.

    Examples
    --------
    >>> computed = [Decimal("0.1243"), Decimal(64)]
    >>> [stands(number, computed) for number in find("12 %, 1/64, 1/65")]
    [True, True, False]
    """
    computed = list(computed)
    if number.free:
        return True
    for form in (number, number.digits):
        if form and any(rounds_to(value, form) for value in computed):
            return True
    return bool(number.parts) and all(stands(part, computed) for part in number.parts)
