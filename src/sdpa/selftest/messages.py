"""What is said about answers that cannot be read: templates, shared by every grader.

The bank publishes them, so that the page says the same as Python. `TYPED` has the
words that differ where somebody fills in a form and never sees JSON.
"""

from __future__ import annotations

MESSAGES = {
    # How a value is named.
    "null": "null",
    "true": "true",
    "false": "false",
    "text": "the text {text}",
    "list": "a list of {length}",
    "object": "an object",
    "or": " or ",
    "entry": "entry {place}",
    "entry_of_row": "entry {place} of row {row}",
    # Fields.
    "no_text": "{given} was given, expected text in quotes",
    "text_too_long": "{length} characters were given, expected {most} at most",
    "half_character": "the text holds half a character (a lone surrogate)",
    "no_option": "{given} was given, expected {options}",
    "no_texts": "{given} was given, expected a list of {length} texts, in quotes",
    "texts_length": "{given} was given, expected {length} texts",
    "no_numbers": (
        "{given} was given, expected a list of {length} numbers, in square brackets"
    ),
    "numbers_length": "{given} was given, expected {length} numbers",
    "no_number": "{place} is {given}, expected a number{advice}",
    "not_finite": "{place} is not finite: leave the field out if you have none",
    "too_large": "{place} is {given}, expected {most} at most in size",
    "huge": "too large",
    "odd_digits": ": write the digits 0 to 9, without quotes",
    "with_a_point": ": write {number}, with a point and without quotes",
    "without_quotes": ": write {number}, without quotes",
    "no_rows": "{given} was given, expected 1 to {most} rows, as in [[1, 0]]",
    "no_row": (
        "row {row} is {given}, expected {columns} numbers: write rows in double "
        "brackets, as in [[1, 0]]"
    ),
    "no_places": "{given} was given, expected places from 1 to {most}, as in [1, 2]",
    "no_place": (
        "{given} was given, expected places from 1 to {most}, as in [1, 2], counted "
        "from 1"
    ),
    "place_twice": (
        "a place was given twice, expected places from 1 to {most}, as in [1, 2]"
    ),
    # Formulas.
    "formula_too_long": (
        "the formula has {length} characters, expected {most} at most"
    ),
    "comma": "',' is not understood: write a decimal point, as in 0.5",
    "odd_digit": "{given} is not understood: write the digits 0 to 9",
    "odd_character": (
        "{given} ({name}) is not understood: use names, numbers, + - * / ** ( )"
    ),
    "odd_token": "'{given}' is not understood",
    "no_sign": "write a sign between '{before}' and '{after}', as in 2*d_k",
    "one_too_many": "'{given}' is one too many",
    "too_deep": "the formula is nested too deeply",
    "exponent_with_name": "an exponent has to be a number",
    "exponent_too_large": "an exponent is larger than {most}",
    "operand_missing": "a number or a name is missing before {token}",
    "the_end": "the end",
    "bracket_missing": "')' is missing, or a sign, before '{token}'",
    "function_bare": "write {name}(...) with brackets",
    "no_name": "'{given}' is not a name here, expected {names}",
    "number_too_large": "{given} is larger than {most}",
    "undefined": "the formula is infinite or undefined at some values",
    # Other judges.
    "no_subscripts": (
        "that is not an einsum string with its result: write letters, ',' and '->', "
        "as in ab,bc->ac"
    ),
    "unknown_word": "that is none of the answers that are known here",
    "rows_differ": (
        "Q1 has {first} rows and Q2 has {second}: they need the same number"
    ),
    "side_rows": "{name} has {given} rows, expected {rows}, one for each query",
    # Around the fields.
    "part": "{name}: {message}",
    "no_answers": "answers is {given}, expected an object of items a to e",
    "no_item": "item {given} is not known: items are a to e",
    "item_no_object": "item {item} is {given}, expected an object of its fields",
    "no_field": "item {item} has no field {given}: it has {known}",
    # Sheets.
    "sheet_too_large": "the sheet has {given} bytes, expected 1 MiB at most",
    "empty": "the file is empty",
    "no_utf8": "the file is not UTF-8 text: save it as UTF-8",
    "no_json": "not JSON at line {line}, column {column} ({what}){hint}",
    "near": "near {given}",
    "hint_digits": ": write the digits 0 to 9",
    "hint_end": ": the end of the file is missing",
    "nested": "the JSON is nested too deeply",
    "key_twice": "the key {given} stands twice: keep one of them",
    "no_constant": "{given} is not a number of JSON: leave the field out",
    "sheet_no_object": "the file holds {given}, expected an object",
    "missing": "missing",
    "no_format": 'format is {given}, expected "{expected}"',
    "unknown_key": "key {given} is not known: {known} are",
    "no_student": (
        "student is {given}, expected 1 to 64 of the letters A-Z and a-z, digits, "
        "and . _ @ -"
    ),
    "no_variant": (
        "variant is {given}, expected null, a whole number or the name of an assignment"
    ),
}
TYPED = {
    "null": "blank",
    "text": "{text}",
    "odd_digits": ": write the digits 0 to 9",
    "with_a_point": ": write {number}, with a point",
    "without_quotes": ": write {number}",
    "no_row": "row {row} is {given}, expected {columns} numbers",
    "odd_digit": "'{character}' is not understood: write the digits 0 to 9",
    "odd_character": (
        "'{character}' is not understood: use names, numbers, + - * / ** ( )"
    ),
}


class Refused(ValueError):
    """An answer that cannot be read; the message says what to write instead.

    Parameters
    ----------
    key : str
        A key of `MESSAGES`.
    **values
        What its template names.
    """

    def __init__(self, key, /, **values):
        super().__init__(say(key, **values))


def say(key, /, **values):
    """Fill in a template.

    Examples
    --------
    >>> say("one_too_many", given=")")
    "')' is one too many"
    """
    return MESSAGES[key].format(**values)


def shown(value):
    """Describe a value in a message: short, and free of line breaks.

    Examples
    --------
    >>> shown([1, 2]), shown(True), shown("0,5"), shown(2.50)
    ('a list of 2', 'true', "the text '0,5'", '2.5')
    """
    if value is None or isinstance(value, bool):
        return say({None: "null", True: "true", False: "false"}[value])
    if isinstance(value, str):
        text = value if len(value) <= 24 else value[:21] + "..."
        return say("text", text=ascii(text))
    if isinstance(value, list):
        return say("list", length=len(value))
    if isinstance(value, dict):
        return say("object")
    return general(value)


def general(number):
    """Write a number briefly: twelve digits at most.

    Examples
    --------
    >>> general(2e15), general(0.1 + 0.2), general(10**400)
    ('2e+15', '0.3', 'inf')
    """
    try:
        return f"{float(number):.12g}"
    except OverflowError:
        return "inf" if number > 0 else "-inf"
