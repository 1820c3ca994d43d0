"""The scripts of tools/: each check must be able to fail, and bootstrap must not trust what it fetched."""

import importlib.util
import re
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
import zipfile
from importlib.machinery import SourceFileLoader
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.dont_write_bytecode = True


def load(name):
    loader = SourceFileLoader(name.replace(".py", ""), str(TOOLS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Layers(InFolder):
    def complaints(self, name, text):
        self.write(name, text)
        return list(load("check_layers.py").broken_rules(self.folder))

    def test_an_upward_include_is_named_with_its_line(self):
        found = self.complaints("base/basics/units.cpp", '#include "base/basics/units.h"\n#include "measure/run/run.h"\n')
        self.assertEqual(len(found), 1)
        self.assertIn("base/basics/units.cpp:2:", found[0])

    def test_foreign_headers_stay_in_their_folder(self):
        self.assertTrue(self.complaints("measure/run/run.cpp", "#include <onnxruntime_cxx_api.h>\n"))
        self.assertTrue(self.complaints("model/onnxruntime/session.cpp", "#include <openvino/openvino.hpp>\n"))

    def test_downward_and_own_includes_are_fine(self):
        self.assertEqual(self.complaints("model/openvino/session.cpp", '#include <openvino/openvino.hpp>\n'
                                         '#include "base/basics/units.h"\n#include "model/openvino/session.h"\n'), [])


class Hooks(InFolder):
    def said_of(self, message):
        file = self.write("message", message)
        return subprocess.run([TOOLS / "hooks/commit-msg", file], capture_output=True, text=True, check=False)

    def test_a_subject_that_git_cuts_is_refused(self):
        self.assertEqual(self.said_of("# of git\n" + "é" * 72 + "\n\n" + "x" * 200 + "\n").returncode, 0)
        refused = self.said_of("x" * 73 + "\n")
        self.assertEqual((refused.returncode, refused.stderr.split(";")[0]),
                         (1, "commit-msg: the subject has 73 characters, 72 are the most"))


class Bootstrap(InFolder):
    def setUp(self):
        super().setUp()
        self.bootstrap = load("bootstrap")

    def test_a_changed_download_is_refused(self):
        path = self.write("sdk.whl", "not what was pinned")
        with self.assertRaisesRegex(self.bootstrap.Failed, "sdk.whl has the hash"):
            self.bootstrap.check_hash(path, "0" * 64)

    def test_only_the_named_parts_are_unpacked(self):
        wheel = self.folder / "a.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("pkg/lib/libx.so.1", "library")
            archive.writestr("pkg/setup.py", "program")
        self.bootstrap.unpack_wheel(wheel, {r"pkg/lib/(libx\.so\.1)": "lib"}, self.folder / "x")
        self.assertEqual([p.name for p in (self.folder / "x").rglob("*") if p.is_file()], ["libx.so.1"])

    def test_an_sdk_counts_as_there_only_with_the_right_stamp(self):
        self.bootstrap.SDK = self.folder
        self.assertTrue(self.bootstrap.sdk_is_missing("onnx"))
        self.write("onnx/.stamp", "onnx 1.0.0 sha256:0\n")
        self.assertTrue(self.bootstrap.sdk_is_missing("onnx"))
        self.write("onnx/.stamp", self.bootstrap.stamp_of("onnx"))
        self.assertFalse(self.bootstrap.sdk_is_missing("onnx"))

    def test_a_set_up_for_the_demo_leaves_out_what_only_tests_need(self):
        self.bootstrap.SDK = self.folder
        options = types.SimpleNamespace(no_sdks=False)
        self.assertEqual(self.bootstrap.missing_sdks("build", options), ["onnx", "onnxruntime", "openvino"])
        self.assertIn("perfetto", self.bootstrap.missing_sdks("test", options))

    def test_a_system_without_apt_is_told_what_to_install_in_its_own_words(self):
        fmt = next(need for need in self.bootstrap.packages.NEEDS if need.debian == "libfmt-dev")
        only_dnf = lambda name: name if name == "dnf" else None
        with unittest.mock.patch.object(self.bootstrap.packages.shutil, "which", only_dnf):
            with self.assertRaisesRegex(self.bootstrap.Failed, "dnf install fmt-devel"):
                self.bootstrap.install_packages([fmt])


    def test_headers_are_known_by_their_names_and_contents(self):
        self.write("a/one.h", "1")
        self.write("a/b/two.h", "2")
        before = self.bootstrap.hash_of_files(self.folder / "a")
        self.write("c/b/two.h", "2")
        self.write("c/one.h", "1")
        self.assertEqual(self.bootstrap.hash_of_files(self.folder / "c"), before)
        self.write("c/one.h", "3")
        self.assertNotEqual(self.bootstrap.hash_of_files(self.folder / "c"), before)
        self.write("c/one.h", "1")
        (self.folder / "c/one.h").rename(self.folder / "c/three.h")
        self.assertNotEqual(self.bootstrap.hash_of_files(self.folder / "c"), before)

    def test_a_user_without_root_is_told_before_anything_is_fetched(self):
        done = []
        needs = [self.bootstrap.packages.NEEDS[0]]
        patch = unittest.mock.patch.object
        with patch(self.bootstrap, "can_install_packages", lambda: False), patch(self.bootstrap, "find_pip", lambda: ["pip"]), \
                patch(self.bootstrap, "say", lambda text: done.append(str(text))), \
                patch(self.bootstrap, "fetch_sdks", lambda names: done.append(names)):
            with self.assertRaisesRegex(self.bootstrap.Failed, "packages named above are missing"):
                self.bootstrap.install(needs, ["onnx"])
        self.assertIn("administrator", done[0])
        self.assertEqual(done[1:], [["onnx"]])


class Packages(InFolder):
    def setUp(self):
        super().setUp()
        self.packages = load("packages.py")

    def test_versions_compare_by_number(self):
        self.assertLess(self.packages.numbers("3.9"), self.packages.numbers("3.25.1"))

    def test_each_level_takes_in_the_build_and_the_last_takes_in_all(self):
        with unittest.mock.patch.object(self.packages, "is_there", lambda need, folders: False):
            names = {level: self.packages.names(self.packages.missing(level), "debian") for level in self.packages.LEVELS}
        for level in names.values():
            self.assertIn("libfmt-dev", level)
        self.assertEqual([level for level, found in names.items() if "libtorch-dev" in found], ["torch", "check"])
        self.assertEqual([level for level, found in names.items() if "libgtest-dev" in found], ["test", "check"])
        self.assertEqual(set(names["check"]), {need.debian for need in self.packages.NEEDS})

    def test_a_library_that_only_its_header_tells_of_is_there(self):
        need = self.packages.library("build", "libx-dev", "x-devel", "x", "1.0", "no-such-module", "x/x.h")
        self.assertFalse(self.packages.library_is_there(need, [str(self.folder)]))
        self.write("x/x.h", "")
        self.assertTrue(self.packages.library_is_there(need, [str(self.folder)]))

    def test_a_library_that_is_too_old_is_missing(self):
        need = self.packages.library("build", "libx-dev", "x-devel", "x", "2.0", "x", "x/x.h")
        with unittest.mock.patch.object(self.packages, "output", lambda command: "1.9.3\n"):
            self.assertFalse(self.packages.library_is_there(need, []))


class Sizes(InFolder):
    def test_methods_count_and_lambdas_count_with_their_owner(self):
        sizes = load("sizes.py")
        sizes.ROOT = self.folder
        text = ("class A {\n public:\n  int f(int x) const {\n    if (x) {\n      return 1;\n    }\n    return 2;\n  }\n};\n"
                "const int g = [] {\n  return 3;\n}();\nvoid h(int a,\n       int b) {\n  each([&] {\n    a + b;\n  });\n}\n")
        found = list(sizes.functions(self.write("src/a.cpp", text), text.splitlines()))
        self.assertEqual([(size, where.split()[0]) for size, where in found], [(6, "src/a.cpp:3"), (6, "src/a.cpp:13")])


class Mutants(InFolder):
    ENTRY = "# two\nfile: src/base/files/a.cpp\nkind: boundary\n- a < b\n+ a <= b\n\nfile: src/base/files/a.cpp\nkind: check\n- one;\n-\n- two;\n+\n"

    def setUp(self):
        super().setUp()
        self.mutants = load("mutants")

    def entries(self):
        return list(self.mutants.parse(self.ENTRY, "list.txt"))

    def test_every_entry_of_the_list_stands_in_its_source_once(self):
        entries = self.mutants.read_all(TOOLS.parent / "tests/mutants")
        self.assertEqual(list(self.mutants.stale(entries, TOOLS.parent)), [])
        self.assertGreaterEqual(len(entries), 150)

    def test_entries_are_read_with_their_line_ends(self):
        first, second = self.entries()
        self.assertEqual((first.place, first.module, first.old, first.new), ("list.txt:2", "core", "a < b", "a <= b"))
        self.assertEqual((second.old, second.new), ("one;\n\ntwo;", ""))
        for text in ("file: a\n", self.ENTRY.replace("boundary", "typo"), "fil: a\n", self.ENTRY.replace("<=", "<")):
            with self.assertRaises(self.mutants.Refused):
                list(self.mutants.parse(text, "list.txt"))

    def test_an_entry_that_no_longer_fits_is_named(self):
        first, second = self.entries()
        self.assertIn("no file", "".join(self.mutants.stale([first], self.folder)))
        self.write("src/base/files/a.cpp", "if (a < b) one;\n\ntwo; if (a < b)")
        found = list(self.mutants.stale([first, second, second], self.folder))
        self.assertEqual(len(found), 2)
        self.assertIn("list.txt:2: its text stands 2 times", found[0])
        self.assertIn("twice", found[1])

    def judged(self, answers):
        """What becomes of the first entry where the commands end so, and the source that each of them saw."""
        source, seen, answers = self.write("src/base/files/a.cpp", "if (a < b)"), [], iter(answers)

        class Fake(self.mutants.Tree):
            def call(self, words, limit=None):
                seen.append(source.read_text())
                answer = next(answers)
                if isinstance(answer, BaseException):
                    raise answer
                return answer

        self.write("build/dev/build.ninja", "")
        self.write("build/dev/tests/base/test_core", "")
        try:
            return Fake(self.folder, self.folder, 1).judge(self.entries()[0]), seen
        finally:
            self.assertEqual(source.read_text(), "if (a < b)", "the source is as it was")

    def test_a_change_is_killed_by_the_first_test_that_fails(self):
        well = (0, "")
        failed, ctest = (1, "[  FAILED  ] Spread.adds_up\n"), (8, " 12 - cli.explain (Failed)\n")
        self.assertEqual(self.judged([well, failed]), (("killed", "Spread.adds_up"), ["if (a <= b)"] * 2))
        self.assertEqual(self.judged([well, well, well, ctest])[0], ("killed", "cli.explain"))
        self.assertEqual(self.judged([well, well, well, well])[0], ("survived", ""))
        self.assertEqual(self.judged([(1, "error: no")])[0][0], "does not build")
        with self.assertRaises(KeyboardInterrupt):
            self.judged([well, KeyboardInterrupt()])

    def test_a_copy_is_the_checkout_again_whatever_was_left_in_it(self):
        subprocess.run(["git", "init", "-q", self.folder], check=True)
        self.write(".gitignore", "build/\n")
        self.write("src/base/files/a.cpp", "whole")
        tree = self.mutants.Tree(self.folder, self.folder / "build/tree", 1)
        tree.copy()
        copy = self.folder / "build/tree/src/base/files/a.cpp"
        dates = [copy.stat().st_mtime_ns]
        tree.copy()
        self.assertEqual([copy.stat().st_mtime_ns], dates, "what is the same is not built again")
        copy.write_text("changed")
        self.write("build/tree/src/base/files/gone.cpp", "")
        tree.copy()
        self.assertEqual(copy.read_text(), "whole")
        self.assertFalse((copy.parent / "gone.cpp").exists())

    def test_a_survivor_without_a_reason_is_named(self):
        first, second = self.entries()
        outcomes = {first.key: {"outcome": "survived"}, second.key: {"outcome": "killed"}}
        report = "\n".join(self.mutants.table([first, second], outcomes))
        self.assertIn("50 % of those", report)
        self.assertIn("survived: list.txt:2", report)
        explained = "\n".join(self.mutants.table([first._replace(equivalent="the same"), second], outcomes))
        self.assertIn("100 % of those", explained)
        self.assertNotIn("survived:", explained)


class RandomMutants(InFolder):
    def setUp(self):
        super().setUp()
        self.random = load("random_mutants.py")
        self.content = b"int f(int a) {\n  if (a < 3) return a;\n  return 0;\n}\n"
        begin = self.content.index(b"a < 3")
        self.change = self.random.Change("src/flow/a.cpp", 2, "boundary", begin, begin + 5, "a < 3", "a <= 3",
                                         "(takt_mutant(@) ? (a <= 3) : (a < 3))")

    def test_a_change_is_told_by_its_whole_line_and_not_by_its_number(self):
        self.assertEqual(self.random.lines_of(self.content, self.change),
                         ("  if (a < 3) return a;", "  if (a <= 3) return a;"))
        self.assertEqual(self.random.entry_of(self.change, self.content),
                         "file: src/flow/a.cpp\nkind: boundary\n-   if (a < 3) return a;\n+   if (a <= 3) return a;")

    def test_each_change_of_a_source_stands_behind_its_own_switch(self):
        begin = self.content.index(b"0;")
        other = self.change._replace(kind="value", begin=begin, end=begin + 1, switched="(takt_mutant(@) ? (1) : (0))")
        text = self.random.with_switches(self.content, [(4, self.change), (7, other)])
        self.assertIn("if ((takt_mutant(4) ? (a <= 3) : (a < 3))) return a;\n  return (takt_mutant(7) ? (1) : (0));", text)
        mail = other._replace(switched='(takt_mutant(@) ? ("a@b") : ("b@a"))')
        self.assertIn('return (takt_mutant(9) ? ("a@b") : ("b@a"));', self.random.with_switches(self.content, [(9, mail)]))
        self.assertTrue(self.random.overlaps(self.change, [self.change]))
        self.assertFalse(self.random.overlaps(self.change, [other]))

    def test_every_source_has_a_module_that_tests_it(self):
        src = Path(__file__).resolve().parents[2] / "src"
        modules = {self.random.module_of(str(file.relative_to(src.parent))) for file in src.glob("*/**/*.cpp")}
        self.assertIn("report", modules)

    def baseline(self, command, reached=(0,)):
        """Of one test, a shell's command that sees the number of the change."""
        test = self.random.Test("one", ["sh", "-c", command], str(self.folder), {}, "", 77, 20, False)
        found = self.random.Baseline([test], self.folder, 1)
        found.told["one"] = {"name": "one", "passed": True, "seconds": 0, "reached": list(reached)}
        return found

    def test_a_change_is_noticed_where_its_test_fails_with_it_alone(self):
        self.assertEqual(self.baseline('[ "$TAKT_MUTANT" != 0 ]').judge(0), ("noticed", "one"))
        self.assertEqual(self.baseline("true").judge(0), ("survived", ""))
        self.assertEqual(self.baseline("false").judge(0), ("survived", ""))  # which fails without it, too
        self.assertEqual(self.baseline("exit 77").judge(0), ("survived", ""))
        self.assertEqual(self.baseline("false", reached=[1]).judge(0), ("not run", ""))

    def test_a_test_says_which_switches_it_came_by(self):
        test = self.random.Test("a/b", ["sh", "-c", 'touch "$TAKT_MUTANTS_REACHED/3"'], str(self.folder), {}, "", 0, 20, False)
        for test in (test, test._replace(name="case/" + "long " * 80)):
            self.assertEqual(self.random.Baseline([test], self.folder, 1).one(test)["reached"], [3])

    def test_the_table_counts_by_name(self):
        lines = list(self.random.table("kind", [("unit", "noticed"), ("unit", "survived"), ("check", "not run")]))
        self.assertEqual([line.split() for line in lines[1:]], [["check", "0", "0", "1", "0"], ["unit", "1", "1", "0", "50"],
                                                               ["all", "1", "1", "1", "33"]])


class Refusals(InFolder):
    SOURCE = """#include <cerrno>
#include <stdexcept>
#include <string>
// throw nothing here; refuse("neither");
[[noreturn]] void cannot(const std::string& why) { throw std::runtime_error("cannot: " + why); }
void check_size(int size) {
  if (size > 9) cannot("too large; give 1'000 or (less");
}
int half(int size) { return size % 2 ? throw std::runtime_error(size == 1 ? "one" : "odd") : size / 2; }
void take(int size) {
  check_size(size);
  try {
    half(size);
  } catch (...) {
    throw;
  }
}
int main(int argc, char**) {
  errno = 7;
  for (int size : {4, argc}) {
    try {
      take(size);
    } catch (const std::exception&) {
      size = 0;
    }
  }
  return errno - 7;
}
"""

    def setUp(self):
        super().setUp()
        self.refusals, self.found = load("refusals"), load("refusal_places.py")
        self.write("src/base/files/a.cpp", self.SOURCE)
        self.places = self.found.all_places(self.folder)

    def test_what_throws_and_what_an_exception_leaves_is_a_place(self):
        self.assertEqual([(one.line, one.text) for one in self.places], [
            (5, 'throw std::runtime_error("cannot: " + why)'),
            (7, 'cannot("too large; give 1\'000 or (less")'),
            (9, 'throw std::runtime_error(size == 1 ? "one" : "odd")'),
            (11, "check_size(size)")])

    def test_places_note_that_they_were_reached(self):
        source = self.write("noted.cpp", (TOOLS / "mutant_switch.h").read_text() +
                            self.found.with_notes(self.SOURCE, list(enumerate(self.places))))
        program, reached = self.folder / "noted", self.folder / "reached"
        reached.mkdir()
        subprocess.run(["c++", "-std=c++20", "-Wall", "-Werror", "-o", program, source], check=True)
        seen = []
        for words in ([], ["3"], ["3"] * 9):  # 1 is odd, 2 is even, 10 is too large
            subprocess.run([program, *words], check=True, env={"TAKT_MUTANTS_REACHED": str(reached)})
            seen.append(sorted(int(one.name) for one in reached.iterdir()))
        self.assertEqual(seen, [[2], [2], [0, 1, 2, 3]])

    def test_every_reason_fits_a_place(self):
        reasons = list(self.found.read_reasons((TOOLS.parent / "tests/refusals.txt").read_text()))
        self.assertEqual(list(self.found.stale(reasons, self.found.all_places(TOOLS.parent))), [])

    def test_a_reason_is_kept_by_what_stands_there(self):
        text = "# why\n\nfile: src/base/files/a.cpp\n- check_size(size)\n- check_size(length)\nreason: so it is\n"
        reasons = list(self.found.read_reasons(text))
        self.assertEqual(list(self.found.stale(reasons, self.places)),
                         ["tests/refusals.txt:3: src/base/files/a.cpp refuses nothing by: check_size(length)"])
        for wrong in ("file: a\n- b\n", "file: a\nreason: b\n", text.replace("reason", "because")):
            with self.assertRaises(ValueError):
                list(self.found.read_reasons(wrong))

    def test_what_no_test_brings_up_needs_a_reason_and_nothing_else_does(self):
        reason = self.found.Reason(1, "src/base/files/a.cpp", ["check_size(size)"], "so it is")
        left, needless = self.refusals.judged(dict(enumerate(self.places)), {0, 1}, [reason])
        self.assertEqual(([one.line for one in left], needless), ([9], []))
        left, needless = self.refusals.judged(dict(enumerate(self.places)), {0, 1, 2, 3}, [reason])
        self.assertEqual((left, len(needless)), ([], 1))

    def test_a_test_that_fails_shows_nothing(self):
        random = self.refusals.random_mutants
        tests = [random.Test(name, [program], "", {}, "", 0, 20, False)
                 for name, program in (("A.unit", "/b/test_core"), ("cli.one", "/usr/bin/python3"), ("cli.two", "/usr/bin/python3"))]
        told = {"A.unit": {"passed": True, "reached": [0]}, "cli.one": {"passed": True, "reached": [1]},
                "cli.two": {"passed": False, "reached": [2]}}
        self.assertEqual(self.refusals.reached_by(tests, told), ({0, 1}, {1}))
        rows = [line.split() for line in self.refusals.table(dict(enumerate(self.places)), {0, 1}, {1})]
        self.assertEqual(rows[1:], [["core", "4", "2", "1"], ["all", "4", "2", "1"]])

    def test_a_place_keeps_its_number_where_others_come_before_it(self):
        kept = {}
        first = self.refusals.with_numbers([self.places[1], self.places[1]], kept)
        self.assertEqual(list(first), [0, 1])
        self.assertEqual(list(self.refusals.with_numbers([self.places[0], self.places[1]], kept)), [2, 0])

    def test_cases_of_a_program_that_fails_run_one_by_one(self):
        program = self.write("test_core", '#!/bin/sh\n[ "$1" != --gtest_brief=1 ] && touch "$TAKT_MUTANTS_REACHED/$1"\n')
        program.chmod(0o755)
        random = self.refusals.random_mutants
        cases = [random.Test(f"A.{number}", [str(program), number], str(self.folder), {}, "", 0, 20, False) for number in ("4", "5")]
        self.assertEqual([one.name for one in self.refusals.together(cases)], ["test_core"])
        tests, told = self.refusals.run_tests(cases, self.folder, 1)
        self.assertEqual(self.refusals.reached_by(tests, told), ({4, 5}, set()))
        program.write_text('#!/bin/sh\ntouch "$TAKT_MUTANTS_REACHED/6"\n')
        self.refusals.forget(self.folder, ["test_core"])
        tests, told = self.refusals.run_tests(cases, self.folder, 1)
        self.assertEqual(([one.name for one in tests], self.refusals.reached_by(tests, told)), (["test_core"], ({6}, set())))

    def test_a_test_that_changed_runs_again(self):
        told = self.write("baseline.jsonl", '{"name": "cli.one"}\n{"name": "cli.two"}\n')
        note = self.write(self.refusals.random_mutants.reached_folder(self.folder, "cli.one").relative_to(self.folder) / "3", "")
        self.refusals.forget(self.folder, ["one"])
        self.assertEqual(told.read_text(), '{"name": "cli.two"}\n')
        self.assertFalse(note.exists())


class Documentation(InFolder):
    def setUp(self):
        super().setUp()
        self.docs = load("check_docs.py")
        self.docs.ROOT = self.folder
        self.takt = self.write("takt", "#!/bin/sh\necho one\n")
        self.takt.chmod(0o755)

    def test_a_link_that_leads_nowhere_is_named(self):
        page = self.write("a.md", "# Top\n[b](b.md) [top](#top) [away](https://example.org) `[c](c.md)`\n")
        self.assertEqual(list(self.docs.broken_links(page)), ["a.md: the link 'b.md' leads nowhere"])

    def test_a_verified_block_must_show_what_the_program_prints(self):
        block = "<!-- verified -->\n```console\n$ takt devices\n{}\n```\n"
        self.assertEqual(list(self.docs.wrong_blocks(self.write("a.md", block.format("one")), str(self.takt))), [])
        self.assertTrue(list(self.docs.wrong_blocks(self.write("a.md", block.format("two")), str(self.takt))))

    def test_a_verified_block_runs_nothing_but_takt(self):
        page = self.write("a.md", "<!-- verified -->\n```console\n$ touch here\n```\n")
        self.assertEqual(len(list(self.docs.wrong_blocks(page, str(self.takt)))), 1)
        self.assertFalse((self.folder / "here").exists())

    def test_a_block_that_nothing_checks_is_named(self):
        page = self.write("a.md", "```console\n$ takt devices\none\n```\n")
        self.assertIn("neither verified nor regenerated", next(iter(self.docs.wrong_blocks(page, str(self.takt)))))

    def test_a_measurement_must_keep_its_columns_and_not_its_figures(self):
        self.takt.write_text("#!/bin/sh\necho 'Runs  Mean'\necho ──────────\necho ' 10  3 ms'\n")
        block = "<!-- regenerated -->\n```text\n$ takt run m.onnx\n{}\n──────\n 12  9 ms\n```\n"
        self.assertEqual(list(self.docs.wrong_blocks(self.write("a.md", block.format("Runs   Mean")), str(self.takt))), [])
        self.assertIn("Runs | Median", "".join(
            self.docs.wrong_blocks(self.write("a.md", block.format("Runs  Median")), str(self.takt))))

    def test_a_document_is_written_with_what_the_program_prints_now(self):
        page = self.write("a.md", "a\n<!-- regenerated -->\n```text\n$ takt run m.onnx\nold\n```\nb\n")
        self.docs.regenerate(page, str(self.takt))
        self.assertEqual(page.read_text(), "a\n<!-- regenerated -->\n```text\n$ takt run m.onnx\none\n```\nb\n")

    def test_a_block_may_show_the_first_lines(self):
        self.takt.write_text("#!/bin/sh\necho one\necho two\n")
        block = "<!-- verified -->\n```text\n$ takt run m.onnx | head -1\n{}\n```\n"
        self.assertEqual(list(self.docs.wrong_blocks(self.write("a.md", block.format("one")), str(self.takt))), [])
        self.assertTrue(list(self.docs.wrong_blocks(self.write("a.md", block.format("one\ntwo")), str(self.takt))))

    def test_a_command_that_fails_is_named(self):
        self.takt.write_text("#!/bin/sh\necho 'takt: no' >&2\nexit 1\n")
        page = self.write("a.md", "<!-- runs -->\n```sh\n# a question\ntakt run m.onnx\n```\n")
        self.assertIn("exit code 1: takt: no", "".join(self.docs.wrong_blocks(page, str(self.takt))))

    def test_commands_are_read_from_help(self):
        text = "takt\n\nUsage: takt COMMAND\n\nOne model: how long?\n  run      Runs\n\nSeveral: which?\n  analyze  Reads\n\nOptions:\n  -h  Help\n"
        self.assertEqual(self.docs.commands_in(text), ["run", "analyze"])
        text = "Sweeps.\n\nOptions:\n  -h  Help\n\nCommands:\n  merge  Puts together\n\nMore:\n  x  y\n"
        self.assertEqual(self.docs.commands_in(text), ["merge"])


class Words(InFolder):
    def setUp(self):
        super().setUp()
        self.words = load("check_words.py")
        self.words.ROOT = self.folder
        self.write("CONTRIBUTING.md", "<!-- words that went -->\n`told by` → reported by, `anew` →\nagain\n<!-- end of words that went -->\n")
        self.write("README.md", "# Title\n\nOne two.\n\n| not | counted |\n\n```sh\nnor this\n```\n")
        self.write("src/README.md", "Three.\n")
        self.write("docs/glossary.md", "| word | meaning |\n|---|---|\n| op, operator | a node |\n| run | one inference |\n")
        self.words.printed_by = lambda takt: {"takt --help": "Runs a model\n"}

    def problems(self):
        return list(self.words.problems_of("takt", tell=False))

    def test_prose_is_what_stands_outside_of_blocks_tables_and_comments(self):
        text = (self.folder / "README.md").read_text() + "<!-- a comment -->\n* a point\n  of two lines\n* another\n"
        self.assertEqual(self.words.prose_of(text), ["Title", "One two.", "a point of two lines", "another"])

    def test_good_documents_have_no_problem(self):
        self.assertEqual(self.problems(), [])

    def test_too_many_words_and_too_long_sentences_are_named(self):
        self.write("docs/long.md", " ".join(["word"] * 41) + ". Short `a. b`.\n")
        self.assertEqual(len(self.problems()), 1)
        self.assertIn("docs/long.md: a sentence of 41 words", self.problems()[0])
        self.words.MOST_WORDS = 40
        self.assertIn("40 at most", self.problems()[1])

    def test_a_word_that_two_rows_explain_is_named(self):
        self.write("docs/glossary.md", "| word | meaning |\n|---|---|\n| op, operator | a node |\n| Operator | again |\n")
        self.assertEqual(self.problems(), ["docs/glossary.md explains 'operator' twice"])

    def test_words_that_went_do_not_come_back(self):
        self.write("include/takt/a.h", "int anew = 1;\n/// Made Anew.\n")
        self.write("docs/a.md", "Values told\nby the host; `renewed`.\n")
        self.words.printed_by = lambda takt: {"takt --help": "Runs\nanew\n"}
        self.assertEqual(self.problems(), ["docs/a.md, line 1: 'told by' is a word that went (CONTRIBUTING)",
                                           "takt --help, line 2: 'anew' is a word that went (CONTRIBUTING)",
                                           "include/takt/a.h, line 2: 'Anew' is a word that went (CONTRIBUTING)"])


class Fuzzing(unittest.TestCase):
    """fuzz/README.md says what is fuzzed, how, and what is not."""

    ROOT = TOOLS.parent

    def table(self, heading):
        """The rows of a table under a heading, cell by cell, without its own heading."""
        part = (self.ROOT / "fuzz/README.md").read_text(encoding="utf-8").split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
        rows = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("|")]
        return [[cell.strip() for cell in row] for row in rows[2:]]

    def test_every_target_is_in_the_table_has_a_corpus_and_is_built(self):
        listed = [row[0] for row in self.table("Targets")]
        self.assertEqual(listed, sorted(path.stem for path in (self.ROOT / "fuzz").glob("*.cpp")))
        built = re.findall(r"^takt_fuzz\((\w+) ", (self.ROOT / "fuzz/CMakeLists.txt").read_text(), re.M)
        self.assertEqual(listed, sorted(built))
        for target in listed:
            self.assertTrue(any((self.ROOT / "fuzz/corpus" / target).iterdir()), target)
        for row in self.table("Targets"):
            longest = max(path.stat().st_size for path in (self.ROOT / "fuzz/corpus" / row[0]).iterdir())
            self.assertGreaterEqual(int(row[1]), longest, f"{row[0]}: a seed would be cut")
            self.assertIn(row[2], ("", "json"), row[0])

    def test_every_format_has_a_target_or_a_reason(self):
        sections = re.findall(r"^## (.+)$", (self.ROOT / "docs/formats.md").read_text(encoding="utf-8"), re.M)
        named = {name.strip() for row in self.table("Targets") for name in row[4].split(",") if name.strip()}
        unread = {row[0] for row in self.table("Formats that no command reads")}
        self.assertEqual(named | unread, set(sections))
        self.assertFalse(named & unread)

    def test_every_parser_of_a_text_has_a_target_or_is_a_part_of_another(self):
        fuzzed = "".join(path.read_text(encoding="utf-8") for path in (self.ROOT / "fuzz").glob("*.cpp"))
        parts = {row[0].strip("`") for row in self.table("Parsers without a target of their own")}
        declared = set()
        for header in (self.ROOT / "src").rglob("*.h"):
            declared.update(re.findall(r"^[\w:<>, ]+ (parse_\w+)\([^;]*\b(?:where|origin|place)\b[^;]*;",
                                       header.read_text(encoding="utf-8"), re.M))
        self.assertGreater(len(declared), 20)
        unfuzzed = {name for name in declared if not re.search(rf"\b{name}\b", fuzzed)}
        self.assertEqual(unfuzzed, parts)


if __name__ == "__main__":
    unittest.main()
