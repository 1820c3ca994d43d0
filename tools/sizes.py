#!/usr/bin/env python3
"""Prints the five largest sources and the five longest functions (formatted code: a body ends at a lone closing brace)."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = re.compile(r"^(?!namespace|class|struct|enum|union|using|#|//|extern)\S.*$")


def functions(path, lines):
    """(lines, where) of each function written at namespace level; a body of macros or lambdas counts with its owner."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and HEAD.match(line) and not line.startswith("}"):
            start = number
        if start is not None and (line == "}" or line.rstrip().endswith(("};", ";")) and not line.startswith(" ")):
            if line == "}":
                yield number - start + 1, f"{path.relative_to(ROOT)}:{start} {lines[start - 1].strip()[:80]}"
            start = None


def main():
    files, bodies = [], []
    for path in sorted([*ROOT.glob("src/**/*.cpp"), *ROOT.glob("src/**/*.h"), *ROOT.glob("tests/**/*.cpp")]):
        lines = path.read_text(encoding="utf-8").splitlines()
        files.append((len(lines), str(path.relative_to(ROOT))))
        bodies.extend(functions(path, lines))
    for title, rows in (("largest files", files), ("longest functions", bodies)):
        print(f"{title}:")
        for size, where in sorted(rows, reverse=True)[:5]:
            print(f"  {size:5}  {where}")


if __name__ == "__main__":
    main()
