"""Independent answers to test against: long double arithmetic, and torch.

Neither shares code with the package. The long double reference also gives the error
that floating-point arithmetic may be forgiven.
"""

import numpy as np


def reference(Q, K, V, *, mask=None, scale=None):
    """Compute attention on finite inputs in long double, as log-sum-exp.

    Returns
    -------
    weights, output : ndarray of longdouble
        `(..., n, m)` and `(..., n, d_v)`; rows without a visible key are 0.
    """
    Q, K, V = (np.asarray(x).astype(np.longdouble) for x in (Q, K, V))
    d_k, m = Q.shape[-1], K.shape[-2]
    c = 1 / np.sqrt(np.longdouble(max(d_k, 1))) if scale is None else scale
    S = c * (Q[..., :, None, :] * K[..., None, :, :]).sum(axis=-1)
    S = np.broadcast_to(S, (*_lead(Q, K, V), *S.shape[-2:]))
    visible = np.broadcast_to(True if mask is None else mask, S.shape)
    weights = np.zeros(S.shape, dtype=np.longdouble)
    for row in np.ndindex(S.shape[:-1]):
        seen = [j for j in range(m) if visible[row][j]]
        if seen:
            s = S[row][seen]
            log_sum = s.max() + np.log(np.exp(s - s.max()).sum())
            weights[row][seen] = np.exp(s - log_sum)
    return weights, (weights[..., None] * V[..., None, :, :]).sum(axis=-2)


def _lead(*arrays):
    return np.broadcast_shapes(*(x.shape[:-2] for x in arrays))


def error_bound(Q, K, V, *, mask=None, scale=None):
    """Bound |attention − reference| entry by entry: C·ε·(1 + max|s|)·Σα|v|.

    Here |s| is read as the score of the absolute values, c·Σ|q||k|: cancellation
    inside a dot product costs digits that the small result does not show.

    C = d_k + m + 10, to first order in ε. With u = ε/2: a score errs by at most
    (d_k + 3)·u·|s|, the subtracted maximum adds 2u·|s|, exp a few u, and both enter a
    weight twice (numerator, denominator); the two sums over m add m·u each.
    """
    arrays = [np.asarray(x) for x in (Q, K, V)]
    kinds = [x.dtype if x.dtype.kind == "f" else np.float64 for x in arrays]
    dtype = np.result_type(*kinds)
    working = np.finfo(np.result_type(dtype, np.float32))
    Q, K, V = (np.abs(x.astype(np.longdouble)) for x in arrays)
    d_k, m = Q.shape[-1], K.shape[-2]
    c = 1 / np.sqrt(max(d_k, 1)) if scale is None else abs(scale)
    S = c * (Q[..., :, None, :] * K[..., None, :, :]).sum(axis=-1)
    weights, _ = reference(*arrays, mask=mask, scale=scale)
    spread = (weights[..., None] * V[..., None, :, :]).sum(axis=-2)  # Σα|v|
    bound = (d_k + m + 10) * working.eps * (1 + S.max(-1, initial=0)[..., None])
    # Weights below the smallest normal number have fewer digits, or none.
    vanished = 2 * working.tiny * (1 + V.sum(axis=-2, keepdims=True))
    rounding = 0 if dtype != np.float16 else 2.0**-11 * spread + 2.0**-24
    return bound * spread + vanished + rounding


def torch_attention(Q, K, V, *, mask=None, scale=None):
    """Compute attention with torch's fused function (floats of one dtype)."""
    import torch

    Q, K, V = (torch.from_numpy(np.ascontiguousarray(x)) for x in (Q, K, V))
    mask = None if mask is None else torch.from_numpy(np.ascontiguousarray(mask))
    out = torch.nn.functional.scaled_dot_product_attention(
        Q, K, V, attn_mask=mask, scale=scale
    )
    return out.numpy()
