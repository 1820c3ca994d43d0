#!/usr/bin/env python3
"""A piece of a trace that is too large to open: speed against `takt trace info`, and memory.

    bench/trace_cut.py [TAKT] [--bytes 2e9] [--turns 3]

A trace of a training is made (text that repeats, times that go on), three of its steps are cut out, and `takt trace info`
reads the whole. In turns: the time of both, and the most memory that the cut had. Exit code 1: it runs at less than 0.6 of
the speed of `info`, takes more than 64 MB beside the piece's own tables (what `takt trace info` takes of the piece, the
program itself included), or the piece has a fault.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import made_trace

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(command):
    """Seconds and the most memory in MB."""
    start = time.perf_counter()
    child = os.spawnv(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)} failed")
    return time.perf_counter() - start, usage.ru_maxrss * 1024 / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", nargs="?", default=str(ROOT / "build/release/takt"))
    parser.add_argument("--bytes", type=float, default=2e9)
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        trace, piece, shown = (str(pathlib.Path(name) / file) for file in ("whole.json", "piece.json", "info.txt"))
        steps = made_trace.make(trace, given.bytes)
        cuts, infos = [], []
        for _ in range(given.turns):
            infos.append(run([given.takt, "trace", "info", trace, "-o", shown]))
            middle = steps // 2
            cuts.append(run([given.takt, "trace", "cut", trace, "--steps", f"{middle}-{middle + 2}", "-o", piece]))
        subprocess.run([given.takt, "trace", "check", piece, "--fail-on", "warning"], check=True)
        _, tables = run([given.takt, "trace", "info", piece, "-o", shown])
        cut, info = min(seconds for seconds, _ in cuts), min(seconds for seconds, _ in infos)
        memory = max(peak for _, peak in cuts)
        print(f"file {os.path.getsize(trace) / 1e6:.0f} MB, {steps} steps; piece {os.path.getsize(piece) / 1e6:.1f} MB")
        print(f"info {info:.2f} s, cut {cut:.2f} s: {info / cut:.2f} of its speed")
        print(f"cut at most {memory:.0f} MB, of which the piece's tables and the program {tables:.0f} MB")
        good = info / cut >= 0.6 and memory - tables <= 64
        print("PASS" if good else "FAIL")
        return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
