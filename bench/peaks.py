#!/usr/bin/env python3
"""Checks the measured peaks against what operators reach: no operator of a network of large products may be faster than
the roof (105 % at most, for the clock's sake), on either runtime, with one thread and with all.

usage: bench/peaks.py [TAKT] [--measure]    exit 1 if a share is above; --measure measures the peaks again, as happens where
they were never measured
"""
import argparse
import json
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
network = root / ".sdk/onnx/onnx/backend/test/data/light/light_vgg19.onnx"
most = 105.0


def measure(takt):
    subprocess.run([takt, "devices", "--measure"], stdout=subprocess.DEVNULL, check=True)


def shares(takt, runtime, threads, may_measure=True):
    command = [takt, "run", network, "--runtime", runtime, "--iter", "10", "--format", "json", "--columns",
               "name,type,mean_us,roofline,peak_share"] + threads
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{runtime}: {done.stderr.strip()}")
    rows = json.loads(done.stdout)["tables"]["operators"]
    known = [row for row in rows if row["peak_share_percent"] is not None]
    if not known and may_measure:
        measure(takt)
        return shares(takt, runtime, threads, may_measure=False)
    if not known:
        sys.exit(f"{runtime}: no share of a peak is known: {done.stderr.strip()}")
    return sorted(known, key=lambda row: -row["peak_share_percent"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("takt", nargs="?", default=root / "build/release/takt")
    parser.add_argument("--measure", action="store_true")
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.takt)
    failed = False
    for runtime in ("onnxruntime", "openvino"):
        for threads in (["--threads", "1"], []):
            best = shares(arguments.takt, runtime, threads)[0]
            wrong = best["peak_share_percent"] > most
            failed |= wrong
            print(f"{runtime:12} {'1 thread' if threads else 'all':9} best {best['name']} ({best['type']}, "
                  f"{best['roofline']}): {best['peak_share_percent']:.1f} %{'  ABOVE THE PEAK' if wrong else ''}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
