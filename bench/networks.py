#!/usr/bin/env python3
"""Runs the nine networks of the onnx wheel on both runtimes and checks the operator tables: they add up to the measured
time exactly, little is unattributed, and FLOPs, bytes and shapes are known for nearly all of the time.

usage: bench/networks.py [TAKT] [--iter N] [NETWORK...]    exit 1 if a line does not hold
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
models = root / ".sdk/onnx/onnx/backend/test/data/light"


def measure(takt, model, runtime, iterations):
    with tempfile.TemporaryDirectory() as folder:
        profile = pathlib.Path(folder) / "p.json"
        command = [takt, "run", model, "--runtime", runtime, "--profile", profile, "--format", "json", "--iter",
                   str(iterations)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{model.name} on {runtime}: {done.stderr.strip()}")
        analyzed = subprocess.run([takt, "analyze", profile], capture_output=True, check=False).returncode == 0
        return json.loads(done.stdout)["tables"], json.loads(profile.read_text())["takt"]["profile"], analyzed


def judge(tables, profile, analyzed):
    """Mean in ms, unattributed and known share in percent, and the names of the rules that do not hold."""
    operators = tables["operators"]
    total = sum(op["total_ns"] for op in profile["operators"].values())
    measured = sum(profile["samples_ns"])
    rows_ns = sum(round(row["total_us"] * 1000) for row in operators)
    named = [row for row in operators if not row["name"].startswith("[")]
    known = sum(row["total_us"] for row in named if None not in (row["flops"], row["bytes"], row["out_shapes"]))
    all_named = sum(row["total_us"] for row in named)
    mean = tables["summary"][0]["mean_us"] / 1000
    unattributed = 100 * profile["unattributed_ns"] / measured
    share = 100 * known / all_named
    broken = []
    if total + profile["unattributed_ns"] != measured or rows_ns != measured:
        broken.append("does not add up")
    if mean >= 2 and abs(unattributed) > 5:
        broken.append("unattributed")
    if share < 95:
        broken.append("unknown cost")
    if not analyzed:
        broken.append("analyze")
    return mean, unattributed, share, broken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", nargs="?", default=root / "build/release/takt")
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--iter", type=int, default=15)
    arguments = parser.parse_args()
    failures = 0
    print(f"{'network':16} {'runtime':12} {'mean ms':>8} {'unattributed %':>15} {'known %':>8}")
    for model in sorted(models.glob("*.onnx")):
        name = model.stem.removeprefix("light_")
        if arguments.networks and name not in arguments.networks:
            continue
        for runtime in ("onnxruntime", "openvino"):
            mean, unattributed, known, broken = judge(*measure(arguments.takt, model, runtime, arguments.iter))
            failures += bool(broken)
            print(f"{name:16} {runtime:12} {mean:8.2f} {unattributed:15.2f} {known:8.1f}  {', '.join(broken) or 'ok'}",
                  flush=True)
    return failures != 0


sys.exit(main())
