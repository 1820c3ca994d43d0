#!/usr/bin/env python3
"""Is the diagnosis right, and its price? Trains with each planted fault, mild and strong, and without it, in turns and with
other seeds, then diagnoses every trace: how often the first verdict is the planted one, what it says on trainings without
a fault, and the speed-up that it predicts beside the one that leaving the fault out really has.

A prediction holds within 15 % or three standard errors of the pairs, whichever is more. On a CPU reading a value costs
next to nothing: there the verdict of sync is by count, and its speed-up is shown and not judged.

usage: bench/scenarios.py [TAKT] [--pairs N] [--device cpu|cuda] [OPTIONS OF takt scenario]    exit 1 if one does not hold
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

CAUSES = {'dataloader': 'data_starvation', 'sync': 'host_synchronisation', 'tiny_ops': 'tiny_kernels',
          'memory_churn': 'allocator_churn'}
SMALL = ['--batch_size', '16', '--image_size', '32', '--width', '16', '--warmup_steps', '3', '--profile_steps', '8']


def call(takt, *words):
    done = subprocess.run([takt, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, encoding='utf-8', check=False)
    if done.returncode != 0:
        sys.exit(f'takt {" ".join(map(str, words))}: {done.stderr.strip()}')
    return done.stdout


def train(options, folder, scenario, strength, seed):
    """Mean seconds of a step, the causes found, and the first one's speed-up."""
    place = pathlib.Path(folder) / f'{scenario}_{strength}_{seed}'
    call(options.takt, 'scenario', scenario, '--strength', strength, '--device', options.device, '--seed', seed, '--trace_dir', place,
         '--output_json', f'{place}.json', *(options.more or SMALL))
    metrics = json.loads(pathlib.Path(f'{place}.json').read_text(encoding='utf-8'))
    verdicts = json.loads(call(options.takt, 'diagnose', metrics['takt']['trace_file'], '--format', 'json'))['tables']['verdicts']
    real = [row for row in verdicts if row['cause'] != 'compute_bound']
    return metrics['avg_step_time_s'], [row['cause'] for row in real], real[0]['speed_up_if_removed'] if real else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('takt', nargs='?', default='build/release/takt')
    parser.add_argument('--pairs', type=int, default=5)
    parser.add_argument('--device', default='cpu')
    options, options.more = parser.parse_known_args()
    holds, right, runs, alarms, healthy = True, 0, 0, 0, 0
    print(f'{"scenario":13} {"strength":8} {"right":>7} {"step ms":>9} {"without":>9} {"speed-up":>9} {"predicted":>9} {"off %":>7} {"limit %":>8}')
    with tempfile.TemporaryDirectory(prefix='takt_scenarios_') as folder:
        for scenario, cause in CAUSES.items():
            pairs = {'mild': [], 'strong': []}
            for seed in range(1, options.pairs + 1):
                without, causes, _ = train(options, folder, scenario, 'none', seed)
                healthy += 1
                if causes:
                    alarms += 1
                    print(f'{scenario}, seed {seed}, without a fault: {causes}')
                for strength, list_of in pairs.items():
                    step, causes, predicted = train(options, folder, scenario, strength, seed)
                    list_of.append((step, without, predicted, causes[:1] == [cause]))
            for strength, list_of in pairs.items():
                ratios = [step / without for step, without, _, _ in list_of]
                real, predicted = statistics.median(ratios), statistics.median(row[2] for row in list_of)
                error = statistics.stdev(ratios) / math.sqrt(len(ratios)) if len(ratios) > 1 else 0
                limit = max(15, 100 * 3 * error / real)
                off = 100 * (predicted / real - 1)
                found = sum(row[3] for row in list_of)
                right, runs = right + found, runs + len(list_of)
                is_judged = not (options.device == 'cpu' and scenario == 'sync')
                holds &= not is_judged or abs(off) <= limit
                print(f'{scenario:13} {strength:8} {found:3}/{len(list_of):3} {1000 * statistics.mean(row[0] for row in list_of):9.2f} '
                      f'{1000 * statistics.mean(row[1] for row in list_of):9.2f} {real:9.2f} {predicted:9.2f} {off:+7.1f} '
                      f'{limit:8.1f}{"" if is_judged else "  (not judged)"}', flush=True)
    print(f'{right} of {runs} first verdicts right; {alarms} false alarms in {healthy} trainings without a fault')
    holds &= right >= 0.99 * runs and alarms == 0
    print('holds' if holds else 'does not hold')
    sys.exit(0 if holds else 1)


if __name__ == '__main__':
    main()
