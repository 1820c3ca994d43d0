#!/usr/bin/env python3
"""prediction_chain_test.py TAKT: scripts/run_prediction.py in its smallest size, from a zoo to predictions beside a load, with a
real Prometheus where there is one (TAKT_PROMETHEUS_DIR or PATH). Exit code 77, with the reason, without ONNX Runtime or XGBoost."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TAKT = pathlib.Path(sys.argv[1]).resolve()
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / 'scripts' / 'run_prediction.py'
PLACES = ('model_zoo/models', 'ort_analysis/ort_kernel_record', 'kernel_model/kernel_onnx', 'graph_model/model_DAG',
          'benchmark/config.yaml', 'inference/config.yaml', 'dataset.csv', 'predictor/predictor.json')


def main():
    if 'onnxruntime' not in subprocess.run([TAKT, '--version'], capture_output=True, text=True, check=True).stdout:
        print('this takt has no ONNX Runtime')
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix='takt_chain_') as folder:
        out = pathlib.Path(folder) / 'prediction'
        done = subprocess.run([sys.executable, '-B', SCRIPT, '--size', 'small', '--out', out], stdin=subprocess.DEVNULL,
                              capture_output=True, encoding='utf-8', timeout=500, check=False, env={**os.environ, 'TAKT': str(TAKT)})
        if 'XGBoost' in done.stderr:
            print(done.stderr)
            sys.exit(77)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        for place in PLACES:
            assert (out / place).exists(), place
        with open(out / 'dataset.csv', newline='', encoding='utf-8') as file:
            rows = list(csv.DictReader(file))
        assert {float(row['stress']) for row in rows} <= {0, 0.3, 0.6, 0.9} and any(float(row['stress']) for row in rows)
        laws = json.loads((out / 'predictor' / 'predictor.json').read_text(encoding='utf-8'))['load_laws']
        assert laws, 'no load was learnt'
        assert 'includes a slowdown of' in done.stdout, done.stdout[-3000:]
        left = subprocess.run(['pgrep', '-f', str(out)], capture_output=True, text=True, check=False).stdout
        assert not left, f'something still runs: {left}'
        print(done.stdout[-1500:])


if __name__ == '__main__':
    main()
