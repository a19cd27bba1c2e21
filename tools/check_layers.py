#!/usr/bin/env python3
"""Fails if a source folder includes what its layer may not see.

Folders of src/ are in the order of compilation; each may include itself and what is listed.
Third-party headers are confined likewise. tests/ and bench/ may include anything.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "src"

LAYERS = {
    "support": [],
    "symbolic": ["support"],
    "program": ["symbolic", "support"],
    "ir": ["program", "symbolic", "support"],
    "ops": ["ir", "program", "symbolic", "support"],
    "import": ["ops", "ir", "program", "symbolic", "support"],
    "passes": ["ops", "ir", "program", "symbolic", "support"],
    "schedule": ["ops", "ir", "program", "symbolic", "support"],
    "codegen/cuda": ["program", "symbolic", "support"],
    "toolchain": ["support"],
    "package": ["program", "symbolic", "support"],
    "arrays": ["support"],
    "compiler": ["toolchain", "codegen/cuda", "schedule", "passes", "import", "ops", "ir", "package",
                 "program", "symbolic", "support"],
    "runtime/core": ["package", "program", "symbolic", "support"],
    "runtime/scalar": ["program", "symbolic", "support"],
    "runtime/cpu": ["runtime/scalar", "runtime/core", "program", "symbolic", "support"],
    "runtime/cuda": ["runtime/core", "program", "symbolic", "support"],
    "runtime/api": ["runtime/cpu", "runtime/cuda", "runtime/core", "package", "program", "symbolic",
                    "support"],
    "cli": None,  # anything
}

# Third-party headers and the folders that may use them.
CONFINED = {
    "nlohmann/": ["import", "cli", "compiler"],
    "CLI/": ["cli"],
    "Eigen/": ["runtime/cpu"],
    "cuda.h": ["runtime/cuda", "toolchain"],
}


def layer_of(path: str) -> str:
    for layer in sorted(LAYERS, key=len, reverse=True):
        if path == layer or path.startswith(layer + "/"):
            return layer
    return ""


def main() -> int:
    failures = []
    for file in sorted(ROOT.rglob("*")):
        if file.suffix not in (".h", ".hpp", ".cpp", ".def", ".cuh"):
            continue
        name = file.relative_to(ROOT).as_posix()
        layer = layer_of(name)
        if not layer:
            failures.append(f"{name}: is in no layer of tools/check_layers.py")
            continue
        is_test = re.search(r"_(test|fuzz)\.cpp$|test_\w+\.h$", name) is not None
        for number, line in enumerate(file.read_text().splitlines(), 1):
            included = re.match(r'\s*#include\s+["<]([^">]+)[">]', line)
            if not included:
                continue
            path = included.group(1)
            for prefix, allowed in CONFINED.items():
                if path.startswith(prefix) and layer not in allowed and not is_test:
                    failures.append(f"{name}:{number}: {layer}/ may not include <{path}>")
            target = layer_of(path)
            may = LAYERS[layer]
            if not target or may is None or target == layer or target in may or is_test:
                continue
            failures.append(f"{name}:{number}: {layer}/ may not include {target}/")
    print("\n".join(failures) if failures else "layers: ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
