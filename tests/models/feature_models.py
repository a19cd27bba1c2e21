"""All programs that each exercise one difficulty of training IR, by name."""

import torch

import feature_values  # noqa: F401  registers its builders
import feature_writes  # noqa: F401  registers its builders
from feature_registry import FEATURES
from model_entry import Entry

NOT_DECOMPOSED = {"tied_state"}  # run_decompositions refuses a mutated buffer that has two names


def build(name):
    """(Entry of the first call, the consecutive calls or nothing) of a feature."""
    torch.manual_seed(5)
    module, calls, dynamic_shapes = FEATURES[name]()
    entry = Entry(module, calls[0], dynamic_shapes=dynamic_shapes, compare_in_double=False, check=False,
                  core=name not in NOT_DECOMPOSED)
    module.requires_grad_(False)
    return entry, calls if len(calls) > 1 else ()
