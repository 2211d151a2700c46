"""Draw the report on a small class, for the page for instructors.

    python -m tools.class_report

A class is made up: who knows what is drawn by a generator with a fixed seed, and wrong
answers are slips of the question bank. `sdpa grade` grades it as any other folder, and
the browser takes the picture.
"""

import io
import json
import random
import tempfile
from pathlib import Path

from sdpa.selftest import bank, blank_sheet
from sdpa.selftest.classes import grade_class
from tools import browser as browsers

PICTURE = Path(__file__).parents[1] / "chapters" / "images" / "class-report.png"
STUDENTS = 28
SEED = 12
WIDTH, SCALE, COLOURS = 880, 1.4, 16
# How likely an answer is to be right, and a wrong one to be a slip that is known.
SKILL, KNOWN = {"a": 0.85, "b": 0.5, "c": 0.65, "d": 0.75, "e": 0.55}, 0.8
HOW = {"convention": 2, "scope": "attention", "dtype": "fp16"}
PAIR = {"step": "softmax", "Q1": [[1, 0]], "Q2": [[1, 0]]}
SIDES = ([1.6871, -1.6871], [2.0334, -2.0334])


def answer(part: dict, right: bool, rng: random.Random):
    """Answer one part: rightly, with a known slip, or with nonsense."""
    known = part.get("cases", {}).get("|".join(str(HOW[x]) for x in part.get("by", [])))
    known = known or part
    if "spellings" in part:
        words = part["spellings"].items()
        return rng.choice([word for word, (_, x) in words if (x == 1) == right])
    if right:
        value = known.get("right", known.get("low"))
        return value[0] if part["kind"] == "formula" else value
    slips = known.get("wrong") or []
    if slips and rng.random() < KNOWN:
        # The first ones are the usual ones.
        slip = slips[min(int(rng.expovariate(0.7)), len(slips) - 1)]
        return slip.get("value", slip.get("formula"))
    nonsense = {"formula": "7*d_k", "subscripts": "ab,cd->a", "places": [1]}
    return nonsense.get(part["kind"])


def sheet(student: str, rng: random.Random) -> dict:
    """Fill in the sheet of one student."""
    content, items = blank_sheet(student), bank()["items"]
    talent = rng.gauss(0, 0.15)
    for letter, item in items.items():
        fields = content["answers"][letter]
        fields |= {name: HOW[name] for name in fields if name in HOW}
        for part in item["parts"]:
            right = rng.random() < SKILL[letter] + talent
            if part["id"] in fields:
                fields[part["id"]] = answer(part, right, rng)
            elif part["id"] == "pair":
                fields |= PAIR if right else PAIR | {"Q2": [[0, 1]]}
            else:
                left, other = SIDES if right else SIDES[::-1]
                fields |= {"left": left, "right": other}
    return content


def make(folder: Path) -> None:
    """Write the class: two of the files cannot be graded as they are."""
    rng = random.Random(SEED)
    for number in range(1, STUDENTS + 1):
        name = f"student-{number:02}"
        text = json.dumps(sheet(name, rng))
        if number == 9:
            text = text[: len(text) // 2]
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    again = json.dumps(sheet("student-04", rng))
    (folder / "student-04-again.json").write_text(again, encoding="utf-8")


def picture(report: Path) -> bytes:
    """Photograph a report."""
    with browsers.launched() as browser:
        size = {"width": WIDTH, "height": 400}
        page = browser.new_page(viewport=size, device_scale_factor=SCALE)
        page.goto(report.as_uri())
        return page.screenshot(full_page=True)


def small(png: bytes) -> bytes:
    """Give the same picture with few colours: it has few."""
    from PIL import Image

    whole, out = Image.open(io.BytesIO(png)).convert("RGB"), io.BytesIO()
    few = whole.quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(out, "PNG", optimize=True)
    return out.getvalue()


def main() -> None:
    """Make the class, grade it, and replace the picture."""
    with tempfile.TemporaryDirectory() as name:
        folder, out = Path(name, "class"), Path(name, "results")
        folder.mkdir()
        make(folder)
        grade_class([folder], out)
        data = small(picture(out / "report.html"))
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_bytes(data)
    print(f"{PICTURE.name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
