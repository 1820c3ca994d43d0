#!/usr/bin/env python3
"""Compares `takt analyze` on a profile of 200,000 operators (about 330 MB) with Python's json.load on the same file.

The two run alternately, so that other activity of the machine slows both; medians of their times are divided. Exit 1 unless
takt is at least 20 times as fast and never takes 600 MB of memory. The profile is made once, in build/bench.

usage: bench/analyze.py [TAKT] [--rounds 5] [--operators 200000] [-- OPTIONS OF takt analyze]
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

import make_profile

root = pathlib.Path(__file__).resolve().parent.parent
FASTER, MOST_MB = 20, 600


def run(command):
    """Wall and user seconds and peak megabytes of a child of its own."""
    begin = time.monotonic()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f'bench: {command[0]} ended with {child.returncode}')
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def prepared(operators):
    path = root / f'build/bench/profile_{operators}_1.json'
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix('.part')
        # In a process of its own: a child's peak of memory counts from what its parent holds.
        subprocess.run([sys.executable, make_profile.__file__, partial, '--operators', str(operators)], check=True)
        partial.rename(path)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('takt', nargs='?', default=root / 'build/release/takt')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--operators', type=int, default=200_000)
    own = sys.argv[1:]
    options = own[own.index('--') + 1:] if '--' in own else []
    arguments = parser.parse_args(own[:own.index('--')] if '--' in own else own)
    path = prepared(arguments.operators)
    ours = [arguments.takt, 'analyze', path, *options]
    peer = [sys.executable, '-c', 'import json, sys; json.load(open(sys.argv[1]))', path]
    run(ours)  # the file comes into the page cache
    results = {'json.load': [], 'takt analyze': []}
    for _ in range(arguments.rounds):
        results['takt analyze'].append(run(ours))
        results['json.load'].append(run(peer))
    print(f'{path.name}: {path.stat().st_size / 1e6:.0f} MB, {arguments.rounds} rounds, medians')
    medians = {}
    for name, rounds in results.items():
        wall, cpu, _ = (statistics.median(column) for column in zip(*rounds))
        medians[name] = wall, cpu, max(memory for _, _, memory in rounds)
        print(f'{name:13} {wall:8.3f} s wall {cpu:8.3f} s CPU {medians[name][2]:7.0f} MB at most')
    wall, cpu = (medians['json.load'][i] / medians['takt analyze'][i] for i in (0, 1))
    memory = medians['takt analyze'][2]
    passed = wall >= FASTER and memory < MOST_MB
    print(f'{"PASS" if passed else "FAIL"}: {wall:.1f} times as fast (at least {FASTER}), {cpu:.1f} times by CPU time; '
          f'{memory:.0f} MB (below {MOST_MB})')
    return 0 if passed else 1


if __name__ == '__main__':
    sys.exit(main())
