#!/usr/bin/env python3
"""Checks that a room of src includes only rooms before it in the order, none holds more files than can be looked over, foreign
headers stay in their own room, a type stands in one header and a word of a test program in one of its files.

Prints every line that breaks a rule and exits 1; --self-test shows that it does.
"""

import itertools
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMED = [line for line in (ROOT / "src/modules.txt").read_text(encoding="utf-8").splitlines() if line[:1].isalpha()]
# A runtime is its folder and a line there: rooms that modules.txt does not name stand before the registry of all.
RUNTIMES = [f"model/{name}" for name in re.findall(r"^TAKT_RUNTIME\((\w+)", (ROOT / "src/model/registry/runtimes.inc").read_text("utf-8"), re.M)]
ORDER = [room for named in NAMED for room in
         ([*(new for new in RUNTIMES if new not in NAMED), named] if named == "model/registry" else [named])]
LARGEST_ROOM = 40  # files
MOST_ROOMS = 10  # in a wing
# (header, the only rooms or files that may include it)
FOREIGN = [(r"onnxruntime_.*", "model/onnxruntime"), (r"openvino/.*", "model/openvino"),
           (r"(torch|ATen|c10)/.*", "training/trainer"), (r"CLI/.*", "cli/line/command_line.cpp"),
           (r"onnx.*\.pb\.h", "model/onnx", "model/cuts", "model/onnxruntime", "predict/kernels", "predict/zoo")]
# (room of a runtime, what all others but the registry include instead, the headers of the room that read files only)
PRIVATE = [("model/onnxruntime", "model/runtime/runtime.h", "model/onnxruntime/ort_events.h"), ("model/openvino", "model/runtime/runtime.h"),
           ("model/sim", "model/sim/simulated.h"), *((room, "model/runtime/runtime.h") for room in RUNTIMES if room not in NAMED)]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def broken_rules(source):
    """Every rule that the files under `source` (the src folder) break, as 'file:line: what'."""
    for path in sorted(p for p in source.rglob("*") if p.suffix in (".h", ".cpp")):
        inside = path.relative_to(source)
        room = inside.parent.as_posix()
        if len(inside.parts) < 2:
            continue
        if room not in ORDER:
            yield f"{path}:1: '{room}' is not in the order of rooms; add it to src/modules.txt"
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            include = INCLUDE.match(line)
            if include:
                problem = judge(inside, room, include.group(1), include.group(2))
                if problem:
                    yield f"{path}:{number}: {problem}"


def judge(inside, room, quote, header):
    target = header.rpartition("/")[0]
    if quote == '"' and target in ORDER:
        if ORDER.index(target) > ORDER.index(room):
            return f"'{room}' includes \"{header}\", but '{target}' comes after it"
        for private, door, *open_ones in PRIVATE:
            if target == private and room not in (private, "model/registry") and header not in (door, *open_ones):
                return f"\"{header}\" is private to {private}; include \"{door}\""
        return None
    for pattern, *homes in FOREIGN:
        if re.fullmatch(pattern, header) and inside.as_posix() not in homes \
                and not inside.as_posix().startswith(tuple(f"{home}/" for home in homes)):
            return f"<{header}> may be included only in src/{homes[0]}"
    return None


def too_large(source):
    """Rooms that hold more than one can look over, and wings with too many of them; a wing's rooms stand together in the order."""
    for room in ORDER:
        files = [path for path in (source / room).glob("*") if path.suffix in (".h", ".cpp")]
        if len(files) > LARGEST_ROOM:
            yield f"{source / room}: {len(files)} files, where {LARGEST_ROOM} are the most of a room; divide it"
    wings = [room.split("/")[0] for room in ORDER]
    for wing in dict.fromkeys(wings):
        first = wings.index(wing)
        if wings[first:first + wings.count(wing)] != [wing] * wings.count(wing):
            yield f"src/modules.txt: the rooms of '{wing}' do not stand together"
        if sum(room.startswith(f"{wing}/") for room in ORDER if room not in RUNTIMES) > MOST_ROOMS:
            yield f"src/modules.txt: '{wing}' has more than {MOST_ROOMS} rooms"


def wrong_document():
    """src/README.md shows the order of wings and has a line on each room, in the order of modules.txt; the files that it names are there."""
    text = (ROOT / "src/README.md").read_text(encoding="utf-8")
    there = " → ".join(dict.fromkeys(room.split("/")[0] for room in ORDER))
    if there not in text.splitlines():
        yield f"src/README.md: the order of wings is not the one of src/modules.txt; write the line '{there}'"
    told = re.findall(r"^\* \*\*([\w/]+)\*\* ", text, re.M)
    if told != NAMED:
        wrong = next((a or b for a, b in itertools.zip_longest(NAMED, told) if a != b), "")
        yield f"src/README.md: the lines on rooms ('* **{wrong}** …') are not those of src/modules.txt in its order"
    for name in re.findall(r"`((?:[a-z_]+/)+[a-z_0-9]+\.(?:h|cpp))`", text):
        if not any((folder / name).is_file() for folder in (ROOT, ROOT / "src")):
            yield f"src/README.md: {name} is not there"


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
    for folder in sorted({path.parent for path in tests.rglob("*_test.cpp")}):
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
    basics, line = "base/basics", "cli/line"
    cases = {f"{basics}/a.h": ('#include "cli/line/b.h"\n', 1), f"{line}/b.h": ('#include "base/basics/a.h"\n#include <vector>\n', 0),
             "base/files/a.cpp": ('#include "base/basics/a.h"\n#include "base/table/a.h"\n', 1),
             f"{line}/command_line.cpp": ("#include <CLI/App.hpp>\n", 0), f"{line}/command_line.h": ("#include <CLI/App.hpp>\n", 1),
             "model/graph/c.cpp": ("#include <openvino/openvino.hpp>\n", 1), "odd/d.h": ("\n", 1), "model/d.h": ("\n", 1),
             "model/openvino/e.cpp": ("#include <openvino/openvino.hpp>\n", 0),
             "measure/run/f.cpp": ('# include "model/openvino/e.h"\n', 1), "model/runtime/g.cpp": ('#include "measure/run/f.h"\n', 1),
             "pipeline/engine/h.cpp": ('#include "model/sim/i.h"\n#include "model/sim/simulated.h"\n', 1),
             "measure/profiles/l.cpp": ('#include "model/onnxruntime/ort_events.h"\n#include "model/onnxruntime/session.h"\n', 1),
             "model/sim/i.cpp": ('#include "model/sim/i.h"\n', 0), "model/registry/j.cpp": ('#include "model/sim/i.h"\n', 0),
             "model/openvino/k.cpp": ('#include "model/sim/i.h"\n', 1)}
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, _) in cases.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = list(broken_rules(Path(folder)))
        (Path(folder) / basics / "x.h").write_text("namespace takt {\nstruct Twice {\n}  // namespace takt\n")
        (Path(folder) / basics / "y.h").write_text("namespace takt {\nclass Twice final : public A {\n}  // namespace takt\n")
        if not any("takt::Twice" in line for line in types_told_twice(Path(folder))):
            sys.exit("check_layers: self-test failed: a type of two headers was not found")
        for name, word in ("a", "std::string said(int x) {"), ("b", "bool said(double x) {"):
            (Path(folder) / f"{basics}/{name}_test.cpp").write_text(f"namespace {{\n{word}\n}}  // namespace\n")
        if len(list(words_told_twice(Path(folder)))) != 1:
            sys.exit("check_layers: self-test failed: a word of two tests was not found")
        for number in range(LARGEST_ROOM):
            (Path(folder) / f"{basics}/full{number}.h").write_text("\n")
        if len(list(too_large(Path(folder)))) != 1:
            sys.exit("check_layers: self-test failed: a room with too many files was not found")
    for name, (_, count) in cases.items():
        hits = sum(f"/{name}:" in line for line in found)
        if hits != count:
            sys.exit(f"check_layers: self-test failed: {name} gave {hits} complaints instead of {count}")
    print(f"check_layers: self-test passed ({len(cases)} files)")


def main():
    if "--self-test" in sys.argv[1:]:
        return self_test()
    problems = [*broken_rules(ROOT / "src"), *too_large(ROOT / "src"), *types_told_twice(ROOT / "src"), *words_told_twice(ROOT / "tests"),
                *wrong_document()]
    print("\n".join(problems) if problems else "check_layers: every include goes one way")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
