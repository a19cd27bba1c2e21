"""Records further calls of archives that the project was given, which hold one call each.

  python tests/models/record_supplied.py --data FOLDER [--sizes FOLDER]

FOLDER holds pt2/torch-2.11/NAME.pt2. Writes tests/data/torch-2.11.llama_tiny.calls.npz: 16 consecutive calls of
the decoder with its cache, and with --sizes the dynamic archives at five sizes including both bounds, as
torch-2.11.NAME.s<size>.npz (1.5 MB, so not committed).
"""

import argparse
import pathlib
import warnings

import numpy as np
import torch

from random_inputs import normal
from recording import Call, record_call, record_calls
from small_models import decoding_calls

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
VOCABULARY = 512
SIZED = {
    "mlp_dynamic": ((1, 2, 100, 777, 1024), lambda size: Call((normal(size, 64, seed=size),))),
    "attention_causal": ((2, 3, 64, 301, 512), lambda size: Call((normal(2, size, 128, seed=size),))),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--sizes", type=pathlib.Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    folder = options.data / "pt2" / "torch-2.11"
    program = torch.export.load(folder / "llama_tiny.pt2")
    arrays = record_calls(program, program.module(), decoding_calls(VOCABULARY))
    np.savez(DATA / "torch-2.11.llama_tiny.calls.npz", **arrays)
    for name, (sizes, call_of) in SIZED.items() if options.sizes else ():
        program = torch.export.load(folder / f"{name}.pt2")
        for size in sizes:
            one, _ = record_call(program, program.module(), call_of(size))
            np.savez(options.sizes / f"torch-2.11.{name}.s{size}.npz", **one)


if __name__ == "__main__":
    main()
