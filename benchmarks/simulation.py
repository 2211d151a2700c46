"""Compare the simulator's speed with that of the random generator alone.

Run it from the root of the project: ``python -m benchmarks.simulation``. Rounds of the
two alternate, so that a busy machine slows both alike; the median ratio is what counts.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time

import numpy as np

from sdpa import simulate_dot_products
from sdpa.laws import STUDENT_DF

COORDINATES = 8_000_000  # in a round: half for q, half for k
ROUNDS = 15
WIDTHS = (4, 16, 64, 256, 1024)
WIDTH = 64  # where the laws are compared
BUFFER = 1 << 14
# What NumPy's generator offers that comes nearest to each law, in its cheapest form.
BARE = {
    "gaussian": lambda rng, buffer: rng.standard_normal(out=buffer),
    "uniform": lambda rng, buffer: rng.random(out=buffer),
    "rademacher": lambda rng, buffer: rng.bytes(BUFFER // 8),  # a bit a sign
    "laplace": lambda rng, buffer: rng.laplace(size=BUFFER),
    "student-t": lambda rng, buffer: rng.standard_t(STUDENT_DF, size=BUFFER),
}


def generate(rng: np.random.Generator, law: str) -> None:
    """Draw coordinates, where possible into one buffer that stays in the cache."""
    buffer = np.empty(BUFFER)
    for _ in range(COORDINATES // BUFFER):
        BARE[law](rng, buffer)


def simulate(rng: np.random.Generator, law: str, d_k: int) -> None:
    """Draw as many coordinates, and summarise their dot products."""
    simulate_dot_products(d_k, COORDINATES // (2 * d_k), law=law, rng=rng)


def seconds(task: Callable[..., None], *arguments: object) -> float:
    """Processor time of one call, in seconds: other processes count for little."""
    start = process_time()
    task(*arguments)
    return process_time() - start


def line(label: str, law: str, d_k: int) -> str:
    """Race the two; say coordinates a second of both, and the ratio of times."""
    rng = np.random.default_rng(0)
    seconds(generate, rng, law), seconds(simulate, rng, law, d_k)  # warm up
    rounds = [
        (seconds(simulate, rng, law, d_k), seconds(generate, rng, law))
        for _ in range(ROUNDS)
    ]
    ours, bare = (
        COORDINATES / median(times) / 1e6 for times in zip(*rounds, strict=True)
    )
    ratio = median(a / b for a, b in rounds)
    return f"{label:>10} {ours:10.0f} {bare:15.0f} {ratio:20.2f}"


def main() -> None:
    """Print a line for each width, then for each law."""
    head = "  ours, M/s  generator, M/s  time ratio (median)"
    print(f"{'d_k':>9}{head}")
    for d_k in WIDTHS:
        print(line(str(d_k), "gaussian", d_k))
    print(f"{'law':>9}{head}")
    for law in BARE:
        print(line(law, law, WIDTH))


if __name__ == "__main__":
    main()
