"""The ways of computing attention that the benchmark compares."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sdpa import attention, attention_streaming

FUSED = "torch fused"
OURS = "attention_streaming"
FORMULA = "attention"
NAIVE = "naive NumPy"
EINSUM = "einsum"
EAGER = "torch eager"
TAME = "attention_streaming, tame scores"  # beside saturated ones, in the same rounds
PARTS = "products and exp alone"
NAMES = (OURS, FORMULA, NAIVE, EINSUM, EAGER, FUSED)


def naive(Q, K, V):
    """Write the formula down the way most introductions do."""
    S = Q @ np.swapaxes(K, -1, -2) / Q.dtype.type(math.sqrt(Q.shape[-1]))
    E = np.exp(S - np.max(S, axis=-1, keepdims=True))
    A = E / np.sum(E, axis=-1, keepdims=True)
    return A @ V


def einsum(Q, K, V):
    """Write both products as plain `einsum`, which does not call BLAS."""
    S = np.einsum("hid,hjd->hij", Q, K) / Q.dtype.type(math.sqrt(Q.shape[-1]))
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return np.einsum("hij,hjd->hid", E / E.sum(axis=-1, keepdims=True), V)


def inputs(T: int, heads: int, dtype: str, std: float = 1.0, d: int = 64):
    """Draw Q, K and V of shape (heads, T, d); the scaled scores have that std."""
    rng = np.random.default_rng(0)
    kind = {"fp32": np.float32, "fp64": np.float64}[dtype]
    Q, K, V = (rng.standard_normal((heads, T, d)).astype(kind) for _ in range(3))
    return Q * kind(std), K, V


def calls(Q, K, V) -> dict[str, Callable[[], object]]:
    """Give each contender as a call without arguments, on the same numbers."""
    import torch

    q, k, v = (torch.from_numpy(x)[None] for x in (Q, K, V))
    fused = torch.nn.functional.scaled_dot_product_attention

    def eager():
        S = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        return torch.softmax(S, dim=-1) @ v

    return {
        OURS: lambda: attention_streaming(Q, K, V),
        FORMULA: lambda: attention(Q, K, V),
        NAIVE: lambda: naive(Q, K, V),
        EINSUM: lambda: einsum(Q, K, V),
        EAGER: eager,
        FUSED: lambda: fused(q, k, v),
    }
