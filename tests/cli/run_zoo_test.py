#!/usr/bin/env python3
"""run_zoo_test.py TAKT MAKE_ZOO MAKE_SIZES: takt run, without a flag about the model, on models that are odd but valid,
and on models as users have them whose sizes are open.

Checked on every real runtime of the binary: exit 0, the operators' times add up to the measured time, takt analyze
reads the profile, chosen dimensions are said. Where a runtime itself cannot run a model, the refusal is one sentence
with the cause. Exit code 77 where the binary has no real runtime.
"""
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from answers import answer
from sanitized import IS_SANITIZED

TAKT, MAKE_ZOO, MAKE_SIZES = (pathlib.Path(word).resolve() for word in sys.argv[1:4])

# What a runtime cannot do, and words of the sentence that says so.
REFUSALS = {
    ('onnxruntime', 'names_repeated'): 'two nodes with same node name',
    ('onnxruntime', 'none_fits'): "a number for each open dimension of --input 'x:{?,?}'",
    ('onnxruntime', 'sequence_input'): 'is not a tensor',
    ('openvino', 'function_local'): 'does not support the operator local.Twice',
    ('openvino', 'map_output'): 'Unsupported value_info type',
    ('openvino', 'ml_trees'): 'does not support the operator ai.onnx.ml.TreeEnsembleRegressor',
    ('openvino', 'none_fits'): "a number for each open dimension of --input 'x:{?,?}'",
    ('openvino', 'optional_output'): 'does not support the operator Optional',
    ('openvino', 'sequence_input'): 'is not a tensor',
    ('openvino', 'sequence_output'): 'does not support the operator',
    ('openvino', 'speech_spectrogram'): 'Shape of signal input must be static',
    ('openvino', 'speech_voice'): "rank has to be known",
    ('openvino', 'table_linear'): 'does not support the operator',
    ('openvino', 'table_trees'): 'does not support the operator',
    ('openvino', 'table_trees_of_doubles'): 'does not support the operator',
    ('openvino', 'type_string'): 'does not support the operator ai.onnx.ml.LabelEncoder',
    ('openvino', 'type_string_identity'): "holds strings, which OpenVINO's devices do not run",
}
# Shapes that the operators force on open dimensions.
SHAPES = {
    'dims_image': {'image': [1, 3, 224, 224]},
    'dims_image_unnamed': {'image': [1, 3, 224, 224]},
    'dims_features': {'x': [1, 13]},
    'dims_features_784': {'x': [1, 784]},
    'dims_unknown_rank': {'x': [1, 16]},
    'dims_shared_symbols': {'x': [1, 16], 'y': [16, 1]},
    'dims_wave': {'x': [1, 1, 400]},
}
# Shapes as users have them, and what a note has to say.
USUAL = {
    'detect_bytes': {'input_tensor': [1, 224, 224, 3]},
    'detect_open': {'input_tensor': [1, 224, 224, 3]},
    'detect_planes': {'input_tensor': [1, 3, 224, 224]},
    'detect_unnamed': {'input_tensor': [1, 3, 224, 224]},
    'picture_camera': {'image': [1, 224, 224, 3]},
    'picture_camera_open': {'image': [1, 224, 224, 3]},
    'picture_floats_last': {'image': [1, 224, 224, 3]},
    'speech_recurrent': {'features': [16, 1, 40], 'h0': [1, 1, 24]},
    'speech_spectrogram': {'audio_signal': [1, 16000]},
    'speech_voice': {'state': [2, 1, 16]},
    'speech_wave': {'input_values': [1, 16000]},
    'table_linear': {'X': [1, 11]},
    'table_trees': {'X': [1, 30]},
    'table_trees_of_doubles': {'X': [1, 7]},
    'text_decoder': {'attention_mask': [1, 32]},
    'text_masked': {'input_ids': [1, 16], 'token_type_ids': [1, 16]},
    'text_unnamed': {'input_ids': [1, 16], 'token_type_ids': [1, 16]},
}
SAID = {'speech_voice': "the generated values of input 'sr' decide which branch runs"}


def run(*words, cwd='/'):
    return subprocess.run(list(map(str, words)), cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                          encoding='utf-8')


def real_runtimes():
    devices = json.loads(run(TAKT, 'devices', '--format', 'json').stdout)['tables']['devices']
    return [row['runtime'] for row in devices
            if row['runtime'] != 'sim' and row['device'] == 'CPU' and row['usable'] == 'yes']


def fault(runtime, model):
    """What is wrong with takt's run of the model; empty if nothing."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(TAKT, 'run', model, '--runtime', runtime, '--profile', 'p.json', '--trace', 't.json', '--iter', 2,
                   '--warmup-iter', 1, '--threads', 1, '--model-info', cwd=folder)
        refusal = REFUSALS.get((runtime, model.stem))
        if refusal:
            ok = done.returncode == 1 and refusal in done.stderr and answer(done.stderr).count('\n') == 1
            return '' if ok else f'exit {done.returncode}, not refused as expected: {done.stderr}'
        if done.returncode != 0:
            return f'exit {done.returncode}: {done.stderr}'
        whole = json.loads(pathlib.Path(folder, 'p.json').read_text(encoding='utf-8'))
        profile = whole['takt']['profile']
        total = sum(row['total_ns'] for row in profile['operators'].values()) + profile['unattributed_ns']
        if total != profile['measured_ns']:
            return f'operators add up to {total} ns of {profile["measured_ns"]} ns'
        if SAID.get(model.stem, '') not in ' '.join(done.stdout.split()):
            return f'not said: {SAID[model.stem]}: {done.stdout}'
        for name, shape in (SHAPES | USUAL).get(model.stem, {}).items():
            text = '{' + ','.join(map(str, shape)) + '}'
            if f'{name} {text}' not in done.stdout:
                return f'input {name} is not {text}: {done.stdout[:400]}'
        json.loads(pathlib.Path(folder, 't.json').read_text(encoding='utf-8'))
        analyzed = run(TAKT, 'analyze', 'p.json', cwd=folder)
        return f'analyze: {analyzed.stderr}' if analyzed.returncode else ''


class Zoo(unittest.TestCase):
    def test_every_model_runs_or_is_refused_in_one_sentence(self):
        self.check_all(MAKE_ZOO, 60)

    def test_models_with_open_sizes_run_without_a_flag(self):
        self.check_all(MAKE_SIZES, 20)

    def check_all(self, maker, at_least):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(maker, folder).returncode, 0)
            models = sorted(pathlib.Path(folder).glob('*.onnx'))
            self.assertGreater(len(models), at_least)
            if IS_SANITIZED:
                models = models[::6]
            pairs = [(runtime, model) for runtime in real_runtimes() for model in models]
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                for pair, wrong in zip(pairs, pool.map(lambda pair: fault(*pair), pairs)):
                    with self.subTest(runtime=pair[0], model=pair[1].stem):
                        self.assertEqual(wrong, '')


class Options(unittest.TestCase):
    """Options whose effect only a real runtime shows."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.assertEqual(run(MAKE_ZOO, self.folder.name).returncode, 0)

    def takt(self, *words, exits=0):
        done = run(TAKT, 'run', *words, '--iter', 3, '--threads', 1, cwd=self.folder.name)
        self.assertEqual(done.returncode, exits, f'{words}: {done.stderr}')
        return done

    def test_every_tensor_is_dumped_and_both_forms_agree(self):
        for runtime in real_runtimes():
            with self.subTest(runtime=runtime):
                bins = pathlib.Path(self.folder.name, f'bin-{runtime}')
                bins.mkdir()
                self.takt('opset_17.onnx', '--runtime', runtime, '--io-dump', 'v.txt', '--bin_io_dump', bins, '--no-ops')
                blocks = [line for line in pathlib.Path(self.folder.name, 'v.txt').read_text().splitlines()
                          if line.startswith('var')]
                self.assertGreaterEqual(len(blocks), 5, blocks)
                self.assertEqual(len(blocks), len(list(bins.iterdir())))
                self.assertIn('owner_opr=', blocks[-1])

    def test_optimised_model_and_cache_load_again(self):
        for runtime in real_runtimes():
            with self.subTest(runtime=runtime):
                written = 'o.xml' if runtime == 'openvino' else 'o.onnx'
                self.takt('opset_7.onnx', '--runtime', runtime, '--optimized-model-out', written, '--no-ops')
                self.takt(written, '--runtime', runtime)
                for _ in range(2):
                    self.takt('opset_7.onnx', '--runtime', runtime, '--cache', f'cache-{runtime}')
                self.assertTrue(list(pathlib.Path(self.folder.name, f'cache-{runtime}').iterdir()))

    def test_instances_cores_copies_checks_and_fitting(self):
        core = sorted(os.sched_getaffinity(0))[0]
        for runtime in real_runtimes():
            with self.subTest(runtime=runtime):
                on = ('opset_17.onnx', '--runtime', runtime)
                both = json.loads(self.takt(*on, '--thread', 2, '--format', 'json').stdout)['tables']
                self.assertEqual([row['instance_runs'] for row in both['instances']], [3, 3])
                self.assertIn(f'pinned to cores {core}', self.takt(*on, '--core-ids', core).stdout)
                self.takt(*on, '--copy-to-host', '--check-var-value', 1, '--range', 1.5)
                self.assertIn('--range requires', self.takt(*on, '--range', 1e-9, exits=1).stderr)
                tried = json.loads(self.takt(*on, '--fitting', '--format', 'json', '--no-ops').stdout)['tables']
                self.assertEqual(sum(row['chosen'] == 'yes' for row in tried['fitting']), 1)

    def test_precision_is_refused_or_told(self):
        for runtime in real_runtimes():
            refused = runtime == 'onnxruntime'
            done = self.takt('opset_17.onnx', '--runtime', runtime, '--precision', 'bf16', exits=int(refused))
            # Not every processor has bfloat16: then OpenVINO computes in another precision, and takt says so.
            self.assertRegex(' '.join((done.stderr + done.stdout).split()), 'convert the model' if refused else
                             'may compute in bfloat16, as requested|bfloat16 was requested, but the device computes in float32')

    def test_control_c_prints_what_was_measured(self):
        words = [TAKT, 'run', 'opset_17.onnx', '--iter', 10000000, '--no-ops', '--format', 'json']
        with subprocess.Popen(list(map(str, words)), cwd=self.folder.name, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            time.sleep(3)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertGreater(json.loads(out)['tables']['summary'][0]['iterations'], 0)


if __name__ == '__main__':
    if not real_runtimes():
        print('skipped: this takt has no real runtime')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
