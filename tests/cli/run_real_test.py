#!/usr/bin/env python3
"""run_real_test.py TAKT SDK_FOLDER: takt run on networks that nobody here made, on every real runtime of the binary.

Checked: the operators' times and the remainder add up to the measured time exactly, in the profile and in the printed
table; takt analyze reads the profile; Perfetto's own importer reads the trace without a complaint and finds every
slice. Exit code 77, with the reason, where a network, a runtime, node or the importer is missing.
"""
import csv
import fractions
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TAKT, SDK = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
NETWORKS = [SDK / 'onnx/onnx/backend/test/data/light' / f'light_{name}.onnx' for name in ('squeezenet', 'shufflenet')]
WASM = SDK / 'perfetto/trace_processor.wasm'
READER = pathlib.Path(__file__).resolve().parent.parent / 'perfetto/read_trace.mjs'
ITERATIONS = 3


def output(*words, cwd='/'):
    done = subprocess.run(list(map(str, words)), cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=200,
                          encoding='utf-8')
    if done.returncode != 0:
        raise AssertionError(f'{words} exits {done.returncode}: {done.stderr}')
    return done.stdout


def real_runtimes():
    devices = json.loads(output(TAKT, 'devices', '--format', 'json'))['tables']['devices']
    return [row['runtime'] for row in devices
            if row['runtime'] != 'sim' and row['device'] == 'CPU' and row['usable'] == 'yes']


def missing():
    files = [path for path in [*NETWORKS, WASM] if not path.exists()]
    if files:
        return f'{files[0]} is missing: run tools/bootstrap'
    if not shutil.which('node'):
        return 'node is missing: run tools/bootstrap'
    return None if real_runtimes() else 'this takt has no real runtime'


class RealNetworks(unittest.TestCase):
    def each(self, check):
        for network in NETWORKS:
            for runtime in real_runtimes():
                with self.subTest(network=network.name, runtime=runtime), tempfile.TemporaryDirectory() as folder:
                    check(folder, 'run', network, '--runtime', runtime, '--iter', ITERATIONS)

    def test_profile_and_trace_add_up(self):
        self.each(self.check_run)

    def test_an_ir_costs_what_its_onnx_does(self):
        if 'openvino' not in real_runtimes():
            self.skipTest('this takt has no OpenVINO')
        with tempfile.TemporaryDirectory() as folder:
            words = ('--runtime', 'openvino', '--iter', ITERATIONS, '--format', 'json', '--columns', 'all')
            onnx = json.loads(output(TAKT, 'run', NETWORKS[0], *words, '--optimized-model-out', 'm.xml', cwd=folder))
            ir = json.loads(output(TAKT, 'run', 'm.xml', *words, '--profile', 'p.json', cwd=folder))
            flops = [sum(row['flops'] or 0 for row in run['tables']['operators']) for run in (onnx, ir)]
            self.assertGreater(flops[0], 1e8)
            self.assertEqual(flops[0], flops[1])
            profile = json.loads(pathlib.Path(folder, 'p.json').read_text(encoding='utf-8'))['takt']['profile']
            rows = profile['operators'].values()
            printed = [row for row in ir['tables']['operators'] if not row['name'].startswith('[')]
            known = sum(row['mean_us'] for row in printed if row['flops'] is not None and row['bytes'] is not None)
            self.assertGreaterEqual(known, 0.95 * sum(row['mean_us'] for row in printed))
            self.check_sums(profile, rows)

    def check_run(self, folder, *words):
        printed = json.loads(output(TAKT, *words, '--format', 'json', '--profile', 'p.json', '--trace', 't.json',
                                    cwd=folder))
        profile = json.loads(pathlib.Path(folder, 'p.json').read_text(encoding='utf-8'))['takt']['profile']
        operators = profile['operators'].values()
        self.assertEqual(profile['runs'], ITERATIONS)
        self.assertGreater(len(operators), 10)
        self.check_sums(profile, operators)
        self.check_table(printed['tables'], profile)
        output(TAKT, 'analyze', 'p.json', cwd=folder)
        self.check_trace(folder, printed['tables']['operators'])

    def check_sums(self, profile, operators):
        measured = profile['measured_ns']
        self.assertGreater(measured, 0)
        self.assertEqual(sum(profile['samples_ns']), measured)
        self.assertEqual(sum(row['total_ns'] for row in operators) + profile['unattributed_ns'], measured)
        for row in operators:
            self.assertEqual(sum(row['samples_ns']), row['total_ns'], row)
        for run, sample in enumerate(profile['samples_ns']):
            parts = sum(row['samples_ns'][run] for row in operators) + profile['unattributed_samples_ns'][run]
            self.assertEqual(parts, sample)

    def check_table(self, tables, profile):
        totals = [fractions.Fraction(str(row['total_us'])) * 1000 for row in tables['operators']]
        recording = any(row['name'] == '[profiling]' for row in tables['operators'])
        self.assertEqual(len(totals), len(profile['operators']) + 1 + recording)
        self.assertAlmostEqual(float(sum(totals)), profile['measured_ns'], delta=0.5)
        self.assertEqual(tables['operators'][-1]['name'], '[unattributed]')
        plain = sum(row['plain_mean_us'] or 0 for row in tables['operators'])
        self.assertAlmostEqual(plain, tables['summary'][0]['mean_us'], delta=1e-3 * plain)

    def check_trace(self, folder, operators):
        path = pathlib.Path(folder, 't.json')
        events = json.loads(path.read_text(encoding='utf-8'))
        events = events['traceEvents'] if isinstance(events, dict) else events
        written = sorted(event['name'] for event in events if event['ph'] == 'X')
        seen = json.loads(output('node', READER, WASM, path))
        self.assertEqual(seen['problems'], [])
        self.assertEqual(sorted(slice_['name'] for slice_ in seen['slices']), written)
        spans = {event['name'] for event in events if event['ph'] == 'X' and event['cat'] != 'run'}
        self.assertEqual(spans, {row['name'] for row in operators if not row['name'].startswith('[')})

    def test_kernels_that_stand_for_no_operator_are_refused_where_there_is_no_other(self):
        if 'openvino' not in real_runtimes():
            self.skipTest('no OpenVINO')
        for words in (('extract', '--out', 'k'), ('bench', '--iter', '1')):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([TAKT, 'kernels', words[0], NETWORKS[0], '--runtime', 'openvino', '--record', 'Reorder', *words[1:]],
                                      cwd=folder, capture_output=True, encoding='utf-8', timeout=200, check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, 'takt: no kernel was (extracted|timed); the first one: Reorder: cannot be extracted as a model')

    def test_csv_is_read_by_a_spreadsheet(self):
        self.each(self.check_csv)

    def check_csv(self, folder, *words):
        rows = list(csv.DictReader(output(TAKT, *words, '--format', 'csv', '--table', 'operators').splitlines()))
        self.assertAlmostEqual(sum(float(row['share_percent'] or 0) for row in rows), 100, places=6)


if __name__ == '__main__':
    if reason := missing():
        print('skipped:', reason)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
