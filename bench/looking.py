#!/usr/bin/env python3
"""What looking costs, and whether it is taken out. A model of one matrix product and 300 operators of a fraction of a
microsecond, each record of which costs several: the product's true share of a run is that of a model which ends behind
it, both run in turns without any profiler. takt's table has to show it within 5 points, and its operators have to add up
to the plain mean within 3 %. The shares that the records alone tell, takt's and ONNX Runtime's own, stand beside it.

usage: bench/looking.py [TAKT] [--rounds N]    exit 1 if takt's table does not hold
"""
import argparse
import json
import pathlib
import statistics
import sys
import tempfile

import matmuls
import peers

ROWS, INNER, COLUMNS, TINY = 64, 512, 1024, 300

loop = """
import statistics, sys, time
import numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
sessions = [onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]) for path in sys.argv[2:]]
inputs = {"x": numpy.random.default_rng(1).uniform(-1, 1, (%d, %d)).astype(numpy.float32)}
times = [[] for _ in sessions]
for _ in range(int(sys.argv[1])):
    for session, of in zip(sessions, times):
        for _ in range(20):
            start = time.perf_counter_ns()
            session.run(None, inputs)
            of.append(time.perf_counter_ns() - start)
head, whole = (statistics.median(of) for of in times)
print(head / whole)
""" % (ROWS, INNER)


def recorded_share(rows):
    """Of the operators' recorded time, its records with it: what a profiler shows that takes nothing out."""
    operators = {row["name"]: row["total_us"] for row in rows if row["name"] != "[unattributed]"}
    records = operators.pop("[profiling]", 0)
    each = records / len(operators)
    return (operators["product"] + each) / (sum(operators.values()) + records)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", nargs="?", default=peers.root / "build/release/takt")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    peers.make_environment()
    misses, sums = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "head.onnx").write_bytes(matmuls.chain(ROWS, INNER, COLUMNS, 0))
        (folder / "whole.onnx").write_bytes(matmuls.chain(ROWS, INNER, COLUMNS, TINY))
        print(f"{'true share %':>12} {'takt %':>8} {'records alone %':>16} {'sum of operators / plain mean':>30}")
        for _ in range(given.rounds):
            truth = float(peers.call([peers.environment / "bin/python", "-c", loop, 40, folder / "head.onnx",
                                      folder / "whole.onnx"]))
            tables = json.loads(peers.call([given.takt, "run", folder / "whole.onnx", "--threads", 1, "--runtime",
                                            "onnxruntime", "--format", "json"]))["tables"]
            rows = tables["operators"]
            plain = {row["name"]: row["plain_mean_us"] for row in rows if row["plain_mean_us"] is not None}
            mean = tables["summary"][0]["mean_us"]
            total = sum(time for key, time in plain.items() if not key.startswith("["))
            misses.append(100 * (plain["product"] / mean - truth))
            sums.append(total / mean)
            print(f"{100 * truth:12.1f} {100 * plain['product'] / mean:8.1f} {100 * recorded_share(rows):16.1f} "
                  f"{sums[-1]:30.3f}", flush=True)
    miss, adds_up = statistics.median(misses), statistics.median(sums)
    holds = abs(miss) <= 5 and abs(adds_up - 1) <= 0.03
    print(f"{'holds' if holds else 'DOES NOT HOLD'}: {miss:+.1f} points (limit 5), sum {adds_up:.3f} (limit 0.97 to 1.03)")
    return not holds


sys.exit(main())
