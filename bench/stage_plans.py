#!/usr/bin/env python3
"""Does a sweep of real CPU stages tell what plans will take? Sweeps a graph network with all its fused ranges on the CPU,
then runs the plan that a search names and five others at a size that was measured and one between, in turns, beside what
they were expected to take; all of it several times, since the machine's pace changes from minute to minute: what all plans
of a go are off alike is shown apart. The machine should do nothing else for a quarter of an hour.

Aims, in the go in the middle: the makespan of a stream within 15 % for each plan, the named plan at most 5 % behind the
fastest; in every go numbers as in float32.

usage: bench/stage_plans.py [TAKT] [--models NETWORK] [--out DIR] [--goes N] [--rounds N] [--batches N]
exit 1 if plans are further off or compute something else
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

MEASURED = [(2000, 16000), (5000, 10000), (5000, 40000), (10000, 20000), (10000, 80000)]
RUN = [(5000, 40000), (7000, 30000)]  # the last lies between
OFF, REGRET = 15, 5


def takt(options, *words):
    done = subprocess.run([options.takt, *map(str, words)], stdout=subprocess.PIPE, encoding='utf-8', check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f'takt {" ".join(map(str, words))} failed')
    return json.loads(done.stdout)['tables']


def export(options, folder):
    """The words that every later go of the sweep needs, and the models, once."""
    cases = folder / 'cases.json'
    cases.write_text(json.dumps({'config': {'feature_dim': 256},
                                 'test_cases': [{'nodes': nodes, 'edges': edges} for nodes, edges in MEASURED]}), encoding='utf-8')
    words = ['--networks', options.models, '--devices', 'CPU', '--ranges', '--cases', cases, '--warmup-iter', 5, '--iter', 15]
    takt(options, 'sweep', '--export', *words, '--out', folder / 'models', '--format', 'json')
    return words


def run(options, folder, nodes, edges):
    """How far off the worst plan is in %, the regret in %, and whether all plans computed what they should."""
    tables = takt(options, 'plan', 'run', folder, '--nodes', nodes, '--edges', edges, '--shared', '--objective', 'throughput', '--top', 6,
                  '--batches', options.batches, '--rounds', options.rounds, '--format', 'json')
    choice, rows = tables['plan_choice'][0], tables['plan_runs']
    print(f'{nodes} nodes, {edges} edges{"" if (nodes, edges) in MEASURED else ", between"}: regret {choice["regret_percent"]:.1f} %, '
          f'all off alike {choice["common_error_percent"]:+.1f} %, else {choice["other_error_percent"]:.1f} %')
    for row in rows:
        print(f'  {row["plan"]:44} expected {row["estimated_us"] / 1000:9.1f} ms, took {row["really_us"] / 1000:9.1f} ms, '
              f'{row["estimate_off_percent"]:+6.1f} %  {row["numbers"]}', flush=True)
    return {'off': max(abs(row['estimate_off_percent']) for row in rows), 'regret': choice['regret_percent'],
            'right': all(row['numbers'] == 'right' for row in rows)}


def main():
    parser = argparse.ArgumentParser(description='Estimates from a sweep of real CPU stages')
    parser.add_argument('takt', nargs='?', default='build/release/takt')
    parser.add_argument('--models', default='sage')
    parser.add_argument('--out', type=pathlib.Path, help='where the sweeps are kept and go on; a temporary folder without it')
    for name, value in {'goes': 5, 'rounds': 2, 'batches': 20}.items():
        parser.add_argument(f'--{name}', type=int, default=value)
    options = parser.parse_args()
    results = {size: [] for size in RUN}
    with tempfile.TemporaryDirectory(prefix='takt_stages_') as temporary:
        folder = options.out or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        words = export(options, folder)
        for number in range(1, options.goes + 1):
            swept = folder / f'go{number}'
            shutil.copytree(folder / 'models', swept, dirs_exist_ok=True)
            takt(options, 'sweep', '--measure', '--analyze', *words, '--out', swept, '--format', 'json')
            for size in RUN:
                results[size].append(run(options, swept, *size))
    holds = True
    for (nodes, edges), goes in results.items():
        off, regret = (statistics.median(go[name] for go in goes) for name in ('off', 'regret'))
        is_right = all(go['right'] for go in goes)
        holds = holds and off <= OFF and regret <= REGRET and is_right
        print(f'{nodes} nodes, {edges} edges, go in the middle of {len(goes)}: worst plan {off:.1f} % off (at most {OFF}), '
              f'regret {regret:.1f} % (at most {REGRET}), numbers {"right" if is_right else "WRONG"}')
    print('holds' if holds else 'DOES NOT HOLD')
    return 0 if holds else 1


if __name__ == '__main__':
    sys.exit(main())
