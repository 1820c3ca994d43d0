#!/usr/bin/env python3
"""On a machine with an NVIDIA GPU: does the stressor reach its level, do the driver, its counters and takt's own probe see
it, and are the times of ONNX Runtime's operators on CUDA those of the GPU?

usage: bench/gpu.py [TAKT] [--only stress,copies,kernels] [--python PYTHON]    exit 1 if something is not as claimed

stress    matrix products at 0 to 100 %: the share that takt says, what nvidia-smi shows, NVML, its counters (GPM), the probe.
          As claimed: within 5 points of what was asked, and the probe's rate falls with the level.
copies    the same for copies between host and GPU, with the bytes on the bus.
kernels   products of several sizes on ONNX Runtime's CUDA provider: takt's times beside those that PyTorch measures with CUDA
          events around many of the same product, in turns. As claimed: within 10 %; the operators and [unattributed] add
          up to the run. PYTHON has torch; without one the part is left out.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from matmuls import chain

SIZES = [(64, 1024, 1024), (512, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096)]

# A product as takt finds it: its input has just been copied and nothing else is under way. Short ones several times over in a
# graph, since the events themselves take microseconds; long ones once, since a GPU that multiplies on and on lowers its clock.
EVENTS = """
import sys, torch
torch.backends.cuda.matmul.allow_tf32 = True
for size in sys.argv[1:]:
    rows, inner, columns = map(int, size.split('x'))
    host, w = torch.randn(rows, inner), torch.randn(inner, columns, device='cuda')
    x, graph, times = host.cuda(), torch.cuda.CUDAGraph(), []
    many = 1 if rows * inner * columns > 1 << 33 else 20
    for _ in range(3): y = x @ w
    with torch.cuda.graph(graph):
        for _ in range(many): y = x @ w
    for _ in range(60):
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        x.copy_(host)
        a.record(); graph.replay(); b.record(); y.cpu()
        times.append(a.elapsed_time(b) * 1000 / many)
    print(size, sorted(times)[len(times) // 2], flush=True)
"""


def takt(options, *words, check=True):
    done = subprocess.run([options.takt, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, encoding='utf-8', check=False)
    if done.returncode != 0 and check:
        sys.exit(f'takt {" ".join(map(str, words))}: {done.stderr.strip()}')
    return done.stdout


def nvidia_smi():
    done = subprocess.run(['nvidia-smi', '--query-gpu=utilization.gpu,power.draw,clocks.sm', '--format=csv,noheader,nounits'],
                          stdin=subprocess.DEVNULL, capture_output=True, encoding='utf-8', check=False)
    return done.stdout.splitlines()[0].replace(' ', '').split(',') if done.returncode == 0 else ['?'] * 3


def stress(options, option):
    """One level after the other, of which it prints who saw what; whether all is as claimed."""
    print(f'{option:>13} {"takt":>6} {"smi %":>6} {"W":>6} {"MHz":>5} {"busy":>6} {"SMs":>6} {"fp32":>6} {"PCIe GB/s":>10} {"probe TFLOP/s":>14} {"wall":>6}')
    holds, rates = True, []
    for level in (0, 0.3, 0.6, 0.9, 1) if option == '--gpu' else (0.3, 0.9):
        load = None
        if level:
            load = subprocess.Popen([options.takt, 'stress', option, str(level), '--time', '6s', '--format', 'json'],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding='utf-8')
            time.sleep(2)
        seen = json.loads(takt(options, 'load', '--sources', 'nvml', '--window', '1s', '--format', 'json'))['tables']['load']
        shown = nvidia_smi()
        seen += json.loads(takt(options, 'load', '--sources', 'gpu_probe', '--window', '1ms', '--format', 'json'))['tables']['load']
        value = {row['feature']: row['load_value'] for row in seen if row['load_value'] is not None}
        reached = 0.0
        if load:
            reached = sum(row['reached_share'] for row in json.loads(load.communicate()[0])['tables']['stress'])
        holds &= abs(reached - level) <= 0.05
        rates.append(value.get('gpu_probe_flops', 0) if option == '--gpu' else -level)
        bus = sum(value.get(f'gpu_pcie_{way}_bytes_per_s', 0) for way in ('sent', 'received')) / 1e9
        one = lambda name: f'{value[name]:6.2f}' if name in value else f'{"-":>6}'
        print(f'{level:12.0%} {reached:6.1%} {shown[0]:>6} {shown[1]:>6} {shown[2]:>5} {one("gpu_busy_share")} {one("gpu_sm_active_share")} '
              f'{one("gpu_fp32_active_share")} {bus:10.1f} {value.get("gpu_probe_flops", 0) / 1e12:14.2f} {one("gpu_probe_wall_ratio")}', flush=True)
    return holds and rates[-1] < 0.8 * rates[0] if option == '--gpu' else holds


def kernels(options, folder):
    times, peers = {size: [] for size in SIZES}, {size: [] for size in SIZES}
    holds = True
    for turn in range(3):
        for size in SIZES:
            model = pathlib.Path(folder) / ('x'.join(map(str, size)) + '.onnx')
            if not model.exists():
                model.write_bytes(chain(*size, 0))
            run = json.loads(takt(options, 'run', model, '--runtime', 'onnxruntime', '--device', 'GPU', '--time', '1s', '--format', 'json'))
            rows = run['tables']['operators']
            product = [row for row in rows if row.get('type') == 'MatMul']
            times[size].append(product[0]['mean_us'])
            total = sum(row['total_us'] for row in rows)  # with [unattributed]
            passes = {row['pass']: row for row in run['tables']['summary']}
            holds &= abs(total / passes['profiled']['iterations'] - passes['profiled']['mean_us']) < 0.01
        told = subprocess.run([options.python, '-c', EVENTS, *('x'.join(map(str, size)) for size in SIZES)], stdin=subprocess.DEVNULL,
                              capture_output=True, encoding='utf-8', check=False)
        if told.returncode != 0:
            print('no peer: ' + told.stderr.strip()[-500:])
            return False
        for line in told.stdout.splitlines():
            size, us = line.split()
            peers[tuple(map(int, size.split('x')))].append(float(us))
    print(f'{"product":>16} {"takt us":>9} {"events us":>10} {"ratio":>6}')
    for size in SIZES:
        own, peer = statistics.median(times[size]), statistics.median(peers[size])
        holds &= abs(own / peer - 1) <= 0.1
        print(f'{"x".join(map(str, size)):>16} {own:9.1f} {peer:10.1f} {own / peer:6.2f}')
    return holds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('takt', nargs='?', default='build/release/takt')
    parser.add_argument('--only', default='stress,copies,kernels')
    parser.add_argument('--python', default=sys.executable)
    options = parser.parse_args()
    parts = options.only.split(',')
    if not shutil.which('nvidia-smi') or nvidia_smi()[0] == '?':
        print('left out: nvidia-smi shows no GPU here')
        return
    holds = True
    with tempfile.TemporaryDirectory(prefix='takt_gpu_') as folder:
        if 'stress' in parts:
            holds &= stress(options, '--gpu')
        if 'copies' in parts:
            holds &= stress(options, '--gpu-copies')
        if 'kernels' in parts:
            holds &= kernels(options, folder)
    print('holds' if holds else 'does not hold')
    sys.exit(0 if holds else 1)


if __name__ == '__main__':
    main()
