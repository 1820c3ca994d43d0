#!/usr/bin/env python3
"""report_page_test.py TAKT MAKE_MODELS WEB: a page of `takt report` in a real browser, without a network (report_page.mjs).
Skipped, with the reason, where Chromium, Node or the packages of web/ are missing."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from report_cases import all_hostile, fuzzed, make_blocks, make_graph, make_results, make_traces
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


def make_graph_page(takt, place):
    """graph.html of a model with branches, and in graph_levels.json what it must show."""
    levels = []
    for reads in make_graph(place):
        levels.append(max((levels[read] + 1 for read in reads), default=0))
    (place / "graph_levels.json").write_text(json.dumps(levels))
    subprocess.run([takt, "report", "graph.json", "-o", "graph.html"], cwd=place, check=True, capture_output=True)


def make_blocks_page(takt, place):
    """blocks.html of a large model, and in blocks_of_layer.json how many operators the parts of a layer have."""
    (place / "blocks_of_layer.json").write_text(json.dumps(make_blocks(place)))
    subprocess.run([takt, "report", "blocks.json", "-o", "blocks.html"], cwd=place, check=True, capture_output=True)


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


def make_hostile(takt, place, names):
    """hostile.html: each kind of result with hostile texts in every table."""
    files = []
    for name in names:
        result = json.loads((place / name).read_text())
        if "tables" not in result:
            continue
        files.append(f"hostile_{name}")
        (place / files[-1]).write_text(json.dumps(all_hostile(result)))
    assert len(files) > 8, files
    subprocess.run([takt, "report", *files, "-o", "hostile.html"], cwd=place, check=True, capture_output=True)


READ_BY_REPORT = ("chrome_trace", "diagnosis", "perfetto_trace", "pipeline_trace", "ort_profile", "peer_profile", "recorded_profile",
                  "benchmark_app_csv", "benchmark_app_json")


def make_corpus(takt, place, corpus):
    """fuzzed_corpus.html of what fuzzing has found for the parsers of `takt report`: each makes a tab, or a sentence and no file."""
    taken = []
    files = [file for parser in READ_BY_REPORT for file in sorted((corpus / parser).iterdir())]
    assert len(files) > 100, len(files)
    for file in files:
        alone = place / "alone.html"
        done = subprocess.run([takt, "report", file, "-o", alone], cwd=place, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1) and alone.exists() == (done.returncode == 0), (file, done)
        assert done.returncode == 0 or file.name in done.stderr, (file, done)
        alone.unlink(missing_ok=True)
        taken += [file] if done.returncode == 0 else []
    assert len(taken) > 10, taken
    subprocess.run([takt, "report", *taken, "-o", "fuzzed_corpus.html"], cwd=place, check=True, capture_output=True)


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
        make_graph_page(takt, place)
        make_blocks_page(takt, place)
        make_fuzzed(takt, place, names)
        make_hostile(takt, place, names)
        here = pathlib.Path(__file__).resolve().parent
        make_corpus(takt, place, here.parents[1] / "fuzz" / "corpus")
        done = subprocess.run(["node", here / "report_page.mjs", web, chromium, place, *names], check=False)
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
