#!/usr/bin/env python3
"""mutants_test.py TAKT MAKE_ZOO MUTATE_MODELS [COUNT [SEED]]: COUNT models with random changes to their structure, through
commands that read models and on every runtime: exit 0 or 1, on failure one sentence that is no monster, never a signal. And
the models that are known to kill an SDK's reader.
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'cli'))
from answers import answer  # noqa: E402
from sanitized import repeats  # noqa: E402

TAKT, MAKE_ZOO, MUTATE_MODELS = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
COUNT = int(sys.argv[4]) if len(sys.argv) > 4 else 12
SEED = sys.argv[5] if len(sys.argv) > 5 else '1'
KNOWN = HERE / 'models'
LEFT_OUT = {'big', 'huge'}  # of the zoo


def runtimes():
    told = subprocess.run([TAKT, '--version'], capture_output=True, encoding='utf-8', check=True).stdout
    return [name for name in ('onnxruntime', 'openvino') if name in told]


def commands(model):
    for runtime in runtimes():
        yield ['run', model, '--runtime', runtime, '--iter', '2']
    yield ['run', model, '--device', 'sim:CPU', '--iter', '2']
    yield ['kernels', 'list', model]
    yield ['plan', 'cut', model, '--list']


class Mutants(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix='takt_mutants_')
        self.addCleanup(place.cleanup)
        self.path = pathlib.Path(place.name).resolve()
        (self.path / 'tmp').mkdir()

    def start(self, words):
        environment = {**os.environ, 'TMPDIR': str(self.path / 'tmp'), 'TAKT_CACHE_DIR': str(self.path / 'cache')}
        try:
            return words, subprocess.run([TAKT, *words], cwd=self.path, env=environment, stdin=subprocess.DEVNULL,
                                         capture_output=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return words, None

    def look_at(self, words, done):
        with self.subTest(command=' '.join(str(word) for word in words)):
            self.assertIsNotNone(done, 'it does not end')
            told = answer(done.stderr.decode('utf-8', 'strict'))
            self.assertIn(done.returncode, (0, 1), told)
            if done.returncode == 0:
                self.assertTrue(done.stdout)
                return
            lines = [line for line in re.split('[\r\n]+', told) if line.startswith('takt: ')]
            self.assertEqual(len(lines), 1, told)
            self.assertLess(len(lines[0]), 1000, told)
            self.assertNotIn('a bug in takt', told)
            model = next(word for word in words if isinstance(word, pathlib.Path))
            self.assertIn(model.stem[:60], lines[0])

    def try_all(self, models):
        ends = collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for words, done in pool.map(self.start, [words for model in models for words in commands(model)]):
                self.look_at(words, done)
                ends[(' '.join(words[:2]) if words[0] != 'run' else f'run {words[3]}', done and done.returncode)] += 1
                crashed = b'crashed' in (done.stderr if done else b'')
                ends[('told a crash', None)] += crashed
        self.assertEqual(os.listdir(self.path / 'tmp'), [])
        return ends

    def test_models_with_changes_are_run_or_refused(self):
        subprocess.run([MAKE_ZOO, self.path / 'zoo'], check=True)
        zoo = sorted(file for file in (self.path / 'zoo').glob('*.onnx') if file.stem not in LEFT_OUT)
        subprocess.run([MUTATE_MODELS, self.path / 'mutants', SEED, str(repeats(COUNT)), *zoo], check=True)
        ends = self.try_all(sorted((self.path / 'mutants').glob('*.onnx')))
        print(f'{repeats(COUNT)} mutants, seed {SEED}:', dict(ends))

    def test_models_that_kill_a_reader_run_where_they_can(self):
        models = sorted(KNOWN.glob('*.onnx'))
        self.assertGreater(len(models), 2)
        self.try_all(models)
        if 'onnxruntime' not in runtimes():
            return
        for name in ('scaler_before_clip', 'normalize_after_scaler', 'operator_without_inputs'):
            for words in commands(KNOWN / f'{name}.onnx'):
                _, done = self.start(words)
                told = done.stderr.decode('utf-8')
                if 'openvino' in words and name != 'operator_without_inputs':
                    self.assertIn('openvino: crashed', told)
                else:
                    self.assertEqual(done.returncode, 0, f'{words}: {told}')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
