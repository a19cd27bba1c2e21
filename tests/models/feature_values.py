"""Features of training IR: aliased results, shared and offset storage, special values, types, argument structures."""

import torch
from torch import nn

from feature_registry import feature, stateless
from random_inputs import integers, normal
from recording import Call


# Aliased results, shared and offset storage, special values.


class Aliases(nn.Module):
    """Outputs that are an input, a view of it, a weight, a view of a buffer, and one result several times."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(3))
        self.register_buffer("b", torch.randn(2, 3))

    def forward(self, x, y):
        z = x + self.w
        return x, x[:, 1:], z, z, z.t(), self.w, self.b[0], y, z.view(-1).view(2, 3)


@feature
def aliased_outputs():
    return Aliases(), [Call((normal(2, 3), normal(2, seed=2)))], None


class Tied(nn.Module):
    """Input embedding and output layer share their weight, and two buffers are one."""

    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(12, 6)
        self.head = nn.Linear(6, 12, bias=False)
        self.head.weight = self.emb.weight
        self.register_buffer("scale", torch.randn(6))
        self.scale_again = self.scale

    def forward(self, ids):
        return self.head(self.emb(ids) * self.scale + self.scale_again)


@feature
def tied_weights():
    return Tied(), [Call((integers(0, 12, 2, 5),))], None


class TiedState(nn.Module):
    """Two names of one mutated buffer; training IR only."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(3))
        self.register_buffer("b", self.a)

    def forward(self, x):
        self.a.add_(x)
        return self.b * 2


@feature
def tied_state():
    return TiedState(), [Call((normal(3, seed=s),)) for s in (1, 2)], None


class Offsets(nn.Module):
    """Weights and constants that are strided windows into larger storages, empty tensors and 0-d tensors."""

    def __init__(self):
        super().__init__()
        base = torch.randn(40)
        self.register_buffer("window", base[3:8])
        self.register_buffer("columns", base[10:30].view(4, 5).t())
        self.register_buffer("steps", base[::9])
        self.register_buffer("wide", torch.randn(5, 1).expand(5, 4))
        self.register_buffer("empty", torch.zeros(0, 5))
        self.register_buffer("point", torch.tensor(2.5))
        self.w = nn.Parameter(torch.randn(4, 6).t()[1:])
        self.ranks = torch.arange(12)[4:9]
        self.pattern = torch.tensor([[1.0, -2.0], [0.5, 4.0]])[:, 1]

    def forward(self, x):
        y = (x + self.window) @ self.columns * self.point
        z = torch.cat([x, self.empty]) @ self.wide + self.steps[:4]
        return y + z @ self.w[:4], self.w * 1, self.ranks + 1, self.pattern.sum() + torch.tensor([1, 2, 3]).sum()


@feature
def offset_weights():
    return Offsets(), [Call((normal(3, 5),))], None


class Special(nn.Module):
    """Infinity and NaN as constants, arguments and weights."""

    def __init__(self):
        super().__init__()
        self.register_buffer("limits", torch.tensor([float("inf"), -float("inf"), float("nan"), 1.0]))

    def forward(self, x, mask):
        inf = float("inf")
        a = x.masked_fill(mask, -inf)
        b = torch.where(mask, x, float("nan"))
        c = torch.full((4,), inf) - self.limits
        d = x.clamp(-inf, 0.5)
        return a, a.softmax(-1), b, c, d, torch.isnan(b), torch.isinf(a), x.isfinite(), torch.maximum(x, self.limits)


@feature
def special_values():
    mask = torch.tensor([[True, False, True, False], [False, True, False, False], [False, False, False, True]])
    return Special(), [Call((normal(3, 4), mask))], None


# Types.


@feature
def small_integers():
    """Arithmetic of the small integer types: wrapping, floor division, remainder, shifts, reductions, casts."""
    def function(a, b, c, d):
        wide = a.to(torch.int16) * 100
        return (a + a, a * 3, a // 2, a % 5, -a, a.abs(), wide, wide.sum(), b << 3, b >> 1, b & 12, b | 3, b ^ c.to(torch.int32),
                ~b, d + 250, d - 5, d // 7, d.to(torch.int8), a.max(), c.min(0)[0], a.float().mean(), c.sum(1),
                a > 0, b == 4, torch.clamp(c, -100, 100), a.to(torch.float32) / 3, a / 2, b.prod(), c.cumsum(0),
                torch.bitwise_left_shift(c, 2), torch.div(b, -3, rounding_mode="trunc"), torch.fmod(b, 3))
    return stateless(function, integers(-100, 100, 3, 4).to(torch.int8), integers(-20, 20, 6).to(torch.int32),
                     integers(-3000, 3000, 2, 3).to(torch.int16)[:, :1].expand(2, 6).contiguous(),
                     integers(0, 256, 5).to(torch.uint8))


@feature
def bool_logic():
    """Boolean tensors: logic, comparison, reductions, arithmetic, selection."""
    def function(a, b, x):
        return (a & b, a | b, a ^ b, ~a, a.logical_and(x), a.any(), b.all(1), a.sum(), a.to(torch.float32) * x,
                torch.where(a, x, -x), a == b, a.to(torch.int8) + 1, x.bool(), a.any(0, keepdim=True),
                a.to(torch.int64).argmax(1), a * x, a.cumsum(1), x[0] > 0)
    return stateless(function, normal(3, 4) > 0, normal(3, 4, seed=2) > 0.5, normal(3, 4, seed=3))


@feature
def mixed_types():
    """Type promotion between floats, integers, booleans and Python numbers."""
    def function(h, b, f, d, i, s):
        return (h + f, b * f, h + 1.5, b + i, f + d, i + 0.5, i * True, s + f, h * s, f.to(torch.float16) + h,
                d.to(torch.bfloat16) + b, (i > 1) + f, torch.cat([h, f]), torch.where(i > 1, h, f),
                i.to(torch.uint8), f.double().to(torch.int32), h.float().sum(dtype=torch.float64), i / 4, i.sum() / 2)
    return stateless(function, normal(4).half(), normal(4, seed=2).bfloat16(), normal(4, seed=3),
                     normal(4, seed=4).double(), integers(0, 5, 4), torch.tensor(2, dtype=torch.int32))


@feature
def zero_sizes():
    """0-d and empty tensors through pointwise operators, reductions, matmul and concatenation."""
    def function(x, point, none):
        return (x * point, point + 1, none.sum(), none @ x, torch.cat([none, x]), none + point, x.sum().reshape(1),
                point.expand(2, 2), none.sum(0), point.unsqueeze(0), x[:0])
    return stateless(function, normal(3, 3), torch.tensor(1.5), torch.zeros(0, 3))


# Argument structures.


class Scalars(nn.Module):
    """Python numbers as inputs: an int, a float and a bool that the export burns in."""

    def forward(self, x, times, offset, flip):
        y = x.repeat(times) + offset
        return -y if flip else y


@feature
def python_scalars():
    return Scalars(), [Call((normal(4), 3, 0.5, True))], None


class Nested(nn.Module):
    """Tuple, list, dict and keyword inputs, a nested output."""

    def forward(self, pair, table, items, *, scale, shift=None):
        a, b = pair
        total = (a @ b + table["bias"]) * scale + items[0] - items[1]
        if shift is not None:
            total = total + shift
        return {"total": total, "parts": (total.sum(), [table["other"] * 2, total[0]])}


def nested_call(**extra):
    return Call(((normal(2, 3), normal(3, 4, seed=2)), {"bias": normal(4, seed=3), "other": normal(2, seed=4)},
                 [normal(4, seed=5), normal(4, seed=6)]), {"scale": torch.tensor(0.5), **extra})


@feature
def nested_inputs():
    return Nested(), [nested_call(shift=normal(2, 4, seed=7))], None


@feature
def nested_inputs_default():
    """The same module exported without its optional keyword."""
    return Nested(), [nested_call()], None


class Reordered(nn.Module):
    """All inputs by keyword, given in another order than the signature's."""

    def forward(self, query, value, mask=None, factor=2.0):
        score = query * factor
        if mask is not None:
            score = score.masked_fill(mask, 0.0)
        return score @ value


@feature
def keyword_inputs():
    values = {"mask": normal(3, 4) > 0.5, "value": normal(4, 2, seed=2), "query": normal(3, 4, seed=3), "factor": 1.5}
    return Reordered(), [Call((), values)], None


@feature
def none_input():
    """None as a positional input and as one of the outputs."""
    def function(x, nothing, y):
        return x - y, nothing, x * y
    return stateless(function, normal(3), None, normal(3, seed=2))


@feature
def transposed_inputs():
    """Example inputs and outputs that are not contiguous."""
    def function(x, y):
        return (x @ y).t(), x.flatten(), y[1]
    return stateless(function, normal(4, 3).t(), normal(5, 4, seed=2).t(), dynamic=None)


class Dimensions(nn.Module):
    """Two dynamic dimensions that meet in views, concatenation, padding and arithmetic on sizes."""

    def forward(self, x, y):
        b, n = x.shape
        z = torch.cat([x, y[:, None].expand(b, 2)], 1)
        z = nn.functional.pad(z, (1, 0)).view(b * (n + 3))
        index = torch.arange(n)
        return z, x.reshape(-1, 2).sum(0) / n, x * index, (x.sum() * b).expand(b, n // 2)


@feature
def dynamic_sizes():
    b = torch.export.Dim("b", min=1, max=8)
    half = torch.export.Dim("half", min=1, max=6)
    return Dimensions(), [Call((normal(3, 4), normal(3, seed=2)))], ({0: b, 1: 2 * half}, {0: b})
