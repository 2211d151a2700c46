"""What attention costs, in exact integers: FLOPs, exponentials, entries and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index

BYTES_PER_NUMBER = {"fp64": 8, "fp32": 4, "fp16": 2, "bf16": 2}

# Each dimension and the least value that makes sense for it.
_LEAST = dict(n=0, m=0, d_k=0, d_v=0, heads=1, batch=0, block=1, d_model=1)


@dataclass(frozen=True)
class Cost:
    """The bill of one attention layer; made by `attention_cost`.

    Every figure is a Python integer (`intensity` apart) for the whole layer: all
    ``heads`` and the whole ``batch``. A multiply-add is ``flops_per_mac`` FLOPs; any
    other operation (compare, add, subtract, multiply, divide, exp) is one.
    """

    n: int
    m: int
    d_k: int
    d_v: int
    heads: int
    batch: int
    flops_per_mac: int
    dtype: str
    d_model: int | None
    streaming: bool
    block: int

    @property
    def copies(self) -> int:
        """How often the single-head computation is done: ``heads * batch``."""
        return self.heads * self.batch

    @property
    def blocks(self) -> int:
        """Blocks of keys that each row visits: 1 when materialised (0 if no key)."""
        return -(-self.m // self.block) if self.streaming else min(self.m, 1)

    @property
    def scores(self) -> int:
        """FLOPs of ``Q Kᵀ``."""
        return self.flops_per_mac * self.copies * self.n * self.m * self.d_k

    @property
    def scale(self) -> int:
        """FLOPs of dividing the scores by √d_k: one an entry."""
        return self.copies * self.n * self.m

    @property
    def softmax(self) -> int:
        """FLOPs of the row-wise softmax: ``5 n m - 2 n`` a head when materialised."""
        if self.m == 0:
            return 0
        # max and sum take m - 1 each; subtract and exp take m each.
        divisions = self.d_v if self.streaming else self.m
        return self.copies * self.n * (4 * self.m - 2 + divisions)

    @property
    def rescaling(self) -> int:
        """FLOPs that streaming adds: ``n (d_v + 3)`` a head for each later block."""
        # one subtract and one exp give the factor; it multiplies the sum and the output
        later = max(self.blocks - 1, 0)
        return self.copies * self.n * later * (self.d_v + 3)

    @property
    def output(self) -> int:
        """FLOPs of ``A V``."""
        return self.flops_per_mac * self.copies * self.n * self.m * self.d_v

    @property
    def matmuls(self) -> int:
        """FLOPs of the two products ``Q Kᵀ`` and ``A V``."""
        return self.scores + self.output

    @property
    def core(self) -> int:
        """FLOPs of attention itself, without the projections."""
        return self.matmuls + self.scale + self.softmax + self.rescaling

    @property
    def projections(self) -> int:
        """FLOPs of the four projections (no bias); 0 when ``d_model`` is None."""
        if self.d_model is None:
            return 0
        queries_and_output = self.n * (self.d_k + self.d_v)
        keys_and_values = self.m * (self.d_k + self.d_v)
        macs = self.copies * self.d_model * (queries_and_output + keys_and_values)
        return self.flops_per_mac * macs

    @property
    def flops(self) -> int:
        """All FLOPs: ``core`` and ``projections``."""
        return self.core + self.projections

    @property
    def exponentials(self) -> int:
        """Calls of exp: one an entry, and one a row for each later block."""
        return self.copies * self.n * (self.m + max(self.blocks - 1, 0))

    @property
    def score_entries(self) -> int:
        """Scores held at once: all heads, or one head's block when streaming."""
        if self.streaming:
            return self.n * min(self.block, self.m) * min(self.copies, 1)
        return self.copies * self.n * self.m

    @property
    def score_bytes(self) -> int:
        """Bytes of the scores held at once."""
        return self.score_entries * BYTES_PER_NUMBER[self.dtype]

    @property
    def tensor_bytes(self) -> int:
        """Bytes of Q, K, V and the output together."""
        numbers = (self.n + self.m) * (self.d_k + self.d_v)
        return self.copies * numbers * BYTES_PER_NUMBER[self.dtype]

    @property
    def bytes_moved(self) -> int:
        """Bytes to and from main memory, by the convention of `attention_cost`."""
        return self.tensor_bytes + (0 if self.streaming else 4 * self.score_bytes)

    @property
    def intensity(self) -> float:
        """``core / bytes_moved``: FLOPs per byte (0 when nothing moves)."""
        return self.core / self.bytes_moved if self.bytes_moved else 0.0


def attention_cost(
    n: int,
    m: int,
    d_k: int,
    d_v: int,
    *,
    heads: int = 1,
    batch: int = 1,
    flops_per_mac: int = 2,
    dtype: str = "fp32",
    d_model: int | None = None,
    streaming: bool = False,
    block: int = 512,
) -> Cost:
    """Count what one attention layer computes, holds and moves.

    Parameters
    ----------
    n, m : int
        Number of queries and of keys; both are T in self-attention.
    d_k, d_v : int
        Width of one head's queries and keys, and of its values.
    heads, batch : int, default 1
        How many times over the head is computed.
    flops_per_mac : {2, 1}
        FLOPs charged for a multiply-add. With 1 a matrix product is counted in MACs.
    dtype : {"fp32", "fp64", "fp16", "bf16"}
        How numbers are stored.
    d_model : int, optional
        Width of the layer's input. When given, the projections W_Q, W_K, W_V and W_O
        are counted too.
    streaming : bool, default False
        Count the online softmax over blocks of keys instead of the written formula.
    block : int, default 512
        Keys in a block; used when streaming.

    Returns
    -------
    Cost
        FLOPs (``scores``, ``scale``, ``softmax``, ``rescaling``, ``output``,
        ``projections``; sums ``matmuls``, ``core``, ``flops``), ``exponentials``,
        ``score_entries``, bytes (``score_bytes``, ``tensor_bytes``, ``bytes_moved``)
        and ``intensity`` in FLOPs per byte.

    Raises
    ------
    TypeError
        If a dimension is not an integer.
    ValueError
        If a dimension is too small, or ``dtype`` or ``flops_per_mac`` is unknown.

    Notes
    -----
    One head, materialised, at two FLOPs a multiply-add::

        2 n m (d_k + d_v)  +  n m  +  5 n m - 2 n
        two products          scale   max, subtract, exp, sum, divide

    A product of length d is charged d multiply-adds, the usual convention. The
    projections cost ``n d_model h d_k`` multiply-adds for the queries, as many for the
    output with d_v, and the same with m for keys and values; with ``n = m = T`` and
    ``h d_k = h d_v = d_model = d`` that is ``8 T d²`` FLOPs, more than the ``4 T² d``
    of the two products while ``T < 2 d``.

    Streaming divides n d_v outputs at the end instead of n m weights [milakov2018]_.

    Bytes moved, materialised: Q and K are read and S written; S is read and A written;
    A and V are read and the output written. Streaming: Q, K, V are read once and the
    output is written once, as if a block stayed in the cache. Both are lower bounds,
    and neither counts the projections, which `intensity` leaves out as well.

    References
    ----------
    [milakov2018]_

    Examples
    --------
    >>> cost = attention_cost(4096, 4096, 128, 128, heads=32, dtype="fp16")
    >>> cost.matmuls, cost.exponentials, cost.score_bytes // 2**20
    (274877906944, 536870912, 1024)
    """
    sizes = dict(n=n, m=m, d_k=d_k, d_v=d_v, heads=heads, batch=batch, block=block)
    sizes = {name: _size(name, value) for name, value in sizes.items()}
    if d_model is not None:
        d_model = _size("d_model", d_model)
    if dtype not in BYTES_PER_NUMBER:
        known = ", ".join(BYTES_PER_NUMBER)
        raise ValueError(f"dtype is {dtype!r}; choose one of {known}")
    if isinstance(flops_per_mac, bool) or flops_per_mac not in (1, 2):
        raise ValueError(
            f"flops_per_mac is {flops_per_mac!r}; a multiply-add counts as 1 or 2"
        )
    return Cost(
        flops_per_mac=int(flops_per_mac),
        dtype=dtype,
        d_model=d_model,
        streaming=bool(streaming),
        **sizes,
    )


def _size(name: str, value: int) -> int:
    """Return a dimension as a Python int, or say what is wrong with it."""
    try:
        size = index(value)
    except TypeError:
        size = None
    if size is None or isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}; give it as an integer")
    if size < _LEAST[name]:
        raise ValueError(f"{name} is {size}; it must be at least {_LEAST[name]}")
    return size
