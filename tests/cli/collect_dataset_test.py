#!/usr/bin/env python3
"""collect_dataset_test.py TAKT: scripts/collect_dataset.py on a few small models: every row says where it comes from, and a
second run measures nothing. Exit code 77 without ONNX Runtime."""
import csv
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TAKT = pathlib.Path(sys.argv[1]).resolve()
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / 'scripts' / 'collect_dataset.py'
SMALL = ('--families', 'mlp', '--soup', '2', '--rounds', '1', '--time', '20ms', '--stress', '0', '--accept-disturbed')


class CollectDataset(unittest.TestCase):
    def collect(self, out):
        done = subprocess.run([sys.executable, '-B', SCRIPT, '--out', out, *SMALL], stdin=subprocess.DEVNULL, capture_output=True,
                              encoding='utf-8', timeout=300, check=False, env={**os.environ, 'TAKT': str(TAKT)})
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        return out / 'kernels.csv.gz', out / 'kernels.csv.gz.jsonl'

    def test_rows_say_where_they_come_from_and_a_second_run_goes_on(self):
        with tempfile.TemporaryDirectory(prefix='takt_dataset_') as folder:
            out = pathlib.Path(folder) / 'kernels'
            dataset, journal = self.collect(out)
            with gzip.open(dataset, 'rt', newline='', encoding='utf-8') as file:
                rows = list(csv.DictReader(file))
            self.assertEqual({row['family'] for row in rows}, {'mlp', 'soup'})
            self.assertGreaterEqual(len({row['architecture'] for row in rows}), 4)
            for row in rows:
                for name in ('Kernel_ID', 'OpType', 'runtime', 'runtime_version', 'device', 'machine', 'takt_version', 'measured_at'):
                    self.assertTrue(row[name], f'{name} of {row["kernel"]}')
                self.assertRegex(row['measured_at'], r'^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$')
                self.assertGreater(float(row['Latency_ms']), 0)
            before = dataset.read_bytes(), journal.read_bytes()
            self.collect(out)
            self.assertEqual((dataset.read_bytes(), journal.read_bytes()), before)


if __name__ == '__main__':
    if 'onnxruntime' not in subprocess.run([TAKT, '--version'], capture_output=True, text=True, check=True).stdout:
        print('this takt has no ONNX Runtime')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
