#!/usr/bin/env python3
"""Does takt keep a device as busy as others do? Requests per second of `takt run --hint throughput`, next to those of
OpenVINO's benchmark_app with the same hint, and of Python threads that share one session of ONNX Runtime: same model,
precision and number of requests, generated inputs. Each round runs both programs, in turns first and second; the ratio
takt / peer of a round knows no drift. Rounds go on until the 95 % interval of the median ratio is within 3 % either way.
It holds where the ratio is at least 0.98 and known so well, or the whole interval is above 0.98.

usage: bench/throughput.py [TAKT] [--model FILE] [--peer NAME] [--rounds N] [--time S]    exit 1 if a peer does not hold
"""
import argparse
import pathlib
import re
import sys

import peers

LEAST = 0.98

python_threads = """
import sys, time, threading
import numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
generator = numpy.random.default_rng(1)
inputs = {i.name: generator.uniform(-1, 1, i.shape).astype(numpy.float32) for i in session.get_inputs()}
count, seconds = int(sys.argv[2]), float(sys.argv[3])
done = [0] * count
for _ in range(3):
    session.run(None, inputs)
end = time.perf_counter() + seconds
def work(number):
    while time.perf_counter() < end:
        session.run(None, inputs)
        done[number] += 1
threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
start = time.perf_counter()
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sum(done) / (time.perf_counter() - start))
"""


def takt(program, runtime, model, seconds, *more):
    """Requests per second, and how many were in flight."""
    text = peers.call([program, "run", model, "--runtime", runtime, "--no-ops", "--hint", "throughput", "--time",
                       f"{seconds}s", *more, "--format", "csv", "--table", "throughput"])
    names, values = (line.split(",") for line in text.strip().split("\n"))
    row = dict(zip(names, values))
    return float(row["completed_per_s"]), row["in_flight"]


def benchmark_app(model, seconds):
    text = peers.benchmark_app(model, "-hint", "throughput", "-api", "async", "-t", seconds)
    return float(re.search(r"Throughput:\s*([0-9.]+) FPS", text).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", nargs="?", default=peers.root / "build/release/takt")
    parser.add_argument("--model", type=pathlib.Path, default=peers.light / "light_squeezenet.onnx")
    parser.add_argument("--peer", choices=["benchmark_app", "python threads"])
    parser.add_argument("--rounds", type=int, default=10, help="at least so many")
    parser.add_argument("--most-rounds", type=int, default=40)
    parser.add_argument("--time", type=int, default=3, help="seconds of each measurement")
    given = parser.parse_args()
    peers.make_environment()
    in_flight = takt(given.takt, "onnxruntime", given.model, 1)[1]
    programs = {"benchmark_app": ("openvino", lambda: benchmark_app(given.model, given.time)),
                "python threads": ("onnxruntime", lambda: float(peers.call(
                    [peers.environment / "bin/python", "-c", python_threads, given.model, in_flight, given.time])))}
    print(f"{given.model.name}, requests per second over {given.time} s\n"
          f"{'peer':14} {'rounds':>6} {'takt':>9} {'peer':>9} {'ratio':>7}  95 % interval")
    failed = False
    for name, (runtime, peer) in programs.items():
        if given.peer not in (None, name):
            continue
        result = peers.Comparison(lambda: takt(given.takt, runtime, given.model, given.time)[0], peer, given.rounds,
                                  given.most_rounds)
        holds = result.low >= LEAST or (result.narrow and result.middle >= LEAST)
        print(result.line(name, holds), flush=True)
        failed |= not holds
    return failed


sys.exit(main())
