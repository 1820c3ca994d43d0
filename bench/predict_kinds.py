#!/usr/bin/env python3
"""predict_kinds.py [TAKT] [--models DIR] [--time DURATION] [--threads N]

Does `takt predict` give an honest answer at once? Builds ten networks of kinds that the zoo lacks (ConvNeXt-, ViT- and
BERT-like, LSTM, U-Net, DLRM-like, int8 QDQ, Conv3D, Loop, float16), predicts each with the predictor that takt chooses by
itself, and measures it with `takt run`, one thread. Prints prediction, 90 % interval, measured time, and whether it is inside.

Aims: an answer for each, nine of ten inside; no time from regressions in the int8 convolutions and Conv3D. Needs ONNX Runtime,
and the onnx package, which goes into the virtual environment build/onnx if missing. Other programs make measured times longer.
"""
import argparse
import json
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
environment = root / 'build/onnx'
packages = ['numpy==2.2.6', 'onnx==1.20.1']
least_inside = 9


def call(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f'{" ".join(map(str, command))}: {done.stderr.strip()[-500:]}')
    return done.stdout


def build(folder):
    python = environment / 'bin/python'
    if not python.exists():
        call(sys.executable, '-m', 'venv', environment)
    if subprocess.run([python, '-c', 'import numpy, onnx'], capture_output=True, check=False).returncode != 0:
        call(python, '-m', 'pip', 'install', '-q', *packages)
    call(python, root / 'bench/network_kinds.py', folder)


def summary(*command):
    return json.loads(call(*command, '--format', 'json'))['tables']['summary'][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[2])
    parser.add_argument('takt', nargs='?', default=root / 'build/release/takt')
    parser.add_argument('--models', type=pathlib.Path, default=root / 'build/network_kinds')
    parser.add_argument('--time', default='2s')
    parser.add_argument('--threads', default='1')
    options = parser.parse_args()
    build(options.models)
    inside = count = 0
    print(f'{"network":10} {"predicted":>10} {"low":>9} {"high":>9} {"measured":>9}  inside  trained %  predictor')
    for model in sorted(options.models.glob('*.onnx')):
        said = summary(options.takt, 'predict', model)
        measured = summary(options.takt, 'run', model, '--threads', options.threads, '--time', options.time)['mean_us'] / 1000
        high = float('inf') if said['high_ms'] is None else said['high_ms']
        is_inside = said['low_ms'] <= measured <= high
        inside, count = inside + is_inside, count + 1
        print(f'{model.stem:10} {said["predicted_ms"]:10.3f} {said["low_ms"]:9.3f} {high:9.3f} {measured:9.3f}  {"yes" if is_inside else "no":6} '
              f'{said["trained_percent"]:10.1f}  {said["predictor"]}', flush=True)
    print(f'{inside} of {count} inside')
    sys.exit(0 if inside >= least_inside else 1)


if __name__ == '__main__':
    main()
