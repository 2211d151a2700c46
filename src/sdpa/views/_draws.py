"""Numbers drawn from a seed, the same in Python and in JavaScript.

Each number depends on a seed and an index and on nothing else, so that a matrix may
grow without its first entries changing. `shared_maths.js` holds the same few lines.
"""

import numpy as np

GOLDEN = 0x9E3779B9  # 2³² over the golden ratio: spreads neighbouring indices


def _mix(x):
    """Let every bit of 32 change half of the others: MurmurHash3's last step."""
    x = (x ^ (x >> 16)) * np.uint32(0x85EBCA6B)
    x = (x ^ (x >> 13)) * np.uint32(0xC2B2AE35)
    return x ^ (x >> 16)


def hashes(seed, index):
    """Give 32 bits for a seed and each index.

    Parameters
    ----------
    seed : int
        From 0 to 2³² - 2.
    index : array_like of int, shape (..., k)
        From 0 to 2³² - 1.

    Returns
    -------
    ndarray, shape (..., k), uint32

    Examples
    --------
    >>> hashes(1, [0, 1, 2])
    array([...], dtype=uint32)
    """
    spread = np.asarray(index, np.uint32) * np.uint32(GOLDEN)
    return _mix(spread ^ _mix(np.full(1, seed + 1, np.uint32)))


def gaussians(seed, count):
    """Draw standard Gaussians, two from each two hashes, as Box and Muller did.

    Parameters
    ----------
    seed : int
        From 0 to 2³² - 2.
    count : int
        How many; an even number.

    Returns
    -------
    ndarray, shape (count,), float64
        JavaScript's may differ in the last bit or two: its logarithm and cosine do.

    Examples
    --------
    >>> z = gaussians(1, 1000)
    >>> bool(abs(z.mean()) < 0.1 and abs(z.std() - 1) < 0.1)
    True
    """
    u = (hashes(seed, np.arange(count)).reshape(-1, 2) + 0.5) / 2**32
    length, angle = np.sqrt(-2 * np.log(u[:, 0])), 2 * np.pi * u[:, 1]
    return np.stack((length * np.cos(angle), length * np.sin(angle)), axis=1).ravel()
