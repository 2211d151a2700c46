"""What `sdpa` computes for states of every view; browsers have to agree with it.

python -m tests.views.golden        writes golden.json
"""

import json
import math
from pathlib import Path

from tests.views.cases import CASES, Case

PATH = Path(__file__).with_name("golden.json")


def entry(case: Case, part: dict) -> dict:
    """Give a state in full and every number that the view shows in it."""
    view = case.cls.from_state(part)
    numbers = {
        key: "inf" if x == math.inf else x for key, x in view.quantities().items()
    }
    return {"state": view.state(), "numbers": numbers}


def text() -> str:
    """Give what golden.json should say."""
    entries = {
        name: [entry(case, part) for part in case.states]
        for name, case in CASES.items()
    }
    return json.dumps(entries, indent=1, sort_keys=True, allow_nan=False) + "\n"


def load() -> dict[str, list[dict]]:
    """Read golden.json."""
    return json.loads(PATH.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
