#!/usr/bin/env python3
"""Does takt measure what others measure? Its median next to that of OpenVINO's benchmark_app and of a plain Python loop
around ONNX Runtime: same model, default threads and precision, generated inputs. Each round runs both programs, in turns
first and second; the ratio takt / peer of a round's medians knows no drift. Rounds go on until the 95 % interval of the
median ratio is within 3 % either way. A peer holds when the interval's lower end is at most 1.02.

usage: bench/overhead.py [TAKT] [--model FILE] [--peer NAME] [--rounds N] [--iter N]    exit 1 if a peer does not hold
"""
import argparse
import pathlib
import re
import sys

import peers

python_loop = """
import sys, time, statistics
import numpy, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
generator = numpy.random.default_rng(1)
inputs = {i.name: generator.uniform(-1, 1, i.shape).astype(numpy.float32) for i in session.get_inputs()}
times = []
for i in range(3 + int(sys.argv[2])):
    start = time.perf_counter_ns()
    session.run(None, inputs)
    times.append(time.perf_counter_ns() - start)
print(statistics.median(times[3:]) / 1e6)
"""


def takt(program, runtime, model, iterations):
    """Median in ms."""
    text = peers.call([program, "run", model, "--runtime", runtime, "--no-ops", "--iter", iterations, "--format", "csv"])
    names, values = (line.split(",") for line in text.strip().split("\n"))
    return float(values[names.index("median_us")]) / 1000


def benchmark_app(model, iterations):
    """Median in ms, from its last lines (two decimals; microseconds below 1 ms)."""
    text = peers.benchmark_app(model, "-hint", "latency", "-api", "sync", "-niter", iterations)
    value, unit = re.search(r"Median:\s*([0-9.]+) (ms|us)", text).groups()
    return float(value) / (1000 if unit == "us" else 1)


def loop(model, iterations):
    return float(peers.call([peers.environment / "bin/python", "-c", python_loop, model, iterations]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", nargs="?", default=peers.root / "build/release/takt")
    parser.add_argument("--model", type=pathlib.Path, default=peers.light / "light_squeezenet.onnx")
    parser.add_argument("--peer", choices=["benchmark_app", "python loop"])
    parser.add_argument("--rounds", type=int, default=15, help="at least so many")
    parser.add_argument("--most-rounds", type=int, default=60)
    parser.add_argument("--iter", type=int, default=150)
    given = parser.parse_args()
    peers.make_environment()
    programs = {"benchmark_app": ("openvino", lambda: benchmark_app(given.model, given.iter)),
                "python loop": ("onnxruntime", lambda: loop(given.model, given.iter))}
    print(f"{given.model.name}, medians of {given.iter} runs\n"
          f"{'peer':14} {'rounds':>6} {'takt ms':>9} {'peer ms':>9} {'ratio':>7}  95 % interval")
    failed = False
    for name, (runtime, peer) in programs.items():
        if given.peer not in (None, name):
            continue
        result = peers.Comparison(lambda: takt(given.takt, runtime, given.model, given.iter), peer, given.rounds,
                                  given.most_rounds)
        holds = result.narrow and result.low <= 1.02
        print(result.line(name, holds), flush=True)
        failed |= not holds
    return failed


sys.exit(main())
