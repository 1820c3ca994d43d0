#!/usr/bin/env python3
"""busy_test.py TAKT MAKE_MODELS: every command that measures says so when other programs run beside it, and names them.

As many programs as there are processors count beside the commands. No time is compared with anything. Exit code 77
where no real runtime is in the binary.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TAKT, MAKE_MODELS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
SENTENCE = r'takt: warning: other programs used (\d+\.\d\d) of \S+ CPUs? during the measurements.*; times are longer'


def call(*words, cwd):
    done = subprocess.run([TAKT, *map(str, words)], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=200,
                          encoding='utf-8', env={**os.environ, 'NO_COLOR': '1', 'TAKT_CACHE_DIR': f'{cwd}/cache'})
    if done.returncode != 0:
        raise AssertionError(f'{words} exits {done.returncode}: {done.stderr}')
    return done


def has_real_runtime():
    rows = json.loads(call('devices', '--format', 'json', cwd='/').stdout)['tables']['devices']
    return any(row['runtime'] == 'onnxruntime' and row['usable'] == 'yes' for row in rows)


class BusyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix='takt_busy_')
        cls.folder = pathlib.Path(cls.temporary.name)
        subprocess.run([MAKE_MODELS, cls.folder], check=True)
        count = len(os.sched_getaffinity(0))
        cls.others = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(count)]

    @classmethod
    def tearDownClass(cls):
        for other in cls.others:
            other.kill()
            other.wait()
        cls.temporary.cleanup()

    def assert_said(self, *words):
        done = call(*words, cwd=self.folder)
        found = re.search(SENTENCE, done.stderr)
        self.assertTrue(found, f'{words}: {done.stderr}')
        self.assertGreater(float(found[1]), 0)
        self.assertEqual(len(re.findall(SENTENCE, done.stderr)), 1, 'once is enough')
        return done

    def test_a_sweep(self):
        cases = {'config': {'feature_dim': 16}, 'test_cases': [{'nodes': 500, 'edges': 2000}]}
        (self.folder / 'cases.json').write_text(json.dumps(cases), encoding='utf-8')
        self.assert_said('sweep', '--models', 'sage', '--measure', '--devices', 'CPU', '--out', 'sweep',
                         '--cases', 'cases.json', '--iterations', '200')

    def test_kernels(self):
        self.assert_said('kernels', 'bench', 'small.onnx', '--iter', '200000')

    def test_runs_whose_times_show_no_cause(self):
        """Too few for one, so the line must come by itself; slow runs have their causes instead."""
        done = call('run', 'small.onnx', '--iter', '5', '--warmup-time', '500ms', '--no-ops', cwd=self.folder)
        self.assertTrue(re.search(SENTENCE, done.stderr) or 'preempted' in done.stdout, done.stderr + done.stdout)

    def test_variants(self):
        self.assert_said('run', 'small.onnx', '--vary', 'threads=1,2', '--time', '1s')

    def test_plans(self):
        self.assert_said('plan', 'run', 'small.onnx', '--devices', 'onnxruntime@CPU', '--pieces', '2')

    def test_a_search_that_measures(self):
        self.assert_said('plan', 'search', 'small.onnx', '--devices', 'onnxruntime@CPU', '--pieces', '2', '--runs', '20000')

    def test_a_collection(self):
        self.assert_said('collect', '--models', 'small.onnx', '--rounds', '1', '--time', '300ms', '--accept-disturbed',
                         '-o', 'set.csv')

    def test_pipelines_with_a_real_clock_and_none_with_a_virtual_one(self):
        for mode, count in (('real', 1), ('virtual', 0)):
            done = call('pipeline', 'run', '--simulate', mode, '--batches', '60', '--trace', '', cwd=self.folder)
            self.assertEqual(len(re.findall(SENTENCE, done.stderr)), count, mode)

    def test_no_slowdown_is_called_significant(self):
        done = self.assert_said('pipeline', 'interference', '--simulate', 'real', '--batches', '10', '--rounds', '2',
                                '--format', 'json')
        self.assertIn('no slowdown is called significant', done.stderr)
        pairs = json.loads(done.stdout)['tables']['pairs']
        self.assertTrue(pairs)
        self.assertEqual({row['significant'] for row in pairs}, {'no'})


if __name__ == '__main__':
    if not has_real_runtime():
        print('skipped: this binary has no ONNX Runtime')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
