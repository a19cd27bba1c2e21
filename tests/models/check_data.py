"""Loads every archive of a folder with PyTorch and compares its results with the arrays recorded beside it.

  python tests/models/check_data.py [FOLDER]

Float results may differ by rounding only; everything else must be equal. Guards against recording something else than
what was saved: a stale file, a state that had already moved on, a wrong input order.
"""

import pathlib
import sys
import warnings

import numpy as np
import torch

from recording import BITS, flat_outputs

BOUNDS = {torch.float64: 1e-9, torch.float32: 2e-5, torch.float16: 5e-3, torch.bfloat16: 4e-2}


def restore(array, like):
    """The tensor or Python scalar an array stands for, given the program's own example of it."""
    if like is None:
        return None
    if not isinstance(like, torch.Tensor):
        return type(like)(array)
    tensor = torch.from_numpy(np.array(array))
    return tensor.view(like.dtype) if like.dtype in BITS else tensor


def matches(tensor, array):
    """Whether a result equals the recorded array, up to rounding for floats."""
    if not isinstance(tensor, torch.Tensor):
        return np.array_equal(np.asarray(tensor), array)
    expected = restore(array, tensor)
    if tensor.shape != expected.shape or tensor.dtype != expected.dtype:
        return False
    bound = BOUNDS.get(tensor.dtype)
    if bound is None:
        return torch.equal(tensor, expected)
    return torch.allclose(tensor.double(), expected.double(), rtol=bound, atol=bound, equal_nan=True)


def compare_call(module, flat_example, spec, arrays, prefix=""):
    """The names of the arrays of one call that `module` does not reproduce."""
    leaves = [restore(arrays.get(f"{prefix}in{i}"), like) for i, like in enumerate(flat_example)]
    args, kwargs = torch.utils._pytree.tree_unflatten(leaves, spec)
    with torch.no_grad():
        outputs = flat_outputs(module(*args, **kwargs))
    wrong = [f"{prefix}out{i}" for i, value in enumerate(outputs)
             if value is not None and not matches(value, arrays[f"{prefix}out{i}"])]
    after = {f"{prefix}mut_in{i}": leaf for i, leaf in enumerate(leaves)}
    return wrong + [name for name, leaf in after.items() if name in arrays and not matches(leaf, arrays[name])]


def check_archive(path):
    """The mismatches of one archive over all recordings that belong to it."""
    program = torch.export.load(path)
    example, spec = torch.utils._pytree.tree_flatten(program.example_inputs)
    wrong = []
    stem = path.name.removesuffix(".pt2")
    recordings = [path.with_name(f"{stem}.npz"), *sorted(path.parent.glob(f"{stem}.s[0-9]*.npz"))]
    for recording in recordings:
        module = torch.export.load(path).module()
        wrong += [f"{recording.name}:{n}" for n in compare_call(module, example, spec, dict(np.load(recording)))]
    if (recording := path.with_name(f"{stem}.calls.npz")).exists():
        arrays = dict(np.load(recording))
        module = program.module()
        for prefix in sorted({name[:7] for name in arrays if name.startswith("call")}):
            wrong += [f"{recording.name}:{n}" for n in compare_call(module, example, spec, arrays, prefix)]
        buffers = dict(module.named_buffers(remove_duplicate=False))
        states = {name[6:]: array for name, array in arrays.items() if name.startswith("state.")}
        wrong += [f"{recording.name}:state.{n}" for n, array in states.items() if not matches(buffers[n], array)]
    return wrong


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1] / "data"
    archives = sorted(path for path in folder.glob("*.pt2") if path.with_name(path.name[:-4] + ".npz").exists())
    failed = 0
    for path in archives:
        try:
            wrong = check_archive(path)
        except (AssertionError, RuntimeError) as error:
            wrong = [f"refused: {str(error).splitlines()[0]}"]
        if wrong:
            failed += 1
            print(f"{path.name}: {', '.join(wrong)}")
    print(f"{len(archives)} archives checked, {failed} with mismatches")
    sys.exit(1 if failed or not archives else 0)


if __name__ == "__main__":
    main()
