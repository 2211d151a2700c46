"""Write the fixture: sheets with the verdicts that every grader has to give.

``python -m tests.grading.fixture`` replaces the file. A case has a ``name``, the
``seed`` of its bank (null: the book's), the ``sheet`` as text, which need not be JSON,
and what is ``expected``: for a file that is not graded its ``status``; otherwise
status, total, the number of notes, and for each part of each item its credit and its
tag. Items of which nothing is answered are left out.
"""

import json
from pathlib import Path

from sdpa.selftest import BadFile, bank, blank_sheet, grade, read_sheet
from tests.grading.samples import GOOD, answers, raw, right_answers, sheet

PATH = Path(__file__).parent / "fixtures" / "sheets.json"
FORMULAS = [
    "d_k·σ⁴", "d_k σ⁴", "2d_k", "dk*sigma^4", "√d_k*σ²", "sqrt(d_k)σ", "-2**2",
    "2**-1", "d_k**17", "2**sigma", "1/0", "1e999", "0,5*d_k", "２*d_k", "d_k; 1",
    "d_k.real", "__import__('os').system('x')", "constructor", "this", "d_k[0]", "(1",
    "1)", "", "(" * 80 + "1" + ")" * 80, "-" * 120 + "d_k", "sigma**2**2*d_k",
    "𝜎⁴*d_k", "∑d_k", "toString()", "f(x)=x", "d_k!", "d_k'", "1 if 1 else 2",
    "0x10*d_k", "1_000", "2j", "exp(log(d_k))*abs(sigma)**4", "sqrt d_k",
    "d_k*sigma**4*(1+1e-7)", "d_k*sigma**4*(1+1e-12)", "d_k" + " " * 250,
    "d_k*σ⁴⁰", "d_k¹⁰/d_k**9*σ⁴",
]  # fmt: skip
VALUES = [
    "null", "true", '""', '"1"', "1", "[]", "{}", "[[1]]", '["0,5", 0, 0]',
    "[1e999, 0, 0]", "[true, 0, 0]", "[null, 0, 0]", "[0.2, 0.4]",
    "[0.2, 0.4, 0.4, 0]", "[2e15, 0, 0]", "[-0.0, 0.4, 0.4]", "[2, 3]", "[3, 2]",
    "[2.0, 3.0]", "[2]", "2", "[2, 2]", "[0, 1]", "[2.5]", "[[1, 0]]",
    "[[1, 0], [0, 1]]", "[[1001, 0]]", "[1, 0]", "[1.6871, -1.6871]",
    "[[1.6871, -1.6871]]", '"softmax"', '" The  SOFTMAX. "', '"exp"', '"ｓoftmax"',
    '"\\ud800"', '["n", "d_v"]', '["N", "d_{v}"]', '["n", 1]', '"ik,jk->ij"',
    '"ik,jk"', '"xz , yz → xy"', '"...ik,...jk->...ij"', '"fp16"', '"FP16"', '"equal"',
    '"single head"', '"one head, by about 1 %"', '"32 heads"', '"attention"',
    "[274877906944, 274877906944]", "[137438953472, 137438953472]", "[32, 1]",
    "[0, 0]", "[536870912, 16777216]", "[1073741824, 33554432]", "[1, 0.03125]",
    '"4*T**2*d"',
]  # fmt: skip
FILES = [
    "", " ", "{", "[]", "null", "{}", '{"format": "x"}', "[" * 5000, '{"a": 1,}',
    "{'a': 1}", raw('{"weights": [NaN, 0, 0]}').decode(),
    raw('{"weights": [0,198]').decode(), raw('{"output": [], "output": []}').decode(),
    sheet("../x").decode(), sheet("=1+1").decode(), sheet(5).decode(),
    sheet(variant=True).decode(), sheet(variant=-1).decode(),
    sheet(variant=1.5).decode(), "\ufeff" + sheet().decode(), sheet(extra=1).decode(),
    sheet(content=[]).decode(), sheet(content={"f": 1}).decode(),
    sheet(content={"a": 5}).decode(), sheet(content={"d": {"weight": 1}}).decode(),
]  # fmt: skip


def cases():
    """Yield (name, seed, text of the sheet)."""
    yield "blank", None, json.dumps(blank_sheet("ann"))
    for seed in (None, 3, 2**52 + 1):
        yield f"right, {seed}", seed, _text(right_answers(seed))
        yield from _slips(seed)
    yield "as printed", None, _text(GOOD)
    for letter in GOOD:
        yield f"only {letter}", None, _text({letter: GOOD[letter]})
    for text in FORMULAS:
        for letter, name in (("c", "variance"), ("e", "formula")):
            yield (
                f"formula {text[:20]}",
                None,
                _text({letter: GOOD[letter] | {name: text}}),
            )
    for value in VALUES:
        for letter, fields in GOOD.items():
            for name in fields:
                # Written as text, so that 2.0 and -0.0 stay as they are.
                body = _text({letter: fields | {name: "@"}}).replace('"@"', value)
                yield f"{letter} {name} {value[:20]}", None, body
    for text in FILES:
        yield f"file {text[:20]}", None, text
    yield from _pairs()


def _text(content):
    return sheet("ann", content).decode()


def _slips(seed):
    """Yield a sheet for each slip of numbers and formulas."""
    for letter, item in bank(seed)["items"].items():
        for part in item["parts"]:
            for case, data in part.get("cases", {"": part}).items():
                for slip in data.get("wrong", []):
                    value = slip.get("value", slip.get("formula"))
                    by = dict(zip(part.get("by", []), case.split("|"), strict=False))
                    if "convention" in by:
                        by["convention"] = int(by["convention"])
                    if value is not None:
                        content = {letter: by | {part["id"]: value}}
                        yield f"{part['id']} {slip['tags'][0]}", seed, _text(content)


def _pairs():
    """Yield counterexamples of all kinds."""
    sides = {"left": [5, 5], "right": [10, 10]}
    pairs = [
        {"Q1": [[0, 0]], "Q2": [[0, 0]]} | sides,
        {"Q1": [[1, 0]], "Q2": [[0, 1]]} | sides,
        {"Q1": [[1, 0]], "Q2": [[0, 1]], "left": [0, 0], "right": [0, 0]},
        {"left": [2.0334, -2.0334], "right": [1.6871, -1.6871]},
        {"left": [1.7, -1.7]},
        {"left": [1.75, -1.75]},
        {"Q1": [[1000, 0]], "Q2": [[-1000, 0]], "left": [0, 0], "right": [0, 0]},
        {"Q1": [[1, 0], [2, 1]], "Q2": [[1, 0]]},
        {"Q1": [[1, 0], [2, 1]], "Q2": [[1, 0], [0, 0]]},
    ]
    for number, pair in enumerate(pairs):
        yield f"pair {number}", None, _text(answers(b=pair))


def expected(text, seed):
    """Return what a grader has to say."""
    try:
        content = read_sheet(text.encode("utf-8", "surrogatepass"))
    except BadFile as error:
        return {"status": error.status}
    verdict = grade(content.answers, seed=seed)
    return {
        "status": "needs_review" if content.notes else verdict.status,
        "total": round(verdict.total, 6),
        "notes": len(content.notes) + len(verdict.notes),
        "items": {
            letter: {part.name: [part.credit, part.tag] for part in parts}
            for letter, parts in verdict.items.items()
            if any(part.tag != "missing" for part in parts)
        },
    }


def fixture():
    """Return the fixture as text: a line for each case."""
    lines = []
    for name, seed, text in cases():
        case = {"name": name, "seed": seed, "sheet": text}
        case["expected"] = expected(text, seed)
        lines.append(json.dumps(case, separators=(",", ":")))
    return '{"format": "sdpa-sheets/1", "cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    PATH.write_text(fixture(), "utf-8")
    print(f"{PATH.name}: {fixture().count(chr(10)) - 2} cases")
