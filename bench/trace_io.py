#!/usr/bin/env python3
"""Trace files against Python's json module, on the same events, turn by turn: how many times as fast, how much memory.

    bench/trace_io.py [--events N] [--turns N] [--program build/release/bench/bench_trace]

Written: the events of one trace to a file; json.dumps gets the same events as dictionaries and makes a text. Read: the
file that takt wrote, against json.load of it. Compressed files are held against json.dumps and json.load of the plain
text, which do not compress, and so are the events in Perfetto's protobuf; those also against Perfetto's own trace processor, the
WebAssembly that its UI reads with, where tools/bootstrap brought it and node is here. Operators alone, and operators with four arguments each. Medians of the turns.

Reading on one core compares CPU seconds (user and system), on two the time that passes. Writing compares takt's user
seconds: json.dumps writes no file, and what the system takes for the pages of one is the same for whoever writes them;
the ratio with the system's time stands beside it. Exit code 1: a target is missed.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGETS = {'write': 25, 'write .gz': 4, 'read, one core': 9, 'read, two cores': 14, 'read .gz, one core': 4,
           'read .pftrace': 9, 'read .pftrace, UI': 8}
PROCESSOR = ROOT / '.sdk/perfetto/trace_processor.wasm'


def step(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=True)
    user, system, wall, peak, events = done.stdout.split()
    return {'cpu': float(user) + float(system), 'user': float(user), 'wall': float(wall),
            'mb': int(peak) * 1024 / 1e6, 'events': int(events)}


def timed(action):
    wall, cpu = time.perf_counter(), time.process_time()
    result = action()
    return {'cpu': time.process_time() - cpu, 'wall': time.perf_counter() - wall}, result


def load(path):
    with open(path, encoding='utf-8') as file:
        return json.load(file)


def read_protobuf(program, kind, events, path):
    """The same events in Perfetto's protobuf, which one thread reads."""
    step(program, 'write', kind, events, path)
    return step(program, 'read', path, 1)


def read_by_perfetto(path, events):
    done = subprocess.run(['node', ROOT / 'bench/perfetto_read.mjs', PROCESSOR, path], capture_output=True, text=True, check=True)
    read = json.loads(done.stdout)
    if read['slices'] != events:
        sys.exit(f'Perfetto read {read["slices"]} of {events} events')
    return {'cpu': read['wall'], 'wall': read['wall']}


def turn(program, kind, events, folder):
    """One turn of every step: name -> (ours, theirs)."""
    plain, packed, protobuf = (os.path.join(folder, kind + ending) for ending in ('.json', '.json.gz', '.pftrace'))
    written = step(program, 'write', kind, events, plain)
    loading, trace = timed(lambda: load(plain))
    one = step(program, 'read', plain, 1)
    dumping, _ = timed(lambda: json.dumps(trace))
    del trace
    ours = read_protobuf(program, kind, events, protobuf)
    rows = {'write': (written, dumping),
            'write .gz': (step(program, 'write', kind, events, packed), dumping),
            'read, one core': (one, loading),
            'read, two cores': (step(program, 'read', plain, 2), loading),
            'read .gz, one core': (step(program, 'read', packed, 1), loading),
            'read .pftrace': (ours, loading)}
    if PROCESSOR.exists() and shutil.which('node'):
        rows['read .pftrace, UI'] = (ours, read_by_perfetto(protobuf, events))
    return rows


def verdict(good):
    return 'PASS' if good else 'FAIL'


def report(name, pairs, allowed_mb):
    """Prints the figures of a step; is every target met?"""
    clock = 'wall' if 'two' in name else 'user' if 'write' in name else 'cpu'

    def times(ours_by, theirs_by):
        return statistics.median(theirs[theirs_by] / ours[ours_by] for ours, theirs in pairs)
    ratio = times(clock, 'wall' if clock == 'wall' else 'cpu')
    median = {key: statistics.median(ours[key] for ours, _ in pairs) for key in ('cpu', 'user', 'wall', 'mb')}
    python = {key: statistics.median(theirs[key] for _, theirs in pairs) for key in ('cpu', 'wall')}
    good = ratio >= TARGETS[name], median['mb'] <= allowed_mb
    print(f'  {name:19} takt {median["cpu"]:6.3f} s CPU (user {median["user"]:6.3f}) {median["wall"]:6.3f} s wall   '
          f'{"Perfetto" if "UI" in name else "Python"} {python["cpu"]:7.3f} s CPU {python["wall"]:7.3f} s wall   {ratio:5.1f} times ({clock}; all CPU {times("cpu", "cpu"):5.1f}), '
          f'target {TARGETS[name]:2}: {verdict(good[0])}   peak {median["mb"]:5.0f} MB of {allowed_mb:.0f}: '
          f'{verdict(good[1])}')
    return all(good)


def measure(o, kind, folder):
    rows = {}
    for _ in range(o.turns):
        for name, pair in turn(o.program, kind, o.events, folder).items():
            rows.setdefault(name, []).append(pair)
    path = os.path.join(folder, kind + '.json')
    print(f'{kind}: {o.events} events, {os.path.getsize(path) / o.events:.0f} bytes each, {o.turns} turns')
    allowed = 64 + 96e-6 * o.events
    met = [report(name, pairs, allowed) for name, pairs in rows.items()]
    for file in path, os.path.join(folder, kind + '.pftrace'):
        equal = step(o.program, 'check', kind, o.events, file)['events']
        met.append(equal == o.events)
        print(f'  {os.path.basename(file)}: {equal} of {o.events} events read back equal to the nanosecond: {verdict(met[-1])}')
    return all(met)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--events', type=int, default=1000000)
    parser.add_argument('--turns', type=int, default=5)
    parser.add_argument('--kinds', default='plain,args')
    parser.add_argument('--program', default=str(ROOT / 'build/release/bench/bench_trace'))
    o = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='takt_bench_') as folder:
        met = [measure(o, kind, folder) for kind in o.kinds.split(',')]
    return 0 if all(met) else 1


if __name__ == '__main__':
    sys.exit(main())
