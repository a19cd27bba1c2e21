"""Counts, over exported programs, how many models use each operator, for training IR and decomposed graphs apart."""

import collections
import json

import torch


def operators_of(program):
    """{operator name: number of nodes} of a program, subgraphs included; Python arithmetic keeps its module name."""
    counts = collections.Counter()
    for module in program.graph_module.modules():
        for node in getattr(getattr(module, "graph", None), "nodes", ()):
            if node.op != "call_function":
                continue
            target = node.target
            if isinstance(target, (torch._ops.OpOverload, torch._ops.HigherOrderOperator)):
                counts[str(target)] += 1
            elif target.__name__ != "getitem":
                counts[f"{target.__module__}.{target.__name__}"] += 1
    return counts


def write_table(folder):
    """Writes operators.txt and conditioning.txt from every NAME.ops.json in `folder`.

    A line of operators.txt: operator, models with it per dialect, nodes, some names.
    """
    errors = {}
    uses = collections.defaultdict(lambda: {"training": set(), "core": set(), "nodes": 0})
    models = {"training": set(), "core": set()}
    for path in sorted(folder.glob("*.ops.json")):
        record = json.loads(path.read_text())
        models[record["dialect"]].add(record["model"])
        if record.get("own_error") is not None:
            errors[record["model"]] = record["own_error"]
        for name, count in record["operators"].items():
            uses[name][record["dialect"]].add(record["model"])
            uses[name]["nodes"] += count
    ordered = sorted(uses, key=lambda n: (-len(uses[n]["training"] | uses[n]["core"]), n))
    lines = [f"# {len(models['training'])} models as training IR, {len(models['core'])} decomposed",
             f"# {'operator':58} training  core  nodes  first models"]
    for name in ordered:
        use = uses[name]
        some = sorted(use["training"] | use["core"])[:4]
        lines.append(f"{name:60} {len(use['training']):8} {len(use['core']):5} {use['nodes']:6}  {' '.join(some)}")
    (folder / "operators.txt").write_text("\n".join(lines) + "\n")
    worst_first = sorted(errors, key=lambda name: -errors[name])
    (folder / "conditioning.txt").write_text("".join(f"{errors[n]:8.3f} {n}\n" for n in worst_first))
