#!/usr/bin/env python3
"""Fails if a source file is over 800 lines, a function over 100, or a line over 100 columns.

Exceptions, each with its reason, are in tools/size_exceptions.txt. Function lengths are counted by
braces: from a line that opens a brace at namespace level to the one that closes it.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_FILE, MAX_FUNCTION, MAX_COLUMNS = 800, 100, 100


def exceptions() -> set:
    names = set()
    for line in (ROOT / "tools/size_exceptions.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            names.add(line.split(":", 1)[0].strip())
    return names


def code_of(line: str) -> str:
    line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
    line = re.sub(r"'(\\.|[^'\\])'", "''", line)
    return line.split("//", 1)[0]


def long_functions(lines):
    """Yields (first line, length) of brace blocks that look like function bodies."""
    depth, start, text = 0, 0, ""
    stack = []
    for number, line in enumerate(lines, 1):
        for char in code_of(line):
            if char == "{":
                is_scope = re.search(r"\b(namespace|struct|class|enum|union|extern)\b[^;()]*$", text)
                is_function = re.search(r"\)\s*(const|noexcept|override|final|->\s*[\w:<>,\s&*]+)*\s*$",
                                        text) and not is_scope
                stack.append((number, bool(is_function) and not any(f for _, f in stack)))
                text = ""
            elif char == "}":
                if stack:
                    first, is_function = stack.pop()
                    if is_function:
                        yield first, number - first + 1
                text = ""
            elif char == ";":
                text = ""
            else:
                text += char
        text += " "


def main() -> int:
    allowed = exceptions()
    failures = []
    listed = subprocess.run(["git", "ls-files", "src", "tests", "examples", "bench", "tools"],
                            cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in listed:
        path = ROOT / name
        if path.suffix not in (".h", ".hpp", ".cpp", ".cuh", ".py") or not path.is_file():
            continue
        lines = path.read_text().splitlines()
        if len(lines) > MAX_FILE and name not in allowed:
            failures.append(f"{name}: {len(lines)} lines, at most {MAX_FILE}")
        if path.suffix == ".py":
            continue
        for number, line in enumerate(lines, 1):
            if len(line) > MAX_COLUMNS and name not in allowed:
                failures.append(f"{name}:{number}: {len(line)} columns, at most {MAX_COLUMNS}")
        for first, length in long_functions(lines):
            if length > MAX_FUNCTION and f"{name}:{first}" not in allowed and name not in allowed:
                failures.append(f"{name}:{first}: a function of {length} lines, at most {MAX_FUNCTION}")
    print("\n".join(failures) if failures else "sizes: ok")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
