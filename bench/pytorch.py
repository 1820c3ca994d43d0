#!/usr/bin/env python3
"""Is the diagnosis right on traces of PyTorch's own profiler, of networks that takt does not build? Trains each network once
with every fault, mild and strong, and without one, for several seeds, and diagnoses every trace.

    bench/pytorch.py --python PYTHON [TAKT] [--models cnn,encoder,…] [--seeds N] [--first N] [--words workers,shapes,…] [--keep FOLDER]

With the word `healthy` each network is trained 40 times and without a fault. PYTHON has torch and torchvision (2.7.1 and
0.22.1 were used; they are not among takt's dependencies). Printed: how often the first verdict is the planted cause, what is
said of trainings without a fault, and the predicted speed-up beside the one that leaving the fault out really has. A
prediction holds within 15 % or three standard errors. Reading a value costs next to nothing on a CPU: there the verdict of
sync is by count and its speed-up is not judged. Exit 1 if something does not hold.
"""
import argparse
import collections
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from verdicts import HEAD, Tally, verdicts_of

CAUSES = {'io': 'data_starvation', 'cpu': 'data_starvation', 'tiny': 'tiny_kernels', 'churn': 'allocator_churn',
          'sync': 'host_synchronisation'}
MODELS = 'cnn,encoder,lstm,resnet18,mobilenet'


def runs_of(options, model, seed, folder):
    """(fault, strength, mean seconds of a step, verdicts) of each training of one process."""
    trainer = pathlib.Path(__file__).with_name('pytorch_training.py')
    command = [options.python, trainer, folder, model, str(seed), *filter(None, options.words.split(','))]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding='utf-8', check=False)
    if done.returncode != 0:
        sys.exit(f'the training of {model} failed: {done.stderr.strip()[-2000:]}')
    for line in done.stdout.splitlines():
        run = json.loads(line)
        yield run['fault'], run['strength'], run['seconds'], verdicts_of(options.takt, run['trace'])
        if not options.keep:
            pathlib.Path(run['trace']).unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('takt', nargs='?', default='build/release/takt')
    parser.add_argument('--python', required=True)
    parser.add_argument('--models', default=MODELS)
    parser.add_argument('--seeds', type=int, default=5)
    parser.add_argument('--first', type=int, default=1, help='the first seed')
    parser.add_argument('--words', default='')
    parser.add_argument('--keep', default='', help='a folder for the traces')
    options = parser.parse_args()
    tally = Tally()
    print(f'{"model":10} {"fault":6} {"strength":7} {HEAD}')
    with tempfile.TemporaryDirectory(prefix='takt_pytorch_') as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for model in options.models.split(','):
            faults = collections.defaultdict(list)
            for seed in range(options.first, options.first + options.seeds):
                told = list(runs_of(options, model, seed, folder))
                without = statistics.median(seconds for fault, _, seconds, _ in told if fault == 'none')
                for found in (rows for fault, _, _, rows in told if fault == 'none'):
                    tally.healthy += 1
                    if found:
                        tally.alarms += 1
                        print(f'{model}, seed {seed}, without a fault: ' + '; '.join(f'{row["cause"]}: {row["evidence"]}' for row in found))
                for fault, strength, seconds, rows in told:
                    if fault == 'none':
                        continue
                    is_right = bool(rows) and rows[0]['cause'] == CAUSES[fault]
                    if not is_right:
                        print(f'{model}, seed {seed}, {fault} {strength}: ' + ('; '.join(f'{row["cause"]}: {row["evidence"]}' for row in rows) or 'no verdict'))
                    faults[fault, strength].append({'seconds': seconds, 'without': without, 'right': is_right,
                                                    'predicted': rows[0]['speed_up_if_removed'] if rows else 1})
            for (fault, strength), rows in sorted(faults.items()):
                tally.judge(f'{model:10} {fault:6} {strength:7}', rows, is_judged=fault != 'sync')
    tally.end()


if __name__ == '__main__':
    main()
