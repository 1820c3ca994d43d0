#!/usr/bin/env python3
"""Does takt's pipeline engine keep a device as busy as OpenVINO's benchmark_app does? A pipeline of one stage on the CPU
beside benchmark_app in asynchronous mode: same model, same number of requests, streams and threads, generated inputs.
Each round runs both programs, in turns first and second. Rounds go on until the 95 % interval of the median ratio of the
throughputs, takt / benchmark_app, is within 3 % either way. It holds when the interval's upper end is at least 0.98.

And what handing tensors on costs: two stages with 36 MB between them, one batch at a time, beside a plain loop that runs
the same two sessions one after the other and gives the second one what the first has written where it lies. The figure
is milliseconds per batch, and the ratio takt / loop holds when the interval lies below 1.05, or is narrow and begins
there.

usage: bench/engine.py [TAKT] [--model FILE] [--requests N] [--rounds N] [--iter N] [--handover]
exit 1 if one does not hold; --handover measures that alone
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


def handed_on(program, folder, runtime, iterations):
    """Milliseconds per batch, one at a time; of neither program the first ones, in which memory is touched first."""
    file = pathlib.Path(folder, "handover.yaml")
    file.write_text("in_flight: 1\nstages:\n" + "".join(
        f"  - {{name: {name}, model: {name}.onnx, runtime: {runtime}, threads: 1}}\n" for name in ("big", "sum")),
        encoding="utf-8")
    text = peers.call([program, "pipeline", "run", file, "--batches", iterations, "--trace", "", "--format", "csv"])
    return 1000 / float(next(csv.DictReader(io.StringIO(text)))["throughput_per_s"])


LOOPS = {
    "onnxruntime": """
import onnxruntime as ort
settings = ort.SessionOptions()
settings.intra_op_num_threads = 1
big, total = (ort.InferenceSession(name, settings, providers=["CPUExecutionProvider"]) for name in (sys.argv[1:3]))
x = ort.OrtValue.ortvalue_from_numpy(values)
def batch():
    u = big.run_with_ort_values(["u"], {"x": x})[0]
    total.run_with_ort_values(["y"], {"u": u})
""",
    "openvino": """
import openvino as ov
settings = {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32"}
core = ov.Core()
big, total = (core.compile_model(name, "CPU", settings).create_infer_request() for name in sys.argv[1:3])
big.set_input_tensor(ov.Tensor(values, shared_memory=True))
total.set_input_tensor(big.get_output_tensor())
def batch():
    big.infer()
    total.infer()
"""}


def plain_loop(folder, runtime, iterations):
    """Milliseconds per batch."""
    program = ("import sys, time\nimport numpy\nvalues = numpy.ones((3000, 3000), numpy.float32)\n" + LOOPS[runtime] +
               "for _ in range(5): batch()\nbegin = time.perf_counter()\nfor _ in range(int(sys.argv[3])): batch()\n"
               "print((time.perf_counter() - begin) * 1000 / int(sys.argv[3]))\n")
    return float(peers.call([peers.environment / "bin/python", "-c", program, f"{folder}/big.onnx", f"{folder}/sum.onnx",
                             iterations], PYTHONPATH=str(peers.root / ".sdk/openvino")))


def compare_handover(given, folder):
    """Whether one does not hold."""
    peers.call([given.takt.parent / "bench/make_handover", folder])
    print(f"36 MB from stage to stage, milliseconds per batch over {given.iter}\n"
          f"{'runtime':14} {'rounds':>6} {'takt':>9} {'loop':>9} {'ratio':>7}  95 % interval")
    failed = False
    for runtime in LOOPS:
        result = peers.Comparison(lambda: handed_on(given.takt, folder, runtime, given.iter),
                                  lambda: plain_loop(folder, runtime, given.iter), given.rounds, given.most_rounds)
        holds = result.high <= 1.05 or result.narrow and result.low <= 1.05
        print(result.line(runtime, holds), flush=True)
        failed |= not holds
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", nargs="?", type=pathlib.Path, default=peers.root / "build/release/takt")
    parser.add_argument("--model", type=pathlib.Path, default=peers.light / "light_squeezenet.onnx")
    parser.add_argument("--requests", type=int, help="only with so many at once")
    parser.add_argument("--rounds", type=int, default=15, help="at least so many")
    parser.add_argument("--most-rounds", type=int, default=160)
    parser.add_argument("--iter", type=int, default=400)
    parser.add_argument("--handover", action="store_true", help="only the tensors of 36 MB")
    given = parser.parse_args()
    peers.make_environment()
    with tempfile.TemporaryDirectory(prefix="takt_bench_") as folder:
        failed = compare_handover(given, folder)
    if given.handover:
        return failed
    print(f"{given.model.name}, inferences per second over {given.iter}\n"
          f"{'requests':14} {'rounds':>6} {'takt':>9} {'peer':>9} {'ratio':>7}  95 % interval")
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
