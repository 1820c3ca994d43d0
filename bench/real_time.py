#!/usr/bin/env python3
"""Do simulated devices keep their description in real time? Pipelines of several shapes, each run five times in real time;
the median of the measured steady-state cycles beside the cycle that the descriptions say, which is that of the virtual
clock. The first five are known by hand as well: the virtual clock must agree with that to 0.1 %.

usage: bench/real_time.py [TAKT] [--runs N] [--only NAME]    exit 1 if a cycle is more than 3 % off
"""
import argparse
import csv
import io
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 0.03

# Name, what the cycle is by hand (ms) and why, batches, pipeline.
SHAPES = [
    ('chain', 8, 'the slowest of three stages', 120, '''
stages:
  - {name: a, dummy: {time: 5ms}, device: sim:CPU}
  - {name: b, dummy: {time: 8ms}, device: sim:GPU}
  - {name: c, dummy: {time: 6ms}, device: sim:NPU}
'''),
    ('balanced', 6, 'four stages of the same time', 120, '''
stages:
  - {name: a, dummy: {time: 6ms}, device: sim:CPU}
  - {name: b, dummy: {time: 6ms}, device: sim:GPU}
  - {name: c, dummy: {time: 6ms}, device: sim:NPU}
  - {name: d, dummy: {time: 6ms}, device: sim:edge}
'''),
    ('replicas', 6, '12 ms on two replicas', 120, '''
devices: {sim:GPU: {requests: 2}}
stages:
  - {name: a, dummy: {time: 5ms}, device: sim:CPU}
  - {name: b, dummy: {time: 12ms}, device: sim:GPU, replicas: 2}
'''),
    ('shared device', 11, '5 + 6 ms on one device', 80, '''
stages:
  - {name: a, dummy: {time: 5ms}, device: sim:CPU}
  - {name: b, dummy: {time: 8ms}, device: sim:GPU}
  - {name: c, dummy: {time: 6ms}, device: sim:CPU}
'''),
    ('data-parallel', 8.6, '0.1 + 0.4 x 20 ms + 0.5', 80, '''
stages:
  - {name: a, dummy: {time: 5ms}, device: sim:CPU}
  - name: b
    dummy: {time: 20ms, partition: 100us, merge: 500us}
    split: {devices: [sim:GPU, sim:NPU, sim:edge], ratio: [0.4, 0.3, 0.3]}
'''),
    ('blocking', None, '', 80, '''
queue: 1
stages:
  - {name: a, dummy: {time: 5ms}, device: sim:CPU}
  - {name: b, dummy: {time: 5ms}, device: sim:GPU, replicas: 2, ordered: false}
  - {name: c, dummy: {time: 9ms}, device: sim:NPU}
'''),
    ('contention', None, '', 80, '''
contention: {interference: {b: {a: 1.5}, a: {b: 1.2}}}
stages:
  - {name: a, dummy: {time: 6ms}, device: sim:CPU}
  - {name: b, dummy: {time: 7ms}, device: sim:GPU}
'''),
    ('noise', None, '', 120, '''
devices: {sim:noisy: {description: noisy.yaml}}
stages:
  - {name: a, dummy: {time: 6ms}, device: sim:CPU}
  - {name: b, dummy: {time: 7ms}, device: sim:noisy, queue: 4}
'''),
    ('fixed rate', 10, 'the source, 100 batches/s', 80, '''
source: 100/s
stages:
  - {name: a, dummy: {time: 5ms}, device: sim:CPU}
  - {name: b, dummy: {time: 6ms}, device: sim:GPU}
'''),
    ('gnn example', None, '', 60, ROOT / 'examples/pipelines/gnn.yaml'),
]
EDGE = 'law: table\nops: {}\nunknown_op_ns: 1000000\n'


def cycle_ms(takt, folder, pipeline, clock, batches, seed):
    done = subprocess.run([takt, 'pipeline', 'run', pipeline, '--simulate', clock, '--batches', batches, '--seed', seed,
                           '--trace', '', '--format', 'csv'], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f'{pipeline}: {done.stderr.strip()}')
    return float(next(csv.DictReader(io.StringIO(done.stdout)))['cycle_us']) / 1000


def measure(takt, folder, shape, runs):
    """One line of the table; whether the shape holds."""
    name, by_hand, _, batches, pipeline = shape
    if isinstance(pipeline, str):
        file = pathlib.Path(folder, 'pipeline.yaml')
        file.write_text(pipeline, encoding='utf-8')
    else:
        file = pipeline
    # A run's noise depends on its seed: the same in both clocks.
    described = cycle_ms(takt, folder, file, 'virtual', str(batches), '1')
    if by_hand and abs(described / by_hand - 1) > 0.001:
        sys.exit(f'{name}: the virtual clock says {described} ms, by hand it is {by_hand} ms')
    measured = [cycle_ms(takt, folder, file, 'real', str(batches), '1') for _ in range(runs)]
    ratio = statistics.median(measured) / described
    holds = abs(ratio - 1) <= LIMIT
    print(f'{name:15} {described:9.3f} {statistics.median(measured):9.3f} {min(measured):9.3f} {max(measured):9.3f} '
          f'{ratio:8.4f}  {"PASS" if holds else "FAIL"}', flush=True)
    return holds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('takt', nargs='?', type=pathlib.Path, default=ROOT / 'build/release/takt')
    parser.add_argument('--runs', type=int, default=5)
    parser.add_argument('--only', metavar='NAME', help='this shape')
    given = parser.parse_args()
    print(f'cycle in ms, {given.runs} runs in real time, limit {LIMIT:.0%}\n'
          f'{"pipeline":15} {"described":>9} {"median":>9} {"least":>9} {"most":>9} {"ratio":>8}')
    held = True
    with tempfile.TemporaryDirectory(prefix='takt_real_time_') as folder:
        for name, text in (('edge', EDGE), ('noisy', EDGE + 'noise: {shape: gaussian, sigma: 0.1}\n')):
            pathlib.Path(folder, name + '.yaml').write_text(f'name: {name}\n' + text, encoding='utf-8')
        for shape in SHAPES:
            if given.only in (None, shape[0]):
                held &= measure(given.takt.resolve(), folder, shape, given.runs)
    return not held


sys.exit(main())
