#!/usr/bin/env python3
"""report_whatif_test.py TAKT PIPELINES: the sliders of a page answer exactly what `takt pipeline whatif` answers: random settings
of their grid, over three pipelines. TAKT_WHATIF_SETTINGS says how many (36; 200 before a release)."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from report_test import page_data, table_of


def settings_of(group):
    count = 1
    for knob in group["knobs"]:
        count *= len(knob["values"])
    return count


def changes_of(group, answer):
    """What --set takes for an answer: the values of the last knob lie next to each other."""
    changes = []
    for knob in reversed(group["knobs"]):
        answer, place = divmod(answer, len(knob["values"]))
        if place != knob["recorded"]:
            changes.insert(0, f"{knob['key']}={knob['values'][place]}")
    return changes


def check_setting(takt, place, trace, group, answer):
    words = [word for change in changes_of(group, answer) for word in ("--set", change)]
    done = subprocess.run([takt, "pipeline", "whatif", trace, *words, "--format", "json"], cwd=place, check=True, capture_output=True)
    wanted = json.loads(done.stdout)["tables"]["summary"][2]
    assert wanted.pop("variant") == "after", wanted
    shown = table_of(group["answers"]["columns"])[answer]
    assert shown == wanted, (trace, words, shown, wanted)


def page_of(takt, place, *words):
    subprocess.run([takt, *words], cwd=place, check=True, capture_output=True)
    (result,) = page_data((place / "page.html").read_text())["results"]
    return result


def main():
    takt, pipelines = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    here = pathlib.Path(__file__).resolve().parent
    count = int(os.environ.get("TAKT_WHATIF_SETTINGS", "36"))
    chance = random.Random(5)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        groups = []
        for pipeline, batches in ((here / "pipe.yaml", 15), (pipelines / "gnn.yaml", 25), (pipelines / "two_heads.yaml", 12)):
            trace = f"{pipeline.stem}.trace.json"
            ran = page_of(takt, place, "pipeline", "run", pipeline, "--simulate", "--batches", str(batches), "--trace", trace,
                          "--report", "page.html")
            read = page_of(takt, place, "report", trace, "-o", "page.html")
            said = page_of(takt, place, "pipeline", "analyze", trace, "--report", "page.html")
            assert read["what_ifs"] and ran["what_ifs"] == read["what_ifs"] == said["what_ifs"], trace
            assert read["what_if_command"] == f"takt pipeline whatif {trace}", read["what_if_command"]
            assert not any("changes to try" in words for words in ran["missing"] + read["missing"] + said["missing"]), ran["missing"]
            for group in read["what_ifs"]:
                assert settings_of(group) == len(group["answers"]["columns"][0]["values"]) > 1, group["name"]
                assert all(0 <= knob["recorded"] < len(knob["values"]) == len(set(knob["values"])) for knob in group["knobs"])
                groups.append((trace, group))
        assert len({trace for trace, _ in groups}) == 3 and len(groups) > 6, len(groups)
        for trace, group in chance.choices(groups, k=count):
            check_setting(takt, place, trace, group, chance.randrange(settings_of(group)))

        long_run = page_of(takt, place, "pipeline", "run", here / "pipe.yaml", "--simulate", "--batches", "4000", "--trace", "long.json",
                           "--report", "page.html")
        assert long_run["what_ifs"] == [], "a long run is not replayed hundreds of times"
        assert any("takt pipeline whatif long.json --set" in words for words in long_run["missing"]), long_run["missing"]


if __name__ == "__main__":
    main()
