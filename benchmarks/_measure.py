"""Times, memory and the machine's own limits, measured so that noise cancels."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter, sleep

import numpy as np

from benchmarks._contenders import FUSED, calls, inputs
from sdpa._threads import blas_threads, one_blas_thread

STATUS = Path("/proc/self/status")
BURST = 0.02  # seconds
# The threads of OpenBLAS and OpenMP go on spinning after a call, at the cost of the
# next contender; after this many seconds they sleep. A core that has slept takes
# milliseconds to come back, hence a burst that is not timed before each that is.
SETTLE = 0.05


def seconds(call: Callable[[], object], repeats: int = 1) -> float:
    """Wall time of one call, in seconds."""
    start = perf_counter()
    for _ in range(repeats):
        call()
    return (perf_counter() - start) / repeats


def race(contenders: dict[str, Callable], rounds: dict[str, int]) -> dict[str, dict]:
    """Run contenders in turns, so that a busy moment slows them alike.

    Parameters
    ----------
    contenders
        Calls by name; the fused kernel has to be among them.
    rounds
        In how many of the first rounds each of them takes part.

    Returns
    -------
    dict
        For each name the median time in seconds, and the median and quartiles of its
        ratio to the fused kernel's time in the same round.
    """
    times = {name: [] for name in contenders}
    bursts = {name: burst(call) for name, call in contenders.items()}
    names = list(contenders)
    for number in range(max(rounds.values())):
        # Nobody comes after the same one every time: what it leaves behind may cost.
        shuffled = Random(number).sample(names, len(names))
        for name in shuffled:
            if number < rounds[name]:
                sleep(SETTLE)
                seconds(contenders[name], bursts[name])
                times[name].append(seconds(contenders[name], bursts[name]))
    return {name: summary(times[name], times[FUSED]) for name in contenders}


def burst(call: Callable[[], object]) -> int:
    """Say how many calls to time at once.

    The first starts threads and touches new pages, and would count too few.
    """
    call()
    return max(1, math.ceil(BURST / seconds(call)))


def summary(times: list[float], base: list[float]) -> dict:
    """Summarise the times of one contender and their ratios, round by round."""
    ratios = [a / b for a, b in zip(times, base, strict=False)]
    low, _, high = quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    return {
        "seconds": median(times),
        "ratio": median(ratios),
        "ratio_low": low,
        "ratio_high": high,
        "rounds": len(times),
    }


def side_by_side(calls: list[Callable[[], object]], repeats: int) -> float:
    """Time calls that as many threads make at once; seconds for each call."""
    with ThreadPoolExecutor(len(calls)) as pool:
        start = perf_counter()
        list(pool.map(lambda call: [call() for _ in range(repeats)], calls))
        return (perf_counter() - start) / repeats / len(calls)


def limits(dtype: str, rounds: int = 11) -> dict[str, float]:
    """Measure what NumPy and torch need for the parts alone, on all cores.

    Returns
    -------
    dict
        ns for each score entry at d = 64 (both matrix products, and exp), GFLOP/s of
        NumPy's products, GB/s of a copy too large for the caches, and threads.
    """
    Q, K, _ = (x[0] for x in inputs(512, 1, dtype))
    threads = blas_threads()
    parts = {f"numpy {name}": [] for name in numpy_parts(Q, K)}
    for _ in range(threads):
        for name, call in numpy_parts(Q, K).items():
            parts[f"numpy {name}"].append(call)
    parts |= {f"torch {name}": [call] for name, call in torch_parts(Q, K).items()}
    source = np.ones(2**26, np.float32)
    target = np.zeros_like(source)
    found, copies = {name: [] for name in parts}, []
    with one_blas_thread():
        for _ in range(rounds):
            for name, calls_at_once in parts.items():
                found[name].append(side_by_side(calls_at_once, 40) / 512**2 * 1e9)
            copies.append(seconds(lambda: np.copyto(target, source)))
    ns = {name: median(values) for name, values in found.items()}
    return ns | {
        "gflops": 4 * 64 / ns["numpy products"],
        "gigabytes": 2 * source.nbytes / median(copies) / 1e9,
        "threads": threads,
    }


def numpy_parts(Q, K) -> dict[str, Callable]:
    """Give the two costly steps on a tile of 512 x 512, in memory of their own."""
    S, O = np.empty((512, 512), Q.dtype), np.empty_like(Q)  # noqa: E741
    x, E = -np.abs(Q @ K.T) / 8, np.empty_like(S)

    def products():
        np.matmul(Q, K.T, out=S)
        np.matmul(E, K, out=O)

    return {"products": products, "exp": lambda: np.exp(x, out=E)}


def torch_parts(Q, K) -> dict[str, Callable]:
    """Give the same steps in torch, which has threads of its own."""
    import torch

    q, k = torch.from_numpy(Q), torch.from_numpy(K)
    S, O, x = q @ k.T, torch.empty_like(q), -(q @ k.T).abs() / 8  # noqa: E741
    E = x.exp()

    def products():
        torch.mm(q, k.T, out=S)
        torch.mm(E, k, out=O)

    return {"products": products, "exp": lambda: torch.exp(x, out=E)}


def parts_alone(dtype: str, entries: int) -> Callable[[], None]:
    """Give a call that does NumPy's products and exp for so many scores, and no more.

    Every thread has a tile of its own and does its share of them. It bounds from
    below what any blockwise attention in NumPy can take.
    """
    Q, K, _ = (x[0] for x in inputs(512, 1, dtype))
    threads = blas_threads()
    repeats = max(1, round(entries / 512**2 / threads))
    tiles = [list(numpy_parts(Q, K).values()) for _ in range(threads)]

    def call():
        with one_blas_thread():
            both = [lambda tile=tile: [part() for part in tile] for tile in tiles]
            side_by_side(both, repeats)

    return call


def extra_memory(name: str, T: int, heads: int) -> int:
    """Measure, in a process of its own, the bytes a call holds beyond its inputs."""
    command = [sys.executable, "-m", "benchmarks._measure", name, str(T), str(heads)]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(result.stdout)


def held_bytes(name: str, T: int, heads: int) -> int:
    """Return the rise of this process's peak memory during one call (Linux)."""
    calls(*inputs(64, heads, "fp32"))[name]()  # load what is loaded once
    call = calls(*inputs(T, heads, "fp32"))[name]
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = kibibytes("VmRSS")
    call()
    return (kibibytes("VmHWM") - before) * 1024


def kibibytes(field: str) -> int:
    """Read one figure of this process's memory."""
    lines = STATUS.read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def machine() -> dict[str, str]:
    """Describe what the numbers came from."""
    import torch

    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [
        line.split(":")[1].strip() for line in lines if line.startswith("model name")
    ]
    flags = next((line for line in lines if line.startswith("flags")), "")
    return {
        "processor": names[0] if names else platform.processor(),
        "cores": str(os.cpu_count()),
        "vector instructions": "AVX-512" if "avx512f" in flags else "AVX2",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__.split("+")[0],
    }


if __name__ == "__main__":
    print(held_bytes(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
