"""Other programs that do what takt does, and how to compare with them: in turns, pair by pair, until the interval of the
ratio is narrow. For the programs in this folder.

The peers come from .sdk/openvino and a virtual environment, build/peers, that is made when missing.
"""
import os
import pathlib
import random
import statistics
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
light = root / ".sdk/onnx/onnx/backend/test/data/light"
environment = root / "build/peers"
packages = ["numpy==2.2.6", "openvino-telemetry", "onnxruntime==1.31.1"]


def call(command, **variables):
    """What it prints."""
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


def benchmark_app(model, *options):
    """What OpenVINO's benchmark_app prints about a model on the CPU with random inputs of its own type."""
    return call([environment / "bin/python", "-c", "from openvino.tools.benchmark.main import main; main()", "-m", model,
                 "-d", "CPU", "-ip", "f32", *options],
                PYTHONPATH=str(root / ".sdk/openvino"))


def interval(ratios, resamples=4000):
    """Percentile bootstrap of the median, 95 %."""
    generator = random.Random(1)
    medians = sorted(statistics.median(generator.choices(ratios, k=len(ratios))) for _ in range(resamples))
    return medians[int(0.025 * resamples)], medians[int(0.975 * resamples) - 1]


class Comparison:
    """`ours` and `peer` give a figure each; every round calls both, in turns first and second. At least `rounds`, then on
    until the interval of the median of ours / peer is within 3 % either way, or `most` were made."""

    def __init__(self, ours, peer, rounds, most):
        self.ratios, self.mine, self.theirs = [], [], []
        while len(self.ratios) < rounds or not (self._measure() or len(self.ratios) >= most):
            first = len(self.ratios) % 2
            pair = [None, None]
            for which in (first, 1 - first):
                pair[which] = (ours, peer)[which]()
            self.mine.append(pair[0])
            self.theirs.append(pair[1])
            self.ratios.append(pair[0] / pair[1])

    def _measure(self):
        self.low, self.high = interval(self.ratios)
        self.middle = statistics.median(self.ratios)
        self.narrow = max(self.high - self.middle, self.middle - self.low) <= 0.03 * self.middle
        return self.narrow

    def line(self, name, holds):
        return (f"{name:14} {len(self.ratios):6} {statistics.median(self.mine):9.3f} "
                f"{statistics.median(self.theirs):9.3f} {self.middle:7.3f}  {self.low:.3f} to {self.high:.3f}  "
                f"{'holds' if holds else 'DOES NOT HOLD' if self.narrow else 'TOO NOISY'}")
