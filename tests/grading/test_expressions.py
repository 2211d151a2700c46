"""Formulas: the grammar against Python and sympy, and what is refused."""

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from sdpa.selftest.characters import plain
from sdpa.selftest.expressions import evaluate
from sdpa.selftest.messages import Refused
from tests.strategies import fixed

POINTS = {"sigma": np.array([0.5, 1.5, 2.0]), "d_k": np.array([2.0, 3.0, 64.0])}


@pytest.mark.parametrize(
    "text",
    [
        "d_k*sigma**4",
        "d_k * sigma^4",
        "dk·σ⁴",
        "σ²×σ²·d_k",
        "√d_k·√d_k * σ⁴",
        "sqrt(d_k)**2 * (σ²)²",
        "σ**2**2*d_k",
        "d_k/σ^-4",
        "𝜎⁴*d_k",
        "+d_k*-(-sigma**4)",
        "exp(log(d_k)) * abs(-σ)⁴",
        " d_k\u00a0*\tsigma**4.0 ",
        "1e0*d_k*.5*2.*sigma**4",
    ],
)
def test_many_ways_to_write_one_formula(text):
    expected = POINTS["d_k"] * POINTS["sigma"] ** 4
    np.testing.assert_allclose(evaluate(text, POINTS), expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("text", "value"),
    [("-2**2", -4), ("2**-1", 0.5), ("2**3**2", 512), ("8/4/2", 1), ("1-2-3", -4),
     ("√4²", 4), ("√√16", 2), ("2¹⁰", 1024), ("--3", 3), ("2*-3", -6)],
)  # fmt: skip
def test_ranks_of_signs(text, value):
    assert (evaluate(text, POINTS) == value).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a number or a name is missing before the end"),
        ("2*", "missing before the end"),
        ("*2", "missing before *"),
        ("(2", "')' is missing"),
        ("2)", "')' is one too many"),
        ("()", "missing before )"),
        ("2d_k", "write a sign between '2' and 'd_k', as in 2*d_k"),
        ("d_k sigma", "write a sign between 'd_k' and 'sigma'"),
        ("d_kσ", "write a sign between 'd_k' and 'sigma'"),
        ("sigma(d_k)", "write a sign between 'sigma' and '('"),
        ("(d_k)(sigma)", "write a sign between ')' and '('"),
        ("2√d_k", "write a sign between '2' and '√'"),
        ("sqrt d_k", "write sqrt(...) with brackets"),
        ("x", "'x' is not a name here, expected sigma, d_k"),
        ("D_K", "'D_K' is not a name here"),
        ("__import__('os')", "is not understood"),
        ("().__class__", "'.__class__' is not understood"),
        ("d_k.real", "'.real' is not understood"),
        ("open(1)", "'open' is not a name here"),
        ("2**sigma", "an exponent has to be a number"),
        ("d_k**17", "an exponent is larger than 16"),
        ("d_k**-17", "an exponent is larger than 16"),
        ("d_k¹⁷", "an exponent is larger than 16"),
        ("σ⁴⁰*d_k", "an exponent is larger than 16"),
        ("9**9**9", "larger than 16"),
        ("1e16", "1e16 is larger than 1e+15"),
        ("1e999", "larger than 1e+15"),
        ("1/0", "infinite or undefined"),
        ("0/0", "infinite or undefined"),
        ("log(-d_k)", "infinite or undefined"),
        ("exp(1000)", "infinite or undefined"),
        ("0,5*d_k", "write a decimal point, as in 0.5"),
        ("２*d_k", "write the digits 0 to 9"),
        ("d_k; 1", "(semicolon) is not understood"),
        ("d_k # 1", "(number sign) is not understood"),
        ("lambda: 1", "(colon) is not understood"),
        ("[1]", "(left square bracket) is not understood"),
        ("'d_k'", "(apostrophe) is not understood"),
        ("d_k\n", "is not understood"),
        ("∑d_k", "(n-ary summation) is not understood"),
        ("d_k*sigma" + " " * 200, "characters, expected 200 at most"),
        ("(" * 99 + "1" + ")" * 99, "nested too deeply"),
        ("-" * 150 + "1", "nested too deeply"),
        ("√" * 150 + "1", "nested too deeply"),
        ("1if 1else 2", "write a sign between '1' and 'if'"),
        ("0x10", "write a sign between '0' and 'x10'"),
        ("1_000", "write a sign between '1' and '_000'"),
        ("2j", "write a sign between '2' and 'j'"),
        ("2//1", "missing before /"),
        ("2***2", "missing before *"),
        ("abs(1, 2)", "write a decimal point"),
    ],
)
def test_refused_with_a_message(text, message):
    with pytest.raises(Refused) as error:
        evaluate(text, POINTS)
    assert message in str(error.value)


GRAMMAR = st.recursive(
    st.sampled_from(["sigma", "d_k", "2", "0.5", "3"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(" ".join),
        inner.map(lambda x: f"-({x})"),
        inner.map(lambda x: f"sqrt(abs({x}))"),
        st.tuples(inner, st.sampled_from(["2", "-1", "0.5"])).map(
            lambda t: f"({t[0]})**{t[1]}"
        ),
    ),
    max_leaves=6,
)


@fixed
@given(GRAMMAR)
def test_sympy_computes_the_same(text):
    """The text is ours here: sympy's parser must never see what a student wrote."""
    names = {name: sympy.Symbol(name) for name in POINTS}
    try:
        value = evaluate(text, POINTS)
    except Refused:
        return
    at = {name: POINTS[name][1] for name in POINTS}
    expected = complex(sympy.sympify(text, locals=names).evalf(20, subs=at))
    assert abs(value[1] - expected) <= 1e-9 * max(1.0, abs(expected))


@fixed
@given(st.text(max_size=250) | st.text("()+-*/^.√σ²d_k0123456789esqrt ", max_size=250))
def test_any_text_is_computed_or_refused(text):
    try:
        value = evaluate(text, POINTS)
    except Refused as error:
        assert str(error).isprintable()
    else:
        assert value.shape == (3,) and np.isfinite(value).all()


def test_plain_is_ascii_and_roots():
    assert set(plain("σ²√·")) <= set(" sigma**2√*")
