#!/usr/bin/env python3
"""predict_load.py [TAKT] [MODEL…] [--predictor DIR] [--rounds N] [--time SECONDS] [--look SECONDS] [--arrivals N] [--seed N] [--only steady|changing] [--core N] [--keep FILE]

Are predictions under load accurate? `takt evaluate --load` samples the load before each run and predicts the run, here
under loads that this script generates with `takt stress`: steady ones, one after the other, and a changing one: random
arrivals (Poisson), each a load of random kind and level for a while. Each table has takt with the load and the same
predictions without their factor; the last one has thirds by how much the load slowed the runs. The horizon is --time, beside
the load that comes and goes --next: what was seen in the 1.3 s before the model runs stands for that long. There intervals are made of how far off the predictions
before were (--online), of the first ten or so from training.

Aims: steady MAPE at most 6 %, within 10 % for 85 %; coming and going MAPE at most 12 %, and 87 to 93 % of the runs in their
interval of 90 % in each third.
"""
import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading

KINDS = ('--cpu', '--memory', '--cache')


class Arrivals(threading.Thread):
    """Loads that arrive at random until stopped; each has a random kind, level, number of threads and length."""

    def __init__(self, options, generator):
        super().__init__()
        self.options, self.random, self.over, self.running = options, generator, threading.Event(), []

    def run(self):
        while not self.over.wait(self.random.expovariate(1 / self.options.gap)):
            self.running = [one for one in self.running if one.poll() is None]
            if len(self.running) < 3:
                self.running.append(stress(self.options.takt, self.random.choice(KINDS), self.random.uniform(0.2, 1),
                                           self.random.randint(1, 2 * self.options.processors),
                                           max(0.5, self.random.expovariate(1 / self.options.length))))

    def stop(self):
        self.over.set()
        self.join()
        for one in self.running:
            end(one)


def stress(takt, kind, level, threads, seconds):
    return subprocess.Popen([takt, 'stress', kind, f'{level:.3f}', '--threads', str(threads), '--time', f'{seconds:.2f}s'],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def end(process):
    process.send_signal(signal.SIGTERM)
    process.wait()


def evaluate(options, seed, rounds, seconds, *more):
    command = [options.takt, 'evaluate', *options.models, '--predictor', options.predictor, *options.looking, '--rounds', str(rounds),
               '--time', f'{seconds * rounds:.3f}s', '--seed', str(seed), '--format', 'json', *more]
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding='utf-8', check=False)
    if done.returncode != 0:
        sys.exit('takt evaluate failed')
    return [row for row in json.loads(done.stdout)['tables']['models'] if row['measured_ms'] and row['load_factor']]


def figures(name, rows):
    errors = [abs(row['predicted_ms'] / row['measured_ms'] - 1) for row in rows]
    without = [abs(row['predicted_ms'] / row['load_factor'] / row['measured_ms'] - 1) for row in rows]
    slower = [row['measured_ms'] / (row['predicted_ms'] / row['load_factor']) for row in rows]
    inside = [row['low_ms'] <= row['measured_ms'] <= row['high_ms'] for row in rows]
    mean = lambda values: sum(values) / len(values)
    print(f'{name:28} {len(rows):5} {mean(slower):8.2f} {100 * mean(errors):8.1f} {100 * mean([e < 0.1 for e in errors]):10.1f} '
          f'{100 * mean(inside):9.1f} {100 * mean(without):14.1f}', flush=True)


def steady_loads(options, generator):
    steady = []
    for kind in KINDS:
        for level, threads in ((0.4, options.processors), (0.8, options.processors), (0.7, 2 * options.processors)):
            load = stress(options.takt, kind, level, threads, 3600)
            rows = evaluate(options, generator.randrange(1 << 30), options.rounds, options.time)
            end(load)
            name = f'{kind[2:]} {level:.0%} x {threads}'
            figures(name, rows)
            steady += [{**row, 'beside': name} for row in rows]
    figures('steady, all', steady)
    return steady


def changing_load(options, generator):
    arrivals = Arrivals(options, generator)
    arrivals.start()
    try:
        rows = evaluate(options, generator.randrange(1 << 30), options.arrivals, options.next, '--online')
    finally:
        arrivals.stop()
    figures('comes and goes', rows)
    by_load = sorted(rows, key=lambda row: row['load_factor'])
    for third in range(3):
        figures(f'  third {third + 1} by load', by_load[len(rows) * third // 3:len(rows) * (third + 1) // 3])
    return [{**row, 'beside': 'comes and goes'} for row in rows]


def main():
    parser = argparse.ArgumentParser(description='Predictions beside loads')
    parser.add_argument('takt', nargs='?', default='build/release/takt')
    parser.add_argument('models', nargs='*', default=['prediction/zoo'], help='those of bench/predict.py without any')
    parser.add_argument('--predictor', default='prediction/predictor')
    parser.add_argument('--rounds', type=int, default=1, help='of each steady load')
    parser.add_argument('--time', type=float, default=2, help='seconds of each run beside a steady load')
    parser.add_argument('--look', type=float, help='seconds of the look by the probe before each run; 1 without')
    parser.add_argument('--next', type=float, default=0.25, help='the same beside the load that comes and goes')
    parser.add_argument('--arrivals', type=int, default=4, help='rounds beside the load that comes and goes')
    parser.add_argument('--gap', type=float, default=5, help='mean seconds between arrivals')
    parser.add_argument('--length', type=float, default=6, help='mean seconds of each')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', choices=['steady', 'changing'], help='the steady loads, or the one that comes and goes')
    parser.add_argument('--keep', help='a JSON file for every run: what was predicted, what was measured, beside which load')
    parser.add_argument('--core', type=int, help='everything on this one, as a model has its own that it shares with loads')
    options = parser.parse_args()
    if options.core is not None:
        os.sched_setaffinity(0, {options.core})
    options.processors = len(os.sched_getaffinity(0))
    generator = random.Random(options.seed)
    options.looking = ['--load']
    if options.look is not None:
        folder = tempfile.TemporaryDirectory()
        config = pathlib.Path(folder.name) / 'load.yaml'
        config.write_text(f'load: {{probe: {{time: {options.look}s}}}}\n', encoding='utf-8')
        options.looking = ['--config', config]
    print(f'{"load":28} {"runs":>5} {"slower":>8} {"MAPE":>8} {"within 10":>10} {"coverage":>9} {"without load":>14}')
    kept = steady_loads(options, generator) if options.only != 'changing' else []
    kept += changing_load(options, generator) if options.arrivals and options.only != 'steady' else []
    if options.keep:
        pathlib.Path(options.keep).write_text(json.dumps(kept), encoding='utf-8')


if __name__ == '__main__':
    main()
