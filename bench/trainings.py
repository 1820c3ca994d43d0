#!/usr/bin/env python3
"""Does the diagnosis hold on 43 PyTorch trainings of 34 kinds that it was not made with? Each runs on the CPU with its
fault and without, in turns (bench/training_kinds.py), and every trace is diagnosed.

    bench/trainings.py --python PYTHON [TAKT] [--pairs N] [--only WORD…] [--keep FOLDER]

PYTHON has torch (2.15.0 was used; it is not among takt's dependencies). Holds where 95 % of the first verdicts are the planted
cause, trainings without a fault have none, and nine tenths of the savings are within 15 % or three standard errors of what the
trainings without the fault really take less. `plain` is the speed-up where nothing is recorded. Exit 1 if something does not hold.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

from verdicts import verdicts_of

TRAINER = pathlib.Path(__file__).with_name('training_kinds.py')
REMARKS = ('warm_up',)
HEAD = f'{"training":28} {"right":>6} {"step ms":>8} {"saved ms":>9} {"said ms":>8} {"off %":>7} {"limit %":>8} {"speed-up":>9} {"said":>7} {"plain":>7}'


def runs_of(options, folder, kind, model, words):
    """The trainings of one kind, in pairs: (with the fault, without); a healthy one stands alone."""
    command = [options.python, TRAINER, folder, kind, model, words, str(options.pairs)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding='utf-8', check=False)
    if done.returncode != 0:
        sys.exit(f'the training {kind} failed: {done.stderr.strip()[-2000:]}')
    runs = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{')]
    for run in runs:
        run['verdicts'] = verdicts_of(options.takt, run['trace'])
    bad, good = ([run for run in runs if run['bad'] == is_bad] for is_bad in (True, False))
    return list(zip(bad, good)) if bad else [(None, run) for run in good]


def said(rows):
    return '; '.join(f'{row["cause"]} {row["saved_ms_per_step"]:.2f} ms: {row["evidence"]}' for row in rows) or 'no verdict'


class Counts:
    def __init__(self):
        self.right = self.runs = self.healthy = self.alarms = self.within = self.priced = 0

    def healthy_run(self, words, run):
        """One training without a fault."""
        self.healthy += 1
        rows = [row for row in run['verdicts'] if row['cause'] not in REMARKS]
        if rows:
            self.alarms += 1
            print(f'{words:28} without a fault: {said(rows)}', flush=True)

    def judge(self, words, causes, is_priced, pairs):
        """One kind with its fault, against the same without."""
        right = []
        for bad, good in pairs:
            self.healthy_run(words, good)
            right.append(bool(bad['verdicts']) and bad['verdicts'][0]['cause'] in causes)
            if not right[-1]:
                print(f'{words:28} has {"|".join(causes)}, said: {said(bad["verdicts"])}')
        self.right, self.runs = self.right + sum(right), self.runs + len(right)
        told = [bad for (bad, _), is_right in zip(pairs, right) if is_right]
        step = statistics.mean(bad['recorded'] for bad, _ in pairs) * 1000
        saved = [(bad['recorded'] - good['recorded']) * 1000 for bad, good in pairs]
        real, error = statistics.mean(saved), statistics.stdev(saved) / math.sqrt(len(saved)) if len(saved) > 1 else 0
        ratio, plain = (statistics.median(bad[key] / good[key] for bad, good in pairs) for key in ('recorded', 'plain'))
        line = f'{words:28} {sum(right):2}/{len(right):<3} {step:8.2f} {real:9.2f}'
        if told:
            price = statistics.mean(bad['verdicts'][0]['saved_ms_per_step'] for bad in told)
            speed = statistics.median(bad['verdicts'][0]['speed_up_if_removed'] for bad in told)
            off, limit = 100 * (price / real - 1), max(15, 100 * 3 * error / abs(real))
            is_off = is_priced and abs(off) > limit
            self.priced += 1 if is_priced else 0
            self.within += 1 if is_priced and not is_off else 0
            line += f' {price:8.2f} {off:+7.1f} {limit:8.1f} {ratio:9.2f} {speed:7.2f} {plain:7.2f}'
            line += '  off' if is_off else '' if is_priced else '  (not judged)'
        print(line, flush=True)

    def end(self):
        holds = self.right >= 0.95 * self.runs and self.alarms == 0 and self.within >= 0.9 * self.priced
        print(f'{self.right} of {self.runs} first verdicts right; {self.alarms} false alarms in {self.healthy} trainings without a fault; '
              f'{self.within} of {self.priced} savings within the limit')
        print('holds' if holds else 'does not hold')
        sys.exit(0 if holds else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('takt', nargs='?', default='build/release/takt')
    parser.add_argument('--python', required=True)
    parser.add_argument('--pairs', type=int, default=3)
    parser.add_argument('--only', nargs='*', default=[])
    parser.add_argument('--keep', default='', help='a folder for the traces')
    options = parser.parse_args()
    listed = subprocess.run([options.python, TRAINER, 'list'], capture_output=True, encoding='utf-8', check=True).stdout
    counts = Counts()
    print(HEAD)
    with tempfile.TemporaryDirectory(prefix='takt_trainings_') as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for kind, model, recorded, cause, is_priced in map(json.loads, listed.splitlines()):
            if options.only and not any(word in kind for word in options.only):
                continue
            words = f'{kind} {model}{" " + recorded if recorded != "memory" else ""}'
            pairs = runs_of(options, folder, kind, model, recorded)
            if cause:
                counts.judge(words, cause.split('|'), is_priced, pairs)
            for _, run in pairs if not cause else []:
                counts.healthy_run(words, run)
    counts.end()


if __name__ == '__main__':
    main()
