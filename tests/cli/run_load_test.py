#!/usr/bin/env python3
"""run_load_test.py TAKT MAKE_MODELS: requests in flight, time limits, properties, variants, folders of inputs and the
executed graph on every real runtime of the binary. No figure is compared with another: the machine may be busy.

Exit code 77 where no real runtime is in the binary.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

TAKT, MAKE_MODELS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])


def call(*words, cwd='/', exits=0):
    done = subprocess.run([TAKT, *map(str, words)], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=200,
                          encoding='utf-8', env={**os.environ, 'NO_COLOR': '1'})
    if done.returncode != exits:
        raise AssertionError(f'{words} exits {done.returncode}: {done.stderr}')
    return done


def real_runtimes():
    rows = json.loads(call('devices', '--format', 'json').stdout)['tables']['devices']
    return [row['runtime'] for row in rows
            if row['runtime'] != 'sim' and row['device'] == 'CPU' and row['usable'] == 'yes']


def write_npy(path, shape, value):
    """A .npy of float32, every element `value`."""
    count = 1
    for size in shape:
        count *= size
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += ' ' * (63 - (10 + len(header)) % 64) + '\n'
    path.write_bytes(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode()
                     + struct.pack(f'<{count}f', *[value] * count))


class Load(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix='takt_load_')
        cls.folder = pathlib.Path(cls.place.name)
        subprocess.run([MAKE_MODELS, cls.folder], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def run_takt(self, *words, exits=0):
        return call('run', 'small.onnx', *words, cwd=self.folder, exits=exits)

    def tables(self, *words):
        return json.loads(self.run_takt(*words, '--format', 'json').stdout)['tables']

    def test_requests_of_one_session_are_in_flight(self):
        for runtime in RUNTIMES:
            tables = self.tables('--runtime', runtime, '--requests', 3, '--iter', 40)
            row, = tables['throughput']
            plain = next(row for row in tables['summary'] if row['pass'] == 'plain')
            self.assertEqual((row['in_flight'], row['completed'], row['hint']), (3, 40, 'throughput'))
            self.assertEqual(plain['iterations'], 40)
            self.assertAlmostEqual(plain['throughput_per_s'], row['completed_per_s'])
            self.assertAlmostEqual(row['completed'] / row['window_us'] * 1e6 / row['completed_per_s'], 1)
            self.assertTrue(tables['operators'])

    def test_the_runtime_says_how_it_shares_the_device(self):
        for runtime in RUNTIMES:
            row, = self.tables('--runtime', runtime, '--hint', 'throughput', '--no-ops', '--iter', 20)['throughput']
            self.assertGreaterEqual(row['in_flight'], 1)
            self.assertGreaterEqual(row['compute_threads'], 1)
            self.assertEqual(row['streams'] is None, runtime == 'onnxruntime')
            row, = self.tables('--runtime', runtime, '--hint', 'latency', '--requests', 2, '--no-ops', '--iter',
                               20)['throughput']
            self.assertEqual((row['in_flight'], row['hint']), (2, 'latency'))

    def test_streams_are_openvino_s(self):
        for runtime in RUNTIMES:
            words = ('--runtime', runtime, '--streams', 1, '--no-ops', '--iter', 10)
            if runtime == 'openvino':
                self.assertEqual(self.tables(*words)['throughput'][0]['streams'], 1)
            else:
                self.assertIn('use --requests', self.run_takt(*words, exits=2).stderr)

    def test_time_limits_a_pass_and_so_does_iter(self):
        for runtime in RUNTIMES:
            for load in ([], ['--requests', 2]):
                words = ('--runtime', runtime, '--no-ops', *load)
                row, = self.tables(*words, '--time', '60ms')['summary']
                self.assertGreaterEqual(row['iterations'], 1)
                if not load:
                    self.assertGreaterEqual(row['iterations'] * row['mean_us'], 60_000 * 0.999)
                row, = self.tables(*words, '--time', '1h', '--iter', 7)['summary']
                self.assertEqual(row['iterations'], 7)

    def test_properties_reach_the_runtime(self):
        good = {'onnxruntime': 'graph_optimization_level=basic', 'openvino': 'INFERENCE_NUM_THREADS=1'}
        bad = {'onnxruntime': ('graph_optimisation_level=basic', "did you mean 'graph_optimization_level'"),
               'openvino': ('INFERENCE_NUM_THREAD=1', "did you mean 'INFERENCE_NUM_THREADS'")}
        wrong = {'onnxruntime': 'graph_optimization_level=fast', 'openvino': 'INFERENCE_NUM_THREADS=many'}
        for runtime in RUNTIMES:
            words = ('--runtime', runtime, '--no-ops', '--iter', 3, '--property')
            self.tables(*words, good[runtime])
            self.assertIn(bad[runtime][1], self.run_takt(*words, bad[runtime][0], exits=1).stderr)
            self.run_takt(*words, wrong[runtime], exits=1)

    def test_a_property_wins_over_the_option(self):
        if 'openvino' not in RUNTIMES:
            self.skipTest('this takt has no OpenVINO')
        row, = self.tables('--runtime', 'openvino', '--threads', 2, '--property', 'INFERENCE_NUM_THREADS=1', '--no-ops',
                           '--requests', 1, '--iter', 5)['throughput']
        self.assertEqual(row['compute_threads'], 1)

    def test_fitting_prints_what_property_takes(self):
        for runtime in RUNTIMES:
            rows = self.tables('--runtime', runtime, '--fitting', '--no-ops', '--iter', 3)['fitting']
            self.assertIsNone(rows[0]['own_settings'])
            for row in rows[1:]:
                if not row['own_settings']:
                    self.assertRegex(row['settings'], '^(runtime|precision) ')  # another program
                    continue
                words = [word for pair in row['own_settings'].split(' ') for word in ('--property', pair)]
                self.tables('--runtime', runtime, '--no-ops', '--iter', 1, *words)

    def test_variants_take_turns_and_a_failing_one_has_a_reason(self):
        rows = self.tables('--vary', f'runtime={",".join(RUNTIMES)}', '--vary', 'precision=f32,f16', '--iter', 40)['variants']
        self.assertEqual(len(rows), 2 * len(RUNTIMES))
        for row in rows:
            self.assertEqual(row['failure'] is None, row['variant_runs'] is not None, row)
            if row['failure'] is None:
                self.assertGreaterEqual(row['variant_runs'], 40)
                self.assertIn(row['standing'], ('fastest', 'within noise', 'slower'))
        for row in rows:
            if row['variation'] == 'runtime=onnxruntime precision=f16':
                self.assertIn('computes in the types', row['failure'])
        self.assertTrue(any(row['failure'] is None for row in rows))
        self.run_takt('--vary', 'device=nowhere,elsewhere', exits=1)

    def test_requests_vary(self):
        for runtime in RUNTIMES:
            rows = self.tables('--runtime', runtime, '--vary', 'requests=1,2', '--time', '100ms')['variants']
            self.assertEqual([row['failure'] for row in rows], [None, None])
            self.assertIsNone(rows[0]['time_ratio'])
            self.assertGreater(rows[1]['time_ratio'], 0)

    def test_a_folder_of_inputs_takes_turns(self):
        inputs = self.folder / 'inputs'
        inputs.mkdir(exist_ok=True)
        for number in range(3):
            write_npy(inputs / f'{number}.npy', (1, 3, 8, 8), number - 1)
        (inputs / 'labels.txt').write_text('no values', encoding='utf-8')
        for runtime in RUNTIMES:
            for load in ([], ['--requests', 2, '--no-ops']):
                text = self.run_takt('--runtime', runtime, '--input', 'x:inputs', '--iter', 6, *load).stdout
                self.assertIn('3 files of values are used in turn', text)
            # Other inputs, other outputs: the second run is not what the first one was.
            self.run_takt('--runtime', runtime, '--input', 'x:inputs', '--iter', 3, '--no-ops', '--check-var-value', '1',
                          exits=1)
        write_npy(inputs / '9.npy', (2, 3, 8, 8), 0)
        self.assertIn('9.npy', self.run_takt('--input', 'inputs', exits=1).stderr)
        (self.folder / 'empty').mkdir(exist_ok=True)
        self.assertIn('no file of values', self.run_takt('--input', 'empty/', exits=1).stderr)

    def test_the_executed_graph_is_written(self):
        for runtime in RUNTIMES:
            file = self.folder / ('executed.xml' if runtime == 'openvino' else 'executed.onnx')
            self.run_takt('--runtime', runtime, '--no-ops', '--iter', 1, '--executed-graph', file.name)
            self.assertGreater(file.stat().st_size, 100)
            if runtime == 'openvino':
                self.assertIn('execOrder', file.read_text(encoding='utf-8'))

    def test_a_fixed_batch_is_changed_where_the_runtime_can(self):
        for runtime in RUNTIMES:
            words = ('--runtime', runtime, '--batch-size', 4, '--iter', 2)
            if runtime == 'openvino':
                text = self.run_takt(*words).stdout
                self.assertIn('its first dimension is changed to 4', re.sub(r'\s+', ' ', text))
                self.assertIn('{4,3,8,8}', text)
            else:
                self.assertIn('fixes its first dimension', self.run_takt(*words, exits=1).stderr)

    def test_start_up_is_taken_apart(self):
        for runtime in RUNTIMES:
            words = ('--runtime', runtime, '--no-ops', '--iter', 2)
            steps = {row['step']: row for row in self.tables(*words)['startup']}
            self.assertIsNone(steps['compile']['from_cache'])
            for wanted in ('no', 'yes'):
                rows = self.tables(*words, '--cache', f'cache-{runtime}')['startup']
                steps = {row['step']: row for row in rows}
                self.assertEqual(steps['compile']['from_cache'], wanted)
                total = sum(row['step_us'] or 0 for row in rows[:-1])
                self.assertAlmostEqual(total / steps['total']['step_us'], 1, places=3)


if __name__ == '__main__':
    RUNTIMES = real_runtimes()
    if not RUNTIMES:
        print('skipped: this takt has no real runtime')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
