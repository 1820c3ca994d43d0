#!/usr/bin/env python3
"""prediction_test.py TAKT: models are collected, a predictor is fitted, asked and evaluated; a collection that is killed goes
on; what is wrong is refused. Exit code 77, with the reason, without ONNX Runtime or XGBoost."""
import csv
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import read_back
from sanitized import not_sanitized

TAKT = pathlib.Path(sys.argv[1]).resolve()
ZOO = """\
models:
  - {family: mlp, depth: [3, 6], width: [0.125, 0.25], input: 64}
  - {family: transformer, depth: 2, width: 0.25, input: 8}
  - {family: squeezenet, depth: 11, width: 0.25, input: 48}
"""
MODELS = 6


def call(folder, *words, exits=(0,), env=None):
    done = subprocess.run([TAKT, *map(str, words)], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=250,
                          encoding='utf-8', check=False, env=env)
    if done.returncode not in exits:
        raise AssertionError(f'takt {" ".join(map(str, words))} exits {done.returncode}: {done.stderr}')
    return done


def tables(folder, *words):
    return json.loads(call(folder, *words, '--format', 'json').stdout)['tables']


def field(number, value):
    """Of a protobuf message: a number, or bytes."""
    def varint(rest):
        low, high = rest & 127, rest >> 7
        return bytes([low | 128]) + varint(high) if high else bytes([low])
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def open_product(columns):
    """An ONNX model: x of {batch, columns}, times a constant matrix of zeros."""
    dims = field(1, field(2, 'batch')) + field(1, field(1, columns))
    x, y = (field(1, name) + field(2, field(1, field(1, 1) + field(2, dims))) for name in 'xy')
    weight = field(1, columns) + field(1, columns) + field(2, 1) + field(8, 'w') + field(9, bytes(4 * columns * columns))
    node = field(1, 'x') + field(1, 'w') + field(2, 'y') + field(4, 'MatMul')
    graph = field(1, node) + field(2, 'graph') + field(5, weight) + field(11, x) + field(12, y)
    return field(1, 8) + field(7, graph) + field(8, field(1, '') + field(2, 17))


class Chain(unittest.TestCase):
    """One collection and one predictor for all tests."""

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix='takt_prediction_')
        cls.folder = pathlib.Path(cls.holder.name)
        (cls.folder / 'zoo.yaml').write_text(ZOO, encoding='utf-8')
        call(cls.folder, 'zoo', 'export', '--config', 'zoo.yaml', '-o', 'zoo')
        cls.collected = tables(cls.folder, *cls.collect('dataset.csv'))['collected']
        cls.fitted = tables(cls.folder, 'fit', 'dataset.csv', '-o', 'predictor', '--folds', '3')

    @classmethod
    def tearDownClass(cls):
        unread = read_back.faults_in(TAKT, cls.folder)
        cls.holder.cleanup()
        assert not unread, unread

    @staticmethod
    def collect(out, *more, rounds=2):
        return ['collect', '--models', 'zoo', '-o', out, '--rounds', str(rounds), '--time', '30ms', '--accept-disturbed', *more]

    @not_sanitized
    def test_kernels_that_the_runtime_gave_no_name_are_measured(self):
        # A HardSwish becomes two nameless nodes, of which profile and graph have names of their own.
        (self.folder / 'nameless.yaml').write_text('models: [{family: soup, depth: 105}]\n', encoding='utf-8')
        call(self.folder, 'zoo', 'export', '--config', 'nameless.yaml', '-o', 'nameless')
        row, = tables(self.folder, 'collect', '--models', 'nameless', '-o', 'nameless.csv', '--rounds', '1', '--time', '30ms',
                      '--accept-disturbed')['collected']
        self.assertEqual((row['rounds_measured'], row['rounds_failed']), (1, 0), row)

    def rows(self, name='dataset.csv'):
        with open(self.folder / name, newline='', encoding='utf-8') as file:
            return list(csv.DictReader(file))

    def test_every_kernel_of_every_model_is_a_row(self):
        self.assertEqual([row['rounds_measured'] for row in self.collected], [2] * MODELS)
        rows = self.rows()
        self.assertEqual(list(rows[0])[:3], ['Kernel_ID', 'OpType', 'Input_Shape'])
        for model in self.collected:
            of_model = [row for row in rows if row['model'] == model['model']]
            self.assertEqual(len(of_model), model['model_kernels'])
            self.assertTrue(all(float(row['Latency_ms']) > 0 for row in of_model), model)
            self.assertAlmostEqual(float(of_model[0]['model_latency_ms']), model['measured_ms'])
        self.assertIn('Conv_Relu', {row['OpType'] for row in rows})
        self.assertEqual({row['family'] for row in rows}, {'mlp', 'transformer', 'squeezenet'})

    def test_errors_and_features_are_told(self):
        splits = {(row['split'], row['error_level'], row['method']) for row in self.fitted['errors']}
        self.assertIn(('model', 'model', 'takt'), splits)
        self.assertIn(('family', 'kernel', 'roofline'), splits)
        features = [row for row in self.fitted['features'] if row['kernel_feature'] == 'flops' and row['kernel_group'] == 'conv']
        self.assertEqual(len(features), 1)
        self.assertTrue(all(features[0][f'row_{i}'] > 0 for i in range(1, 6)), features)

    def test_a_known_model_is_predicted_from_measured_kernels(self):
        summary, kernels = (tables(self.folder, 'predict', 'zoo/mlp3_w0.25_b1_64.onnx', '--predictor', 'predictor', '--trace',
                                   'trace.json')[name] for name in ('summary', 'kernels'))
        self.assertEqual(summary[0]['measured_percent'], 100)
        self.assertEqual(len(kernels), summary[0]['model_kernels'])
        total = sum(row['predicted_us'] for row in kernels) / 1000 + summary[0]['overhead_ms']
        self.assertAlmostEqual(summary[0]['predicted_ms'], total, delta=0.05 * total + 1e-9)
        self.assertLessEqual(summary[0]['low_ms'], summary[0]['predicted_ms'])
        self.assertGreaterEqual(summary[0]['high_ms'], summary[0]['predicted_ms'])
        call(self.folder, 'trace', 'check', 'trace.json')
        events = tables(self.folder, 'trace', 'info', 'trace.json')['summary'][0]['events']
        self.assertIn(events, (len(kernels), len(kernels) + 1))  # the overhead

    def test_a_loop_takes_its_turns(self):
        # 100 turns of a body whose own loop has three products: what is inside takes most of the time.
        loops = pathlib.Path(__file__).resolve().parents[1] / 'data' / 'predict' / 'i_loops.onnx'
        done = call(self.folder, 'predict', str(loops), '--predictor', 'predictor', '--format', 'json')
        self.assertIn('at most 100 turns', done.stderr)
        self.assertNotIn('are not predicted', done.stderr)
        found = json.loads(done.stdout)['tables']
        loop, = [row for row in found['kernels'] if row['kernel_name'] == 'Loop']
        self.assertGreater(loop['predicted_us'], 100 * 3 * 0.1)
        self.assertGreater(found['summary'][0]['high_ms'], found['summary'][0]['predicted_ms'])
        self.assertNotEqual(loop['tier'], 'trained')
        self.assertNotIn('turns', call(self.folder, 'predict', 'zoo', '--predictor', 'predictor').stderr)

    def test_nobody_has_to_name_a_predictor(self):
        own = {**os.environ, 'TAKT_CACHE_DIR': str(self.folder / 'cache')}
        done = call(self.folder, 'predict', 'zoo/mlp3_w0.25_b1_64.onnx', '--format', 'json', env=own)
        row, = json.loads(done.stdout)['tables']['summary']
        self.assertEqual(row['predictor'], 'cpu')
        self.assertLess(row['low_ms'], row['predicted_ms'])
        self.assertLess(row['predicted_ms'], row['high_ms'])
        self.assertGreater(row['high_ms'] / row['low_ms'], row['machine_factor'] ** 1.5)
        self.assertIn('this machine was not measured', done.stderr)
        self.assertIn("'takt predict zoo/mlp3_w0.25_b1_64.onnx --calibrate' measures this one in two minutes", done.stderr)
        row, = tables(self.folder, 'evaluate', 'zoo/mlp3_w0.25_b1_64.onnx', '--rounds', '1', '--time', '20ms')['models']
        self.assertGreater(row['predicted_ms'], 0)

    def test_beside_other_programs_the_upper_end_is_farther(self):
        own = {**os.environ, 'TAKT_CACHE_DIR': str(self.folder / 'cache')}
        busy = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(os.cpu_count())]
        try:
            done = call(self.folder, 'predict', 'zoo/mlp3_w0.25_b1_64.onnx', '--format', 'json', env=own)
            named = call(self.folder, 'predict', 'zoo/mlp3_w0.25_b1_64.onnx', '--predictor', 'cpu', '--format', 'json')
        finally:
            for program in busy:
                program.kill()
                program.wait()
        row, = json.loads(done.stdout)['tables']['summary']
        idle, = json.loads(named.stdout)['tables']['summary']
        self.assertIn('during the prediction', done.stderr)
        self.assertIn('--load predicts for what runs beside it now', done.stderr)
        self.assertTrue(1.3 < row['busy_factor'] <= 4, row)
        self.assertEqual(row['predicted_ms'], idle['predicted_ms'])
        # The named one is neither for an unknown machine nor a busy one.
        self.assertGreater(row['high_ms'], idle['high_ms'] * row['busy_factor'])
        self.assertIsNone(idle['busy_factor'])

    def test_another_folder_puts_no_predictor_in_place_of_the_built_in_one(self):
        with tempfile.TemporaryDirectory() as empty:
            model = self.folder / 'zoo' / 'mlp3_w0.25_b1_64.onnx'
            names = ('predictor', 'prediction', 'cpu', 'datasets')
            for name in names:
                (pathlib.Path(empty) / name).mkdir()
                (pathlib.Path(empty) / name / 'predictor.json').write_text('no predictor', encoding='utf-8')
            self.assertEqual(tables(empty, 'predict', model, '--predictor', 'cpu')['summary'][0]['predictor'], 'cpu')

    def test_a_gpu_is_predicted_where_there_is_none(self):
        done = call(self.folder, 'predict', 'zoo/squeezenet11_w0.25_b1_48.onnx', '--predictor', 'h100', '--format', 'json')
        found = json.loads(done.stdout)['tables']
        self.assertEqual(found['summary'][0]['predictor'], 'h100')
        self.assertIn('H100', done.stderr)
        names = {row['kernel_name'] for row in found['kernels']}
        self.assertTrue({'Conv', 'Relu'} <= names and 'Conv_Relu' not in names, names)
        self.assertGreater(found['summary'][0]['trained_percent'] + found['summary'][0]['measured_percent'], 90)

    def test_open_sizes_are_given_as_to_a_run(self):
        (self.folder / 'open.onnx').write_bytes(open_product(64))
        def predicted(*words):
            return tables(self.folder, 'predict', 'open.onnx', '--predictor', 'cpu', *words)['summary'][0]['predicted_ms']
        small, large = predicted('--batch-size', '2'), predicted('--batch-size', '2000')
        self.assertGreater(large, 5 * small)
        self.assertEqual(predicted('--input', 'x:{2000,64}'), large)
        self.assertIn('--batch-size', call(self.folder, 'predict', 'open.onnx', '--batch-size', '0', exits=(2,)).stderr)

    @not_sanitized  # a model that cannot be read is evaluated beside one that can
    def test_predictions_and_runs_are_compared(self):
        result = tables(self.folder, 'evaluate', 'zoo', '--predictor', 'predictor', '--rounds', '2', '--time', '60ms')
        self.assertEqual(len(result['models']), MODELS)
        summary = result['summary'][0]
        self.assertEqual(summary['evaluated_models'], MODELS)
        errors = [abs(row['predicted_ms'] / row['measured_ms'] - 1) * 100 for row in result['models']]
        self.assertAlmostEqual(summary['mape'], sum(errors) / MODELS, places=6)

    @not_sanitized
    def test_shards_of_an_evaluation_are_merged(self):
        words = 'evaluate', 'zoo', '--predictor', 'predictor', '--rounds', '1', '--time', '20ms'
        whole = tables(self.folder, *words)['models']
        for shard in '1', '2':
            call(self.folder, *words, '--shard', f'{shard}/2', '--format', 'json', '-o', f'part-{shard}.json')
        merged = tables(self.folder, 'evaluate', 'merge', 'part-1.json', 'part-2.json')
        predicted = {row['model']: row['predicted_ms'] for row in whole}
        self.assertEqual({row['model']: row['predicted_ms'] for row in merged['models']}, predicted)
        self.assertEqual(merged['summary'][0]['evaluated_models'], MODELS)
        self.assertIn('there are only 6 models', call(self.folder, *words, '--shard', '7/7', exits=(1,)).stderr)
        done = call(self.folder, 'evaluate', 'merge', 'part-1.json', 'part-1.json', exits=(1,))
        self.assertIn('is also in an earlier evaluation', done.stderr)

    @not_sanitized
    def test_loads_are_learnt_and_predicted_beside(self):
        (self.folder / 'loaded.yaml').write_text('{models: zoo, stress: {per_model: 2, time: 30ms}, load: {window: 100ms}}\n', encoding='utf-8')
        collected = tables(self.folder, *self.collect('loaded.csv', '--config', 'loaded.yaml', rounds=1))['collected']
        beside = [row for row in collected if row['collect_load']]
        self.assertEqual(len(collected), 3 * MODELS)
        self.assertEqual([row['rounds_measured'] for row in beside], [1] * 2 * MODELS)
        rows = [row for row in self.rows('loaded.csv') if row['stress'] != '0']
        self.assertEqual(len(rows), 2 * len(self.rows()))
        self.assertTrue(all(float(row['probe_compute_flops']) > 0 for row in rows))
        self.assertEqual({row['stress_kind'] for row in rows} - {'compute', 'memory', 'cache'}, set())
        errors = tables(self.folder, 'fit', 'loaded.csv', '-o', 'loaded', '--folds', '3', '--no-baselines')['errors']
        loads = {row['method']: row for row in errors if row['split'] == 'load'}
        self.assertIn('without load', loads)
        self.assertEqual(loads['takt']['predictions'], 2 * MODELS)
        model = 'zoo/mlp3_w0.25_b1_64.onnx'
        quiet = tables(self.folder, 'predict', model, '--predictor', 'loaded')['summary'][0]
        now = tables(self.folder, 'predict', model, '--predictor', 'loaded', '--load')['summary'][0]
        self.assertIsNone(quiet['load_factor'])
        self.assertIn(now['load_from'], ('turns', 'probe', 'host', 'busy'))
        self.assertAlmostEqual(now['predicted_ms'], quiet['predicted_ms'] * now['load_factor'], delta=1e-9)
        (self.folder / 'host.yaml').write_text('load: {sources: [host], window: 50ms}\n', encoding='utf-8')
        done = call(self.folder, 'predict', model, '--predictor', 'loaded', '--config', 'host.yaml', '--format', 'json')
        self.assertIn(json.loads(done.stdout)['tables']['summary'][0]['load_from'], ('host', 'busy', 'not known'))
        asked = 'load: {sources: [prometheus, host], window: 50ms, prometheus: {url: "http://127.0.0.1:1", timeout: 1s}}\n'
        (self.folder / 'asked.yaml').write_text(asked, encoding='utf-8')
        done = call(self.folder, 'predict', model, '--predictor', 'loaded', '--config', 'asked.yaml')
        self.assertIn('load: prometheus: ', done.stderr)
        self.assertIn('http://127.0.0.1:1', done.stderr)
        other = 'load: {window: 50ms, prometheus: {url: "http://127.0.0.1:1", timeout: 1s, match: {instance: box}}}\n'
        (self.folder / 'other.yaml').write_text(other, encoding='utf-8')
        done = call(self.folder, 'predict', model, '--predictor', 'loaded', '--config', 'other.yaml', '--format', 'json')
        self.assertEqual(json.loads(done.stdout)['tables']['summary'][0]['load_from'], 'not known', 'nothing of this machine')
        self.assertIn('load: prometheus: ', done.stderr)
        laws = json.loads((self.folder / 'loaded' / 'predictor.json').read_text(encoding='utf-8'))['load_laws']
        if laws[0]['kind'] in ('turns', 'probe'):  # which law is the most certain one is measured
            self.assertIn('probe_wait_ratio is unknown', done.stderr)
        result = tables(self.folder, 'evaluate', model, '--predictor', 'loaded', '--load', '--rounds', '2', '--time', '60ms')
        self.assertEqual([row['evaluate_round'] for row in result['models']], [1, 2])
        self.assertTrue(all(row['load_factor'] > 0 for row in result['models']), result['models'])
        (self.folder / 'brief.yaml').write_text('load: {window: 50ms}\n', encoding='utf-8')
        result = tables(self.folder, 'evaluate', model, '--predictor', 'loaded', '--config', 'brief.yaml', '--online', '--rounds', '11', '--time',
                        '110ms')
        self.assertEqual([row['interval_runs'] for row in result['models']], [None] * 9 + [9, 9])
        done = call(self.folder, 'evaluate', model, '--predictor', 'loaded', '--online', exits=(2,))
        self.assertIn('add --load', done.stderr)

    def test_a_predictor_is_calibrated(self):
        errors = tables(self.folder, 'fit', 'dataset.csv', '--calibrate', 'predictor', '-o', 'calibrated')['errors']
        self.assertEqual([(row['split'], row['method']) for row in errors], [('calibrated', 'takt'), ('calibrated', 'as it was')])
        summary = tables(self.folder, 'predict', 'zoo/mlp3_w0.25_b1_64.onnx', '--predictor', 'calibrated')['summary']
        self.assertGreater(summary[0]['predicted_ms'], 0)

    def test_a_calibration_is_for_the_built_in_predictor(self):
        done = call(self.folder, 'predict', 'zoo/mlp3_w0.25_b1_64.onnx', '--predictor', 'predictor', '--calibrate', exits=(2,))
        self.assertIn('leave out --predictor', done.stderr)
        done = call(self.folder, 'predict', 'zoo/mlp3_w0.25_b1_64.onnx', '--device', 'NPU', exits=(1,))
        self.assertIn("no predictor is built in for device 'NPU'", done.stderr)

    def test_a_predictor_of_quiet_knows_no_load(self):
        for command in ('predict', 'evaluate'):
            done = call(self.folder, command, 'zoo/mlp3_w0.25_b1_64.onnx', '--predictor', 'predictor', '--load', exits=(1,))
            self.assertIn('collect with --stress', done.stderr)

    @not_sanitized
    def test_a_collection_that_is_killed_goes_on(self):
        command = [TAKT, *self.collect('killed.csv')]
        journal = self.folder / 'killed.csv.jsonl'
        lines = 0
        for wanted in (2, 4, 6):
            with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                end = time.monotonic() + 100
                while time.monotonic() < end and (not journal.exists() or journal.read_bytes().count(b'\n') < wanted):
                    time.sleep(0.02)
                time.sleep(random.uniform(0, 0.4))  # anywhere in the measurement after it
                process.send_signal(signal.SIGKILL)
            now = journal.read_bytes().count(b'\n')
            self.assertGreaterEqual(now, max(lines, wanted))
            lines = now
        before = journal.read_bytes()
        call(self.folder, *self.collect('killed.csv'))
        after = journal.read_bytes()
        self.assertTrue(after.startswith(before[:before.rindex(b'\n') + 1]), 'measured again')
        self.assertEqual(after.count(b'\n'), 1 + 2 * MODELS)
        self.assertEqual(len(self.rows('killed.csv')), len(self.rows()))
        call(self.folder, *self.collect('killed.csv'))
        self.assertEqual(journal.read_bytes(), after)

    def test_no_child_outlives_a_killed_collection(self):
        command = [TAKT, 'collect', '--models', 'zoo', '-o', 'orphan.csv', '--time', '5s']
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            children = []
            end = time.monotonic() + 60
            while not children and time.monotonic() < end:
                time.sleep(0.05)
                listed = pathlib.Path(f'/proc/{process.pid}/task/{process.pid}/children').read_text(encoding='ascii').split()
                children = listed
            self.assertTrue(children)
            process.send_signal(signal.SIGKILL)
            process.wait()
        end = time.monotonic() + 20
        while time.monotonic() < end and any(running(child) for child in children):
            time.sleep(0.05)
        self.assertFalse(any(running(child) for child in children))

    @not_sanitized
    def test_shards_count_together_and_merge_refuses_twice(self):
        call(self.folder, *self.collect('parts.csv', '--shard', '1/2', rounds=1))
        self.assertEqual(len({row['model'] for row in self.rows('parts.csv')}), MODELS // 2)
        call(self.folder, *self.collect('parts.csv', '--shard', '2/2', rounds=1))
        self.assertEqual(len(self.rows('parts.csv')), len(self.rows()))
        done = call(self.folder, 'collect', 'merge', 'dataset.csv', 'parts.csv', '-o', 'all.csv', exits=(1,))
        self.assertIn('is also in an earlier dataset', done.stderr)

    def test_a_model_that_cannot_be_read_costs_its_own_row_only(self):
        other = self.folder / 'mixed'
        other.mkdir()
        (other / 'broken.onnx').write_bytes(b'no model')
        os.link(self.folder / 'zoo' / 'zoo_weights.bin', other / 'zoo_weights.bin')
        (other / 'whole.onnx').write_bytes((self.folder / 'zoo' / 'mlp3_w0.125_b1_64.onnx').read_bytes())
        rows = tables(self.folder, *self.collect('mixed.csv')[:1], '--models', 'mixed', *self.collect('mixed.csv')[3:])['collected']
        self.assertEqual([(row['model'], row['rounds_failed']) for row in rows], [('broken.onnx', 2), ('whole.onnx', 0)])
        self.assertIn('broken.onnx', rows[0]['collect_problem'])
        result = tables(self.folder, 'evaluate', 'mixed', '--predictor', 'predictor', '--rounds', '1', '--time', '20ms')
        self.assertIsNone(result['models'][0]['predicted_ms'])
        self.assertEqual(result['summary'][0]['evaluated_models'], 1)
        (other / 'whole.onnx').unlink()
        done = call(self.folder, 'evaluate', 'mixed', '--predictor', 'predictor', '--rounds', '1', '--time', '20ms', exits=(1,))
        self.assertEqual(done.stderr.splitlines()[-1], 'takt: mixed/broken.onnx: this is not an ONNX model but text')
        (other / 'broken.onnx').unlink()  # at the end every file that is left is read back

    def test_what_is_wrong_is_refused(self):
        def refused(code, *words):
            return call(self.folder, *words, exits=(code,)).stderr
        self.assertIn('nothing to measure', refused(2, 'collect', '-o', 'x.csv'))
        self.assertIn('1/0', refused(2, 'collect', '--models', 'zoo', '--shard', '1/0'))
        self.assertIn('--time', refused(2, 'collect', '--models', 'zoo', '--time', '5'))
        self.assertIn('zoo', refused(1, *self.collect('zoo')))  # a folder
        self.assertIn('measured with different settings', refused(1, *self.collect('dataset.csv', '--threads', '2')))
        self.assertIn('no such predictor', refused(1, 'predict', 'zoo/mlp3_w0.25_b1_64.onnx', '--predictor', 'nowhere'))
        (self.folder / 'other.csv').write_text('a,b\n1,2\n', encoding='utf-8')
        self.assertIn('other.csv:1', refused(1, 'fit', 'other.csv', '-o', 'p'))
        newer = self.folder / 'newer'
        newer.mkdir()
        text = (self.folder / 'predictor' / 'predictor.json').read_text(encoding='utf-8')
        (newer / 'predictor.json').write_text(re.sub(r'"takt_predictor": \d+', '"takt_predictor": 99', text), encoding='utf-8')
        self.assertIn('another version of takt', refused(1, 'predict', 'zoo/mlp3_w0.25_b1_64.onnx', '--predictor', 'newer'))

    def changed(self, name, change, only=slice(None)):
        """The dataset with other rows: `change` gets those of the models in `only`."""
        rows = self.rows()
        models = sorted({row['model'] for row in rows})[only]
        with open(self.folder / name, 'w', newline='', encoding='utf-8') as file:
            writer = csv.DictWriter(file, rows[0], lineterminator='\n')
            writer.writeheader()
            for row in rows:
                if row['model'] in models:
                    change(row)
                if row:
                    writer.writerow(row)
        return name

    def test_a_predictor_is_of_one_machine_runtime_device_and_number_of_threads(self):
        for column, other, name in (('machine', 'elsewhere', 'machine'), ('runtime', 'openvino', 'runtime'),
                                    ('runtime_version', '0.1', 'runtime version'), ('device', 'GPU', 'device'), ('threads', '77', 'threads')):
            done = call(self.folder, 'fit', self.changed('two.csv', lambda row: row.update({column: other}), only=slice(-1, None)), '-o', 'two',
                        exits=(1,))
            self.assertRegex(done.stderr, f"two.csv: models were measured with {name} '.*' and '{other}'; use a separate dataset and predictor for each")
        self.assertFalse((self.folder / 'two').exists())
        self.changed('other.csv', lambda row: row.update(runtime='openvino'))
        done = call(self.folder, 'fit', 'other.csv', '--calibrate', 'predictor', '-o', 'two', exits=(1,))
        self.assertIn('the predictor was trained for onnxruntime and the dataset was measured with openvino', done.stderr)
        for name in ('two.csv', 'other.csv'):  # at the end every file that is left is read back
            (self.folder / name).unlink()

    def test_too_little_to_train_on_is_refused(self):
        def refused(name, change, *words, only=slice(None)):
            return call(self.folder, 'fit', self.changed(name, change, only), '-o', 'little', *words, exits=(1,)).stderr
        beside = {'stress': '0.5', 'stress_kind': 'compute', 'stress_threads': '1'}
        self.assertIn('beside.csv: contains no measurement without load', refused('beside.csv', lambda row: row.update(beside)))
        self.assertIn('none.csv: has no row', refused('none.csv', dict.clear))
        self.assertIn('calibration needs', refused('few.csv', dict.clear, '--calibrate', 'predictor', only=slice(1, None)))
        self.assertIn('has only one architecture', refused('one.csv', lambda row: row.update(architecture='a', family='a')))
        (self.folder / 'empty.csv').write_text('', encoding='utf-8')
        self.assertIn('empty.csv: is empty', call(self.folder, 'fit', 'empty.csv', '-o', 'little', exits=(1,)).stderr)
        for name in ('beside', 'none', 'few', 'one', 'empty'):  # at the end every file that is left is read back
            (self.folder / f'{name}.csv').unlink()


def running(pid):
    try:
        return pathlib.Path(f'/proc/{pid}/stat').read_text(encoding='utf-8', errors='replace').rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


def main():
    if 'onnxruntime' not in subprocess.run([TAKT, '--version'], capture_output=True, text=True, check=True).stdout:
        print('this takt has no ONNX Runtime')
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])


if __name__ == '__main__':
    main()
