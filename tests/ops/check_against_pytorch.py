#!/usr/bin/env python3
"""Compares the operators' definitions with eager PyTorch on the CPU, over every case of the harness.

    cmake --build build --target op_cases && build/bin/op_cases /tmp/cases
    python tests/ops/check_against_pytorch.py /tmp/cases

Prints a line for every case whose type or values differ, and how many elements of the 16-bit results
are equal to the last bit. Needs PyTorch.
"""

import collections
import json
import struct
import sys

import torch

# By dtype: relative and absolute; as in src/support/tolerance.cpp.
TOLERANCES = {
    torch.float64: (1e-7, 1e-8),
    torch.float32: (1e-4, 1e-5),
    torch.float16: (1e-2, 1e-2),
    torch.bfloat16: (1e-2, 1e-2),
}


def read_tensor(entry, data):
    dtype = getattr(torch, entry["dtype"])
    count = 1
    for size in entry["sizes"]:
        count *= size
    if count == 0:
        return torch.empty(entry["sizes"], dtype=dtype)
    return torch.frombuffer(data, dtype=dtype, count=count, offset=entry["at"]).reshape(entry["sizes"]).clone()


def read_argument(arg, data):
    if isinstance(arg, list):
        return [read_argument(element, data) for element in arg]
    if not isinstance(arg, dict):
        return arg
    if "tensor" in arg:
        return read_tensor(arg["tensor"], data)
    if "dtype" in arg:
        return getattr(torch, arg["dtype"])
    return struct.unpack("d", struct.pack("Q", arg["bits"]))[0]


def call(line, data):
    namespace, base, overload = line["op"].split(".")
    op = getattr(getattr(getattr(torch.ops, namespace), base), overload)
    positional, named = [], {}
    for parameter, arg in zip(op._schema.arguments, line["args"]):
        kind = str(parameter.type)
        value = read_argument(arg, data)
        # Devices, layouts and the like are not in the graph: PyTorch's defaults.
        if value is None and (parameter.has_default_value() or "Optional" not in kind):
            value = parameter.default_value if parameter.has_default_value() else None
        if parameter.name == "device":
            value = "cpu"
        # A number in a tensor's place, which PyTorch takes from Python for a few operators only.
        takes_numbers = base in ("add", "sub", "mul", "div", "divide", "multiply", "subtract")
        if kind == "Tensor" and isinstance(value, (bool, int, float)) and not takes_numbers:
            value = torch.tensor(value)
        if parameter.kwarg_only:
            named[parameter.name] = value
        else:
            positional.append(value)
    result = op(*positional, **named)
    if isinstance(result, torch.Tensor):
        return [result]
    return [] if result is None else list(result)


def difference(ours, theirs):
    if ours.dtype != theirs.dtype:
        return f"is {ours.dtype}, not {theirs.dtype}"
    if ours.shape != theirs.shape:
        return f"has sizes {list(ours.shape)}, not {list(theirs.shape)}"
    rtol, atol = TOLERANCES.get(ours.dtype, (0, 0))
    close = torch.isclose(ours, theirs, rtol=rtol, atol=atol, equal_nan=True)
    if bool(close.all()):
        return None
    at = int((~close).flatten().nonzero()[0])
    count = int((~close).sum())
    return f"differs in {count} elements: {ours.flatten()[at]}, not {theirs.flatten()[at]}"


def main():
    stem = sys.argv[1]
    data = bytearray(open(stem + ".bin", "rb").read())
    counts = collections.Counter()
    inexact = collections.defaultdict(lambda: [0, 0])
    for text in open(stem + ".json"):
        line = json.loads(text)
        if not line["op"].startswith(("aten.", "prims.")) or "results" not in line:
            continue
        title = f"{line['op']} {line['case']} {line['dtype']}"
        try:
            theirs = call(line, data)
        except Exception as error:  # PyTorch does not have the case: not comparable
            counts["refused by PyTorch"] += 1
            if "-v" in sys.argv:
                print(f"{title}: {str(error).splitlines()[0]}")
            continue
        counts["compared"] += 1
        ours = [read_tensor(entry, data) for entry in line["results"]]
        for index, (mine, other) in enumerate(zip(ours, theirs)):
            text = difference(mine, other)
            if text:
                counts["different"] += 1
                print(f"{title}: result {index} {text}")
            elif mine.dtype in (torch.float16, torch.bfloat16):
                equal = torch.eq(mine, other) | (mine.isnan() & other.isnan())
                inexact[line["op"]][0] += int((~equal).sum())
                inexact[line["op"]][1] += equal.numel()
    print("16-bit elements that are close but not equal:")
    for op, (wrong, total) in sorted(inexact.items()):
        if wrong:
            print(f"  {op}: {wrong} of {total}")
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return 1 if counts["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
