#!/usr/bin/env python3
"""Checks that a module includes only modules before it in the order, and foreign headers stay in their own folder.

Prints every line that breaks a rule and exits 1; --self-test shows that it does.
"""

import re
import sys
import tempfile
from pathlib import Path

ORDER = ["core", "graph", "trace", "machine", "flow", "runtime", "profile", "pipeline", "sweep", "plan", "load", "kernels",
         "predict", "training", "report", "cli"]
# (header, the only folders that may include it)
FOREIGN = [(r"onnxruntime_.*", "runtime/onnxruntime"), (r"openvino/.*", "runtime/openvino"),
           (r"(torch|ATen|c10)/.*", "training/torch"), (r"CLI/.*", "cli"), (r"onnx.*\.pb\.h", "graph", "runtime/onnxruntime")]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def broken_rules(source):
    """Every rule that the files under `source` (the src folder) break, as 'file:line: what'."""
    for path in sorted(p for p in source.rglob("*") if p.suffix in (".h", ".cpp")):
        inside = path.relative_to(source)
        module = inside.parts[0]
        if len(inside.parts) < 2:
            continue
        if module not in ORDER:
            yield f"{path}:1: '{module}' is not in the order of modules; add it to tools/check_layers.py"
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            include = INCLUDE.match(line)
            if include:
                problem = judge(inside, module, include.group(1), include.group(2))
                if problem:
                    yield f"{path}:{number}: {problem}"


def judge(inside, module, quote, header):
    target = header.split("/")[0]
    if quote == '"' and "/" in header and target in ORDER:
        if ORDER.index(target) > ORDER.index(module):
            return f"'{module}' includes \"{header}\", but '{target}' comes after it"
        for kind in ("onnxruntime", "openvino"):
            if header.startswith(f"runtime/{kind}/") and not inside.as_posix().startswith(f"runtime/{kind}/") \
                    and inside.parent.as_posix() != "runtime":
                return f"\"{header}\" is private to runtime/; include \"runtime/runtime.h\""
        return None
    for pattern, *homes in FOREIGN:
        if re.fullmatch(pattern, header) and not inside.as_posix().startswith(tuple(f"{home}/" for home in homes)):
            return f"<{header}> may be included only in src/{homes[0]}"
    return None


def self_test():
    cases = {"core/a.h": ('#include "cli/b.h"\n', 1), "cli/b.h": ('#include "core/a.h"\n#include <vector>\n', 0),
             "graph/c.cpp": ("#include <openvino/openvino.hpp>\n", 1), "odd/d.h": ("\n", 1),
             "runtime/openvino/e.cpp": ("#include <openvino/openvino.hpp>\n", 0),
             "profile/f.cpp": ('# include "runtime/openvino/e.h"\n', 1), "runtime/g.cpp": ('#include "profile/f.h"\n', 1)}
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, _) in cases.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = list(broken_rules(Path(folder)))
    for name, (_, count) in cases.items():
        hits = sum(f"/{name}:" in line for line in found)
        if hits != count:
            sys.exit(f"check_layers: self-test failed: {name} gave {hits} complaints instead of {count}")
    print(f"check_layers: self-test passed ({len(cases)} files)")


def main():
    if "--self-test" in sys.argv[1:]:
        return self_test()
    problems = list(broken_rules(Path(__file__).resolve().parent.parent / "src"))
    print("\n".join(problems) if problems else "check_layers: every include goes one way")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
