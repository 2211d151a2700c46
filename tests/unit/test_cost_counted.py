"""The cost model against instrumented loops and torch's counter."""

from math import exp, inf

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.flop_counter import FlopCounterMode

from sdpa.cost import attention_cost


class Counter:
    """Attention in plain loops, counting every operation on a number."""

    def __init__(self, n, m, d_k, d_v):
        rng = np.random.default_rng(0)
        self.Q, self.K = rng.normal(size=(n, d_k)), rng.normal(size=(m, d_k))
        self.V = rng.normal(size=(m, d_v))
        self.macs = self.operations = self.exponentials = 0
        self.output = np.zeros((n, d_v))

    def dot(self, x, y, total=0.0):
        for a, b in zip(x, y, strict=True):
            total += a * b
            self.macs += 1
        return total

    def op(self, value, times=1):
        self.operations += times
        return value

    def exp(self, x):
        self.exponentials += 1
        return self.op(exp(x))

    def reduce(self, function, values):
        result = values[0]
        for x in values[1:]:
            result = self.op(function(result, x))
        return result

    def materialised(self):
        d_k = self.Q.shape[1]
        for i, q in enumerate(self.Q):
            row = [self.op(self.dot(q, k) / d_k**0.5) for k in self.K]
            top = self.reduce(max, row)
            row = [self.exp(self.op(s - top)) for s in row]
            total = self.reduce(lambda a, b: a + b, row)
            row = [self.op(e / total) for e in row]
            self.output[i] = [self.dot(row, v) for v in self.V.T]
        return self

    def streaming(self, block):
        d_k, m = self.Q.shape[1], len(self.K)
        for i, q in enumerate(self.Q):
            top, total = -inf, 0.0
            for start in range(0, m, block):
                keys = self.K[start : start + block]
                row = [self.op(self.dot(q, k) / d_k**0.5) for k in keys]
                block_top = self.reduce(max, row)
                if start == 0:
                    top = block_top
                else:
                    new = self.op(max(top, block_top))
                    factor = self.exp(self.op(top - new))
                    total = self.op(total * factor)
                    self.output[i] *= factor
                    self.op(None, len(self.output[i]))
                    top = new
                row = [self.exp(self.op(s - top)) for s in row]
                block_total = self.reduce(lambda a, b: a + b, row)
                total = self.op(total + block_total) if start else block_total
                values = self.V[start : start + block].T
                pairs = zip(values, self.output[i], strict=True)
                self.output[i] = [self.dot(row, v, o) for v, o in pairs]
            self.output[i] /= total
            self.op(None, len(self.output[i]))
        return self


@pytest.mark.parametrize("n, m, d_k, d_v", [(3, 5, 4, 2), (1, 1, 1, 1), (4, 2, 7, 3)])
def test_counted_loop(n, m, d_k, d_v):
    counted = Counter(n, m, d_k, d_v).materialised()
    cost = attention_cost(n, m, d_k, d_v)
    assert cost.core == 2 * counted.macs + counted.operations
    assert cost.exponentials == counted.exponentials == n * m
    macs = attention_cost(n, m, d_k, d_v, flops_per_mac=1)
    assert macs.core == counted.macs + counted.operations
    assert macs.matmuls == counted.macs


@pytest.mark.parametrize("m, block", [(7, 3), (6, 3), (3, 5), (1, 1), (5, 1)])
def test_counted_streaming_loop(m, block):
    n, d_k, d_v = 3, 4, 2
    counted = Counter(n, m, d_k, d_v).streaming(block)
    cost = attention_cost(n, m, d_k, d_v, streaming=True, block=block)
    assert cost.core == 2 * counted.macs + counted.operations
    assert cost.exponentials == counted.exponentials
    written = Counter(n, m, d_k, d_v).materialised()
    np.testing.assert_allclose(counted.output, written.output, rtol=1e-12)


@pytest.mark.parametrize("n, m, d_k, d_v", [(7, 11, 5, 3), (32, 48, 16, 16)])
@pytest.mark.parametrize("copies", [1, 6])
def test_matmuls_agree_with_torch(n, m, d_k, d_v, copies):
    shapes = (copies, n, d_k), (copies, m, d_k), (copies, m, d_v)
    Q, K, V = (torch.ones(shape) for shape in shapes)
    with FlopCounterMode(display=False) as eager:
        torch.softmax(Q @ K.transpose(1, 2), -1) @ V
    with FlopCounterMode(display=False) as fused:
        scaled_dot_product_attention(Q, K, V)
    matmuls = attention_cost(n, m, d_k, d_v, heads=copies).matmuls
    assert matmuls == eager.get_total_flops() > 0
    # Torch decides which kernel it takes, and the counter does not know all of them:
    # in version 2.14 it sees nothing of the fused one for equal widths.
    assert fused.get_total_flops() in (matmuls, 0)


def test_batch_and_heads_agree_with_torch():
    """In four dimensions; there the counter sees the eager products only."""
    batch, heads, n, m, d_k, d_v = 2, 3, 7, 11, 5, 4
    shapes = (n, d_k), (m, d_k), (m, d_v)
    Q, K, V = (torch.ones(batch, heads, *shape) for shape in shapes)
    with FlopCounterMode(display=False) as eager:
        torch.softmax(Q @ K.transpose(-1, -2), -1) @ V
    cost = attention_cost(n, m, d_k, d_v, heads=heads, batch=batch)
    assert cost.matmuls == eager.get_total_flops() > 0


def test_projections_agree_with_torch():
    n, m, d_k, d_v, heads, batch, d_model = 7, 11, 5, 3, 2, 4, 13
    x, y = torch.ones(batch, n, d_model), torch.ones(batch, m, d_model)
    W_q, W_k = torch.ones(2, d_model, heads * d_k)
    W_v, W_o = torch.ones(d_model, heads * d_v), torch.ones(heads * d_v, d_model)
    with FlopCounterMode(display=False) as counter:
        x @ W_q, y @ W_k, y @ W_v, torch.ones(batch, n, heads * d_v) @ W_o
    cost = attention_cost(n, m, d_k, d_v, heads=heads, batch=batch, d_model=d_model)
    assert cost.projections == counter.get_total_flops() > 0
    assert cost.flops == cost.core + cost.projections
