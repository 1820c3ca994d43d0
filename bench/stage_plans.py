#!/usr/bin/env python3
"""Does a sweep of real CPU stages tell what plans will take? Sweeps a graph network with all its fused ranges on the CPU at
several sizes, then runs the plan that a search names and five others at sizes of which some were not measured, in turns:
what each was expected to take beside what it took. The machine should do nothing else for a quarter of an hour.

Aims: the makespan of a stream within 15 % for each plan, the named plan at most 5 % behind the fastest; numbers as in float32.

usage: bench/stage_plans.py [TAKT] [--models NETWORK] [--out DIR] [--rounds N] [--batches N]    exit 1 if a plan is further off or computes something else
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

MEASURED = [(1000, 4000), (2000, 16000), (5000, 10000), (5000, 40000), (10000, 20000), (10000, 80000), (20000, 60000)]
RUN = [(5000, 40000), (10000, 20000), (7000, 30000), (15000, 50000)]  # the last two lie between
OFF, REGRET = 15, 5


def takt(options, *words):
    done = subprocess.run([options.takt, *map(str, words)], stdout=subprocess.PIPE, encoding='utf-8', check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f'takt {" ".join(map(str, words))} failed')
    return json.loads(done.stdout)['tables']


def sweep(options, folder):
    cases = folder / 'cases.json'
    cases.write_text(json.dumps({'config': {'feature_dim': 256},
                                 'test_cases': [{'nodes': nodes, 'edges': edges} for nodes, edges in MEASURED]}), encoding='utf-8')
    takt(options, 'sweep', '--all', '--models', options.models, '--devices', 'CPU', '--ranges', '--cases', cases, '--iterations', 30,
         '--out', folder / 'sweep', '--format', 'json')
    return folder / 'sweep'


def run(options, folder, nodes, edges):
    """The worst of the plans in % and whether all is as it should be."""
    tables = takt(options, 'plan', 'run', folder, '--nodes', nodes, '--edges', edges, '--shared', '--objective', 'throughput', '--top', 6,
                  '--batches', options.batches, '--rounds', options.rounds, '--format', 'json')
    choice, rows = tables['plan_choice'][0], tables['plan_runs']
    holds = choice['regret_percent'] <= REGRET and all(row['numbers'] == 'right' for row in rows)
    print(f'{nodes} nodes, {edges} edges{"" if (nodes, edges) in MEASURED else ", between"}: regret {choice["regret_percent"]:.1f} %')
    for row in rows:
        off = row['estimate_off_percent']
        holds = holds and abs(off) <= OFF
        print(f'  {row["plan"]:44} expected {row["estimated_us"] / 1000:9.1f} ms, took {row["really_us"] / 1000:9.1f} ms, '
              f'{off:+6.1f} %  {row["numbers"]}', flush=True)
    return max(abs(row['estimate_off_percent']) for row in rows), holds


def main():
    parser = argparse.ArgumentParser(description='Estimates from a sweep of real CPU stages')
    parser.add_argument('takt', nargs='?', default='build/release/takt')
    parser.add_argument('--models', default='sage')
    parser.add_argument('--out', type=pathlib.Path, help='where the sweep is kept and goes on; a temporary folder without it')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--batches', type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='takt_stages_') as temporary:
        folder = options.out or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        swept = sweep(options, folder)
        results = [run(options, swept, nodes, edges) for nodes, edges in RUN]
    holds = all(one for _, one in results)
    print(f'worst estimate {max(off for off, _ in results):.1f} % off (at most {OFF}): {"holds" if holds else "DOES NOT HOLD"}')
    return 0 if holds else 1


if __name__ == '__main__':
    sys.exit(main())
