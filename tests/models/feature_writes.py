"""Features of training IR: writes in place and through views, mutated inputs and buffers."""

import torch
from torch import nn

from feature_registry import feature, stateless
from random_inputs import integers, normal
from recording import Call


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
