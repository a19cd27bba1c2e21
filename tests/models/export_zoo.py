"""Exports real architectures with seeded random weights and PyTorch's results, to try Ingot on models it has not seen.

  python tests/models/export_zoo.py --output FOLDER [--force] [NAME…]     all models, or those whose names are given

Per model NAME: NAME.pt2 (training IR) and NAME.npz, for most also NAME.core.pt2 (after run_decompositions) and
NAME.core.npz, for dynamic models NAME.s<size>.npz, one per size. The arrays are described in tests/data/README.md.
operators.txt counts the operators over everything in the folder; conditioning.txt gives, for float32 models, PyTorch's
own largest error against float64 in units of the tolerance 1e-5 + 1e-4 |value| (near 1: the model is too ill-conditioned
to judge by); failures.txt lists exports that PyTorch refused.
Needs torch, torchvision, timm and transformers; about 3 GB of disk and an hour. A model already there is skipped.
"""

import argparse
import json
import pathlib
import sys
import time
import traceback

import numpy as np
import torch

import zoo_language
import zoo_vision
from operator_table import operators_of, write_table
from recording import (DoubleRun, check_outputs, check_sensitivity, error_in_tolerances, flat_inputs, fresh,
                       has_short_floats, record_call, save_archive)

MODELS = zoo_language.MODELS | zoo_vision.MODELS


def write_operators(folder, name, dialect, program, own_error=None):
    stem = name if dialect == "training" else f"{name}.core"
    record = {"model": name, "dialect": dialect, "operators": dict(sorted(operators_of(program).items())),
              "own_error": own_error}
    (folder / f"{stem}.ops.json").write_text(json.dumps(record))


def export_entry(folder, name, entry):
    """Saves one entry: archives, results of the default call and of every size."""
    entry.model.requires_grad_(False)
    program = torch.export.export(entry.model, entry.call.copy().args, entry.call.copy().kwargs,
                                  dynamic_shapes=entry.dynamic_shapes)
    doubled = DoubleRun(program) if has_short_floats(program) else None
    arrays, outputs = record_call(program, fresh(entry.model), entry.call, doubled)
    own_error = None
    if doubled is None and not list(program.graph_module.children()):  # subgraphs keep their own float32 casts
        own_error = error_in_tolerances(DoubleRun(program), flat_inputs(program, entry.call), outputs)
    write_operators(folder, name, "training", program, own_error)
    check_outputs(name, outputs)
    check_sensitivity(name, entry.model, entry.call)
    np.savez(folder / f"{name}.npz", **arrays)
    for size in entry.sizes:
        sized, _ = record_call(program, fresh(entry.model), entry.sized_call(size), doubled)
        np.savez(folder / f"{name}.s{size}.npz", **sized)
    save_archive(program, folder / f"{name}.pt2")
    if entry.core:
        core = program.run_decompositions()
        write_operators(folder, name, "core", core)
        arrays, _ = record_call(core, core.module(), entry.call, doubled)
        np.savez(folder / f"{name}.core.npz", **arrays)
        save_archive(core, folder / f"{name}.core.pt2")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--force", action="store_true", help="export again what is there")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in MODELS]:
        parser.error(f"unknown models: {', '.join(unknown)}")
    names = options.names or list(MODELS)
    if options.list:
        print("\n".join(names))
        return
    torch.set_num_threads(1)
    options.output.mkdir(parents=True, exist_ok=True)
    failures = {}
    for name in names:
        if (options.output / f"{name}.pt2").exists() and not options.force:
            continue
        started = time.monotonic()
        try:
            export_entry(options.output, name, MODELS[name]())
            print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)
        except Exception as error:  # an export that PyTorch refuses must not stop the others
            failures[name] = f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"
            print(f"{name}: FAILED {failures[name]}", file=sys.stderr, flush=True)
            traceback.print_exc()
        write_table(options.output)
    (options.output / "failures.txt").write_text("".join(f"{n}\t{why}\n" for n, why in failures.items()))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
