"""Time `attention_streaming` beside the naive formula, einsum and torch.

Run ``make bench`` (about ten minutes; leave the machine alone meanwhile). It writes
what the pages show, ``src/sdpa/data/attention.json``, and a table and three figures
into ``benchmarks/results``. Contenders take turns, in a new order each round, and what
counts is the median of the ratios to torch's fused kernel.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from benchmarks import _report
from benchmarks._contenders import (
    EINSUM,
    FORMULA,
    FUSED,
    NAIVE,
    NAMES,
    OURS,
    PARTS,
    TAME,
    calls,
    inputs,
)
from benchmarks._measure import extra_memory, limits, machine, parts_alone, race
from sdpa.measured import DATA

RESULTS = Path(__file__).parent / "results"
# T, heads, std of the scores. Growing, since each predicts what the next may cost.
CASES = {
    "fp32": [
        (512, 1, 1),
        (1024, 1, 1),
        (2048, 1, 1),
        (1024, 8, 1),
        (4096, 1, 1),
        (4096, 1, 30),
        (8192, 1, 1),
        (4096, 8, 1),
    ],
    "fp64": [(1024, 8, 1), (4096, 1, 1), (4096, 1, 30), (8192, 1, 1)],
}
MEMORY = [(1024, 1), (2048, 1), (4096, 1), (8192, 1), (8192, 8)]
ROUNDS = 11
FEWEST = 3
BUDGET = 2.5  # seconds that a peer may take in one case
PATIENCE = 3.0  # seconds for one call of a peer, warm-up included


def plan(
    rates: dict[str, float], entries: int
) -> tuple[dict[str, int], dict[str, str]]:
    """Decide how many rounds each contender takes part in, or why it does not.

    Parameters
    ----------
    rates
        Seconds for each score entry, from the case before; empty at first.
    entries
        Scores of this case.
    """
    rounds, left_out = {}, {}
    for name in NAMES:
        expected = rates.get(name, 0) * entries
        if name in (OURS, FUSED):
            rounds[name] = ROUNDS
        elif expected > PATIENCE:
            left_out[name] = f"left out: about {expected:.0f} s a call"
        else:
            fit = BUDGET / expected if expected else ROUNDS
            rounds[name] = max(FEWEST, min(ROUNDS, math.floor(fit)))
    return rounds, left_out


def times(dtype: str, quick: bool) -> list[dict]:
    """Race the contenders in every case of one dtype."""
    rows, rates = [], {}
    for T, heads, std in CASES[dtype][: 3 if quick else None]:
        rounds, left_out = plan(rates, heads * T**2)
        if std != 1:  # peers that do nothing about subnormals are slow enough once
            rounds = {name: rounds[name] for name in (OURS, FORMULA, FUSED)}
            rounds, left_out = rounds | {TAME: ROUNDS}, {}
        rounds[PARTS] = ROUNDS
        contenders = calls(*inputs(T, heads, dtype, std))
        contenders[PARTS] = parts_alone(dtype, heads * T**2)
        contenders[TAME] = calls(*inputs(T, heads, dtype))[OURS]
        result = race({name: contenders[name] for name in rounds}, rounds)
        case = {"dtype": dtype, "T": T, "heads": heads, "std": std}
        for name, found in result.items():
            if std == 1:
                rates[name] = found["seconds"] / (heads * T**2)
            rows.append(case | {"contender": name} | found)
        rows += [
            case | {"contender": name, "why": why} for name, why in left_out.items()
        ]
        print(
            f"{dtype} T={T} heads={heads} std={std}: {_report.ratios(result)}",
            flush=True,
        )
    return rows


def memory(quick: bool) -> list[dict]:
    """Measure the extra memory of the contenders in fp32."""
    rows = []
    for T, heads in MEMORY[: 2 if quick else None]:
        for name in NAMES:
            if name == EINSUM or (heads > 1 and name not in (OURS, NAIVE, FUSED)):
                continue  # einsum holds what the naive formula holds
            bytes_held = extra_memory(name, T, heads)
            rows.append(
                {"contender": name, "T": T, "heads": heads, "bytes": bytes_held}
            )
            print(
                f"memory {name} T={T} heads={heads}: {bytes_held / 2**20:.0f} MiB",
                flush=True,
            )
    return rows


def main() -> None:
    """Measure everything, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--quick", action="store_true", help="small sizes only, to try it"
    )
    parser.add_argument(
        "--out", type=Path, default=RESULTS, help="folder for the results"
    )
    options = parser.parse_args()
    found = {"machine": machine(), "limits": {}, "times": []}
    for dtype in CASES:
        found["limits"][dtype] = limits(dtype)
        found["times"] += times(dtype, options.quick)
    found["memory"] = memory(options.quick)
    options.out.mkdir(parents=True, exist_ok=True)
    # What the pages show is part of the package; a trial stays where it was asked for.
    data = DATA if options.out == RESULTS else options.out / DATA.name
    data.parent.mkdir(parents=True, exist_ok=True)
    data.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (options.out / "attention.md").write_text(_report.markdown(found))
    _report.figures(found, options.out)
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()
