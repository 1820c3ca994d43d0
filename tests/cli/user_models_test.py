#!/usr/bin/env python3
"""user_models_test.py TAKT MAKE_USER_MODELS: models, inputs and devices as users have and spell them.

Each property is one of a public report: dimensions of -1, outputs that come in another size than the file declares,
values that decide sizes, no inputs, files of several lengths, models through pipes and links of a hub's cache. Checked
on every real runtime of the binary; exit code 77 where it has none.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from answers import answer
from stateful_ir import write_limited, write_sum_with_state

TAKT, MAKE = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
MODELS = tempfile.TemporaryDirectory(prefix='takt_user_')
subprocess.run([MAKE, MODELS.name], check=True)


def call(*words, cwd=MODELS.name, **settings):
    environment = {**os.environ, 'LC_ALL': 'C.UTF-8', 'COLUMNS': '200', **settings.pop('env', {})}
    return subprocess.run(list(map(str, words)), cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=300, encoding='utf-8', **settings)


def real_runtimes():
    rows = json.loads(call(TAKT, 'devices', '--format', 'json').stdout)['tables']['devices']
    return sorted({row['runtime'] for row in rows
                   if row['runtime'] != 'sim' and row['device'] == 'CPU' and row['usable'] == 'yes'})


RUNTIMES = real_runtimes()


class UserModels(unittest.TestCase):
    def tables(self, *words, exits=0, iterations=3):
        done = call(TAKT, 'run', *words, '--iter', iterations, '--threads', 1, '--format', 'json')
        self.assertEqual(done.returncode, exits, f'{words}: {done.stderr}')
        return json.loads(done.stdout)['tables']

    def shapes(self, *words):
        return {row['input']: row['shape'] for row in self.tables(*words)['inputs']}

    def notes(self, *words):
        return [row['note'] for row in self.tables(*words)['notes']]

    def refused(self, *words, exits=1):
        done = call(TAKT, *words)
        said = answer(done.stderr)
        self.assertEqual((done.returncode, said.count('\n')), (exits, 1), f'{words}: {said}')
        return said

    def each(self, models, check):
        for runtime in RUNTIMES:
            for model in models:
                with self.subTest(runtime=runtime, model=model):
                    check(runtime, model)

    def test_dimensions_of_minus_one_are_open(self):
        def check(runtime, model):
            self.assertEqual(self.shapes(model, '--runtime', runtime), {'input_ids': '{1,64}'})
            self.assertEqual(self.shapes(model, '--runtime', runtime, '--input', 'input_ids:{3,64}'),
                             {'input_ids': '{3,64}'})
        self.each(['minus_one.onnx', 'minus_one_symbol.onnx', 'minus_one_out.onnx'], check)

    @unittest.skipUnless('openvino' in RUNTIMES, 'models with variables are of OpenVINO')
    def test_state_is_kept_where_it_is_asked_for(self):
        write_sum_with_state(pathlib.Path(MODELS.name) / 'sum.xml')
        reset = self.notes('sum.xml')
        self.assertIn('the model keeps state from run to run (variable s); it is reset before every run', reset)
        tables = self.tables('sum.xml', '--keep-state', iterations=20)
        self.assertEqual([(row['state_step'], row['step_runs']) for row in tables['steps']],
                         [(step, 1) for step in range(1, 21)])
        tables = self.tables('sum.xml', '--state-steps', 4, iterations=10)
        self.assertEqual([row['step_runs'] for row in tables['steps']], [3, 3, 2, 2])
        self.assertIn('as asked for, each run continues the one before', json.dumps(tables['notes']))

    @unittest.skipUnless('openvino' in RUNTIMES, 'limits of dimensions are of OpenVINO')
    def test_limits_of_dimensions_are_shown_and_kept(self):
        model = pathlib.Path(MODELS.name) / 'limited.xml'
        write_limited(model, '1..10,300..')
        self.assertEqual(self.shapes('limited.xml'), {'x_0': '{1,300}'})
        self.assertIn("input 'x_0' is {1..10,300..} in the model; {1,300} was used", ' '.join(self.notes('limited.xml')))
        self.assertEqual(self.shapes('limited.xml', '--batch-size', 10), {'x_0': '{10,300}'})
        self.assertIn("shape {11,300} does not fit input 'x_0', which is {1..10,300..} in the model",
                      self.refused('run', 'limited.xml', '--input', '{11,300}'))
        self.assertIn("--batch-size 11: input 'x_0' is {1..10,300..} in the model; choose a batch within its limits",
                      self.refused('run', 'limited.xml', '--batch-size', 11))

    def test_state_is_of_one_session_that_has_some(self):
        for others in (['--requests', 2], ['--thread', 2], ['--fitting'], ['--check-var-value', '2']):
            self.assertIn('leave it out with --keep-state',
                          self.refused('run', 'minus_one.onnx', '--keep-state', *others, exits=2))
        self.assertIn('--keep-state changes nothing: the model keeps nothing from run to run',
                      self.notes('minus_one.onnx', '--keep-state'))

    def test_other_commands_read_them_as_open_too(self):
        for words in (['kernels', 'list', 'minus_one.onnx'], ['plan', 'cut', 'minus_one.onnx', '--list'],
                      ['plan', 'run', 'minus_one.onnx', '--devices', 'sim:CPU,sim:GPU', '--batches', '2', '--rounds', '1']):
            with self.subTest(words=words):
                done = call(TAKT, *words)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_outputs_may_come_in_another_size_than_declared(self):
        def check(runtime, model):
            notes = self.notes(model, '--runtime', runtime)
            said = [note for note in notes if note.startswith("output 'y' is {")]
            self.assertEqual(len(said), int(runtime == 'onnxruntime'), notes)
            for note in said:
                self.assertIn('but the runtime computes {1,8}', note)
        self.each(['zero_out.onnx', 'other_out.onnx'], check)
        pathlib.Path(MODELS.name, 'wrong.yaml').write_text(
            'batches: 3\nstages:\n  - {name: a, model: zero_out.onnx, device: CPU}\n', encoding='utf-8')
        done = call(TAKT, 'pipeline', 'run', 'wrong.yaml', '--trace', '')
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_values_that_decide_sizes_are_said(self):
        for seed in range(1, 5):
            notes = ' '.join(self.notes('matting.onnx', '--seed', seed))
            self.assertIn("the generated values of input 'downsample_ratio' decide the sizes (Resize 'shrink'); give your "
                          "own with --input 'downsample_ratio:VALUES'", notes)
        self.assertEqual(self.shapes('matting.onnx')['r1i'], '{1,1,1,1}')
        self.assertEqual(self.shapes('matting.onnx')['src'], '{1,3,224,224}')
        given = self.notes('matting.onnx', '--input', 'downsample_ratio:0.25')
        self.assertFalse([note for note in given if 'decide the sizes' in note], given)
        for runtime in RUNTIMES:
            notes = self.notes('ranges.onnx', '--runtime', runtime)
            for name in ('in1', 'in2', 'step'):
                self.assertTrue([note for note in notes if f"input '{name}' decide the sizes (Range 'positions')" in note],
                                notes)
        rows = {row['name']: row for row in self.tables('ranges.onnx')['operators']}
        self.assertEqual(rows['proj']['flops'], 16 * 32 * 32 * 2, 'sixteen positions')
        self.assertIn("input 'k' decide the sizes (TopK 'best')", ' '.join(self.notes('best.onnx')))

    def test_integers_suit_what_reads_them(self):
        def check(runtime, model):
            tables = self.tables(model, '--runtime', runtime, '--io-dump', 'values.txt')
            self.assertEqual({row['input']: row['shape'] for row in tables['inputs']},
                             {'whole': '{4}', 'parts': '{4}', 'token_type_ids': '{1,16}', 'lengths': '{1}'})
            notes = ' '.join(row['note'] for row in tables['notes'])
            self.assertIn("the generated values of input 'lengths' decide how long the sequences are (LSTM 'lstm')", notes)
            self.assertNotIn('rejected', notes)
            dump = pathlib.Path(MODELS.name, 'values.txt').read_text(encoding='utf-8')
            self.assertRegex(dump, r'name=lengths [^\n]*\n val: \[16\]')
        self.each(['particular.onnx'], check)

    @unittest.skipUnless('onnxruntime' in RUNTIMES, 'its operator')
    def test_a_decoder_has_all_its_words(self):
        asked = ['decoder.onnx', '--runtime', 'onnxruntime']
        tables = self.tables(*asked)
        self.assertEqual({row['input']: row['shape'] for row in tables['inputs']}['attention_mask'], '{1,32}')
        row = next(row for row in tables['operators'] if row['name'] == 'gqa')
        self.assertEqual(row['out_shapes'], '{1,16,64} {1,2,32,16} {1,2,32,16}', 'as executed')
        one_word = [*asked, '--input', 'input_ids:{1,1};past.key:{1,2,127,16};past.value:{1,2,127,16}']
        tables = self.tables(*one_word, '--io-dump', 'values.txt')
        self.assertEqual({row['input']: row['shape'] for row in tables['inputs']}['attention_mask'], '{1,128}')
        row = next(row for row in tables['operators'] if row['name'] == 'gqa')
        self.assertEqual(row['flops'], 4 * 128 * (2 * (16 + 16) + 5))
        dump = pathlib.Path(MODELS.name, 'values.txt').read_text(encoding='utf-8')
        self.assertRegex(dump, r'name=attention_mask [^\n]*\n val: [^\n]*min=1 max=1 ')

    def test_a_size_that_is_asked_for_is_that_of_the_picture(self):
        self.each(['resized.onnx'], lambda runtime, model: self.tables(model, '--runtime', runtime))

    def test_an_operator_for_nobody_is_no_fault(self):
        def check(runtime, model):
            for _ in range(3):  # parts of it are timed where recording disturbs it, as it mostly does
                self.tables(model, '--runtime', runtime, iterations=40)
        self.each(['dead_end.onnx'], check)

    @unittest.skipUnless('onnxruntime' in RUNTIMES, 'others divide by 0')
    def test_a_failure_is_of_the_users_file(self):
        for words in (['run', 'divided.onnx', '--requests', 2, '--iter', 4], ['run', 'divided.onnx', '--iter', 2],
                      ['kernels', 'extract', 'divided.onnx', '--all', '-o', 'k']):
            with self.subTest(words=words):
                said = self.refused(*words, '--input', 'parts:[0,0,0,0]')
                self.assertTrue(said.startswith('takt: divided.onnx: '), said)

    def test_sizes_that_are_cut_into_blocks_are_whole_ones(self):
        self.each(['blocks.onnx'], lambda runtime, model: self.assertEqual(
            self.shapes(model, '--runtime', runtime), {'x': '{1,9,224,224}'}))

    def test_a_model_without_outputs_is_refused(self):
        self.each(['no_outputs.onnx'], lambda runtime, model: self.assertIn(
            'the model has no outputs, so nothing of it is computed', self.refused('run', model, '--runtime', runtime)))

    @unittest.skipUnless('onnxruntime' in RUNTIMES, 'its operators')
    def test_parameters_are_some_that_the_operators_take(self):
        self.tables('parameters.onnx', '--runtime', 'onnxruntime', '--io-dump', 'values.txt')
        dump = pathlib.Path(MODELS.name, 'values.txt').read_text(encoding='utf-8')
        for name, values in (('axes', '[0, 1]'), ('steps', '[1, 1]'), ('new_axes', '[0, 1]'), ('left_out', '[1]'),
                             ('ratio', '[0]'), ('kind', '[5]'), ('colour', '["red"]')):
            self.assertRegex(dump, rf'name={name} [^\n]*\n val: {re.escape(values)}', name)

    @unittest.skipUnless('onnxruntime' in RUNTIMES, 'OpenVINO runs them')
    def test_old_operators_have_a_way_on(self):
        said = self.refused('run', 'old.onnx', '--runtime', 'onnxruntime')
        self.assertIn('the model uses operator set 6, of which ONNX Runtime runs little: convert it to 7 or later', said)

    @unittest.skipUnless('onnxruntime' in RUNTIMES, 'its operators')
    def test_quantised_operators_have_their_own_work(self):
        rows = {row['name']: row for row in self.tables('quantised.onnx', '--runtime', 'onnxruntime')['operators']}
        pixels = 16 * 32 * 32
        self.assertEqual({name: rows[name]['flops'] for name in ('conv', 'sum', 'mean')},
                         {'conv': 2 * 8 * 9 * pixels, 'sum': 9 * pixels, 'mean': pixels - 16}, rows.keys())
        self.assertEqual(rows['sum']['bytes'], 2 * pixels + 4 + 1, 'of 8 bits, with a scale and a zero point')

    def test_failures_name_inputs_whose_values_a_model_may_expect(self):
        for runtime in set(RUNTIMES) - {'openvino'}:
            self.assertIn("the values of input 'ids' are generated, and the model may expect others: give your own with "
                          "--input 'ids:VALUES'", self.refused('run', 'needle.onnx', '--runtime', runtime))

    def test_loops_turn_more_than_once(self):
        def check(runtime, model):
            tables = self.tables(model, '--runtime', runtime)
            self.assertEqual(sum(row['flops'] or 0 for row in tables['operators']), 16 * 4)
            self.assertIn("input 'max_length' decide how often a loop runs", json.dumps(tables['notes']))
        self.each(['turns.onnx'], check)

    def test_narrow_numbers_are_generated(self):
        def check(runtime, model):
            kinds = {row['input']: row['element_type'] for row in self.tables(model, '--runtime', runtime)['inputs']}
            self.assertEqual(kinds, {'bytes': 'float8e4m3fn', 'nibbles': 'int4'})
        self.each(['narrow.onnx'], check)

    def test_what_is_no_model_is_named(self):
        self.assertIn('not an ONNX model but a web page; download the model itself', self.refused('run', 'page.onnx'))
        self.assertIn('not an ONNX model but one written as text', self.refused('run', 'text.onnx'))
        self.assertIn('hub: is a folder; name a model file, such as hub/onnx/model.onnx', self.refused('run', 'hub'))
        if 'onnxruntime' in RUNTIMES:
            self.assertIn('unknown.model: the file is not an ONNX model, or is damaged',
                          self.refused('run', 'unknown.model', '--runtime', 'onnxruntime'))

    def test_a_failure_says_which_values_decide(self):
        said = self.refused('run', 'failing_branch.onnx', '--iter', 1)
        self.assertIn("the generated values of input 'flag' decide which branch runs (If 'choice'); give your own with "
                      "--input 'flag:VALUES'", said)

    def test_a_model_may_have_no_inputs(self):
        for runtime in RUNTIMES:
            done = call(TAKT, 'run', 'no_inputs.onnx', '--runtime', runtime, '--iter', 3, '--profile', 'p.json', '--trace', 't.json')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(call(TAKT, 'analyze', 'p.json').returncode, 0)
        self.assertEqual(call(TAKT, 'kernels', 'list', 'no_inputs.onnx').returncode, 0)

    def test_shapes_are_understood_as_people_write_them(self):
        for words, expected in (
                (['picture.onnx', '--input', '1x3x32x32'], {'image': '{1,3,32,32}'}),
                (['picture.onnx', '--input', 'image:1x3x32x32'], {'image': '{1,3,32,32}'}),
                (['picture.onnx', '--input', '[1,3,32,32]'], {'image': '{1,3,32,32}'}),
                (['picture.onnx', '--input', 'image:1,3,32,32'], {'image': '{1,3,32,32}'}),
                (['picture.onnx', '--input', 'image[1,3,32,32]'], {'image': '{1,3,32,32}'}),
                (['picture.onnx', '--input', '(1, 3, 32, 32)'], {'image': '{1,3,32,32}'}),
                (['encoder.onnx', '--input', 'input_ids[1,9],attention_mask[1,9]'],
                 {'input_ids': '{1,9}', 'attention_mask': '{1,9}'})):
            with self.subTest(words=words):
                self.assertEqual(self.shapes(*words), expected)
        notes = ' '.join(self.notes('encoder.onnx', '--input', 'input_ids:1,128'))
        self.assertIn("for generated values of that shape write 'input_ids:{1,128}'", notes)
        self.assertIn("did you mean '--input'?", self.refused('run', 'picture.onnx', '--shape', '1x3', exits=2))

    def test_devices_are_understood_as_people_write_them(self):
        for device in ('cpu', 'CPU:0', 'cpu.0', 'CPUExecutionProvider'):
            self.assertEqual(self.tables('picture.onnx', '--device', device)['summary'][0]['device'], 'CPU')
        rows = json.loads(call(TAKT, 'devices', '--format', 'json').stdout)['tables']['devices']
        gpus = [row for row in rows if row['device'].startswith('GPU') and row['usable'] == 'yes']
        for device in ('cuda', 'CUDA:0', 'gpu.0', 'GPU'):
            with self.subTest(device=device):
                if gpus:
                    self.assertTrue(self.tables('picture.onnx', '--device', device)['summary'][0]['device'].startswith('GPU'))
                elif len(RUNTIMES) == 2:
                    said = self.refused('run', 'picture.onnx', '--device', device)
                    self.assertRegex(said, f'device {device} cannot be used .onnxruntime: .*; openvino: .*; use CPU')

    def test_files_of_several_lengths_take_turns(self):
        lengths = (16, 48, 128, 400, 8, 64, 200, 300)
        folder = pathlib.Path(MODELS.name, 'lengths')
        folder.mkdir(exist_ok=True)
        files = []
        for number, length in enumerate(lengths):
            files.append(folder / f'{number}.json')
            files[-1].write_text(json.dumps({'input_ids': [[7] * length], 'attention_mask': [[1] * length]}), encoding='utf-8')
        listed = ','.join(str(file) for file in files)
        for runtime in RUNTIMES:
            for spec in (f'{folder}/', listed):
                with self.subTest(runtime=runtime, spec=spec[:20]):
                    tables = self.tables('encoder.onnx', '--runtime', runtime, '--input', spec, iterations=24)
                    rows = tables['shapes']
                    self.assertEqual([row['turn_shapes'] for row in rows],
                                     [f'input_ids {{1,{n}}}, attention_mask {{1,{n}}}' for n in lengths])
                    self.assertEqual([row['turn_runs'] for row in rows], [3] * 8)
                    by_length = sorted(zip(lengths, rows), key=lambda pair: pair[0])
                    activations = [row['turn_activation_bytes'] for _, row in by_length]
                    self.assertTrue(all(activations) and activations == sorted(set(activations)), activations)
                    self.assertTrue(all(row['turn_resident_bytes'] > 0 and row['turn_median_us'] > 0 for row in rows))
        done = call(TAKT, 'run', 'encoder.onnx', '--input', listed, '--iter', 8, '--no-ops')
        self.assertIn('By shape of the inputs', done.stdout)
        alone = call(TAKT, 'run', 'encoder.onnx', '--input', f'input_ids=lengths/0.json,lengths/1.json', '--iter', 2,
                     '--no-ops', '--format', 'json')
        self.assertEqual(alone.returncode, 0, alone.stderr)
        self.assertEqual([row['turn_shapes'] for row in json.loads(alone.stdout)['tables']['shapes']],
                         [f'input_ids {{1,{n}}}, attention_mask {{1,{n}}}' for n in (16, 48)])

    def test_models_traces_and_yaml_come_through_pipes(self):
        shell = ['bash', '-c']
        with tempfile.TemporaryDirectory() as temporary:
            env = {'TMPDIR': temporary}
            for runtime in RUNTIMES:
                done = call(*shell, f'"{TAKT}" run <(cat picture.onnx) --runtime {runtime} --iter 2 --format json', env=env)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(json.loads(done.stdout)['tables']['operators'], 'its operators are known')
            done = call(*shell, f'mkfifo pipe.onnx && (cat picture.onnx > pipe.onnx & "{TAKT}" kernels list pipe.onnx)', env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(os.listdir(temporary), [], 'what was copied is gone')
        pathlib.Path(MODELS.name, 'one.yaml').write_text(
            'batches: 3\nstages:\n  - {name: a, model: picture.onnx, device: CPU}\n', encoding='utf-8')
        done = call(*shell, f'"{TAKT}" pipeline run <(cat one.yaml) --trace one.trace.json')
        self.assertEqual(done.returncode, 0, done.stderr)
        done = call(*shell, f'"{TAKT}" pipeline analyze <(cat one.trace.json)')
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_full_folder_for_temporary_files_is_named(self):
        folder = tempfile.mkdtemp(prefix='takt_full_')
        self.addCleanup(os.rmdir, folder)
        mount = ['unshare', '-rm', 'sh', '-c']
        if call(*mount, f'mount -t tmpfs -o size=16k none {folder}').returncode != 0:
            self.skipTest('nothing can be mounted here')
        done = call(*mount, f'mount -t tmpfs -o size=16k none {folder} && cat encoder.onnx > {folder}/x;'
                            f'mkfifo {MODELS.name}/p; cat encoder.onnx > {MODELS.name}/p & '
                            f'TMPDIR={folder} "{TAKT}" run {MODELS.name}/p --iter 2')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f'the folder for temporary files, {folder}, is full: free space there, or set TMPDIR', done.stderr)

    def test_links_of_a_hubs_cache_are_followed(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = pathlib.Path(folder)
            for name in ('blobs', 'snapshots/1/onnx', 'elsewhere'):
                (cache / name).mkdir(parents=True)
            for name, blob in (('beside.onnx', 'aa'), ('w.bin', 'bb')):
                (cache / 'blobs' / blob).write_bytes(pathlib.Path(MODELS.name, name).read_bytes())
                (cache / 'snapshots/1/onnx' / name).symlink_to(f'../../../blobs/{blob}')
            model = cache / 'snapshots/1/onnx/beside.onnx'
            for runtime in RUNTIMES:
                with self.subTest(runtime=runtime):
                    rows = self.tables(model, '--runtime', runtime)['operators']
                    self.assertIn('mm', [row['name'] for row in rows])
            self.assertEqual(call(TAKT, 'kernels', 'list', model).returncode, 0)
            weights = cache / 'snapshots/1/onnx/w.bin'
            (cache / 'blobs/bb').rename(cache / 'elsewhere/bb')
            weights.unlink()
            weights.symlink_to('../../../elsewhere/bb')
            self.assertIn("a link that leaves the model's folder", self.refused('run', model))


if __name__ == '__main__':
    if not RUNTIMES:
        print('skipped: this takt has no real runtime')
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
