#!/usr/bin/env python3
"""predict.py [TAKT] [--out DIR] [--config ZOO.yaml] [--rounds N] [--time DURATION] [--soup N] [--stress N] [--models DIR]

How accurate are predictions of held-out models? Exports a zoo (all architectures at batch 1 without --config) and random
chains (--soup of them), collects both, also models of the zoo under --stress loads, fits, and prints the tables of errors:
takt next to its parts and standard baselines, on new kernels, new architectures, new families, on the whole zoo when trained
on random chains alone, and under load, with the noise floor. Then predicts and runs foreign models (the networks of the ONNX
wheel, or --models). The collection resumes when the script is started again. The machine should be idle otherwise.

Aims, steady load: MAPE at most 6 %, within 10 % for 85 %. Quiet: new architectures MAPE at most 3 %, within 5 % for 88 %, within 10 % for 97 %; new families at most 4 %, within
10 % for 92 %; soup alone at most 5 %; intervals of 90 % cover 87 to 93 %; foreign models within 15 %; a prediction below 1 ms.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'scripts'))
from takt_program import ALL_CHAINS, soup_of, write  # noqa: E402

NETWORKS = pathlib.Path('.sdk/onnx/onnx/backend/test/data/light')


def takt(options, *words):
    done = subprocess.run([options.takt, *map(str, words)], stdout=subprocess.PIPE, encoding='utf-8', check=False)
    if done.returncode != 0:
        sys.exit(f'takt {" ".join(map(str, words))} failed')
    return done.stdout


def tables(options, *words):
    return json.loads(takt(options, *words, '--format', 'json'))['tables']


def shown(value):
    return f'{"–" if value is None else format(value, ".1f"):>8}'


def collect(options, folders, dataset):
    begin = time.monotonic()
    stress = ['--stress', options.stress] if options.stress else []
    found = tables(options, 'collect', *(word for folder in folders for word in ('--models', folder)), '-o', dataset, '--rounds',
                   options.rounds, '--time', options.time, *stress)
    print(f'collected in {time.monotonic() - begin:.0f} s', flush=True)
    return found['collected']


def print_errors(rows):
    keys = ('mape', 'bias_percent', 'within_5', 'within_10', 'within_15', 'coverage_percent', 'interval_percent', 'noise_floor_percent')
    print(f'{"unseen":8} {"of":7} {"method":16} {"n":>6} ' + ' '.join(f'{key.replace("interval_percent", "width"):>8.8}' for key in keys))
    for row in rows:
        print(f'{row["split"]:8} {row["error_level"]:7} {row["method"]:16} {row["predictions"]:6} ' +
              ' '.join(shown(row[key]) for key in keys))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[2])
    parser.add_argument('takt', nargs='?', default='build/release/takt')
    parser.add_argument('--out', type=pathlib.Path, default=pathlib.Path('prediction'))
    parser.add_argument('--config', type=pathlib.Path)
    parser.add_argument('--rounds', default='3')
    parser.add_argument('--time', default='700ms')
    parser.add_argument('--soup', type=int, default=ALL_CHAINS)
    parser.add_argument('--stress', type=int, default=3)
    parser.add_argument('--models', type=pathlib.Path, default=NETWORKS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    config = options.config
    if config is None:
        config = options.out / 'zoo.yaml'
        config.write_text('seed: 1\n', encoding='utf-8')
    zoo, dataset, predictor = options.out / 'zoo', options.out / 'dataset.csv', options.out / 'predictor'
    takt(options, 'zoo', 'export', '--config', config, '-o', zoo)
    folders = [zoo]
    if options.soup:
        write(options.out / 'soup.yaml', soup_of(options.soup))
        takt(options, 'zoo', 'export', '--config', options.out / 'soup.yaml', '-o', options.out / 'soup')
        folders.append(options.out / 'soup')
    rows = collect(options, folders, dataset)
    print(f'{sum(row["measured_ms"] is not None for row in rows)} of {len(rows)} models and loads measured, '
          f'{sum(row["rounds_disturbed"] for row in rows)} measurements set aside\n')
    print_errors(tables(options, 'fit', dataset, '-o', predictor)['errors'])
    if not options.models.exists():
        return
    took = [row['prediction_us'] for row in tables(options, 'predict', options.models, '--predictor', predictor)['summary']]
    print(f'\nforeign models, predicted in {max(took) / 1000:.2f} ms at most each')
    result = tables(options, 'evaluate', options.models, '--predictor', predictor)
    for row in result['models']:
        print(f'{pathlib.Path(row["model"]).stem:32} measured {shown(row["measured_ms"])} ms, predicted '
              f'{shown(row["predicted_ms"])} ms, error {shown(row["error_percent"])} %, inside: {row["inside"] or "–"}')


if __name__ == '__main__':
    main()
