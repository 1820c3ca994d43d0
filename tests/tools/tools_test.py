"""The scripts of tools/: each check must be able to fail, and bootstrap must not trust what it fetched."""

import importlib.util
import tempfile
import unittest
import zipfile
from importlib.machinery import SourceFileLoader
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"


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
        found = self.complaints("core/units.cpp", '#include "core/units.h"\n#include "profile/run.h"\n')
        self.assertEqual(len(found), 1)
        self.assertIn("core/units.cpp:2:", found[0])

    def test_foreign_headers_stay_in_their_folder(self):
        self.assertTrue(self.complaints("profile/run.cpp", "#include <onnxruntime_cxx_api.h>\n"))
        self.assertTrue(self.complaints("runtime/onnxruntime/session.cpp", "#include <openvino/openvino.hpp>\n"))

    def test_downward_and_own_includes_are_fine(self):
        self.assertEqual(self.complaints("runtime/openvino/session.cpp", '#include <openvino/openvino.hpp>\n'
                                         '#include "core/units.h"\n#include "runtime/openvino/session.h"\n'), [])


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

    def test_versions_compare_by_number(self):
        self.assertLess(self.bootstrap.numbers("3.9"), self.bootstrap.numbers("3.25.1"))


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

    def test_commands_are_read_from_help(self):
        text = "takt\n\nOptions:\n  -h,--help  Help\n\nSubcommands:\n  run        Runs\n  analyze    Reads\n\nMore:\n  x  y\n"
        self.assertEqual(self.docs.commands_in(text), ["run", "analyze"])


if __name__ == "__main__":
    unittest.main()
