"""Writes sympy_cases.txt: expressions as torch.export spells them, and their values by sympy.

Run with a Python that has torch. One case a line: srepr, str, s0, s1, u0, value; tabs between.
"""

import pathlib
import random

import sympy
from torch.utils._sympy.functions import (
    CeilDiv, CeilToInt, CleanDiv, FloorDiv, FloorToInt, Identity, IntTrueDiv, LShift, Max, Min, Mod,
    ModularIndexing, PowByNatural, PythonMod, RShift, ToFloat, TruncToInt, Where,
)

S0 = sympy.Symbol("s0", positive=True, integer=True)
S1 = sympy.Symbol("s1", positive=True, integer=True)
U0 = sympy.Symbol("u0", integer=True)


def number(rng, depth):
    """A random integer expression that is positive when u0 is."""
    if depth == 0:
        return rng.choice([S0, S1, U0, sympy.Integer(rng.randint(1, 9))])
    a, b = number(rng, depth - 1), number(rng, depth - 1)
    c = sympy.Integer(rng.randint(1, 9))
    return rng.choice([
        lambda: a + b, lambda: a * b, lambda: a + c, lambda: c * a, lambda: a**2,
        lambda: FloorDiv(a, b), lambda: FloorDiv(a, c), lambda: Mod(a, c + 1),
        lambda: PythonMod(a, c + 1), lambda: CeilDiv(a, c), lambda: ModularIndexing(a, c, 7),
        lambda: Max(a, b), lambda: Min(a, b), lambda: Where(condition(rng, a, b), a, b),
        lambda: sympy.Piecewise((a, condition(rng, a, b)), (b, True)),
        lambda: LShift(a, 2), lambda: RShift(a, 1), lambda: Identity(a),
        lambda: PowByNatural(a, sympy.Integer(2)), lambda: FloorToInt(IntTrueDiv(a, c)),
        lambda: CeilToInt(IntTrueDiv(a, c)), lambda: TruncToInt(IntTrueDiv(a, c)),
        lambda: FloorToInt(ToFloat(a) * rng.choice([0.5, 1.5, 2.0, 0.25])),
        lambda: CeilToInt(ToFloat(a) * 0.5 + 1.25), lambda: sympy.floor(a / c),
        lambda: sympy.ceiling(a / c), lambda: CleanDiv(c * a, c), lambda: sympy.Abs(a - b),
    ])()


def condition(rng, a, b):
    return rng.choice([
        lambda: a < b, lambda: a <= b, lambda: a > b, lambda: a >= b, lambda: sympy.Eq(a, b),
        lambda: sympy.Ne(a, b), lambda: sympy.And(a > 3, b < 9), lambda: sympy.Or(a > 9, b < 5),
        lambda: sympy.Not(sympy.And(a > 3, b < 9)),
    ])()


def main():
    rng = random.Random(7)
    lines = {}
    while len(lines) < 200:
        values = {S0: rng.randint(1, 20), S1: rng.randint(1, 20), U0: rng.randint(1, 20)}
        try:
            expr = number(rng, rng.choice([1, 2, 2, 3]))
            # Substituting one by one re-evaluates torch's functions on plain numbers.
            result = expr.subs(values).doit()
            value = int(result)
        except (TypeError, ZeroDivisionError, ValueError, AssertionError, RecursionError):
            continue
        if sympy.srepr(expr) in lines or abs(value) > 2**40 or expr.is_number:
            continue
        fields = [sympy.srepr(expr), str(expr), *map(str, values.values()), str(value)]
        lines[sympy.srepr(expr)] = "\t".join(fields)
    path = pathlib.Path(__file__).with_name("sympy_cases.txt")
    path.write_text("\n".join(lines.values()) + "\n")


main()
