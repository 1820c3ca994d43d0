#!/usr/bin/env python3
"""Is the diagnosis right, and its price? Trains with each planted fault, mild and strong, and without it, interleaved and with
other seeds, then diagnoses every trace: how often the first verdict is the planted one, what it says on trainings without
a fault, and its predicted speed-up next to the measured one without the fault.

A prediction holds within 15 % or three standard errors of the pairs, whichever is more. On a CPU reading a value costs
next to nothing: there the verdict of sync is by count, and its speed-up is shown and not judged.

usage: bench/scenarios.py [TAKT] [--pairs N] [--first SEED] [--device cpu|cuda] [OPTIONS OF takt scenario]    exit 1 if one does not hold
"""
import argparse
import json
import pathlib
import tempfile

from verdicts import HEAD, Tally, call, verdicts_of

CAUSES = {'dataloader': 'data_starvation', 'sync': 'host_synchronisation', 'tiny_ops': 'tiny_kernels',
          'memory_churn': 'allocator_churn'}
# One thread computes, so that on two processors the loader's workers have one: what they slow computing is in no trace.
SMALL = ['--batch-size', '16', '--image-size', '32', '--threads', '1', '--warmup-steps', '3', '--profile-steps', '16']


def train(options, folder, scenario, strength, seed):
    """Mean seconds of a step, the causes found, and the first one's speed-up."""
    # A network that takes as long as its batches hides the loader, and then there is no fault to find: that one is lighter.
    width = 8 if scenario == 'dataloader' else 16
    place = pathlib.Path(folder) / f'{scenario}_{strength}_{seed}'
    call(options.takt, 'scenario', scenario, '--strength', strength, '--device', options.device, '--seed', seed, '--trace-dir', place,
         '--save', f'{place}.json', *(options.more or [*SMALL, '--width', width]))
    metrics = json.loads(pathlib.Path(f'{place}.json').read_text(encoding='utf-8'))
    real = verdicts_of(options.takt, metrics['takt']['trace_file'])
    return metrics['avg_step_time_s'], [row['cause'] for row in real], real[0]['speed_up_if_removed'] if real else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('takt', nargs='?', default='build/release/takt')
    parser.add_argument('--pairs', type=int, default=5)
    parser.add_argument('--first', type=int, default=1, help='the first seed')
    parser.add_argument('--device', default='cpu')
    options, options.more = parser.parse_known_args()
    tally = Tally()
    print(f'{"scenario":13} {"strength":8} {HEAD}')
    with tempfile.TemporaryDirectory(prefix='takt_scenarios_') as folder:
        for scenario, cause in CAUSES.items():
            pairs = {'mild': [], 'strong': []}
            for seed in range(options.first, options.first + options.pairs):
                without, causes, _ = train(options, folder, scenario, 'none', seed)
                tally.healthy += 1
                if causes:
                    tally.alarms += 1
                    print(f'{scenario}, seed {seed}, without a fault: {causes}')
                for strength, rows in pairs.items():
                    step, causes, predicted = train(options, folder, scenario, strength, seed)
                    rows.append({'seconds': step, 'without': without, 'predicted': predicted, 'right': causes[:1] == [cause]})
            for strength, rows in pairs.items():
                tally.judge(f'{scenario:13} {strength:8}', rows, is_judged=not (options.device == 'cpu' and scenario == 'sync'))
    tally.end()


if __name__ == '__main__':
    main()
