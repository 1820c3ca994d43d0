#!/usr/bin/env python3
"""Checks that a module includes only modules before it in the order, foreign headers stay in their own folder, a type
stands in one header and a word of a test program in one of its files.

Prints every line that breaks a rule and exits 1; --self-test shows that it does.
"""

import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ORDER = [line for line in (ROOT / "src/modules.txt").read_text(encoding="utf-8").splitlines() if line[:1].isalpha()]
# (header, the only folders or files that may include it)
FOREIGN = [(r"onnxruntime_.*", "runtime/onnxruntime"), (r"openvino/.*", "runtime/openvino"),
           (r"(torch|ATen|c10)/.*", "trainer"), (r"CLI/.*", "cli/command_line.cpp"), (r"onnx.*\.pb\.h", "graph", "runtime/onnxruntime", "kernels")]
# (folder of runtime/, the header for all others)
PRIVATE = [("onnxruntime", "runtime/runtime.h"), ("openvino", "runtime/runtime.h"), ("sim", "runtime/simulated.h")]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def broken_rules(source):
    """Every rule that the files under `source` (the src folder) break, as 'file:line: what'."""
    for path in sorted(p for p in source.rglob("*") if p.suffix in (".h", ".cpp")):
        inside = path.relative_to(source)
        module = inside.parts[0]
        if len(inside.parts) < 2:
            continue
        if module not in ORDER:
            yield f"{path}:1: '{module}' is not in the order of modules; add it to src/modules.txt"
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
        for kind, door in PRIVATE:
            if header.startswith(f"runtime/{kind}/") and not inside.as_posix().startswith(f"runtime/{kind}/") \
                    and inside.parent.as_posix() != "runtime":
                return f"\"{header}\" is private to runtime/; include \"{door}\""
        return None
    for pattern, *homes in FOREIGN:
        if re.fullmatch(pattern, header) and inside.as_posix() not in homes \
                and not inside.as_posix().startswith(tuple(f"{home}/" for home in homes)):
            return f"<{header}> may be included only in src/{homes[0]}"
    return None


def wrong_document():
    """The order as src/README.md shows it (of the modules that are here) must be the one of modules.txt."""
    there = " → ".join(name for name in ORDER if (ROOT / "src" / name).is_dir())
    if there not in (ROOT / "src/README.md").read_text(encoding="utf-8").splitlines():
        yield f"src/README.md: the order of modules is not the one of src/modules.txt; write the line '{there}'"
    for name in ORDER:
        if (ROOT / "src" / name).is_dir() and f"\n**{name}** " not in (ROOT / "src/README.md").read_text(encoding="utf-8"):
            yield f"src/README.md: no paragraph begins with **{name}**"


def types_told_twice(source):
    """Two types of one name in one namespace are one type to the linker: it takes the functions of either."""
    seen = {}
    files = [path for folder in (source, ROOT / "include") for path in folder.rglob("*") if path.suffix in (".h", ".cpp")]
    for path in sorted(files):
        spaces = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if opened := re.match(r"(?:inline )?namespace ?([\w:]*) \{", line):
                spaces.append(opened.group(1))
            elif line.startswith("}  // namespace") and spaces:
                spaces.pop()
            defined = re.match(r"(?:class|struct|enum class) (?:TAKT_EXPORT )?(\w+)(?: final)?(?: :.*)? \{", line)
            if defined and spaces and "" not in spaces:  # an unnamed namespace keeps its types to itself
                name = f"{'::'.join(spaces)}::{defined.group(1)}"
                if name in seen:
                    yield f"{path}:{number}: {name} is defined in {seen[name]}, too; give one another name"
                seen[name] = f"{path.name}:{number}"


WORD = re.compile(r"(?:template <.*>\s*)?(?:struct|class|enum class|enum) (\w+)|"
                  r"(?:static |constexpr |const |inline )*[A-Za-z_][\w:<>,&* ]*?[ &*>](\w+)(?:\(|\{| =|\[)")
NO_WORD = ("TEST", "INSTANTIATE", " ", "}", "/", "#", "using", "namespace", "return")


def words_told_twice(tests):
    """Several files of a test program are compiled as one (TAKT_UNITY), and a call may then mean another file's function."""
    for folder in sorted(path for path in tests.iterdir() if path.is_dir()):
        seen = {}
        for path in sorted(folder.glob("*_test.cpp")):
            unnamed = False
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                unnamed = (unnamed or line == "namespace {") and line != "}  // namespace"
                word = WORD.match(line) if unnamed and not line.startswith(NO_WORD) else None
                if not word:
                    continue
                name = word.group(1) or word.group(2)
                if seen.setdefault(name, path) != path:
                    yield f"{path}:{number}: {name} is a word of {seen[name].name}, too; give one another name"


def self_test():
    cases = {"core/a.h": ('#include "cli/b.h"\n', 1), "cli/b.h": ('#include "core/a.h"\n#include <vector>\n', 0),
             "cli/command_line.cpp": ("#include <CLI/App.hpp>\n", 0), "cli/command_line.h": ("#include <CLI/App.hpp>\n", 1),
             "graph/c.cpp": ("#include <openvino/openvino.hpp>\n", 1), "odd/d.h": ("\n", 1),
             "runtime/openvino/e.cpp": ("#include <openvino/openvino.hpp>\n", 0),
             "profile/f.cpp": ('# include "runtime/openvino/e.h"\n', 1), "runtime/g.cpp": ('#include "profile/f.h"\n', 1),
             "pipeline/h.cpp": ('#include "runtime/sim/i.h"\n#include "runtime/simulated.h"\n', 1),
             "runtime/sim/i.cpp": ('#include "runtime/sim/i.h"\n', 0), "runtime/j.cpp": ('#include "runtime/sim/i.h"\n', 0),
             "runtime/openvino/k.cpp": ('#include "runtime/sim/i.h"\n', 1)}
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, _) in cases.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = list(broken_rules(Path(folder)))
        (Path(folder) / "core/x.h").write_text("namespace takt {\nstruct Twice {\n}  // namespace takt\n")
        (Path(folder) / "core/y.h").write_text("namespace takt {\nclass Twice final : public A {\n}  // namespace takt\n")
        if not any("takt::Twice" in line for line in types_told_twice(Path(folder))):
            sys.exit("check_layers: self-test failed: a type of two headers was not found")
        for name, word in ("a", "std::string said(int x) {"), ("b", "bool said(double x) {"):
            (Path(folder) / f"core/{name}_test.cpp").write_text(f"namespace {{\n{word}\n}}  // namespace\n")
        if len(list(words_told_twice(Path(folder)))) != 1:
            sys.exit("check_layers: self-test failed: a word of two tests was not found")
    for name, (_, count) in cases.items():
        hits = sum(f"/{name}:" in line for line in found)
        if hits != count:
            sys.exit(f"check_layers: self-test failed: {name} gave {hits} complaints instead of {count}")
    print(f"check_layers: self-test passed ({len(cases)} files)")


def main():
    if "--self-test" in sys.argv[1:]:
        return self_test()
    problems = [*broken_rules(ROOT / "src"), *types_told_twice(ROOT / "src"), *words_told_twice(ROOT / "tests"),
                *wrong_document()]
    print("\n".join(problems) if problems else "check_layers: every include goes one way")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
