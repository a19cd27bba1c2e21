"""Saves exported programs together with the results PyTorch computes for them on the CPU.

`NAME.pt2` is the archive, `NAME.npz` one call: flattened inputs `in0, in1, …`, outputs `out0, …`, the value of input k
after the call as `mut_ink` where the call changed it, and for 16-bit models `ref0, …`, the outputs of the same weights
and inputs computed in float64. A Python scalar is a 0-d array; a leaf that is None takes an index but no array;
bfloat16 is stored as int16 bits and the float8 types as uint8 bits. tests/data/README.md describes the whole naming.
"""

import copy
import dataclasses
import pathlib
import re
import sys
import zipfile

import numpy as np
import torch
from torch.utils import _pytree as pytree

SHORT_FLOATS = (torch.float16, torch.bfloat16)
NARROWED = (torch.float16, torch.bfloat16, torch.float32)
BITS = {torch.bfloat16: torch.int16, torch.float8_e4m3fn: torch.uint8, torch.float8_e5m2: torch.uint8}


@dataclasses.dataclass
class Call:
    """One call of a model: positional and keyword arguments as PyTorch takes them."""

    args: tuple
    kwargs: dict = dataclasses.field(default_factory=dict)

    def copy(self):
        """The same call on copies of its tensors, so that a mutation does not reach the original."""
        return Call(*pytree.tree_map_only(torch.Tensor, torch.clone, (self.args, self.kwargs)))


def shorten_locations(program, brief):
    """Cuts machine folders out of every node's source locations and keeps the outermost and innermost frames.

    The frames between them are torch's and the model library's call chain. Also drops the exporter's node history,
    which holds memory addresses. If `brief`, drops the locations and module paths as well.
    """
    for module in program.graph_module.modules():
        for node in getattr(getattr(module, "graph", None), "nodes", ()):
            for key in ("from_node", "torch_fn", "source_fn_stack"):
                node.meta.pop(key, None)
            trace = node.meta.pop("stack_trace", None)
            if brief:
                node.meta.pop("nn_module_stack", None)
            elif trace:
                trace = re.sub(r'"[^"]*/(site-packages/)', r'"\1', trace)
                trace = re.sub(r'"/[^"]*/([^"/]+)"', r'"\1"', trace)
                frames = re.split(r"(?m)^(?=\s*File )", trace.rstrip("\n"))
                frames = [frame.rstrip("\n") for frame in frames if frame.strip()]
                kept = frames if len(frames) < 3 else [frames[0], frames[-1]]
                node.meta["stack_trace"] = "\n".join(kept) + "\n"


def save_archive(program, path, brief=False):
    """Writes the program to `path` without a trace of this machine's folders; `brief`: without source locations."""
    shorten_locations(program, brief)
    torch.export.save(program, path)
    with zipfile.ZipFile(path) as archive:
        texts = [archive.read(name) for name in archive.namelist() if name.endswith((".json", ".pt"))]
    for folder in (sys.prefix, str(pathlib.Path(__file__).resolve().parents[2])):
        if any(folder.encode() in text for text in texts):
            raise ValueError(f"{path} names the folder {folder} of this machine")


def to_array(value):
    """A NumPy array for a tensor or a Python scalar, None for None; types NumPy lacks become their bits."""
    if value is None:
        return None
    if not isinstance(value, torch.Tensor):
        return np.asarray(value)
    value = value.detach().contiguous()
    return value.view(BITS[value.dtype]).numpy().copy() if value.dtype in BITS else value.numpy().copy()


def named_arrays(prefix, values):
    """{prefix0: array, prefix1: array, …}, leaving out leaves that are None."""
    arrays = {f"{prefix}{i}": to_array(value) for i, value in enumerate(values)}
    return {name: array for name, array in arrays.items() if array is not None}


def flat_inputs(program, call):
    """The call's leaves in the order of the program's user inputs."""
    flat, _ = program._get_flat_args_with_check(call.args, call.kwargs)
    return list(flat)


def flat_outputs(result):
    """The leaves of a model's result, in order."""
    return pytree.tree_leaves(result)


def run_module(module, call):
    """Flat outputs of calling `module` without gradients; the module's buffers and the call's tensors may change."""
    with torch.no_grad():
        return flat_outputs(module(*call.args, **call.kwargs))


class DoubleRun(torch.fx.Interpreter):
    """Runs a program's training IR with every floating-point weight, input and cast in float64.

    State changes stay inside this object, so calling `outputs` several times continues from the last call.
    """

    def __init__(self, program):
        super().__init__(program.graph_module)
        self.program = program
        self.storage = {}
        for name, value in list(program.state_dict.items()) + list(program.constants.items()):
            if isinstance(value, torch.Tensor):
                self.storage[name] = self.widen(value.detach())

    @staticmethod
    def widen(value):
        """A float64 copy of a floating-point tensor, a copy of any other, the value itself if no tensor."""
        if not isinstance(value, torch.Tensor):
            return value
        return value.to(torch.float64) if value.dtype in NARROWED else value.clone()

    def call_function(self, target, args, kwargs):
        if "_assert_tensor_metadata" in str(target):
            return None
        args, kwargs = pytree.tree_map_only(
            torch.dtype, lambda dtype: torch.float64 if dtype in NARROWED else dtype, (args, kwargs))
        return super().call_function(target, args, kwargs)

    def outputs(self, flat):
        """Flat outputs in float64 for the flat inputs of one call."""
        users = iter(flat)
        values = [self.widen(next(users)) if spec.target is None else self.storage[spec.target]
                  for spec in self.program.graph_signature.input_specs]
        with torch.no_grad():
            return flat_outputs(self.run(*values, enable_io_processing=False))


def check_outputs(name, outputs):
    """Refuses results that would hide an error: constant, tiny or huge float outputs."""
    for i, value in enumerate(outputs):
        if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.numel() < 8:
            continue
        finite = value.double()[torch.isfinite(value.double())]
        low, high = 0.02, 20.0
        if finite.numel() and not low < finite.std().item() < high:
            raise ValueError(f"{name}: out{i} has standard deviation {finite.std().item():.3g}")


def error_in_tolerances(double_run, flat, outputs):
    """The largest error of float32 outputs against float64, in units of 1e-5 + 1e-4 times the value."""
    worst = 0.0
    for value, reference in zip(outputs, double_run.outputs(flat)):
        if isinstance(value, torch.Tensor) and value.is_floating_point() and value.numel():
            error = (value.double() - reference).abs() / (1e-5 + 1e-4 * reference.abs())
            worst = max(worst, error.max().item())
    return worst


def record_call(program, module, call, double_run=None):
    """Arrays of one call of `module`, an eager model or a program's module, that has the program's inputs."""
    before = [to_array(leaf) for leaf in flat_inputs(program, call)]
    used = call.copy()
    outputs = run_module(module, used)
    arrays = {f"in{i}": array for i, array in enumerate(before) if array is not None}
    for i, leaf in enumerate(flat_inputs(program, used)):
        if isinstance(leaf, torch.Tensor) and not np.array_equal(before[i], to_array(leaf), equal_nan=True):
            arrays[f"mut_in{i}"] = to_array(leaf)
    arrays |= named_arrays("out", outputs)
    if double_run is not None:
        arrays |= named_arrays("ref", double_run.outputs(flat_inputs(program, call)))
    return arrays, outputs


def has_short_floats(program):
    """Whether a weight or the graph computes in float16 or bfloat16."""
    tensors = list(program.state_dict.values()) + list(program.constants.values())
    tensors += [node.meta.get("val") for node in program.graph.nodes]
    return any(isinstance(t, torch.Tensor) and t.dtype in SHORT_FLOATS for t in tensors)


def fresh(model):
    """A copy of a module whose buffers a call may change; a program's own module shares them with the program."""
    return copy.deepcopy(model)


def final_state(program, module):
    """{buffer name: value} of the buffers that a module's calls may have changed, read from the module."""
    values = dict(module.named_buffers(remove_duplicate=False))
    names = [spec.target for spec in program.graph_signature.input_specs
             if spec.kind == torch.export.graph_signature.InputKind.BUFFER]
    return {name: values[name] for name in names}


def record_calls(program, module, calls, double_run=None):
    """Arrays of consecutive calls: callNN_in0, callNN_out0, …, and each buffer that changed as state.<name>."""
    initial = {name: to_array(value) for name, value in final_state(program, module).items()}
    arrays = {}
    for number, call in enumerate(calls):
        one, _ = record_call(program, module, call, double_run)
        arrays |= {f"call{number:02d}_{key}": value for key, value in one.items()}
    for name, value in final_state(program, module).items():
        if not np.array_equal(initial[name], to_array(value), equal_nan=value.is_floating_point()):
            arrays[f"state.{name}"] = to_array(value)
            if double_run is not None:
                arrays[f"refstate.{name}"] = to_array(double_run.storage[name])
    return arrays


def check_sensitivity(name, model, call, least=0.05):
    """Refuses a model whose float outputs hardly depend on its input, which would hide errors of the early layers.

    Compares the outputs of the call and of one whose main tensor is inverted (floats) or lowered by 1 (integers), relative
    to their deviation.
    """
    leaves, spec = pytree.tree_flatten((call.args, call.kwargs))
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    main = max(tensors, key=lambda t: (t.is_floating_point(), t.numel(), bool(t.abs().max() > 1)))
    other = 0.5 - 1.5 * main if main.is_floating_point() else (main - 1).clamp(min=0)
    before = run_module(fresh(model), call.copy())
    changed = Call(*pytree.tree_unflatten([other if leaf is main else leaf for leaf in leaves], spec))
    for i, (a, b) in enumerate(zip(before, run_module(fresh(model), changed.copy()))):
        if a.is_floating_point() and a.numel() >= 8:
            change = ((a.double() - b.double()).std() / a.double().std()).item()
            if not change > least:
                raise ValueError(f"{name}: out{i} changes only by {change:.3g} of its deviation with another input")
