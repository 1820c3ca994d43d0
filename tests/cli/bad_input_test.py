#!/usr/bin/env python3
"""bad_input_test.py TAKT MAKE_MODELS: whatever takt is given, it answers with one line and leaves nothing half-written.

Every case runs in a folder of its own. Checked: exit code 1, nothing on standard output, exactly one line on standard
error that begins with 'takt: ', has no control characters and names the file and the cause, and a folder with the same
files as before.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

from answers import answer

TAKT, MAKE_MODELS = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
MODELS = tempfile.TemporaryDirectory(prefix='takt_models_')
subprocess.run([MAKE_MODELS, MODELS.name], check=True)
SMALL = pathlib.Path(MODELS.name, 'small.onnx').read_bytes()
DYNAMIC = pathlib.Path(MODELS.name, 'dynamic.onnx').read_bytes()
HUGE = pathlib.Path(MODELS.name, 'huge.onnx').read_bytes()
PNG = b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\6\0\0\0'


def takt(folder, *words, **environment):
    return subprocess.run([TAKT, *words], cwd=folder, env={**os.environ, 'LC_ALL': 'C.UTF-8', **environment},
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=120)


def runtimes():
    devices = json.loads(takt('/', 'devices', '--format', 'json').stdout)['tables']['devices']
    usable = [(row['runtime'], row['device']) for row in devices if row['usable'] == 'yes']
    return [pair for pair in usable if pair[1] in ('CPU', 'sim:CPU')]


def shown(name):
    """How a file name looks in a message: what a terminal would act on is escaped."""
    text = os.fsencode(name).decode('utf-8', 'backslashreplace')
    return ''.join(c if c.isprintable() else f'\\x{ord(c):02x}' for c in text)[:100]


def make_profile():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, 'm.onnx').write_bytes(SMALL)
        takt(folder, 'run', 'm.onnx', '--device', 'sim:CPU', '--iter', '2', '--profile', 'p.json')
        return pathlib.Path(folder, 'p.json').read_bytes()


PROFILE = make_profile()
BAD_MODELS = {
    'empty': b'', 'half': SMALL[:len(SMALL) // 2], 'last byte missing': SMALL[:-1], 'text': b'Not a model.\n',
    'json': b'{"graph": []}\n', 'png': PNG, 'zeros': bytes(4096), 'ones': b'\xff' * 4096, 'huge dimensions': HUGE,
}
BAD_PROFILES = {
    'empty': b'', 'half': PROFILE[:len(PROFILE) // 2], 'last brace missing': PROFILE.rstrip()[:-1],
    'text': b'Not a profile.\n', 'another json': b'{"graph": []}\n', 'list': b'[]', 'number': b'1', 'png': PNG,
    'zeros': bytes(4096), 'model': SMALL, 'deep': b'[' * 1_000_000, 'string for table': b'{"graph_exec": "x"}',
}
NPY = b"\x93NUMPY\1\0\x3e\0{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }  \n" + bytes(16)
BAD_INPUTS = {
    'x.npy': [b'', NPY[:-1], NPY[:40], NPY + b'x', NPY.replace(b'(1, 4)', b'(9999999999999, 9999999999999)'), PNG],
    'x.json': [b'', b'{"x": [1, 2', b'{"x": {"shape": [1, 4], "raw": [1]}}', b'[' * 1_000_000, b'{"x": null}', PNG],
    'x.ppm': [b'', b'P6 1', b'P6 99999999 99999999 255 ', b'P3 60000 40000 255 1', b'P6 1 1 255 ab', PNG],
}
HOSTILE_NAMES = [b'new\nline', b'esc\x1b[31mape', b'x' * 200, b'n' * 300, './-x'.encode(), 'naïve_模型'.encode(),
                 b'in\xffvalid', b'tab\tand\rreturn', b'%s%n', b"quo'te"]


class BadInput(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix='takt_bad_')
        self.addCleanup(self._folder.cleanup)
        self.folder = os.fsencode(self._folder.name)

    def put(self, name, contents):
        with open(os.path.join(self.folder, os.fsencode(name)), 'wb') as file:
            file.write(contents)

    def refused(self, *words, names='', **environment):
        before = sorted(os.listdir(self.folder))
        done = takt(self.folder, *words, **environment)
        line = answer(done.stderr.decode('utf-8'))  # takt must not print invalid UTF-8 either
        self.assertEqual(done.returncode, 1, line)
        self.assertEqual(done.stdout, b'', line)
        self.assertEqual(line.count('\n'), 1, line)
        self.assertTrue(line.startswith('takt: ') and line[:-1].isprintable(), line)
        named = [name for name in ([names] if isinstance(names, str) else names) if name in line]
        self.assertTrue(named, line)
        self.assertGreater(len(line), len('takt: : ') + len(named[0]) + 5, 'no cause')
        self.assertEqual(sorted(os.listdir(self.folder)), before, line)

    def each_run(self, name='bad.onnx', names='bad.onnx'):
        for runtime, device in runtimes():
            with self.subTest(runtime=runtime):
                self.refused('run', name, '--runtime', runtime, '--device', device, '--iter', '1', '--profile',
                             'out.json', '--trace', 'trace.json', names=names)

    def test_models(self):
        for what, contents in BAD_MODELS.items():
            with self.subTest(what=what):
                self.put('bad.onnx', contents)
                self.each_run()

    def test_options_that_a_runtime_does_not_have(self):
        self.put('m.onnx', SMALL)
        here = {runtime for runtime, _ in runtimes()}
        for runtime, words, said in (
                ('onnxruntime', ['--property', 'intra_op_num_threads=many'], 'write a number of threads'),
                ('onnxruntime', ['--property', 'intra_op_num_thread=2'], "did you mean 'intra_op_num_threads'?"),
                ('onnxruntime', ['--precision', 'f16'], 'has no setting for float16'),
                ('openvino', ['--property', 'PERFORMANCE_HIN=LATENCY'], "did you mean 'PERFORMANCE_HINT'?"),
                ('openvino', ['--optimized-model-out', 'out.onnx'], 'name a .xml file'),
                ('sim', ['--streams', '2'], 'has one stream'), ('sim', ['--property', 'x=1'], 'has no properties'),
                ('sim', ['--executed-graph', 'g.xml'], 'executes no graph')):
            with self.subTest(runtime=runtime, words=words):
                if runtime in here:
                    device = 'sim:CPU' if runtime == 'sim' else 'CPU'
                    self.refused('run', 'm.onnx', '--runtime', runtime, '--device', device, '--iter', '1', *words, names=said)

    def test_files_that_are_larger_than_any_of_their_kind(self):
        self.put('m.onnx', SMALL)
        self.put('big.yaml', b'# ' + b'x' * 1_100_000 + b'\n')
        self.refused('pipeline', 'run', 'big.yaml', names='larger than 1 MiB')
        self.put('x.ppm', b'P3 1 1 255 1 1 1')
        self.put('list.txt', b'x.ppm\n' * 100_001)
        self.put('data.yaml', b'stages: [{name: a, model: m.onnx, device: "sim:CPU", data: list.txt}]\n')
        self.refused('pipeline', 'run', 'data.yaml', names='names 100001 files')
        self.put('stages.yaml', b'stages:\n' + b''.join(b'  - {name: s%d, dummy: {time: 1ms}}\n' % i for i in range(1001)))
        self.refused('pipeline', 'run', 'stages.yaml', names='has 1001 stages')
        self.put('stream.csv', b'1,1\n' * 1_000_001)
        self.put('costs.json', b'{"units": ["CPU"], "times_us": {"CPU": [{"per_node": 1}]}}')
        self.assertEqual(takt(self.folder, 'plan', 'compile', 'costs.json', '--sizes', '1,1', '--out', 'plans.json').returncode, 0)
        self.refused('plan', 'simulate', 'plans.json', '--costs', 'costs.json', '--stream', 'stream.csv', names='more than a million batches')

    def test_a_folder_without_models(self):
        if [runtime for runtime, _ in runtimes()] == ['sim']:
            self.skipTest('this takt has no real runtime')
        os.mkdir(os.path.join(self.folder, b'empty'))
        self.refused('kernels', 'list', 'empty', names='contains no .onnx file')

    @unittest.skipUnless(os.path.exists('/dev/full'), 'this system has no device that is full')
    def test_a_result_that_cannot_be_printed(self):
        with open('/dev/full', 'wb') as full:
            done = subprocess.run([TAKT, 'explain', 'flops'], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=full,
                                  stderr=subprocess.PIPE, timeout=120)
        self.assertEqual((done.returncode, answer(done.stderr.decode())), (1, 'takt: cannot write the result to standard output\n'))

    def test_openvino_models(self):
        if 'openvino' not in [runtime for runtime, _ in runtimes()]:
            self.skipTest('this takt has no OpenVINO')
        self.put('m.onnx', SMALL)
        made = takt(self.folder, 'run', 'm.onnx', '--runtime', 'openvino', '--iter', '1', '--optimized-model-out', 'm.xml')
        self.assertEqual(made.returncode, 0, made.stderr)
        xml, weights = (pathlib.Path(os.fsdecode(self.folder), f'm.{end}').read_bytes() for end in ('xml', 'bin'))
        for what, contents in {**BAD_MODELS, 'no IR': b'<net/>', 'half IR': xml[:len(xml) // 2], 'a name': xml[:300],
                               'html': b'<html><body>404</body></html>'}.items():
            with self.subTest(what=what):
                self.put('bad.xml', contents)
                self.refused('run', 'bad.xml', names='bad.xml')
        self.put('bad.xml', xml)
        for what, contents in {'no weights': None, 'empty': b'', 'half': weights[:len(weights) // 2]}.items():
            with self.subTest(what=what):
                if contents is not None:
                    self.put('bad.bin', contents)
                self.refused('run', 'bad.xml', names='bad.xml')

    def test_profiles(self):
        for what, contents in BAD_PROFILES.items():
            with self.subTest(what=what):
                self.put('bad.json', contents)
                self.refused('analyze', 'bad.json', names='bad.json')
                self.refused('analyze', 'bad.json', '-o', 'out.txt', names='bad.json')

    def test_inputs(self):
        self.put('m.onnx', DYNAMIC)
        for name, all_contents in BAD_INPUTS.items():
            for number, contents in enumerate(all_contents):
                with self.subTest(name=name, number=number):
                    self.put(name, contents)
                    self.refused('run', 'm.onnx', '--device', 'sim:CPU', '--input', name, names=name)
        for name in ('none.npy', 'none.json', 'none.pgm'):
            self.refused('run', 'm.onnx', '--device', 'sim:CPU', '--input', name, names=name)

    def test_strings_are_run_or_refused(self):
        with open(os.path.join(MODELS.name, 'strings.onnx'), 'rb') as model:
            self.put('m.onnx', model.read())
        for runtime, device in runtimes():
            with self.subTest(runtime=runtime):
                words = ('run', 'm.onnx', '--runtime', runtime, '--device', device, '--iter', '2', '--input', '"a","b"')
                if runtime == 'openvino':
                    self.refused(*words, names='--runtime onnxruntime')
                else:
                    self.assertEqual(takt(self.folder, *words).returncode, 0)

    def test_shapes_that_no_machine_holds(self):
        # A profile's shapes are only shown, never allocated: the table is whole, as in the peer's tool.
        for size in (b'9' * 60, b'4611686018427387904', b'-5'):
            with self.subTest(size=size):
                self.put('p.json', PROFILE.replace(b'[1, 16, 8, 8]', b'[' + size + b', 16, 8, 8]'))
                done = takt(self.folder, 'analyze', 'p.json')
                self.assertEqual((done.returncode, done.stderr), (0, b''))
                self.assertIn(b'{' + size + b',16,8,8}', done.stdout)

    def test_missing_and_folders(self):
        self.each_run()
        self.refused('analyze', 'bad.json', names='bad.json')
        os.mkdir(os.path.join(self.folder, b'bad.onnx'))
        os.mkdir(os.path.join(self.folder, b'bad.json'))
        self.each_run()
        self.refused('analyze', 'bad.json', names='bad.json')

    def test_hostile_names(self):
        for name in HOSTILE_NAMES:
            with self.subTest(name=name):
                self.refused('analyze', name + b'.json', names=shown(name))
                self.each_run(name + b'.onnx', names=shown(name))
                if len(name) < 250:
                    self.put(name + b'.onnx', SMALL[:100])
                    self.put(name + b'.json', PROFILE[:100])
                    self.refused('analyze', name + b'.json', names=shown(name))
                    self.each_run(name + b'.onnx', names=shown(name))

    def test_outputs_that_cannot_be_written(self):
        self.put('m.onnx', SMALL)
        self.put('p.json', PROFILE)
        os.mkdir(os.path.join(self.folder, b'taken'))
        for place in ('m.onnx/out', 'none/out', '/proc/takt_out', 'taken', 'y' * 300):
            for option in ('--profile', '--profile-host', '--trace', '-o'):
                with self.subTest(place=place, option=option):
                    self.refused('run', 'm.onnx', '--device', 'sim:CPU', '--iter', '1', option, place, names=place)
            with self.subTest(place=place, command='analyze'):
                self.refused('analyze', 'p.json', '-o', place, names=place)

    def test_writes_that_fail_half_way(self):
        self.put('m.onnx', SMALL)
        self.put('p.json', PROFILE)
        for option in ('--profile', '--profile-host', '--trace', '-o'):
            for kept in (b'', b'what was there before'):
                with self.subTest(option=option, kept=kept):
                    if kept:
                        self.put('out', kept)
                    self.refused('run', 'm.onnx', '--device', 'sim:CPU', '--iter', '1', option, 'out', names='out',
                                 TAKT_FAIL_WRITE_AFTER='100')
                    self.refused('analyze', 'p.json', '-o', 'out', names='out', TAKT_FAIL_WRITE_AFTER='100')
                    if kept:
                        with open(os.path.join(self.folder, b'out'), 'rb') as file:
                            self.assertEqual(file.read(), kept)
                        os.remove(os.path.join(self.folder, b'out'))

    def processor_time(self, *words, **environment):
        """Of one command, in seconds, and how it ended."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = takt(self.folder, *words, **environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done

    def test_a_limit_on_the_size_of_files_is_a_write_that_fails(self):
        self.put('m.onnx', SMALL)
        command = [TAKT, 'run', 'm.onnx', '--device', 'sim:CPU', '--iter', '1', '--profile', 'out']
        done = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"'out'", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, b'out')))

    def test_peaks_that_cannot_be_kept_are_not_measured(self):
        self.put('cache', b'a file')
        start_up, _ = self.processor_time('devices', '--no-such-option')
        refusal, done = self.processor_time('devices', '--measure', XDG_CACHE_HOME=os.fsdecode(self.folder) + '/cache')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b'a part of the path is not a folder', done.stderr)
        self.assertLess(refusal, 30 * start_up, 'measuring takes a thousand times what starting takes')

    def test_good_input_is_not_refused(self):
        self.assertIn('sim', [runtime for runtime, _ in runtimes()])
        for name in [name for name in HOSTILE_NAMES if len(name) < 250]:
            self.put(name + b'.onnx', SMALL)
            done = takt(self.folder, 'run', name + b'.onnx', '--device', 'sim:CPU', '--iter', '1', '--profile',
                        name + b'.json')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(takt(self.folder, 'analyze', name + b'.json').returncode, 0)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
