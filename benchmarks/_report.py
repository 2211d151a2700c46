"""The table and the figures of the attention benchmark."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks._contenders import EAGER, FUSED, NAIVE, NAMES, OURS, PARTS, TAME
from sdpa import attention_cost
from sdpa.measured import curves, find

# T, heads, dtype and the largest ratio to the fused kernel that is aimed at.
TARGETS = [
    (1024, 8, "fp32", 1.3),
    (4096, 1, "fp32", 1.3),
    (4096, 8, "fp32", 1.3),
    (8192, 1, "fp32", 1.5),
    (1024, 8, "fp64", 1.4),
    (4096, 1, "fp64", 1.4),
    (8192, 1, "fp64", 1.4),
]


def ratios(result: dict[str, dict]) -> str:
    """Write the ratios of one case in a line."""
    return ", ".join(f"{name} {found['ratio']:.2f}" for name, found in result.items())


def cell(row: dict) -> str:
    """Write a ratio with its quartiles, or why there is none."""
    if "why" in row:
        return row["why"]
    spread = f"{row['ratio_low']:.2f}–{row['ratio_high']:.2f}"
    return f"{row['ratio']:.2f} ({spread})"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Write a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines] + [""]


def timed(found: dict, **wanted) -> dict | None:
    """Return the first row of times that has these entries and was measured."""
    return find([row for row in found["times"] if "seconds" in row], **wanted)


def ratio_table(found: dict) -> list[str]:
    """List every case, one contender a column."""
    cases = {(r["dtype"], r["T"], r["heads"], r["std"]): {} for r in found["times"]}
    for r in found["times"]:
        cases[r["dtype"], r["T"], r["heads"], r["std"]][r["contender"]] = r
    rows = []
    for (dtype, T, heads, std), by_name in cases.items():
        fused = f"{1e3 * by_name[FUSED]['seconds']:.1f} ms"
        others = [cell(by_name[n]) if n in by_name else "–" for n in NAMES[:-1]]
        rows.append([dtype, f"{T:,}", str(heads), str(std), *others, fused])
    head = ["dtype", "T", "heads", "std of scores", *NAMES[:-1], FUSED]
    return table(head, rows)


def target_table(found: dict) -> list[str]:
    """Set each target beside what was measured and what the parts alone need."""
    rows = []
    for T, heads, dtype, target in TARGETS:
        key = dict(T=T, heads=heads, dtype=dtype, std=1)
        ours, parts = (timed(found, contender=n, **key) for n in (OURS, PARTS))
        if ours is None:
            continue
        what = f"time / torch fused, {dtype}, T = {T:,}, heads {heads}"
        rows.append([what, *verdict(ours["ratio"], target, cell(ours)), cell(parts)])
    for what, measured, target in other_targets(found):
        rows.append([what, *verdict(measured, target, f"{measured:.2f}"), "–"])
    head = ["what", "target", "measured", "", PARTS]
    return table(head, rows)


def verdict(measured: float, target: float, text: str) -> list[str]:
    """Write a target, what was measured, and whether it is met."""
    return [f"≤ {target}", text, "met" if measured <= target else "missed"]


def other_targets(found: dict) -> list[tuple[str, float, float]]:
    """List the targets that are no ratio to the fused kernel, where measured."""
    targets = []
    for name in (EAGER, NAIVE):
        pairs = [
            (
                r,
                timed(
                    found, contender=name, **{k: r[k] for k in ("dtype", "T", "heads")}
                ),
            )
            for r in found["times"]
            if r["contender"] == OURS and r["std"] == 1
        ]
        worst = max(ours["ratio"] / peer["ratio"] for ours, peer in pairs if peer)
        targets.append((f"time / {name}, worst of all cases", worst, 1.0))
    for dtype in found["limits"]:
        hot, tame = (
            timed(found, contender=n, dtype=dtype, std=30) for n in (OURS, TAME)
        )
        if hot:
            ratio = hot["ratio"] / tame["ratio"]
            targets.append((f"time, saturated / tame scores, {dtype}", ratio, 1.3))
    for row in found["memory"]:
        if (row["contender"], row["T"], row["heads"]) == (OURS, 8192, 8):
            mebibytes = row["bytes"] / 2**20
            targets.append(("extra memory, MiB, T = 8,192, heads 8", mebibytes, 64))
    return targets


def one_head(found: dict) -> dict[str, tuple[list, list]]:
    """Gather the contenders' times over T at one head, in fp32."""
    times = curves(found["times"], "seconds", dtype="fp32", std=1, heads=1)
    return {name: times[name] for name in NAMES if name in times}


def growth_table(found: dict) -> list[str]:
    """Fit the exponent of growth from T = 1,024, and compare with the prediction."""
    rows = []
    for name, curve in one_head(found).items():
        T, measured = map(np.array, curve)
        T, measured = T[T >= 1024], measured[T >= 1024]
        if len(T) < 3:
            continue
        exponent = np.polyfit(np.log(T), np.log(measured), 1)[0]
        key = dict(T=int(T[-1]), heads=1, dtype="fp32", std=1)
        own, parts = (timed(found, contender=n, **key) for n in (name, PARTS))
        share = own["ratio"] / parts["ratio"]
        rows.append([name, f"{exponent:.2f}", f"{T[-1]:,.0f}", f"{share:.2f}"])
    head = ["contender", "exponent", "largest T", "measured / predicted time there"]
    return table(head, rows)


def memory_table(found: dict) -> list[str]:
    """List the memory held beyond the inputs."""
    rows = [
        [r["contender"], f"{r['T']:,}", str(r["heads"]), f"{r['bytes'] / 2**20:,.0f}"]
        for r in found["memory"]
    ]
    return table(["contender", "T", "heads", "extra memory, MiB"], rows)


def limits_table(found: dict) -> list[str]:
    """List what the parts alone need."""
    names = list(next(iter(found["limits"].values())))
    rows = [
        [dtype, *(f"{parts[name]:.3g}" for name in names)]
        for dtype, parts in found["limits"].items()
    ]
    return table(["dtype", *names], rows)


def markdown(found: dict) -> str:
    """Write the whole report."""
    where = ", ".join(f"{key} {value}" for key, value in found["machine"].items())
    lines = [
        "# Attention: measured",
        "",
        f"Written by `make bench`. Machine: {where}.",
        "",
        "d = 64. Each cell is the median of the ratios to torch's fused kernel in the "
        "same round, with quartiles.",
        "",
        *ratio_table(found),
        "## Targets",
        "",
        "The last column is a limit: the ratio of NumPy's two matrix products and exp "
        "alone, on one tile over and over, in the same rounds. Saturated scores have a "
        "standard deviation of 30.",
        "",
        *target_table(found),
        "## Growth with T, fp32, one head",
        "",
        "Predicted: products and exp alone, for the same number of scores.",
        "",
        *growth_table(found),
        "## Memory beyond the inputs, output included, fp32",
        "",
        *memory_table(found),
        "## The parts alone",
        "",
        "Products and exp in ns for each score entry, all cores at work.",
        "",
        *limits_table(found),
    ]
    return "\n".join(lines)


def figures(found: dict, folder: Path) -> None:
    """Draw time, memory and roofline."""
    import matplotlib

    matplotlib.use("svg")
    from sdpa.figures import memory_against_T, roofline, setup, time_against_T

    setup()
    times = one_head(found)
    drawn = {
        "time": time_against_T(times),
        "memory": memory_against_T(curves(found["memory"], "bytes", heads=1)),
        "roofline": roofline(
            roofline_points(times),
            peak=found["limits"]["fp32"]["gflops"],
            bandwidth=found["limits"]["fp32"]["gigabytes"],
        ),
    }
    for name, (fig, _) in drawn.items():
        path = folder / f"attention-{name}.svg"
        fig.savefig(path, metadata={"Date": None})


def roofline_points(times: dict[str, tuple]) -> dict[str, tuple[float, float]]:
    """Place each contender at its largest T: FLOPs a byte, and GFLOP/s."""
    points = {}
    for name, (T, measured) in times.items():
        size, streaming = int(T[-1]), name in (OURS, FUSED)
        cost = attention_cost(size, size, 64, 64, streaming=streaming)
        points[name] = (cost.intensity, cost.core / measured[-1] / 1e9)
    return points
