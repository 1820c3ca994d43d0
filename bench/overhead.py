#!/usr/bin/env python3
"""Does takt measure what others measure? Its median beside that of OpenVINO's benchmark_app and of a plain Python loop
around ONNX Runtime: same model, default threads and precision, generated inputs. Each round runs both programs, in turns
first and second; the ratio takt / peer of a round's medians knows no drift. Rounds go on until the 95 % interval of the
median ratio is within 3 % either way. A peer holds when the interval's lower end is at most 1.02.

The peers come from .sdk/openvino and a virtual environment, build/peers, that is made when missing.

usage: bench/overhead.py [TAKT] [--model FILE] [--peer NAME] [--rounds N] [--iter N]    exit 1 if a peer does not hold
"""
import argparse
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
light = root / ".sdk/onnx/onnx/backend/test/data/light"
environment = root / "build/peers"
packages = ["numpy==2.2.6", "openvino-telemetry", "onnxruntime==1.31.1"]

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


def call(command, **variables):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                          env={**os.environ, **variables})
    if done.returncode != 0:
        sys.exit(f"{command[0]}: {(done.stderr or done.stdout).strip()[-500:]}")
    return done.stdout


def make_environment():
    if not (environment / "bin/python").exists():
        call([sys.executable, "-m", "venv", environment])
    missing = subprocess.run([environment / "bin/python", "-c", "import numpy, onnxruntime, openvino_telemetry"],
                             capture_output=True, check=False).returncode
    if missing:
        call([environment / "bin/python", "-m", "pip", "install", "-q", *packages])


def takt(program, runtime, model, iterations):
    """Median in ms."""
    text = call([program, "run", model, "--runtime", runtime, "--no-ops", "--iter", iterations, "--format", "csv"])
    names, values = (line.split(",") for line in text.strip().split("\n"))
    return float(values[names.index("median_us")]) / 1000


def benchmark_app(model, iterations):
    """Median in ms, from its last lines (two decimals; microseconds below 1 ms)."""
    text = call([environment / "bin/python", "-c", "from openvino.tools.benchmark.main import main; main()", "-m", model,
                 "-d", "CPU", "-hint", "latency", "-api", "sync", "-ip", "f32",
                 "-niter", iterations],
                PYTHONPATH=str(root / ".sdk/openvino"))
    value, unit = re.search(r"Median:\s*([0-9.]+) (ms|us)", text).groups()
    return float(value) / (1000 if unit == "us" else 1)


def loop(model, iterations):
    return float(call([environment / "bin/python", "-c", python_loop, model, iterations]))


def interval(ratios, resamples=4000):
    """Percentile bootstrap of the median."""
    generator = random.Random(1)
    medians = sorted(statistics.median(generator.choices(ratios, k=len(ratios))) for _ in range(resamples))
    return medians[int(0.025 * resamples)], medians[int(0.975 * resamples) - 1]


def compare(name, ours, peer, rounds, most):
    """Prints the ratio with its interval; whether it holds."""
    ratios, mine, theirs = [], [], []
    while True:
        first = len(ratios) % 2
        pair = [None, None]
        for which in (first, 1 - first):
            pair[which] = (ours, peer)[which]()
        mine.append(pair[0])
        theirs.append(pair[1])
        ratios.append(pair[0] / pair[1])
        if len(ratios) < rounds:
            continue
        low, high = interval(ratios)
        middle = statistics.median(ratios)
        narrow = high - middle <= 0.03 * middle and middle - low <= 0.03 * middle
        if narrow or len(ratios) >= most:
            break
    holds = narrow and low <= 1.02
    print(f"{name:14} {len(ratios):6} {statistics.median(mine):9.3f} {statistics.median(theirs):9.3f} {middle:7.3f}  "
          f"{low:.3f} to {high:.3f}  {'holds' if holds else 'DOES NOT HOLD' if narrow else 'TOO NOISY'}", flush=True)
    return holds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", nargs="?", default=root / "build/release/src/cli/takt")
    parser.add_argument("--model", type=pathlib.Path, default=light / "light_squeezenet.onnx")
    parser.add_argument("--peer", choices=["benchmark_app", "python loop"])
    parser.add_argument("--rounds", type=int, default=15, help="at least so many")
    parser.add_argument("--most-rounds", type=int, default=60)
    parser.add_argument("--iter", type=int, default=150)
    given = parser.parse_args()
    make_environment()
    peers = {"benchmark_app": ("openvino", lambda: benchmark_app(given.model, given.iter)),
             "python loop": ("onnxruntime", lambda: loop(given.model, given.iter))}
    print(f"{given.model.name}, medians of {given.iter} runs\n"
          f"{'peer':14} {'rounds':>6} {'takt ms':>9} {'peer ms':>9} {'ratio':>7}  95 % interval")
    failed = False
    for name, (runtime, peer) in peers.items():
        if given.peer in (None, name):
            failed |= not compare(name, lambda: takt(given.takt, runtime, given.model, given.iter), peer, given.rounds,
                                  given.most_rounds)
    return failed


sys.exit(main())
