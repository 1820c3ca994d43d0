#!/usr/bin/env python3
"""Trace files against Python's json module, on the same events, turn by turn: how many times as fast, how much memory.

    bench/trace_io.py [--events N] [--turns N] [--program build/release/bench/bench_trace]

Written: the events of one trace; json.dumps gets the same events as dictionaries. Read: the file that takt wrote,
against json.load of it (decompression included where the file is compressed). CPU seconds, the median of the turns.
"""
import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def step(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=True)
    cpu, wall, peak, events = done.stdout.split()
    return {'cpu': float(cpu), 'wall': float(wall), 'mb': int(peak) * 1024 / 1e6, 'events': int(events)}


def timed(action):
    begin = time.process_time()
    result = action()
    return time.process_time() - begin, result


def load(path):
    opened = gzip.open if path.endswith('.gz') else open
    with opened(path, 'rt', encoding='utf-8') as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--events', type=int, default=1000000)
    parser.add_argument('--turns', type=int, default=3)
    parser.add_argument('--program', default=str(ROOT / 'build/release/bench/bench_trace'))
    o = parser.parse_args()
    rows = {}
    with tempfile.TemporaryDirectory(prefix='takt_bench_') as folder:
        plain, packed, proto = (os.path.join(folder, name) for name in ('t.json', 't.json.gz', 't.pftrace'))
        for _ in range(o.turns):
            write = step(o.program, 'write', o.events, plain)
            step(o.program, 'write', o.events, packed)
            perfetto = step(o.program, 'write', o.events, proto)
            one, two = step(o.program, 'read', plain, 1), step(o.program, 'read', plain, 2)
            gz = step(o.program, 'read', packed, 1)
            load_cpu, trace = timed(lambda: load(plain))
            dump_cpu, _ = timed(lambda: json.dumps(trace))
            del trace
            gz_cpu, _ = timed(lambda: load(packed))
            for name, ours, theirs in (('write Chrome JSON, CPU', write['cpu'], dump_cpu),
                                       ('write Perfetto protobuf, CPU', perfetto['cpu'], dump_cpu),
                                       ('read, one thread, CPU', one['cpu'], load_cpu),
                                       ('read, two threads, wall', two['wall'], load_cpu),
                                       ('read compressed, one thread, CPU', gz['cpu'], gz_cpu)):
                rows.setdefault(name, []).append((ours, theirs))
            memory = {'write': write, 'read, one thread': one, 'read, two threads': two, 'read compressed': gz}
        size = os.path.getsize(plain)
    print(f'{o.events} events, {size / 1e6:.0f} MB of JSON, {o.turns} turns')
    for name, pairs in rows.items():
        ours, theirs = (statistics.median(side) for side in zip(*pairs))
        ratio = statistics.median(t / t0 for t0, t in pairs)
        print(f'{name:34} takt {ours:7.3f} s  Python {theirs:7.3f} s  {ratio:6.1f} times')
    for name, figures in memory.items():
        allowed = 64 + 96e-6 * o.events
        print(f'{name:34} peak {figures["mb"]:7.0f} MB  (64 MB + 96 bytes per event: {allowed:.0f})')
    return 0


if __name__ == '__main__':
    sys.exit(main())
