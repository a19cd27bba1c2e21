"""How the single-feature programs are declared: a builder returns (module, list of calls, dynamic shapes or None).

The first call is recorded alone; all of them are recorded as consecutive calls when there is more than one.
"""

from torch import nn

from recording import Call

FEATURES = {}


def feature(function):
    """Registers a builder under its own name."""
    FEATURES[function.__name__] = function
    return function


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
