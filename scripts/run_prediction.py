#!/usr/bin/env python3
"""From models to predictions beside a load, in one go: exports a zoo, records and extracts kernels, collects them in quiet and
beside loads of 30, 60 and 90 % while Prometheus watches, fits, predicts and evaluates.

  scripts/run_prediction.py                             a quick zoo and 60 chains of the soup, into prediction/
  scripts/run_prediction.py --size full --out lab       all architectures and 240 chains of the soup; hours
  TAKT_PROMETHEUS_DIR=.sdk/prometheus scripts/run_prediction.py     with the one that tools/fetch_prometheus unpacks

Prometheus, its node exporter and takt's exporter are started on the loopback and stopped at the end; where the first two are not
to be had the load is read from the system's files and the probe alone, and the script says so. TAKT names the program; without
it the one of this checkout, or else the one on the PATH. A run that was stopped goes on where it was.
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

from takt_program import ALL_CHAINS, program_of_takt, soup_of, write

SIZES = {
    'small': {'zoo': {'models': [{'family': 'mlp', 'depth': [3, 6], 'width': [0.125, 0.25], 'input': 64},
                                 {'family': 'squeezenet', 'depth': 11, 'width': 0.25, 'input': 48},
                                 {'family': 'transformer', 'depth': 2, 'width': 0.25, 'input': 8}]},
              'soup': 0, 'time': '30ms', 'rounds': 1, 'per_model': 2, 'folds': 3, 'evaluate': '60ms',
              'quiet': {'run_delay': 1e6, 'canary': 1e6}},  # to see that it goes: measured beside whatever else runs
    'quick': {'zoo': {'models': [{'family': 'resnet', 'depth': [10, 18], 'width': [0.25, 0.5], 'batch': [1, 4], 'input': 112},
                                 {'family': 'mobilenetv2', 'width': [0.35, 0.5], 'batch': [1, 4], 'input': 112},
                                 {'family': 'squeezenet', 'batch': [1, 4], 'input': 112},
                                 {'family': 'transformer', 'depth': [2, 4], 'width': [0.5, 1]},
                                 {'family': 'mlp'}]},
              'soup': 60, 'time': '300ms', 'rounds': 2, 'per_model': 1, 'folds': 10, 'evaluate': '1s'},
    'full': {'zoo': {'seed': 1}, 'soup': ALL_CHAINS, 'time': '1s', 'rounds': 3, 'per_model': 6, 'folds': 10, 'evaluate': '2s'},
}


def program(name):
    folder = os.environ.get('TAKT_PROMETHEUS_DIR')
    found = pathlib.Path(folder) / 'usr' / 'bin' / name if folder else None
    return str(found) if found and found.exists() else shutil.which(name)


def free_port():
    with socket.socket() as one:
        one.bind(('127.0.0.1', 0))
        return one.getsockname()[1]


class Chain:
    def __init__(self, takt, out, size):
        self.takt, self.out, self.size = takt, out, SIZES[size]
        self.begin = time.monotonic()

    def run(self, title, *words, shown=True):
        print(f'\n=== {title} ({time.monotonic() - self.begin:.0f} s)\n$ takt {" ".join(map(str, words))}', flush=True)
        done = subprocess.run([self.takt, *map(str, words)], stdin=subprocess.DEVNULL, check=False,
                              stdout=None if shown else subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(f'run_prediction: takt {words[0]} failed (exit code {done.returncode}); what it said is above')

    def export(self):
        models = self.out / 'model_zoo' / 'models'
        self.run('zoo', 'zoo', 'export', '--config', write(self.out / 'model_zoo' / 'zoo.yaml', self.size['zoo']), '-o', models,
                 shown=False)
        folders = [models]
        if self.size['soup']:
            folders.append(self.out / 'model_zoo' / 'soup')
            self.run('soup', 'zoo', 'export', '--config', write(self.out / 'model_zoo' / 'soup.yaml', soup_of(self.size['soup'])), '-o', folders[1],
                     shown=False)
        return folders

    def kernels(self, model):
        self.run('kernels', 'kernels', 'record', model, '--out', self.out, shown=False)
        self.run('stand-alone kernels', 'kernels', 'extract', model, '--out', self.out, shown=False)
        record = self.out / 'ort_analysis' / 'ort_kernel_record' / f'{model.stem}.kernels.json'
        self.run('graph', 'kernels', 'dag', record, '--out', self.out, shown=False)
        self.run('kernels, timed', 'kernels', 'bench', model, '--iter', '20', '--place', 'alone,model')

    def learn(self, folders, load):
        config = {'models': [str(folder.resolve()) for folder in folders], 'time': self.size['time'],
                  'rounds': self.size['rounds'], 'load': load,
                  'stress': {'levels': [0.3, 0.6, 0.9], 'per_model': self.size['per_model']}}
        dataset, predictor = self.out / 'dataset.csv', self.out / 'predictor'
        # Prometheus and the exporters are a little load of their own, which must not count as a disturbance.
        config |= self.size.get('quiet', {'run_delay': 0.1})
        self.run('collect', 'collect', '--config', write(self.out / 'benchmark' / 'config.yaml', config), '-o', dataset)
        self.run('fit', 'fit', dataset, '-o', predictor, '--folds', self.size['folds'])
        return predictor

    def predict(self, models, predictor, load):
        config = write(self.out / 'inference' / 'config.yaml', {'load': load})
        self.run('predict', 'predict', sorted(models.glob('*.onnx'))[0], '--predictor', predictor, '--config', config)
        self.run('evaluate, quiet', 'evaluate', models, '--predictor', predictor, '--time', self.size['evaluate'], '--rounds', '2')
        seconds = '20s' if self.size['soup'] == 0 else '600s'
        with subprocess.Popen([self.takt, 'stress', '--cpu', '70%', '--time', seconds], stdout=subprocess.DEVNULL) as stress:
            try:
                self.run('evaluate, beside a load', 'evaluate', models, '--predictor', predictor, '--config', config, '--time',
                         self.size['evaluate'], '--rounds', '2')
            finally:
                stress.terminate()


def is_up(url):
    try:
        with urllib.request.urlopen(url + '/api/v1/query?query=sum(up)', timeout=2) as answer:
            result = json.load(answer)['data']['result']
            return bool(result) and float(result[0]['value'][1]) == 2
    except (OSError, urllib.error.URLError, ValueError, KeyError):
        return False


@contextlib.contextmanager
def watched(takt, out):
    """The section `load` of configurations: Prometheus where it can be had."""
    load = {'sources': ['probe', 'host'], 'window': '250ms'}
    prometheus, node = program('prometheus'), program('prometheus-node-exporter')
    if not prometheus or not node:
        print('no Prometheus here: the load is read from the system and the probe alone (tools/fetch_prometheus fetches it)')
        yield load
        return
    ports = {name: free_port() for name in ('prometheus', 'node', 'takt')}
    place = {name: f'127.0.0.1:{port}' for name, port in ports.items()}
    config = write(out / 'prometheus' / 'prometheus.yml', {
        'global': {'scrape_interval': '1s', 'scrape_timeout': '1s'},
        'scrape_configs': [{'job_name': name, 'static_configs': [{'targets': [place[name]]}]} for name in ('node', 'takt')]})
    commands = ([node, f'--web.listen-address={place["node"]}'],
                [takt, 'exporter', '--listen', place['takt'], '--sources', 'host', '--interval', '1s', '--window', '250ms'],
                [prometheus, f'--config.file={config}', f'--storage.tsdb.path={out}/prometheus/data',
                 f'--web.listen-address={place["prometheus"]}'])
    with open(out / 'prometheus' / 'log', 'w', encoding='utf-8') as log:
        servers = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log) for command in commands]
        try:
            url, end = f'http://{place["prometheus"]}', time.monotonic() + 60
            while not is_up(url):
                if time.monotonic() > end:
                    sys.exit(f'run_prediction: Prometheus did not come up within a minute; see {out}/prometheus/log')
                time.sleep(0.5)
            time.sleep(3)  # rates need two scrapes
            print(f'Prometheus, a node exporter and takt exporter are up; {url}')
            yield {'sources': ['prometheus', 'probe', 'host'], 'window': '250ms',
                   'prometheus': {'url': url, 'lookback': '5s', 'timeout': '5s'}}
        finally:
            for server in servers:
                server.terminate()
            for server in servers:
                server.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=pathlib.Path, default=pathlib.Path('prediction'))
    parser.add_argument('--size', choices=SIZES, default='quick')
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is stopped then, too
    options.out.mkdir(parents=True, exist_ok=True)
    chain = Chain(program_of_takt(), options.out, options.size)
    folders = chain.export()
    chain.kernels(sorted(folders[0].glob('*.onnx'))[0])
    with watched(chain.takt, options.out) as load:
        predictor = chain.learn(folders, load)
        chain.predict(folders[0], predictor, load)
    print(f'\ndone in {time.monotonic() - chain.begin:.0f} s; everything is in {options.out}/')


if __name__ == '__main__':
    main()
