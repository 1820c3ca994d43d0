#!/usr/bin/env python3
"""sentences_test.py TAKT MAKE_MODELS: figures in sentences are those of the files and tables beside them.

Of the commands that need a real runtime, whose figures no transcript can hold: collect, fit, predict, kernels record and
kernels extract. Exits 77 where the binary has no ONNX Runtime.
"""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from answers import answer

TAKT, MAKE_MODELS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
UNITS = {'ns': 1e-3, 'µs': 1, 'ms': 1e3, 's': 1e6}
TIME = r'([\d.]+) (ns|µs|ms|s)'


def microseconds(number, unit):
    return float(number) * UNITS[unit]


class Sentences(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix='takt_sentences_')
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.environment = {**os.environ, 'TAKT_FIXED_PROVENANCE': '1', 'TAKT_CACHE_DIR': str(cls.folder / 'cache')}
        subprocess.run([MAKE_MODELS, cls.folder], check=True)
        (cls.folder / 'alike').mkdir()
        for name in ('one', 'two', 'three', 'four', 'five'):
            shutil.copy(cls.folder / 'small.onnx', cls.folder / 'alike' / f'{name}.onnx')

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def takt(self, *words):
        done = subprocess.run([TAKT, *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=200, encoding='utf-8', check=False)
        self.assertEqual(done.returncode, 0, f'takt {" ".join(words)}: {answer(done.stderr)}')
        return done.stdout

    def figures(self, pattern, text):
        """The groups of what the text has of this pattern, once."""
        found = re.findall(pattern, text)
        self.assertEqual(len(found), 1, f'{pattern}\nin\n{text}')
        return found[0] if isinstance(found[0], tuple) else (found[0],)

    def dataset(self):
        with open(self.folder / 'kernels.csv', encoding='utf-8', newline='') as file:
            return list(csv.DictReader(file))

    def test_from_a_collection_to_a_prediction(self):
        said = self.takt('collect', '--models', 'alike', '-o', 'kernels.csv', '--rounds', '1', '--time', '5ms', '--accept-disturbed')
        rows = self.dataset()
        kernels, models = self.figures(r'\n(\d+) kernels of (\d+) models in kernels.csv\n', said)
        self.assertEqual((int(kernels), int(models)), (len(rows), 5))
        # Two of the models are of one architecture, and all are told to have run with two threads.
        for row in rows:
            row['threads'] = '2'
            if row['model'] == 'two.onnx':
                row['architecture'] = 'one'
        with open(self.folder / 'kernels.csv', 'w', encoding='utf-8', newline='') as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator='\n')
            writer.writeheader()
            writer.writerows(rows)
        said = self.takt('fit', 'kernels.csv', '-o', 'predictor', '--folds', '2')
        told = self.figures(r'trained on (\d+) kernels of (\d+) models \((\d+) architectures\), (\w+) with (\d+) threads; wrote predictor\n', said)
        self.assertEqual(told, (str(len(rows)), '5', '4', rows[0]['runtime'], '2'))
        predictor = json.loads((self.folder / 'predictor' / 'predictor.json').read_text(encoding='utf-8'))
        self.assertEqual([predictor[key] for key in ('kernels', 'models', 'architectures', 'threads')], [len(rows), 5, 4, 2])
        self.look_at_prediction()

    def look_at_prediction(self):
        words = ('predict', 'small.onnx', '--predictor', 'predictor')
        said = self.takt(*words)
        row = json.loads(self.takt(*words, '--format', 'json'))['tables']['summary'][0]
        told = self.figures(rf'^small.onnx: {TIME} \(90 % interval: {TIME} to {TIME}\)\n', said)
        for place, key in enumerate(('predicted_ms', 'low_ms', 'high_ms')):
            self.assertAlmostEqual(microseconds(*told[2 * place:2 * place + 2]) / 1000 / row[key], 1, delta=0.006, msg=key)
        shares = self.figures(r'  kernel time: ([\d.]+) % from measured kernels, ([\d.]+) % from trained regressions,\s+([\d.]+) % from the roofline', said)
        for share, key in zip(shares, ('measured_percent', 'trained_percent', 'roofline_percent')):
            self.assertAlmostEqual(float(share), row[key], delta=0.051, msg=key)

    def test_of_kernels_count_what_is_there(self):
        shutil.copy(self.folder / 'small.onnx', self.folder / 'again.onnx')
        said = self.takt('kernels', 'record', 'small.onnx', 'again.onnx', '-o', 'all.json')
        file = json.loads((self.folder / 'all.json').read_text(encoding='utf-8'))
        told = self.figures(r'^(\d+) kernels of (\d+) models, (\d+) different ones, in all.json\n', said)
        kernels = sum(len(model['kernels']) for model in file['models'])
        self.assertEqual(told, (str(kernels), '2', str(len(file['records']))))
        self.assertGreater(kernels, len(file['records']))
        words = ('kernels', 'extract', 'small.onnx', '--out', 'extracted')
        said = self.takt(*words)
        rows = json.loads(self.takt(*words, '--format', 'json'))['tables']['extracted']
        count, compared, apart = self.figures(r'\n(\d+) models of kernels in .*; (\d+) compared with the model, largest difference (\S+)', said)
        self.assertEqual(int(count), len(list((self.folder / 'extracted').rglob('*.onnx'))))
        differences = [row['kernel_difference'] for row in rows if row['kernel_difference'] is not None]
        self.assertEqual(int(compared), len(differences))
        self.assertAlmostEqual(float(apart), max(differences), delta=0.051 * max(differences))


def has_onnxruntime():
    told = subprocess.run([TAKT, 'devices', '--format', 'json'], check=True, stdout=subprocess.PIPE).stdout
    return any(row['runtime'] == 'onnxruntime' and row['device'] == 'CPU' and row['usable'] == 'yes'
               for row in json.loads(told)['tables']['devices'])


if __name__ == '__main__':
    if not has_onnxruntime():
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
