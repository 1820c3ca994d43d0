#!/usr/bin/env python3
"""How much memory `takt run` takes for a model with heavy weights, beside a plain loop of the same runtime: Python's
onnxruntime and openvino, one session, three runs, one thread. Of both the most that was resident, less what was before
the model was opened. The model has one MatMul per 4 MB of weights. Exit 1 where takt with operators takes more than 1.2
times the loop's. OpenVINO is told and not judged: takt reads its models before it counts, and the loop does not.

usage: bench/run_memory.py [TAKT] [--make-sizes PROGRAM] [--megabytes 344]
"""
import argparse
import json
import pathlib
import subprocess
import sys

import peers

MOST = 1.2
JUDGED = {"onnxruntime"}

begin = """
import sys, numpy
def peak(word):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(word)) * 1024
x = numpy.zeros((1, 1024), numpy.float32)
"""
loops = {"onnxruntime": begin + """
import onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
before = peak("VmRSS:")
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
for _ in range(3): session.run(None, {"x": x})
print(peak("VmHWM:") - before)
""", "openvino": begin + """
import openvino
core = openvino.Core()
before = peak("VmRSS:")
compiled = core.compile_model(sys.argv[1], "CPU", {"INFERENCE_NUM_THREADS": 1})
request = compiled.create_infer_request()
for _ in range(3): request.infer([x])
print(peak("VmHWM:") - before)
"""}


def loop(runtime, model):
    """Bytes above what was before."""
    return int(peers.call([peers.environment / "bin/python", "-c", loops[runtime], model],
                          PYTHONPATH=str(peers.root / ".sdk/openvino")))


def takt(program, runtime, model, *options):
    """Bytes above what was before, of all phases."""
    text = peers.call([program, "run", model, "--runtime", runtime, "--threads", 1, "--iter", 5, "--format", "json",
                       *options])
    row = json.loads(text)["tables"]["summary"][0]
    return row["process_peak_bytes"] - row["base_bytes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", nargs="?", default=peers.root / "build/release/takt")
    parser.add_argument("--make-sizes", type=pathlib.Path, default=peers.root / "build/release/tests/cli/make_sizes")
    parser.add_argument("--megabytes", type=int, default=344)
    given = parser.parse_args()
    peers.make_environment()
    folder = peers.root / f"build/bench/heavy_{given.megabytes}"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([given.make_sizes, folder, str(given.megabytes)], check=True)
    model, failed = folder / "heavy.onnx", False
    for runtime in loops:
        alone = loop(runtime, model)
        print(f"{runtime:12} plain loop         {alone / 2**20:7.0f} MiB")
        for name, options in (("--no-ops", ["--no-ops"]), ("with operators", [])):
            ratio = takt(given.takt, runtime, model, *options) / alone
            failed = failed or (runtime in JUDGED and ratio > MOST)
            print(f"{runtime:12} takt {name:14} {ratio:6.2f} times the loop")
    print(f"{'FAIL' if failed else 'PASS'}: at most {MOST} times the loop on {', '.join(sorted(JUDGED))}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
