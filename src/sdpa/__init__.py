"""Scaled dot-product attention, from the formula up.

The symbols are the book's: queries Q `(..., n, d_k)`, keys K `(..., m, d_k)`, values
V `(..., m, d_v)`, scores S and weights A `(..., n, m)`.
"""

from .attention import attention, attention_weights, soft_lookup
from .cost import Cost, attention_cost
from .gradients import Gradients, attention_vjp
from .jacobian import (
    jacobian_bound,
    jacobian_frobenius,
    jacobian_spectral,
    jacobian_trace,
    slopes,
)
from .laws import dot_product_kurtosis, kurtosis
from .moments import (
    Moments,
    covariance_moments,
    dot_product_moments,
    equal_coordinates_moments,
    self_product_moments,
    variance_interval,
)
from .random_energy import (
    critical_std,
    critical_width,
    rem_effective_keys,
    rem_entropy,
    scaled_limits,
)
from .saturation import (
    Saturation,
    Sweep,
    gaussian_scores,
    saturation,
    saturation_sweep,
)
from .similarity import additive, bilinear, cosine, dot_product
from .simulation import Simulation, simulate_dot_products
from .softmax import effective_keys, entropy, softmax, softmax_jacobian
from .streaming import attention_streaming
from .trace import Trace, trace

__version__ = "0.1.0"

__all__ = [
    "Cost",
    "Gradients",
    "Moments",
    "Saturation",
    "Simulation",
    "Sweep",
    "Trace",
    "additive",
    "attention",
    "attention_cost",
    "attention_streaming",
    "attention_vjp",
    "attention_weights",
    "bilinear",
    "cosine",
    "covariance_moments",
    "critical_std",
    "critical_width",
    "dot_product",
    "dot_product_kurtosis",
    "dot_product_moments",
    "effective_keys",
    "entropy",
    "equal_coordinates_moments",
    "gaussian_scores",
    "jacobian_bound",
    "jacobian_frobenius",
    "jacobian_spectral",
    "jacobian_trace",
    "kurtosis",
    "rem_effective_keys",
    "rem_entropy",
    "saturation",
    "saturation_sweep",
    "scaled_limits",
    "self_product_moments",
    "simulate_dot_products",
    "slopes",
    "soft_lookup",
    "softmax",
    "softmax_jacobian",
    "trace",
    "variance_interval",
]
