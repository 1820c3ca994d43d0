#!/usr/bin/env python3
"""Prints the five largest sources and the five longest functions, methods inside of classes included (formatted code: a
body ends at the closing brace that stands as far to the left as the line it began on)."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What opens a brace and is no function: types, namespaces, control flow, lists of values.
OTHER = re.compile(r"^\s*(\}|#|//|\*|(inline )?namespace\b|template\s*<[^>]*>\s*(class|struct)\b|INSTANTIATE"
                   r"|(class|struct|enum|union|using|extern|public|private|protected)\b"
                   r"|(if|else|for|while|do|switch|case|default|try|catch|return)\b)")
CONTINUES_NOT = (";", "{", "}", ":", "*/")  # ends of lines after which a statement begins


def head_of(lines, opening):
    """The first line of the statement that opens a brace on line `opening`: back over lines that it continues."""
    start = opening
    while start > 0:
        before = lines[start - 1].strip()
        if not before or before.endswith(CONTINUES_NOT) or before.startswith(("//", "#")):
            break
        start -= 1
    return start


def is_function(head):
    before = head.split("{")[0]
    is_value = re.search(r"(?<![=!<>])=(?!=)", re.sub(r"\([^()]*\)", "", before))
    is_lambda = re.search(r"\[[^\]]*\]\s*(\(|$)", before)
    return "(" in before and not OTHER.match(head) and not is_value and not is_lambda


def functions(path, lines):
    """(lines, where) of each function that is defined at namespace or class level; a lambda counts with its owner."""
    end = -1
    for number, line in enumerate(lines):
        if number <= end or not line.rstrip().endswith("{"):
            continue
        start = head_of(lines, number)
        if not is_function(" ".join(part.strip() for part in lines[start:number + 1])):
            continue
        indent = len(lines[start]) - len(lines[start].lstrip())
        closing = " " * indent + "}"
        end = next((n for n in range(number + 1, len(lines)) if lines[n].rstrip() in (closing, closing + ";")), number)
        yield end - start + 1, f"{path.relative_to(ROOT)}:{start + 1} {lines[start].strip()[:80]}"


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
