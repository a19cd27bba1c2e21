"""Programs that each exercise one difficulty of training IR: writes in place and through views, mutated inputs and
buffers, aliased results, shared and offset storage, special values, small integer types, argument structures.

FEATURES maps a name to a function that returns (module, list of calls, dynamic shapes or None). The first call is
recorded alone; all of them are recorded as consecutive calls when there is more than one.
"""

import torch
from torch import nn

from model_entry import Entry
from random_inputs import integers, normal
from recording import Call

FEATURES = {}
NOT_DECOMPOSED = {"tied_state"}  # run_decompositions refuses a mutated buffer that has two names


def feature(function):
    """Registers a builder under its own name."""
    FEATURES[function.__name__] = function
    return function


def build(name):
    """(Entry of the first call, the consecutive calls or nothing) of a feature."""
    torch.manual_seed(5)
    module, calls, dynamic_shapes = FEATURES[name]()
    entry = Entry(module, calls[0], dynamic_shapes=dynamic_shapes, compare_in_double=False, check=False,
                  core=name not in NOT_DECOMPOSED)
    module.requires_grad_(False)
    return entry, calls if len(calls) > 1 else ()


class Apply(nn.Module):
    """A module without state around a function of positional arguments."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def stateless(function, *inputs, dynamic=None):
    """A feature of one call on a plain function."""
    return Apply(function), [Call(inputs)], None if dynamic is None else (dynamic,)


# Writes in place and through views.


@feature
def inplace_chain():
    """Every family of in-place pointwise operator on a fresh tensor."""
    def function(x, y):
        z = x.clone()
        z.add_(1.5).mul_(y).sub_(y, alpha=0.5).div_(2.0)
        z.relu_().add_(0.1).sqrt_().neg_().sigmoid_()
        z.clamp_(0.1, 0.45).pow_(2).addcmul_(x, y, value=0.25).lerp_(y, 0.5)
        return z, x
    return stateless(function, normal(3, 4), normal(3, 4, seed=2))


@feature
def inplace_activations():
    """In-place activations as convolutional models use them."""
    def function(x):
        a = nn.functional.hardswish(x + 0.5, inplace=True)
        b = nn.functional.silu(x * 2, inplace=True)
        c = nn.functional.leaky_relu(x - 1, 0.1, inplace=True)
        d = nn.functional.elu(x * 1.5, inplace=True)
        e = nn.functional.hardtanh(x * 3, -0.5, 2.0, inplace=True)
        return a + b, c * d, e
    return stateless(function, normal(4, 5))


@feature
def view_writes():
    """A write through each kind of view of one tensor."""
    def function(x):
        y = x.clone()
        y[:, 1:3] += 1
        y[0].mul_(2)
        y.transpose(0, 1)[2] = 7
        y.view(-1)[::5] = 0.25
        torch.diagonal(y).fill_(3)
        y.unsqueeze(0).narrow(2, 0, 2).exp_()
        y.permute(1, 0)[3:, :2].sub_(10)
        return y
    return stateless(function, normal(4, 6))


@feature
def view_chain_writes():
    """Writes at the end of chains of views, and through the parts of split, chunk and unbind."""
    def function(x, y):
        z = x.clone()
        z[1:].select(1, 2).view(2, 2, 2).transpose(0, 2)[0].add_(y)
        first, second = z.split([1, 2], 0)
        first.copy_(second[:1] * 2)
        for part in z.chunk(2, 2):
            part[..., 0].neg_()
        rows = z.flatten(0, 1).unbind(0)
        rows[4].mul_(rows[5])
        return z, first
    return stateless(function, normal(3, 4, 4), normal(2, 2, seed=2))


@feature
def live_views():
    """Views taken before a write see it, and overlapping views see each other's writes."""
    def function(x):
        y = x * 1.0
        before = y[1:]
        total = before.sum()
        head, tail = y[:3], y[1:4]
        head.add_(1)
        tail.mul_(2)
        copied = before.clone()
        y.zero_()
        return total, copied, before, head
    return stateless(function, normal(4, 3))


@feature
def dynamic_view_writes():
    """Slices with dynamic bounds are written; sizes 4 to 16."""
    def function(x):
        y = x.clone()
        n = y.shape[0]
        y[: n // 2].add_(1)
        y[n - 1].mul_(3)
        y[:, -1] = y[:, 0]
        return y
    module, calls, shapes = stateless(
        function, normal(6, 4), dynamic=({0: torch.export.Dim.DYNAMIC(min=4, max=16)},))
    return module, calls, shapes


@feature
def index_writes():
    """Indexed in-place writes: put, accumulate, scatter, masked fill and copy, index add, copy and fill."""
    def function(x, index, mask):
        y = x.clone()
        y[index] = 1.5
        y.index_put_((index, index), torch.tensor(2.0), accumulate=True)
        y.masked_fill_(mask, -1)
        y.scatter_(1, index.view(1, 3), 4.0)
        y.scatter_add_(0, index.view(3, 1), torch.ones(3, 1))
        y.index_add_(1, index, x[:, :3], alpha=0.5)
        y.index_copy_(0, index[:2], x[:2])
        y.index_fill_(1, index[2:], 9.0)
        return y
    index = torch.tensor([3, 0, 2])
    return stateless(function, normal(4, 5), index, normal(4, 5, seed=2) > 0.8)


@feature
def copy_broadcast():
    """copy_ and arithmetic in place that broadcast and change type."""
    def function(x, row, whole):
        y = torch.zeros_like(x)
        y.copy_(row)
        y[1:].copy_(whole)
        z = torch.empty(3, 4, dtype=torch.int32)
        z.copy_(x * 10)
        y.add_(whole)
        return y, z
    return stateless(function, normal(3, 4), normal(4, seed=2), integers(0, 9, 2, 4)[:1])


@feature
def loop_writes():
    """A tensor assembled slice by slice, as generated position biases are."""
    def function(x):
        y = torch.full((4, 3, 3), 0.5)
        for i in range(4):
            y[i] = x * i
            y[i, i % 3].add_(y[i - 1, 0])
        return y
    return stateless(function, normal(3, 3))


# Mutated inputs and buffers.


@feature
def mutated_input():
    """Inputs written in place, wholly and through a view; the caller sees both."""
    def function(x, y, count):
        x.add_(y)
        y[0].zero_()
        count.add_(1)
        return (x * y).sum(0), x + count
    return stateless(function, normal(3, 4), normal(3, 4, seed=2), torch.tensor(4))


@feature
def mutated_input_alias():
    """A mutated input of dynamic size is also an output, and so is a view of it."""
    def function(x):
        x[:, 1:].mul_(2)
        return x, x[:, 0], x + 1
    return stateless(function, normal(5, 4), dynamic=({0: torch.export.Dim("rows", min=1, max=9)},))


class RunningMean(nn.Module):
    """A decayed mean, a counter, a non-persistent history ring and an assigned buffer; three consecutive calls."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.register_buffer("history", torch.zeros(3, 4), persistent=False)
        self.register_buffer("last", torch.ones(4))

    def forward(self, x):
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        self.history[1:] = self.history[:-1].clone()
        self.history[0] = x[0]
        self.count += 1
        delta = x.sum(0) - self.last
        self.last = x.sum(0)
        return x - self.mean, delta, self.history.sum()


@feature
def mutated_buffers():
    return RunningMean(), [Call((normal(5, 4, seed=s),)) for s in (1, 2, 3)], None


class ReturnedState(nn.Module):
    """The state itself is returned: a later call must not change an earlier result."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2, 3))

    def forward(self, x):
        before = self.total.clone()
        self.total.add_(x)
        return self.total, self.total[0], before


@feature
def returned_state():
    return ReturnedState(), [Call((normal(2, 3, seed=s),)) for s in (1, 2, 3)], None


class TrainNorm(nn.Module):
    """Batch norm in training mode with momentum, and one with a cumulative mean; statistics are state."""

    def __init__(self):
        super().__init__()
        self.one = nn.BatchNorm2d(3)
        self.two = nn.BatchNorm1d(5, momentum=0.3, affine=False)
        nn.init.normal_(self.one.weight)
        nn.init.normal_(self.one.bias)

    def forward(self, x):
        return self.two(self.one(x).flatten(1)[:, :5])


@feature
def batch_norm_train():
    return TrainNorm().train(), [Call((normal(4, 3, 2, 2, seed=s) * s,)) for s in (1, 2, 3)], None


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
