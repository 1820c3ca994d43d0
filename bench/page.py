#!/usr/bin/env python3
"""Timelines of a page of `takt report` in Chromium: how soon they are seen, how smoothly they move, how large they are.

    bench/page.py [TAKT] [--events 200000,1000000]

Traces of a training are made, `takt report` makes a page of each, and Chromium opens it from disk (playwright-core of web/). Of
each: the time to the first paint and to the first frame of the timeline, the median frame of a scripted zoom and pan, and the bytes
of the page beside its template for each event, each as a share of its aim. The aims: 1 s to the first paint after the page is read
and a frame of 33 ms with 200,000 events, 3 s to the first frame with 1,000,000, 12 bytes an event. Exit code 1: an aim is missed;
77: Chromium, Node or the packages of web/ are missing.
"""
import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEB = ROOT / "web"


def make_trace(path, events, seed=1):
    """Writes a trace of so many events: operators with an inner one and a launch, and kernels. All times are by chance, to the
    nanosecond, and no two alike, so a page packs them worse than those of a real training."""
    chance = random.Random(seed)
    at = free = 1000.0
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"traceEvents":[{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":999.000,"dur":0.500}')
        for number in range(1, events):
            kind = number % 4
            if kind == 1:
                at += chance.uniform(0.01, 5)
                long = chance.expovariate(0.05) + 1
                cat, name, row, start, dur = "cpu_op", f"aten::conv{chance.randrange(40)}", 1, at, long
            elif kind == 2:
                cat, name, row, start, dur = "cpu_op", f"aten::_conv{chance.randrange(40)}", 1, at + 0.05 * long, 0.6 * long
            elif kind == 3:
                cat, name, row, start, dur = "cuda_runtime", "cudaLaunchKernel", 1, at + 0.8 * long, 0.1 * long
            else:
                start, dur = max(free, at + long), chance.expovariate(0.05)
                cat, name, row, at, free = "kernel", f"void kernel_{chance.randrange(300)}<float>(int)", 7, at + long, start + dur
            file.write(f',\n{{"ph":"X","cat":"{cat}","name":"{name}","pid":{1 if row == 1 else 0},"tid":{row},"ts":{start:.3f},"dur":{dur:.3f}}}')
        file.write("\n]}\n")
    return events


def aims_of(events):
    """Key, what it is called, its unit and its aim."""
    aims = [("bytes", "bytes an event", "", 12), ("frame_ms", "median frame", "ms", 33)]
    if events <= 250_000:
        return [("paint_ms", "first paint", "ms", 1000), ("seen_ms", "timeline seen", "ms", 3000), *aims]
    return [("seen_ms", "timeline seen", "ms", 3000), *aims]


def measure(takt, chromium, events, place):
    trace, page = place / "made.trace.json", place / "made.html"
    made = make_trace(trace, events)
    subprocess.run([takt, "report", trace, "-o", page], check=True, capture_output=True)
    trace.unlink()
    seen = subprocess.run(["node", ROOT / "bench/page.mjs", WEB, chromium, page], check=True, capture_output=True, text=True)
    figures = json.loads(seen.stdout)
    assert figures["events"] == made, (made, figures)
    figures["bytes"] = (page.stat().st_size - (WEB / "template.html").stat().st_size) / figures["events"]
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", nargs="?", default=str(ROOT / "build/release/takt"))
    parser.add_argument("--events", default="200000,1000000")
    given = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not chromium or not shutil.which("node") or not (WEB / "node_modules/playwright-core").is_dir():
        print("skipped: Chromium, Node or the packages of web/ (npm ci) are missing; run tools/bootstrap --test")
        return 77
    good = True
    with tempfile.TemporaryDirectory() as name:
        for events in map(int, given.events.split(",")):
            figures = measure(given.takt, chromium, events, pathlib.Path(name))
            print(f"{figures['events']} events")
            for key, called, unit, aim in aims_of(events):
                share = figures[key] / aim
                print(f"  {called}: {figures[key]:.1f}{unit and ' ' + unit}, {share:.2f} of the aim")
                good = good and share <= 1
    print("PASS" if good else "FAIL")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
