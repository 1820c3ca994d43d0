#!/usr/bin/env python3
"""settings_test.py TAKT MAKE_MODELS: what commands write down of the settings of a run, and what holds where none is given."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TAKT, MAKE_MODELS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent
RUN = ['run', 'small.onnx', '--device', 'sim:box', '--no-ops', '--format', 'json']


class Settings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix='takt_settings_')
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.environment = {**os.environ, 'TAKT_FIXED_PROVENANCE': '1', 'TAKT_CACHE_DIR': str(cls.folder / 'cache')}
        subprocess.run([MAKE_MODELS, cls.folder], check=True)
        for file in HERE.glob('*.yaml'):
            shutil.copy(file, cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def told(self, *words):
        """The object about the run itself in a JSON result."""
        done = subprocess.run([TAKT, *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=100, encoding='utf-8', check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)['takt']

    def test_of_a_run_without_options(self):
        told = self.told(*RUN)
        self.assertEqual((told['runtime'], told['runtime_version'], told['device']), ('sim', '1', 'sim:box'))
        self.assertEqual(told['settings'], {'iterations': 'default', 'warmup_iterations': '3', 'threads': 'default', 'seed': '1'})
        self.assertEqual(told['command'], ['takt', *RUN])

    def test_of_a_run_with_all_that_a_simulated_device_takes(self):
        told = self.told(*RUN, '--iter', '5', '--warmup-iter', '2', '--seed', '7', '--batch-size', '1', '--time', '9s',
                         '--warmup-time', '1us', '--thread', '4', '--hint', 'latency', '--copy-to-host')
        self.assertEqual(told['settings'], {
            'iterations': '5', 'warmup_iterations': '2', 'threads': 'default', 'seed': '7', 'batch_size': '1', 'hint': 'latency',
            'time': '9s', 'warmup_time': '1us', 'instances': '4', 'copy_to_host': 'yes'})

    def test_of_requests_in_flight(self):
        told = self.told(*RUN, '--iter', '6', '--requests', '3')
        self.assertEqual(told['settings'], {'iterations': '6', 'warmup_iterations': '3', 'threads': 'default', 'seed': '1',
                                            'requests': '3', 'streams': '1', 'hint': 'throughput'})

    def test_of_a_pipeline(self):
        told = self.told('pipeline', 'run', 'pipe.yaml', '--simulate', '--format', 'json', '--trace', '')
        self.assertEqual(told['settings'], {'pipeline': 'known', 'clock': 'virtual', 'timeout_ns': '60000000000', 'seed': '1'})
        told = self.told('pipeline', 'run', 'pipe.yaml', '--simulate', 'real', '--timeout', '7s', '--seed', '5', '--batches', '2',
                         '--format', 'json', '--trace', '')
        self.assertEqual(told['settings'], {'pipeline': 'known', 'clock': 'real', 'timeout_ns': '7000000000', 'seed': '5'})

    def test_of_interference(self):
        words = ['pipeline', 'interference', 'crowd.yaml', '--simulate', '--format', 'json']
        self.assertEqual(self.told(*words)['settings'],
                         {'pipeline': 'crowd', 'clock': 'virtual', 'batches': '100', 'pairs': 'measured', 'rounds': '3', 'seed': '1'})
        words[2] = 'pressed.yaml'
        self.assertEqual(self.told(*words, '--batches', '30', '--rounds', '2', '--seed', '4', '--pairs', 'both')['settings'],
                         {'pipeline': 'pressed', 'clock': 'virtual', 'batches': '30', 'pairs': 'both', 'rounds': '2', 'seed': '4'})


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
