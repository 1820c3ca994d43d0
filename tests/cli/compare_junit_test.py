#!/usr/bin/env python3
"""compare_junit_test.py TAKT MAKE_MODELS: the JUnit report of `takt compare` is XML that a parser reads, with the names of
the operators unharmed whatever is in them."""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

HOSTILE = 'a<b>&"\'\t]]>卷积\uffff'


def main():
    takt, make_models = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    here = pathlib.Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        subprocess.run([make_models, folder], check=True)
        (place / "box.yaml").write_text((here / "box.yaml").read_text())
        subprocess.run([takt, "run", "small.onnx", "--device", "sim:box", "--iter", "6", "--profile", "a.json"], cwd=folder,
                       check=True, capture_output=True)
        profile = json.loads((place / "a.json").read_text())
        slow_id, slow = next(item for item in profile["graph_exec"]["operator"].items() if item[1]["name"] == "relu1")
        slow["name"] = HOSTILE
        (place / "a.json").write_text(json.dumps(profile))
        samples = profile["takt"]["profile"]["operators"][slow_id]["samples_ns"]
        samples[:] = [2 * sample for sample in samples]
        (place / "b.json").write_text(json.dumps(profile))
        done = subprocess.run([takt, "compare", "a.json", "b.json", "--fail-over", "3%", "--fail-over-op", "--junit", "r.xml"],
                              cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "over the limit of 3 %" in done.stderr, done
        suite = ElementTree.parse(place / "r.xml").getroot().find("testsuite")
        cases = suite.findall("testcase")
        assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "1", "0"), suite.attrib
        assert len(cases) == 4, cases
        failed = [case.get("name") for case in cases if case.find("failure") is not None]
        assert failed == [HOSTILE.replace("\t", "\\x09").replace("\uffff", "\ufffd") + " Relu"], failed


if __name__ == "__main__":
    main()
