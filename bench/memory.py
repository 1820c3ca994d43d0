#!/usr/bin/env python3
"""How much memory `takt analyze` and `takt compare` need for a large profile, as a multiple of the file's size.

The profile has 13,000 operators with 100 samples each (33 MB). Exit 1 when `--columns name,time_us`, which needs none of
the samples, takes more than 1.6 times the file at its peak. Profiles are made once, in build/bench.

usage: bench/memory.py [TAKT] [--operators 13000] [--runs 100]
"""
import argparse
import os
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
MOST = 1.6


def peak_megabytes(command):
    """Peak resident memory of a child of its own."""
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f'bench: {command[0]} ended with {child.returncode}')
    return usage.ru_maxrss * 1024 / 1e6


def prepared(operators, runs, seed):
    path = root / f'build/bench/profile_{operators}_{runs}_{seed}.json'
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix('.part')
        # In a process of its own: what this one has held counts as a child's peak, too.
        subprocess.run([sys.executable, root / 'bench/make_profile.py', partial, '--operators', str(operators),
                        '--seed', str(seed), '--runs', str(runs)], check=True)
        partial.rename(path)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('takt', nargs='?', default=root / 'build/release/takt')
    parser.add_argument('--operators', type=int, default=13_000)
    parser.add_argument('--runs', type=int, default=100)
    arguments = parser.parse_args()
    first, second = (prepared(arguments.operators, arguments.runs, seed) for seed in (1, 2))
    size = first.stat().st_size / 1e6
    print(f'{first.name}: {size:.1f} MB')
    ratios = {}
    for name, command in (('analyze --columns name,time_us', ['analyze', first, '--columns', 'name,time_us']),
                          ('analyze --columns name,time_us -t 0', ['analyze', first, '--columns', 'name,time_us', '-t', 0]),
                          ('analyze --columns all', ['analyze', first, '--columns', 'all']),
                          ('analyze --columns all -t 0', ['analyze', first, '--columns', 'all', '-t', 0]),
                          ('compare with another', ['compare', first, second])):
        peak = peak_megabytes([arguments.takt, *command])
        ratios[name] = peak / size
        print(f'{name:36} {peak:7.1f} MB at most {ratios[name]:6.2f} times the file')
    ratio = ratios['analyze --columns name,time_us']
    print(f'{"PASS" if ratio <= MOST else "FAIL"}: {ratio:.2f} times the file for name,time_us (at most {MOST})')
    return 0 if ratio <= MOST else 1


if __name__ == '__main__':
    sys.exit(main())
