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

ROOT = pathlib.Path(__file__).resolve().parent.parent


def step_text(number, start, kernels):
    """One step of 10 ms, as PyTorch writes it."""
    lines = ['{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%d","pid":7,"tid":7,"ts":%.3f,"dur":10000.000,'
             '"args":{"External id":%d,"Ev Idx":%d}}' % (number, start, number, number)]
    for i in range(kernels):
        at = start + i * 9900.0 / kernels
        correlation = number * kernels + i
        lines.append('{"ph":"X","cat":"cpu_op","name":"aten::conv%d","pid":7,"tid":7,"ts":%.3f,"dur":0.900,"args":{"External '
                     'id":%d,"Input Dims":[[64,3,224,224],[64]],"Ev Idx":%d}}' % (i % 40, at, correlation, i))
        lines.append('{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,"ts":%.3f,"dur":0.400,"args":'
                     '{"External id":%d,"cbid":211,"correlation":%d}}' % (at + 0.2, correlation, correlation))
        lines.append('{"ph":"s","id":%d,"pid":7,"tid":7,"ts":%.3f,"cat":"ac2g","name":"ac2g"}' % (correlation, at + 0.2))
        lines.append('{"ph":"X","cat":"kernel","name":"void kernel_%d<float, 4>(int, float*)","pid":8,"tid":7,"ts":%.3f,"dur":'
                     '0.800,"args":{"External id":%d,"device":0,"stream":7,"correlation":%d,"grid":[128,1,1],"block":[256,1,1],'
                     '"blocks per SM":4.5}}' % (i % 60, at + 1.5, correlation, correlation))
        lines.append('{"ph":"f","id":%d,"pid":8,"tid":7,"ts":%.3f,"cat":"ac2g","name":"ac2g","bp":"e"}' % (correlation, at + 1.5))
    return ",\n".join(lines)


def make(path, size):
    kernels = 2000
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"schemaVersion":1,"baseTimeNanoseconds":1700000000000000000,"traceEvents":[\n')
        number = written = 0
        while written < size:
            text = step_text(number, 1000.0 + number * 10000, kernels)
            file.write((",\n" if number else "") + text)
            written += len(text)
            number += 1
        file.write("\n]}\n")
    return number


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
        steps = make(trace, given.bytes)
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
