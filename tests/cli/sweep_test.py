#!/usr/bin/env python3
"""sweep_test.py TAKT: an export that is killed again and again ends as one that nobody disturbed, and its models run."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import unittest

TAKT = pathlib.Path(sys.argv[1]).resolve()
CASES = {'config': {'feature_dim': 16}, 'test_cases': [{'nodes': 20, 'edges': 50}, {'nodes': 30, 'edges': 60}]}


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='takt_sweep_')
        self.path = pathlib.Path(self.folder.name)
        (self.path / 'cases.json').write_text(json.dumps(CASES), encoding='utf-8')

    def tearDown(self):
        self.folder.cleanup()

    def command(self, out):
        return [TAKT, 'sweep', '--export', '--models', 'sage,gcn,gat', '--cases', 'cases.json', '--out', out,
                '--format', 'json']

    def export(self, out):
        done = subprocess.run(self.command(out), cwd=self.path, capture_output=True, encoding='utf-8', timeout=200,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)['tables']

    def files(self, out, kind):
        folder = self.path / out / 'exported_models' / kind
        # What was being written when the process was killed stays behind under a name of its own.
        return {file.name: file.read_bytes() for file in folder.iterdir() if not file.name.startswith('.takt-')}

    def test_killed_exports_end_as_undisturbed_ones(self):
        whole = self.export('whole')
        self.assertEqual(len(whole['models']), 20 * 4)
        chance = random.Random(5)
        for _ in range(6):
            with subprocess.Popen(self.command('killed'), cwd=self.path, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                try:
                    process.wait(timeout=chance.uniform(0.02, 1.0))
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
        killed = self.export('killed')
        names = [(row['onnx_file'], row['ir_file']) for row in killed['models']]
        self.assertEqual(names, [(row['onnx_file'], row['ir_file']) for row in whole['models']])
        self.assertEqual(self.files('killed', 'onnx_models'), self.files('whole', 'onnx_models'))
        if killed['models'][0]['ir_file']:
            self.assertEqual(self.files('killed', 'ir_models').keys(), self.files('whole', 'ir_models').keys())
        self.assertEqual({row['is_new'] for row in self.export('killed')['models']}, {'no'})

    def test_exported_models_run(self):
        models = self.export('out')['models']
        rows = [row for row in models if row['onnx_file'].endswith(('sage_stage5_cpu.onnx', 'gat_stage1_npu_n20_e50.onnx'))]
        self.assertEqual(len(rows), 2)
        for row in rows:
            done = subprocess.run([TAKT, 'run', f'out/{row["onnx_file"]}', '--device', 'sim:CPU', '--iter', '2'],
                                  cwd=self.path, capture_output=True, encoding='utf-8', timeout=100, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == '__main__':
    os.environ['LC_ALL'] = 'C.UTF-8'
    unittest.main(argv=sys.argv[:1])
