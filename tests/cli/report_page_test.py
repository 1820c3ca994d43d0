#!/usr/bin/env python3
"""report_page_test.py TAKT MAKE_MODELS WEB: a page of `takt report` in a real browser, without a network (report_page.mjs).
Skipped, with the reason, where Chromium, Node or the packages of web/ are missing."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from report_cases import fuzzed, make_results, make_traces
from report_test import page_data

SEARCHED = "aten::"


def make_timelines(takt, place):
    """timeline.html, and in timeline.json what its tabs must show."""
    names = make_traces(place)
    subprocess.run([takt, "report", *names, "-o", "timeline.html"], cwd=place, check=True, capture_output=True)
    wanted = []
    for name in names:
        events = [event for event in json.loads((place / name).read_text())["traceEvents"] if event["ph"] == "X"]
        ends = [round((event["ts"] + event["dur"]) * 1000) for event in events]
        wanted.append({"events": len(events), "length_ns": max(ends) - min(round(event["ts"] * 1000) for event in events), "search": SEARCHED,
                       "hits": sum(SEARCHED in event["name"] for event in events),
                       "rows": len({(event["pid"], event["tid"]) for event in events})})
    (place / "timeline.json").write_text(json.dumps(wanted))


def make_what_if(takt, place):
    """whatif.html of a pipeline, and in whatif.json the answers that it carries."""
    run = ["pipeline", "run", "pipe.yaml", "--simulate", "--batches", "10", "--trace", "whatif.trace.json"]
    subprocess.run([takt, *run, "--report", "whatif.html"], cwd=place, check=True, capture_output=True)
    (result,) = page_data((place / "whatif.html").read_text())["results"]
    (place / "whatif.json").write_text(json.dumps(result["what_ifs"]))


def make_fuzzed(takt, place, names, pages=5, tabs=20):
    """Pages of results with changed cells: each is made, or refused by a sentence that names the file."""
    results = [json.loads((place / name).read_text()) for name in names]
    results = [result for result in results if "tables" in result]
    refused = 0
    for page in range(pages):
        files = []
        for tab in range(tabs):
            files.append(f"fuzzed_{page}_{tab}.json")
            (place / files[-1]).write_text(json.dumps(fuzzed(results, page * tabs + tab)))
        done = subprocess.run([takt, "report", *files, "-o", f"fuzzed_{page}.html"], cwd=place, capture_output=True, text=True, check=False)
        refused += done.returncode
        assert done.returncode == 0 or any(name in done.stderr for name in files), (page, done)
    assert refused == 0, f"{refused} of {pages} pages were refused"


def main():
    takt, make_models, web = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    missing = [what for what, there in (("Chromium", chromium), ("Node", shutil.which("node")),
                                        ("the packages of web/ (npm ci)", (web / "node_modules/playwright-core").is_dir()))
               if not there]
    if missing:
        print(f"skipped: {', '.join(missing)} missing; run tools/bootstrap --test")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        names = make_results(takt, make_models, place)
        subprocess.run([takt, "report", *names, "-o", "page.html"], cwd=folder, check=True, capture_output=True)
        make_timelines(takt, place)
        make_what_if(takt, place)
        make_fuzzed(takt, place, names)
        here = pathlib.Path(__file__).resolve().parent
        done = subprocess.run(["node", here / "report_page.mjs", web, chromium, place, *names], check=False)
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
