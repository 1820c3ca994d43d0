#!/usr/bin/env python3
"""takt diagnose compared with HolisticTraceAnalysis (HTA), on the same traces: are the values equal, which is faster, which
needs less memory?

    bench/hta.py [TAKT] [--traces FILE…] [--events N] [--turns N]

Figures: temporal breakdown (total, idle, compute, the rest), idle time of each stream by reason, count, sum and longest of
every kernel, share of communication that is hidden, in microseconds. HTA is told to keep the last step and not to round to
microseconds; what it says as it comes stands below, for information. Of the traces given, and of a made one. Events of the
category cuda_sync are taken out for both: HTA takes a stream that waits for an event for one that computes.

Speed and memory: all these analyses of a made trace that is not compressed. HTA's time is without its imports, its memory
without what the imports took; takt's are those of the whole program. Median of the turns, taken in turns.

Exit 1 where a figure differs by more than 0.05 us, takt is less than 20 times as fast, or takes more than a fifth of the memory.
"""
import argparse
import gzip
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import made_trace
import peers

environment = peers.root / "build/hta"
# Without what HTA asks for and these analyses do not use: notebooks and pytest.
packages = ["numpy==2.2.6", "pandas==2.3.3", "plotly==7.1.0", "networkx==3.6.1", "pydot==4.0.1", "psutil==7.2.2", "PyYAML==6.0.3"]
FARTHEST, FASTER, MEMORY = 0.05, 20, 1 / 5

analyses = """
import json, logging, resource, sys, time
logging.disable(logging.WARNING)
from hta.trace_analysis import TraceAnalysis
imported, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter()
analysis = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir="", include_last_profiler_step=sys.argv[2] == "all")
temporal = analysis.get_temporal_breakdown(visualize=False).iloc[0]
idle = analysis.get_idle_time_breakdown(ranks=[0], visualize=False)[0]
kernels = analysis.get_gpu_kernel_breakdown(visualize=False, duration_ratio=1.0, num_kernels=10**9,
                                            include_memory_kernels=True)[1]
overlap = analysis.get_comm_comp_overlap(visualize=False) if kernels["kernel_type"].eq("COMMUNICATION").any() else None
analysis.get_cuda_kernel_launch_stats(ranks=[0], visualize=False)
analysis.get_queue_length_summary(ranks=[0])
seconds = time.perf_counter() - begin
figures = {f"temporal {ours}": temporal[f"{theirs}_time(us)"] for ours, theirs in
           (("total", "kernel"), ("idle", "idle"), ("compute", "compute"), ("non_compute", "non_compute"))}
for row in idle.itertuples():
    figures[f"stream {row.stream} {row.idle_category}"] = row.idle_time
for row in kernels.to_dict("records"):
    figures[f"sum of {row['name']}"], figures[f"longest of {row['name']}"] = row["sum (us)"], row["max (us)"]
if overlap is not None:
    figures["hidden communication %"] = overlap["comp_comm_overlap_pctg"].iloc[0]
print(json.dumps({"figures": {name: float(value) for name, value in figures.items()}, "seconds": seconds,
                  "megabytes": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - imported) * 1024 / 1e6}))
"""

# A program's peak counts what its parent held when it was made, so a small one makes it.
watcher = """
import os, sys, time
begin = time.perf_counter()
_, status, usage = os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)
print(time.perf_counter() - begin, usage.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def make_environment():
    python = environment / "bin/python"
    if not python.exists():
        peers.call([sys.executable, "-m", "venv", environment])
    if subprocess.run([python, "-c", "import hta.trace_analysis"], capture_output=True, check=False).returncode:
        peers.call([python, "-m", "pip", "install", "-q", *packages])
        peers.call([python, "-m", "pip", "install", "-q", "--no-deps", "HolisticTraceAnalysis==0.5.0"])


def hta(trace, steps="all"):
    exact = {"HTA_DISABLE_NS_ROUNDING": "1"} if steps == "all" else {}
    return json.loads(peers.call([environment / "bin/python", "-c", analyses, trace, steps], **exact).splitlines()[-1])


def takt(program, trace):
    """Its figures by HTA's names, seconds and megabytes of the whole program."""
    command = [str(program), "diagnose", str(trace), "--show", "temporal,idle,kernels,launch,overlap,queue", "--format", "json"]
    done = subprocess.run([sys.executable, "-c", watcher, *command], capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}")
    seconds, kilobytes = done.stderr.split()[-2:]
    tables = json.loads(done.stdout)["tables"]
    return {"figures": figures_of(tables), "seconds": float(seconds), "megabytes": float(kilobytes) * 1024 / 1e6}


def figures_of(tables):
    figures = {f"temporal {name}": tables["temporal"][0][f"{name}_us"] for name in ("total", "idle", "compute", "non_compute")}
    for row in tables["idle"]:
        stream = row["stream"].split("stream")[-1].split()[0]
        for ours, theirs in (("host_wait", "host_wait"), ("kernel_wait", "kernel_wait"), ("other_wait", "other")):
            figures[f"stream {stream} {theirs}"] = row[f"{ours}_us"]
    for row in tables["kernels"]:
        figures[f"sum of {row['work']}"], figures[f"longest of {row['work']}"] = row["work_us"], row["longest_us"]
    for row in tables.get("overlap", []):
        figures["hidden communication %"] = 100 * row["hidden_share"]
    return figures


def without_waits(trace, folder):
    """The trace, or a copy without events of the category cuda_sync where it has some."""
    text = (gzip.open if trace.suffix == ".gz" else open)(trace, "rt", encoding="utf-8").read()
    content = json.loads(text, strict=False)
    kept = [event for event in content["traceEvents"] if event.get("cat") != "cuda_sync"]
    if len(kept) == len(content["traceEvents"]):
        return trace
    copy = pathlib.Path(folder, trace.name.removesuffix(".gz").removesuffix(".json") + " without cuda_sync.json")
    copy.write_text(json.dumps({**content, "traceEvents": kept}), encoding="utf-8")
    return copy


def compare_figures(program, trace):
    """Whether all are equal; HTA leaves categories out that have no time."""
    ours, theirs = takt(program, trace)["figures"], hta(trace)["figures"]
    off = {name: abs(ours.get(name, 0) - theirs.get(name, 0)) for name in {**ours, **theirs}}
    beyond = sorted((name for name in off if off[name] > FARTHEST), key=off.get, reverse=True)
    as_it_comes = hta(trace, "without the last")["figures"]
    print(f"{trace.name:38} {len(off):5} figures, {max(off.values()):.3f} us apart at most  "
          f"{'DIFFER' if beyond else 'equal'}")
    for name in beyond[:5]:
        print(f"    {name[:60]}: takt {ours.get(name)}, HTA {theirs.get(name)}")
    change = 100 * (as_it_comes["temporal idle"] / theirs["temporal idle"] - 1) if theirs["temporal idle"] else 0
    print(f"    HTA as it comes (without the last step, rounded): total {as_it_comes['temporal total']:.0f} for "
          f"{theirs['temporal total']:.0f} us, idle {change:+.1f} %", flush=True)
    return not beyond


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", nargs="?", default=peers.root / "build/release/takt")
    parser.add_argument("--traces", type=pathlib.Path, nargs="*", default=[], help="of one rank each, with a GPU")
    parser.add_argument("--events", type=int, default=600_000, help="of the made trace, at least")
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    make_environment()
    with tempfile.TemporaryDirectory() as folder:
        made, small = pathlib.Path(folder, "made.json"), pathlib.Path(folder, "small.json")
        per_event = len(made_trace.step_text(0, 1000.0)) / (5 * made_trace.KERNELS + 1)
        made_trace.make(small, 3 * 5 * made_trace.KERNELS * per_event)
        equal = [compare_figures(given.takt, without_waits(trace, folder)) for trace in [*given.traces, small]]
        steps = made_trace.make(made, given.events * per_event)
        turns = [(takt(given.takt, made), hta(made)) for _ in range(given.turns)]
        size = made.stat().st_size / 1e6
    ours, theirs = ([statistics.median(pair[i][what] for pair in turns) for what in ("seconds", "megabytes")] for i in (0, 1))
    faster, memory = theirs[0] / ours[0], ours[1] / theirs[1]
    print(f"\n{steps * (5 * made_trace.KERNELS + 1):,} events, {size:.0f} MB: takt {ours[0]:.2f} s and {ours[1]:.0f} MB, HTA "
          f"{theirs[0]:.2f} s and {theirs[1]:.0f} MB: {faster:.1f} times as fast (at least {FASTER}), {memory:.3f} of the "
          f"memory (at most {MEMORY:.3f})")
    return 0 if all(equal) and faster >= FASTER and memory <= MEMORY else 1


if __name__ == "__main__":
    sys.exit(main())
