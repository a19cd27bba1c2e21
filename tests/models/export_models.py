"""Generates tests/data: small archives with seeded random weights and the results PyTorch computes for them.

  python tests/models/export_models.py [--output FOLDER] [NAME…]

Writes the models of small_models.py (float32, `.f16`, `.bf16`, each also decomposed as `.core`) and the single-feature
programs of feature_models.py. tests/data/README.md describes the files. Needs torch, torchvision, timm, transformers.
"""

import argparse
import pathlib

import numpy as np
import torch

import feature_models
import small_models
from recording import (DoubleRun, check_outputs, check_sensitivity, fresh, has_short_floats, record_call, record_calls, save_archive)

BRIEF_FROM = 100  # nodes from which a decomposed archive is saved without source locations, for its size
DATA = pathlib.Path(__file__).resolve().parents[1] / "data"


def export(entry):
    """The training IR of an entry."""
    call = entry.call.copy()
    return torch.export.export(entry.model, call.args, call.kwargs, dynamic_shapes=entry.dynamic_shapes)


def save_twin(folder, name, program, make_module, entry, calls, training):
    """One archive with its results; `make_module` gives a module in its initial state, `training` the training IR."""
    def doubled():
        return DoubleRun(training) if has_short_floats(training) and entry.compare_in_double else None

    arrays, outputs = record_call(program, make_module(), entry.call, doubled())
    if entry.check:
        check_outputs(name, outputs)
        check_sensitivity(name, make_module(), entry.call)
    np.savez(folder / f"{name}.npz", **arrays)
    for size in entry.sizes:
        sized, _ = record_call(program, make_module(), entry.sized_call(size), doubled())
        np.savez(folder / f"{name}.s{size}.npz", **sized)
    if calls:
        np.savez(folder / f"{name}.calls.npz", **record_calls(program, make_module(), calls, doubled()))
    brief = entry.brief or (program is not training and len(program.graph.nodes) > BRIEF_FROM)
    save_archive(program, folder / f"{name}.pt2", brief)


def save_entry(folder, name, entry, calls=()):
    """An entry as training IR, with results of the eager model, and decomposed, with results of the decomposed graph."""
    training = export(entry)
    save_twin(folder, name, training, lambda: fresh(entry.model), entry, calls, training)
    if entry.core:
        core = training.run_decompositions()
        save_twin(folder, f"{name}.core", core, lambda: fresh(core.module()), entry, calls, training)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=DATA)
    parser.add_argument("names", nargs="*", metavar="NAME", help="kinds or features; default: all")
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.output.mkdir(parents=True, exist_ok=True)

    def wanted(name):
        return not options.names or name in options.names

    for kind in filter(lambda kind: wanted(kind.__name__), small_models.KINDS):
        calls = small_models.decoding_calls(small_models.LLAMA_VOCABULARY) if kind is small_models.llama_tiny else ()
        for suffix, dtype in small_models.dtypes_of(kind).items():
            save_entry(options.output, f"{kind.__name__}{suffix}", small_models.build(kind, dtype), calls)
    for name in filter(wanted, feature_models.FEATURES):
        entry, calls = feature_models.build(name)
        save_entry(options.output, name, entry, calls)


if __name__ == "__main__":
    main()
