"""The softmax, its Jacobian, and how many keys its weights really use."""

from __future__ import annotations

import numpy as np

from ._arrays import as_float_arrays, check_not_scalar, quiet


def softmax(x, axis=-1):
    r"""Turn scores into positive weights that sum to 1 along one axis.

    Parameters
    ----------
    x : array_like, shape (..., m)
        Scores (no unit). Never modified.
    axis : int, default -1
        The axis that is normalised; for attention the last one, the keys.

    Returns
    -------
    ndarray, shape of `x`
        Weights in [0, 1]. Integers and booleans give float64; float16 is computed
        in float32 and returned as float16.

    Raises
    ------
    TypeError
        If `x` is not made of real numbers.
    ValueError
        If `x` is a single number or has no such axis.

    Notes
    -----
    .. math:: \alpha_i = \frac{e^{x_i - c}}{\sum_j e^{x_j - c}}, \qquad
              c = \max_j x_j

    The constant c cancels. It is there because the largest exponential then is
    :math:`e^0 = 1`: nothing overflows, however large the scores are.

    * −inf has weight 0: this is how a masked score is written.
    * A slice that is empty, or −inf throughout, has weights 0: nothing to choose.
    * +inf or NaN makes its whole slice NaN, and no other.

    References
    ----------
    [vaswani2017]_

    Examples
    --------
    >>> softmax([0.0, 0.0, -np.inf])
    array([0.5, 0.5, 0. ])
    >>> softmax([[1000, 1000], [1000, 0]])
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    (x,), dtype = as_float_arrays(x=x)
    check_not_scalar("x", x)
    return softmax_in_place(x.copy(), axis).astype(dtype, copy=False)


def softmax_in_place(x, axis=-1):
    """Overwrite an array of floats with its softmax, and return it (private)."""
    c = x.max(axis, keepdims=True, initial=-np.inf)
    # Where nothing is visible c is -inf, and -inf - (-inf) would be NaN.
    c[c == -np.inf] = 0
    with quiet():
        x -= c
        np.exp(x, out=x)
    total = x.sum(axis, keepdims=True)
    total[total == 0] = 1  # only where nothing is visible: 0 / 1 = 0
    x /= total
    return x


def softmax_jacobian(alpha):
    r"""Return the derivatives of all weights by all scores.

    Parameters
    ----------
    alpha : array_like, shape (..., m)
        Weights, as `softmax` returns them along the last axis.

    Returns
    -------
    ndarray, shape (..., m, m)
        Entry (i, j) is ∂α_i/∂s_j. Symmetric; every row sums to 0. float16 gives
        float32.

    Raises
    ------
    TypeError
        If `alpha` is not made of real numbers.
    ValueError
        If `alpha` is a single number.

    Notes
    -----
    .. math:: J = \operatorname{diag}(\alpha) - \alpha\alpha^\top

    Its trace is :math:`1 - \sum_i \alpha_i^2`, and its largest singular value is
    at most ½. It vanishes as one weight approaches 1: for the winner as well, whose
    own entry is :math:`\alpha_w (1 - \alpha_w)`.

    References
    ----------
    [vaswani2017]_

    Examples
    --------
    >>> softmax_jacobian([0.5, 0.5])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    >>> softmax_jacobian([1, 0])
    array([[0., 0.],
           [0., 0.]])
    """
    (alpha,), _ = as_float_arrays(alpha=alpha)
    check_not_scalar("alpha", alpha)
    diagonal = alpha[..., :, None] * np.eye(alpha.shape[-1], dtype=alpha.dtype)
    return diagonal - alpha[..., :, None] * alpha[..., None, :]


def entropy(alpha, axis=-1):
    r"""Measure how evenly the weights are spread, in nats.

    Parameters
    ----------
    alpha : array_like, shape (..., m)
        Weights: non-negative, summing to 1 along `axis` (the sum is not checked).
    axis : int, default -1
        The axis of the keys.

    Returns
    -------
    ndarray or scalar, shape of `alpha` without `axis`
        From 0 (one key takes all) to log m (all equal), in nats. float16 gives
        float32.

    Raises
    ------
    TypeError
        If `alpha` is not made of real numbers.
    ValueError
        If `alpha` has a negative entry or is a single number.

    Notes
    -----
    .. math:: H = -\sum_i \alpha_i \log \alpha_i, \qquad 0 \log 0 = 0

    References
    ----------
    [vaswani2017]_

    Examples
    --------
    >>> round(float(entropy([0.25, 0.25, 0.25, 0.25])), 6)  # log 4
    1.386294
    >>> float(entropy([0, 1, 0]))
    0.0
    """
    (alpha,), _ = as_float_arrays(alpha=alpha)
    check_not_scalar("alpha", alpha)
    if (alpha < 0).any():
        raise ValueError(
            f"alpha has the negative entry {alpha.min()}, expected weights; "
            "for scores write entropy(softmax(scores))"
        )
    # log 1 = 0 stands in for log 0, so that 0 · log 0 comes out as 0.
    logs = np.log(np.where(alpha > 0, alpha, 1))
    # Rounding can leave a weight just above 1 and H just below 0.
    return np.maximum(0.0 - (alpha * logs).sum(axis), 0.0)


def effective_keys(alpha, axis=-1):
    r"""Count the keys that the weights really use: exp of the entropy.

    Parameters
    ----------
    alpha : array_like, shape (..., m)
        Weights: non-negative, summing to 1 along `axis` (the sum is not checked).
    axis : int, default -1
        The axis of the keys.

    Returns
    -------
    ndarray or scalar, shape of `alpha` without `axis`
        A number of keys, from 1 (one-hot) to m (all equal); 0 where every weight
        is 0, as in a fully masked row.

    Raises
    ------
    TypeError, ValueError
        As `entropy`.

    Notes
    -----
    .. math:: m_\text{eff} = e^H

    k equal weights, and zeros elsewhere, count as exactly k keys.

    References
    ----------
    [vaswani2017]_

    Examples
    --------
    >>> round(float(effective_keys([0.5, 0.5, 0, 0])), 6)
    2.0
    >>> float(effective_keys([0, 1, 0]))
    1.0
    """
    count = np.exp(entropy(alpha, axis))
    return np.where(np.any(alpha, axis), count, 0.0)[()]
