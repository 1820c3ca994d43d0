#!/usr/bin/env python3
"""plans.py [TAKT] [--models DIR] [--top N] [--rounds N] [--pieces N] [--batches N] [--only WORD]

Do estimates choose the right plan? Every model is cut, its pieces are measured on two units (ONNX Runtime and OpenVINO,
one thread each), and the best plans of the search are run, interleaved. Prints for each model the error of the estimates,
also without the error that all plans share (else: the machine's speed drifts from minute to minute), the regret of the plan
that the search ranked first and the rank correlation; then the means. The machine should be idle otherwise.

Aims on real processors: regret at most 5 %, mean error at most 8 %, rank correlation at least 0.95; every plan computes
what the whole model does. Exits 1 if a plan does not run or computes something else.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

NETWORKS = pathlib.Path('.sdk/onnx/onnx/backend/test/data/light')


def run(takt, model, options):
    command = [takt, 'plan', 'run', model, '--devices', options.devices, '--threads', '1', '--objective', options.objective,
               '--top', str(options.top), '--rounds', str(options.rounds), '--pieces', str(options.pieces), '--batches',
               str(options.batches), '--iter', str(options.runs), '--format', 'json']
    done = subprocess.run(command, capture_output=True, encoding='utf-8', check=False)
    if done.returncode != 0:
        print(f'{model.stem:28} FAILED: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "?"}')
        return None
    return json.loads(done.stdout)['tables']


def percent(value):
    return '     –' if value is None else f'{value:6.1f}'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[2])
    parser.add_argument('takt', nargs='?', default='build/release/takt')
    parser.add_argument('--models', type=pathlib.Path, default=NETWORKS)
    parser.add_argument('--only', default='')
    parser.add_argument('--devices', default='onnxruntime@CPU,openvino@CPU')
    parser.add_argument('--objective', default='throughput')
    for name, value in {'top': 20, 'rounds': 5, 'pieces': 5, 'batches': 40, 'runs': 30}.items():
        parser.add_argument(f'--{name}', type=int, default=value)
    options = parser.parse_args()
    rows, failed = [], 0
    print(f'{"model":28} plans  error %    else %  regret % (from, to)      rank corr.  over single %')
    for model in sorted(options.models.glob('*.onnx')):
        if options.only not in model.stem:
            continue
        tables = run(options.takt, model, options)
        if tables is None:
            failed += 1
            continue
        choice = tables['plan_choice'][0]
        rows.append(choice)
        low, high = choice['regret_low_percent'], choice['regret_high_percent']
        corr = choice['rank_correlation']
        print(f'{model.stem:28} {choice["plans_run"]:5}  {percent(choice["mean_error_percent"])}    {percent(choice["other_error_percent"])}   '
              f'{percent(choice["regret_percent"])} ({percent(low)},{percent(high)})  '
              f'{"    –" if corr is None else f"{corr:9.2f}"}  {percent(choice["over_single_percent"])}', flush=True)
    if rows:
        known = [row['rank_correlation'] for row in rows if row['rank_correlation'] is not None]
        print(f'mean over {len(rows)} models: error {statistics.mean(row["mean_error_percent"] for row in rows):.1f} % '
              f'(else {statistics.mean(row["other_error_percent"] or 0 for row in rows):.1f} %), '
              f'regret {statistics.mean(row["regret_percent"] for row in rows):.1f} %, rank correlation '
              f'{statistics.mean(known) if known else float("nan"):.2f}')
    return 1 if failed or not rows else 0


if __name__ == '__main__':
    sys.exit(main())
