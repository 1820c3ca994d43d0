#!/usr/bin/env python3
"""Does takt's pipeline engine keep a device as busy as OpenVINO's benchmark_app does? A pipeline of one stage on the CPU
beside benchmark_app in asynchronous mode: same model, same number of requests, streams and threads, generated inputs.
Each round runs both programs, in turns first and second. Rounds go on until the 95 % interval of the median ratio of the
throughputs, takt / benchmark_app, is within 3 % either way. It holds when the interval's upper end is at least 0.98.

usage: bench/engine.py [TAKT] [--model FILE] [--requests N] [--rounds N] [--iter N]    exit 1 if one does not hold
"""
import argparse
import csv
import io
import os
import pathlib
import re
import sys
import tempfile

import peers


def takt(program, folder, model, requests, iterations):
    """Batches per second, over the whole run."""
    file = pathlib.Path(folder, "one.yaml")
    # As many threads in all as benchmark_app's streams have, and no order to be kept, as there.
    threads = max(len(os.sched_getaffinity(0)) // requests, 1)
    file.write_text(f"stages:\n  - {{name: model, model: {os.path.abspath(model)}, device: CPU, runtime: openvino, "
                    f"replicas: {requests}, ordered: false, threads: {threads}}}\n", encoding="utf-8")
    text = peers.call([program, "pipeline", "run", file, "--batches", iterations, "--trace", "", "--format", "csv"])
    return float(next(csv.DictReader(io.StringIO(text)))["overall_per_s"])


def benchmark_app(model, requests, iterations):
    text = peers.benchmark_app(model, "-hint", "none", "-api", "async", "-nireq", requests, "-nstreams", requests,
                               "-niter", iterations)
    return float(re.search(r"Throughput:\s*([0-9.]+) FPS", text).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", nargs="?", default=peers.root / "build/release/takt")
    parser.add_argument("--model", type=pathlib.Path, default=peers.light / "light_squeezenet.onnx")
    parser.add_argument("--requests", type=int, help="only with so many at once")
    parser.add_argument("--rounds", type=int, default=15, help="at least so many")
    parser.add_argument("--most-rounds", type=int, default=160)
    parser.add_argument("--iter", type=int, default=400)
    given = parser.parse_args()
    peers.make_environment()
    print(f"{given.model.name}, inferences per second over {given.iter}\n"
          f"{'requests':14} {'rounds':>6} {'takt':>9} {'peer':>9} {'ratio':>7}  95 % interval")
    failed = False
    with tempfile.TemporaryDirectory(prefix="takt_bench_") as folder:
        for requests in [given.requests] if given.requests else [1, 2]:
            result = peers.Comparison(lambda: takt(given.takt, folder, given.model, requests, given.iter),
                                      lambda: benchmark_app(given.model, requests, given.iter), given.rounds,
                                      given.most_rounds)
            holds = result.narrow and result.high >= 0.98
            print(result.line(str(requests), holds), flush=True)
            failed |= not holds
    return failed


sys.exit(main())
