"""Notebooks as submissions: answers are taken from outputs, or from literal arguments.

Nothing in the notebook is executed. `ast.literal_eval` is not used either: the few
nodes that may stand in an answer are walked here.
"""

from __future__ import annotations

import ast
import re
import warnings

from .bank import LETTERS
from .messages import shown
from .sheets import (
    REFUSED,
    UNREADABLE,
    BadFile,
    Sheet,
    check_student,
    check_variant,
    read_json,
)

NOTEBOOK_BYTES = 20 * 2**20
VALUES = 2_000_000  # commas in a notebook: what fits in memory many times over
SOURCE = 2**16  # characters of a cell that is read for calls
MIME = "application/vnd.sdpa.answer+json"
ANSWER = "sdpa-answer/1"
_CALL = re.compile(r"\bcheck\s*\(")
_PLAIN = (int, float, str, bool, type(None))


def read_notebook(data: bytes) -> Sheet:
    """Read the answers that `check` left in a notebook.

    Parameters
    ----------
    data : bytes
        A notebook of any version, 20 MiB at most.

    Returns
    -------
    Sheet
        For each item the last answer. Where no output holds any, the literal arguments
        of the last call of `check` count.

    Raises
    ------
    BadFile
        If it is too large or is not a notebook.
    """
    if len(data) > NOTEBOOK_BYTES:
        reason = f"the notebook has {len(data)} bytes, expected 20 MiB at most"
        raise BadFile(REFUSED, reason)
    if data.count(b",") > VALUES:
        raise BadFile(REFUSED, f"the notebook has more than {VALUES:,} values")
    notebook = _upgraded(read_json(data, strict=False), data)
    return _sheet_of(notebook, *_collected(notebook["cells"]))


def _upgraded(notebook, data):
    """Return a notebook of version 4."""
    if isinstance(notebook, dict) and "worksheets" in notebook:
        import nbformat  # old versions only: it takes longer than all the rest

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                notebook = nbformat.reads(data.decode("utf-8-sig"), as_version=4)
        except Exception as error:  # nbformat raises whatever an odd structure gives
            reason = f"an old notebook that cannot be upgraded ({type(error).__name__})"
            raise BadFile(UNREADABLE, reason) from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise BadFile(UNREADABLE, "not a notebook: it has no list of cells")
    return notebook


def _collected(cells):
    """Return the last answers in outputs, the last in sources, and notes by item."""
    stored, typed, notes = {}, {}, {}
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        for answer in _stored(cell):
            stored[answer["item"]] = answer
        for item, answer, problems in _typed(cell, number):
            typed[item], notes[item] = answer, problems
    return stored, typed, notes


def _stored(cell):
    """Yield the answers in a cell's outputs, in order."""
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        data = output.get("data") if isinstance(output, dict) else None
        bundle = data.get(MIME) if isinstance(data, dict) else None
        if isinstance(bundle, (str, list)):  # some front ends store JSON as text
            bundle = _parsed(bundle)
        if (
            isinstance(bundle, dict)
            and bundle.get("format") == ANSWER
            and bundle.get("item") in (*LETTERS,)
        ):
            yield bundle


def _parsed(text):
    text = _joined(text)
    try:
        return read_json(text.encode())
    except (BadFile, UnicodeEncodeError):
        return None


def _joined(source):
    """Return a source or an output, which may be a list of lines, as one text."""
    if isinstance(source, list):
        try:
            return "".join(source)
        except TypeError:
            return ""
    return source if isinstance(source, str) else ""


def _typed(cell, number):
    """Yield (item, answer, notes) for each call of `check` in a cell's source."""
    source = _joined(cell.get("source"))
    if "check" not in source or not _CALL.search(source):
        return
    if len(source) > SOURCE:
        yield "", None, [f"cell {number} is too long to be read"]
        return
    # IPython's own commands are no Python.
    lines = [
        "" if line.lstrip()[:1] in ("%", "!") else line for line in source.split("\n")
    ]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield "", None, [f"cell {number} calls check, but is not Python"]
        return
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        if _is_check(call):
            yield _arguments(call, number)


def _is_check(call):
    """Say whether a call is `check("x", ...)` for an item x."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else None
    name = call.func.id if isinstance(call.func, ast.Name) else name
    first = call.args[0] if call.args else None
    return (
        name == "check"
        and isinstance(first, ast.Constant)
        and first.value in (*LETTERS,)
    )


def _arguments(call, number):
    """Return what is written out in a call; the rest becomes notes."""
    item, fields, notes = call.args[0].value, {}, []
    for keyword in call.keywords:
        try:
            fields[keyword.arg] = _literal(keyword.value)
        except ValueError:
            notes.append(
                f"item {item}: cell {number} was not run, and {keyword.arg} is not "
                "written out in numbers: run the cell and save the notebook"
            )
    answer = {
        "item": item,
        "variant": fields.pop("variant", None),
        "student": fields.pop("student", None),
        "answer": fields,
    }
    return item, answer, notes


def _literal(node, depth=0):
    """Return the value of numbers, texts, lists and None that are written out."""
    if isinstance(node, ast.Constant) and type(node.value) in _PLAIN:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = _literal(node.operand, depth + 1) if depth < 8 else None
        if type(value) in (int, float):
            return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.List | ast.Tuple) and depth < 8:
        return [_literal(entry, depth + 1) for entry in node.elts]
    raise ValueError("not written out")


def _sheet_of(notebook, stored, typed, notes):
    """Put the answers of all items together; they have to agree on who and which."""
    chosen = {item: answer for item, answer in typed.items() if item} | stored
    problems = [note for item in notes if item not in stored for note in notes[item]]
    if not chosen:
        problems.append("no call of check was found: is this the right notebook?")
    metadata = notebook.get("metadata")
    metadata = metadata.get("sdpa") if isinstance(metadata, dict) else None
    named = [metadata.get("student")] if isinstance(metadata, dict) else []
    students = {check_student(answer.get("student")) for answer in chosen.values()}
    students = (students | {check_student(name) for name in named}) - {""}
    variants = {check_variant(answer.get("variant")) for answer in chosen.values()}
    for what, found in (("students", students), ("variants", variants)):
        if len(found) > 1:
            several = ", ".join(shown(one) for one in sorted(found, key=str))
            raise BadFile(REFUSED, f"the notebook names several {what}: {several}")
    answers = {item: chosen[item].get("answer") for item in sorted(chosen)}
    student, variant = students.pop() if students else "", next(iter(variants), None)
    return Sheet(student, variant, answers, tuple(problems))
