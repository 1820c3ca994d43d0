#!/usr/bin/env python3
"""examples_test.py TAKT SDK_FOLDER EXAMPLES_FOLDER: every pipeline of the examples runs, and its trace is sound.

Checked of each: `takt pipeline run` succeeds, simulated and, where its runtimes are here, really; `takt trace check`
finds no fault; `takt pipeline analyze` prints the tables of the run, byte for byte; Perfetto's own importer reads the
trace without a complaint and finds every slice, counter and flow. Exit code 77, with the reason, without the importer.
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from answers import answer

TAKT, SDK, EXAMPLES = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
WASM = SDK / 'perfetto/trace_processor.wasm'
READER = pathlib.Path(__file__).resolve().parent.parent / 'perfetto/read_trace.mjs'
REAL = {'camera': ('onnxruntime',), 'gnn_openvino': ('openvino',), 'two_networks': ('openvino', 'onnxruntime')}


def call(*words, cwd=EXAMPLES):
    return subprocess.run(list(map(str, words)), cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=200,
                          encoding='utf-8', check=False)


def output(*words):
    done = call(*words)
    if done.returncode != 0:
        raise AssertionError(f'{words} exits {done.returncode}: {done.stderr}')
    return done.stdout


def runtimes():
    devices = json.loads(output(TAKT, 'devices', '--format', 'json'))['tables']['devices']
    return {row['runtime'] for row in devices if row['device'] == 'CPU' and row['usable'] == 'yes'}


def pipelines():
    """Files of the folder that are pipelines; the others describe devices."""
    return [path for path in sorted(EXAMPLES.glob('*.yaml')) if '\nstages:' in path.read_text(encoding='utf-8')]


def written(trace):
    """How many slices, counter samples and arrows the file holds."""
    kinds = collections.Counter(event['ph'] for event in trace['traceEvents'])
    leaving, arriving = collections.Counter(), collections.Counter()
    for event in trace['traceEvents']:
        flow = event.get('bind_id', event.get('id'))
        leaving[flow] += event['ph'] == 's' or bool(event.get('flow_out'))
        arriving[flow] += event['ph'] == 'f' or bool(event.get('flow_in'))
    arrows = sum(leaving[flow] * arriving[flow] for flow in leaving)
    return kinds['X'], kinds['C'], arrows


class Examples(unittest.TestCase):
    def check(self, pipeline, *words):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / 'trace.json'
            # The last lines of a run say where the trace went; its tables come first, behind what there is to note.
            live = output(TAKT, 'pipeline', 'run', pipeline, '--trace', trace, '--batches', 20, *words)
            live = ''.join(line for line in live.splitlines(True) if not line.startswith('note  '))
            self.assertEqual(output(TAKT, 'trace', 'check', trace), f'{trace}: no fault\n')
            tables = output(TAKT, 'pipeline', 'analyze', trace)
            self.assertTrue(live.startswith(tables), f'{live}\nis not\n{tables}')
            expected = written(json.loads(trace.read_text(encoding='utf-8')))
            self.assertTrue(all(expected), expected)
            converted = trace.with_suffix('.pftrace')
            output(TAKT, 'trace', 'convert', trace, '-o', converted)
            for file in (trace, converted):
                seen = json.loads(output('node', READER, WASM, file))
                self.assertEqual(seen['problems'], [])
                self.assertEqual(tuple(len(seen[kind]) for kind in ('slices', 'counters', 'flows')), expected)

    def test_simulated(self):
        self.assertGreater(len(pipelines()), 2)
        for pipeline in pipelines():
            with self.subTest(pipeline=pipeline.name):
                if pipeline.stem == 'two_networks' and not (SDK / 'onnx').exists():
                    continue  # names models that are not here
                self.check(pipeline, '--simulate')

    def test_on_real_runtimes(self):
        for name, needed in REAL.items():
            with self.subTest(pipeline=name):
                if set(needed) - runtimes():
                    continue
                self.check(EXAMPLES / f'{name}.yaml')

    def test_built_in(self):
        with tempfile.TemporaryDirectory() as folder:
            done = call(TAKT, 'pipeline', 'run', '--simulate', cwd=folder)
            self.assertEqual((done.returncode, answer(done.stderr)), (0, ''))
            self.assertEqual(call(TAKT, 'trace', 'check', 'pipeline_trace.json', cwd=folder).returncode, 0)


if __name__ == '__main__':
    if not WASM.exists() or not shutil.which('node'):
        print('Perfetto or node is missing: run tools/bootstrap')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
