#!/usr/bin/env python3
"""plan_numbers_test.py TAKT MAKE_NUMBERS SPOILED_OPENVINO: 'takt plan run' calls right what is right in every precision, and
nothing that is wrong. Wrong is OpenVINO with a library before it that changes its outputs (TAKT_SPOIL), and where OpenVINO
itself computes something else than the model says."""
import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from answers import answer
from sanitized import IS_SANITIZED, not_sanitized

TAKT, MAKE_NUMBERS, SPOILED = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
UNITS = ['--devices', 'onnxruntime@CPU,openvino@CPU', '--threads', '1']
QUICK = ['--pieces', '3', '--runs', '1', '--rounds', '1', '--batches', '2', '--no-interference']
# Refused while its pieces are measured: the outputs of a single inference are wrong.
AT_ONCE = ['one_nan', 'all_nan', 'one_infinity', 'minus_infinity', 'half_overflow', 'zeros', 'scaled', 'negative', 'bfloat',
           'row_off_by_one', 'rows_swapped', 'last_row_missing', 'reversed', 'one_element', 'outputs_swapped']
OF_NAN = ['number_for_nan', 'nan_elsewhere']
# The first inference is right.
LATER = ['stale', 'accumulated']
PRECISIONS = ['convolutions_f16', 'perceptron_f16', 'attention_f16', 'convolutions_bf16', 'perceptron_bf16', 'convolutions_i8',
              'perceptron_i8', 'weights_i8', 'weights_i4', 'dynamic_i8']
if IS_SANITIZED:  # what is wrong differs, the code that finds it does not
    AT_ONCE, OF_NAN, LATER, PRECISIONS = AT_ONCE[:2], OF_NAN[:1], LATER[:1], PRECISIONS[::4]


def setUpModule():
    said = subprocess.run([TAKT, 'devices'], capture_output=True, encoding='utf-8', check=False).stdout
    if 'openvino' not in said or 'onnxruntime' not in said:
        print('this binary lacks OpenVINO or ONNX Runtime')
        sys.exit(77)


class Numbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix='takt_numbers_')
        cls.path = pathlib.Path(cls.folder.name)
        subprocess.run([MAKE_NUMBERS, cls.path], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def plan_run(self, model, *words, spoil=None, code=0):
        settings = {**os.environ, **({'LD_PRELOAD': str(SPOILED), 'TAKT_SPOIL': spoil} if spoil else {})}
        done = subprocess.run([TAKT, 'plan', 'run', f'{model}.onnx', *QUICK, *words], cwd=self.path, capture_output=True,
                              encoding='utf-8', timeout=120, check=False, env=settings)
        self.assertEqual(done.returncode, code, f'{model} {words} {spoil}: {done.stdout}{done.stderr}')
        return done.stdout if code == 0 else answer(done.stderr)

    def numbers(self, model, *words, **how):
        rows = list(csv.DictReader(io.StringIO(self.plan_run(model, *UNITS, '--format', 'csv', '--table', 'plan_runs', *words, **how))))
        return {row['plan']: row['numbers'] for row in rows}

    def refused(self, model, spoil, plan='openvino@CPU[1-3]'):
        said = self.plan_run(model, *UNITS, '--plan', plan, '--top', '0', spoil=spoil, code=1)
        self.assertIn('differ from those of the model', said, f'{model} {spoil}')
        self.assertEqual(said.count('\n'), 1, said)

    def test_a_wrong_output_is_refused(self):
        for spoil in AT_ONCE:
            with self.subTest(spoil):
                self.refused('two_outputs', spoil)
        for spoil in OF_NAN:
            with self.subTest(spoil):
                self.refused('with_nan', spoil, 'openvino@CPU[1-2]')
        self.refused('class_of', 'index')

    def test_what_a_unit_keeps_of_the_batch_before_is_refused(self):
        for spoil in LATER:
            with self.subTest(spoil):
                self.refused('two_outputs', spoil)

    def test_the_same_runs_without_the_fault_are_right(self):
        for model, last in (('two_outputs', 3), ('with_nan', 2), ('class_of', 3)):
            for plan, numbers in self.numbers(model, '--plan', f'openvino@CPU[1-{last}]').items():
                self.assertEqual(numbers, 'right', f'{model}: {plan}')

    def test_a_filter_that_openvino_leaves_out_is_refused_and_never_chosen(self):
        said = self.plan_run('antialias', *UNITS, '--plan', 'openvino@CPU[1-3]', code=1)
        self.assertIn('differ from those of the model', said)
        found = self.numbers('antialias', '--objective', 'throughput', '--top', '5')
        self.assertEqual(set(found.values()), {'right'})
        self.assertEqual([plan for plan in found if plan.endswith('openvino@CPU[3]') or plan == 'openvino@CPU[1-3]'], [])
        self.plan_run('antialias', '--devices', 'openvino@CPU', code=1)
        self.plan_run('antialias', *UNITS, '--plan', 'openvino@CPU[1-3]', '--no-check')

    def test_models_of_halves_and_quantised_ones_are_placed_and_right(self):
        for model in PRECISIONS:
            with self.subTest(model):
                found = self.numbers(model, '--objective', 'throughput', '--top', '2')
                self.assertEqual(set(found.values()), {'right'}, found)

    @not_sanitized
    def test_what_nobody_can_tell_is_said_so(self):
        for model, why in (('class_of_nothing', 'depend on rounding'), ('with_noise', "RandomNormalLike 'noise'"),
                           ('only_nan', 'yields only NaN or infinity')):
            with self.subTest(model):
                said = ' '.join(self.plan_run(model, *UNITS).split())
                self.assertIn('The outputs could not be checked', said)
                self.assertIn(why, said)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
