#!/usr/bin/env python3
"""crashes_test.py TAKT MAKE_MODELS FAILING_SDKS [--all]: an SDK that crashes, throws or hangs in one of its
calls, under every command that runs or reads models. A runtime that was asked for is told in one sentence with exit code 1,
or in the row that it costs; one that was not asked for costs nothing. Never a signal, never silence, no file left behind.

With --all every command meets every deed in every call (minutes); else one deed each, in turns.
"""
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'cli'))
from answers import answer  # noqa: E402

ALL = '--all' in sys.argv
TAKT, MAKE_MODELS, FAILING_SDKS = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
CALLS = {'onnxruntime': ['onnxruntime.start', 'onnxruntime.load', 'onnxruntime.run'],
         'openvino': ['openvino.start', 'openvino.read', 'openvino.compile', 'openvino.run']}
DEEDS = ['abort', 'segv', 'throw', 'uncaught', 'thread']

PIPELINE = 'name: two\nbatches: 4\nstages:\n' + ''.join(
    f'  - {{name: {name}, after: source, model: small.onnx, device: CPU, runtime: RUNTIME, threads: 1}}\n' for name in ('one', 'two'))
CASES = {'config': {'feature_dim': 4}, 'test_cases': [{'nodes': 8, 'edges': 12}]}

# The commands that have a runtime do what they are asked: RUNTIME is put in. Of those in ROWS a crash costs a row, which says
# so: each measurement is in a process of its own.
COMMANDS = [
    ['run', 'small.onnx', '--runtime', 'RUNTIME', '--iter', '2'],
    ['run', 'small.onnx', '--runtime', 'RUNTIME', '--iter', '2', '--vary', 'threads=1,2'],
    ['run', 'small.onnx', '--runtime', 'RUNTIME', '--iter', '4', '--requests', '2'],
    ['run', 'dynamic.onnx', '--runtime', 'RUNTIME', '--iter', '2'],
    ['kernels', 'list', 'small.onnx', '--runtime', 'RUNTIME'],
    ['kernels', 'record', 'small.onnx', '--runtime', 'RUNTIME', '-o', 'out/kernels.json'],
    ['kernels', 'extract', 'small.onnx', '--runtime', 'RUNTIME', '--out', 'out/extracted'],
    ['kernels', 'bench', 'small.onnx', '--runtime', 'RUNTIME', '--iter', '2'],
    ['kernels', 'dag', 'small.onnx', '--runtime', 'RUNTIME', '--by', 'time', '--iter', '2', '--out', 'out/dag'],
    ['plan', 'search', 'small.onnx', '--devices', 'RUNTIME@CPU,sim:box', '--pieces', '2', '--runs', '1'],
    ['plan', 'run', 'small.onnx', '--devices', 'RUNTIME@CPU', '--pieces', '2', '--runs', '1', '--rounds', '1', '--batches', '2'],
    ['pipeline', 'run', 'RUNTIME.yaml', '--trace', ''],
    ['pipeline', 'interference', 'RUNTIME.yaml', '--batches', '10', '--rounds', '2'],
]
OF_ONNXRUNTIME = [
    ['zoo', 'export', '--config', 'zoo.yaml', '--optimised', '-o', 'out/zoo'],
    ['predict', 'small.onnx', '--predictor', 'predictor'],
]
ROWS = {
    'openvino': [['sweep', '--all', '--devices', 'CPU', '--cases', 'cases.json', '--out', 'out/sweep', '--warmup', '0',
                  '--iterations', '2', '--rounds', '1', '--table', 'measurements', '--format', 'csv']],
    'onnxruntime': [['collect', '--models', 'small.onnx', '-o', 'out/dataset.csv', '--rounds', '1', '--time', '20ms',
                     '--accept-disturbed', '--format', 'json'],
                    ['evaluate', 'small.onnx', '--predictor', 'predictor', '--rounds', '1', '--time', '20ms', '--format',
                     'json']],
}
# Nobody asks these for the runtime that goes wrong.
UNASKED = [
    ('openvino', ['run', 'dynamic.onnx', '--input', 'x:{2,4}', '--runtime', 'onnxruntime', '--iter', '2']),
    ('openvino', ['run', 'dynamic.onnx', '--input', 'x:{2,4}', '--device', 'sim:box', '--iter', '2']),
    ('onnxruntime', ['run', 'dynamic.onnx', '--input', 'x:{2,4}', '--device', 'sim:box', '--iter', '2']),
    ('onnxruntime', ['run', 'dynamic.onnx', '--device', 'sim:box', '--iter', '2']),
    ('onnxruntime', ['run', 'dynamic.onnx', '--input', 'x:{2,4}', '--runtime', 'openvino', '--iter', '2']),
    ('onnxruntime', ['run', 'dynamic.onnx', '--runtime', 'openvino', '--iter', '2']),
    ('openvino', ['run', 'asking.onnx', '--runtime', 'onnxruntime', '--iter', '2']),
    ('openvino', ['kernels', 'list', 'asking.onnx', '--runtime', 'onnxruntime']),
    ('openvino', ['plan', 'cut', 'dynamic.onnx', '--list']),
    ('onnxruntime', ['plan', 'cut', 'dynamic.onnx', '--list']),
    ('openvino', ['predict', 'small.onnx', '--predictor', 'predictor']),
    ('openvino', ['plan', 'cut', 'small.onnx', '--list']),
    ('onnxruntime', ['plan', 'cut', 'small.onnx', '--list']),
    ('openvino', ['plan', 'cut', 'small.onnx', '--out', 'out/pieces']),
    ('openvino', ['zoo', 'export', '--config', 'zoo.yaml', '-o', 'out/zoo']),
    ('onnxruntime', ['zoo', 'export', '--config', 'zoo.yaml', '-o', 'out/zoo']),
    ('onnxruntime', ['pipeline', 'run', 'openvino.yaml', '--trace', '']),
    ('openvino', ['pipeline', 'run', 'onnxruntime.yaml', '--trace', '']),
    ('openvino', ['pipeline', 'run', 'onnxruntime.yaml', '--simulate', '--trace', '']),
    ('openvino', ['fit', 'kernels.csv', '-o', 'out/predictor', '--folds', '2', '--no-baselines']),
    ('openvino', ['devices']),
    ('onnxruntime', ['devices']),
]


def runtimes():
    told = subprocess.run([TAKT, '--version'], capture_output=True, encoding='utf-8', check=True).stdout
    return {name for name in CALLS if name in told}


class Crashes(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix='takt_crashes_')
        self.addCleanup(place.cleanup)
        self.path = pathlib.Path(place.name).resolve()
        subprocess.run([MAKE_MODELS, self.path], check=True)
        for name in CALLS:
            (self.path / f'{name}.yaml').write_text(PIPELINE.replace('RUNTIME', name), encoding='utf-8')
        shutil.copy(HERE.parent / 'cli' / 'box.yaml', self.path)
        # Of an operator whose shapes ONNX Runtime does not tell.
        shutil.copy(HERE / 'models' / 'normalize_after_scaler.onnx', self.path / 'asking.onnx')
        (self.path / 'cases.json').write_text(json.dumps(CASES), encoding='utf-8')
        (self.path / 'zoo.yaml').write_text('models:\n  - {family: mlp, depth: 3}\n', encoding='utf-8')
        (self.path / 'alike').mkdir()
        for number in range(5):  # architectures, as far as their names tell
            shutil.copy(self.path / 'small.onnx', self.path / 'alike' / f'kind{number}_b1.onnx')

    def start(self, words, limit=120, **faults):
        for name in ('out', 'tmp'):
            shutil.rmtree(self.path / name, ignore_errors=True)
            (self.path / name).mkdir()
        environment = {**os.environ, 'TMPDIR': str(self.path / 'tmp'), 'TAKT_CACHE_DIR': str(self.path / 'cache'), **faults}
        return subprocess.run([TAKT, *words], cwd=self.path, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=limit, encoding='utf-8', check=False)

    def nothing_is_left(self):
        self.assertEqual(os.listdir(self.path / 'tmp'), [])
        self.assertEqual([str(file) for file in self.path.rglob('.takt-*')], [])

    def one_sentence(self, done):
        lines = [line for line in re.split('[\r\n]+', answer(done.stderr)) if line.startswith('takt: ')]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertLess(len(lines[0]), 700)
        return lines[0]

    def each_wrong(self, commands, calls, look_at):
        """Commands and calls, each with a deed; with --all with every deed. What happened is looked at."""
        number = 0
        for words, call in itertools.product(commands, calls):
            for deed in DEEDS if ALL else [DEEDS[number % len(DEEDS)]]:
                number += 1
                with self.subTest(command=' '.join(words), call=call, deed=deed):
                    done = self.start(words, LD_PRELOAD=str(FAILING_SDKS), TAKT_SDK_CALL=call, TAKT_SDK_DEED=deed)
                    self.nothing_is_left()
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                    look_at(done, words, call, deed)

    def predictor(self):
        for words in (['collect', '--models', 'alike', '-o', 'kernels.csv', '--rounds', '1', '--time', '5ms', '--accept-disturbed'],
                      ['fit', 'kernels.csv', '-o', 'predictor', '--folds', '2', '--no-baselines']):
            done = self.start(words)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_was_asked_for_and_crashes_is_one_sentence(self):
        self.predictor()
        reached = dict.fromkeys(itertools.chain(*CALLS.values()), 0)

        def look_at(done, words, call, deed):
            if done.returncode == 0:  # a command that does not come to this call
                self.assertNotEqual(words[0], 'run', done.stdout)
                return
            reached[call] += 1
            # Several ways to run a model are compared although one fails: then it is told in the answer.
            sentence = self.one_sentence(done) if done.stderr or '--vary' not in words else done.stdout
            self.assertIn(call.split('.')[0], sentence)
            if deed != 'throw':
                self.assertIn('crashed (signal', sentence)

        for runtime in sorted(runtimes()):
            commands = [[word.replace('RUNTIME', runtime) for word in words] for words in COMMANDS]
            self.each_wrong(commands + (OF_ONNXRUNTIME if runtime == 'onnxruntime' else []), CALLS[runtime], look_at)
        for call, times in reached.items():
            if call.split('.')[0] in runtimes():
                self.assertGreater(times, 3, call)

    def test_what_crashes_in_a_process_of_its_own_costs_a_row(self):
        self.predictor()

        def look_at(done, _, call, deed):
            told = done.stdout + done.stderr
            self.assertIn(call.split('.')[0], told)
            if deed != 'throw':
                self.assertIn('crashed (signal', told)

        for runtime in sorted(runtimes()):
            self.each_wrong(ROWS[runtime], CALLS[runtime], look_at)

    def test_what_was_not_asked_for_costs_nothing(self):
        self.predictor()
        for runtime, words in UNASKED:
            if runtime not in runtimes():
                continue
            usual = self.start(words)
            self.assertEqual(usual.returncode, 0, usual.stderr)

            def look_at(done, *_, usual=usual):
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.plain(done.stderr), self.plain(usual.stderr))

            self.each_wrong([words], CALLS[runtime], look_at)

    @staticmethod
    def plain(stderr):
        """Without figures, which no two runs have alike."""
        return re.sub(r'[\d.]+', '#', answer(stderr))

    def test_what_was_not_asked_for_and_hangs_is_left_at_the_limit(self):
        asking_openvino = ['run', 'asking.onnx', '--runtime', 'onnxruntime', '--iter', '2']
        for call, words in (('openvino.read', asking_openvino), ('openvino.start', ['devices', '--format', 'json']),
                            ('onnxruntime.load', UNASKED[2][1])):
            if call.split('.')[0] not in runtimes():
                continue
            with self.subTest(command=' '.join(words), call=call):
                done = self.start(words, LD_PRELOAD=str(FAILING_SDKS), TAKT_SDK_CALL=call, TAKT_SDK_DEED='hang',
                                  TAKT_ASK_SECONDS='1')
                self.nothing_is_left()
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn('no answer within 1', done.stdout + done.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
