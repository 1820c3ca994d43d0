#!/usr/bin/env python3
"""weak_answers_test.py TAKT MAKE_MODELS: what newcomers type by mistake, and the answer that helps them on.

A table: the words, the exit code, and what standard error has to say, all of it one line of a reason and of what to do
(warnings come with the result). The simulated device makes them the same everywhere.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from answers import answer

TAKT, MAKE_MODELS = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
SIM = ['small.onnx', '--device', 'sim:CPU', '--iter', '2']

REFUSED = [  # words, exit code, said
    (['run', *SIM, '--provider', 'X'], 2, "did you mean '--device'?"),
    (['run', *SIM, '--quiet'], 2, "'--quiet' is not an option of 'takt run'; see 'takt run --help'"),
    (['run', *SIM, '--output-format', 'json'], 2, "did you mean '--format'?"),
    (['run', *SIM, '--shape', '1x3x8x8'], 2, "did you mean '--input'?"),
    (['run', *SIM, '-b', '2'], 2, "did you mean '--batch-size'?"),
    (['run', *SIM, '-t', '2'], 2, "did you mean '--top'?"),
    (['run', *SIM, '--table', 'operators'], 2, '--table operators: one table is printed with --format csv; add it, or leave'),
    (['list'], 2, "did you mean 'takt zoo list' or 'takt kernels list'?"),
    (['extract'], 2, "did you mean 'takt kernels extract'?"),
    (['whatif', 'x'], 2, "did you mean 'takt pipeline whatif'?"),
    (['interference'], 2, "did you mean 'takt pipeline interference'?"),
    (['simulate'], 2, "did you mean 'takt plan simulate'?"),
    (['cut'], 2, "did you mean 'takt plan cut' or 'takt trace cut'?"),
    (['info'], 2, "did you mean 'takt trace info'?"),
    (['-v'], 2, "'takt --version' shows the version"),
    (['--verbose'], 2, "'takt --version' shows the version"),
    (['compare', 'p.json', 'small.onnx'], 1, "; it is a model: 'takt run small.onnx' measures it"),
    (['diagnose', 'p.json'], 1, "p.json: this is a profile, not a trace; 'takt analyze p.json' prints it"),
    (['pipeline', 'analyze', 'p.json'], 1, "this is a profile, not a trace; 'takt analyze p.json' prints it"),
    (['trace', 'info', 'p.json'], 1, "this is a profile, not a trace; 'takt analyze p.json' prints it"),
    (['trace', 'check', 'p.json'], 1, "this is a profile, not a trace; 'takt analyze p.json' prints it"),
    (['pipeline', 'run', 'tab.yaml', '--simulate'], 1, 'tab.yaml:3: not YAML: the line is indented with a tab; use blanks'),
    (['pipeline', 'run', 'brace.yaml', '--simulate'], 1, "brace.yaml:2: not YAML: the '{' has no '}'"),
    (['pipeline', 'run', 'empty.yaml', '--simulate'], 1, 'empty.yaml:1: the file: is empty; write KEY: VALUE lines'),
    (['pipeline', 'run', 'bytes.yaml', '--simulate'], 1, 'bytes.yaml:1: not YAML: byte 0 is not UTF-8'),
    (['plan', 'search', '--costs', 'p.json'], 1, "; it is a profile of operators: 'takt analyze p.json' prints it"),
    (['fit', 'p.json'], 1, "; it is a profile of operators: 'takt analyze p.json' prints it"),
    (['pipeline', 'run', 'p.json'], 1, "; it is a profile of operators: 'takt analyze p.json' prints it"),
    (['pipeline', 'run', 'run.json'], 1, "; it is a trace of a pipeline: 'takt pipeline analyze run.json' shows where"),
    (['pipeline', 'run', 'small.onnx'], 1, "; it is a model: 'takt run small.onnx' measures it"),
    (['pipeline', 'analyze', 'one.yaml'], 1, "; it is the description of a pipeline: 'takt pipeline run one.yaml' runs it"),
    (['trace', 'info', 'one.yaml'], 1, "; it is the description of a pipeline: 'takt pipeline run one.yaml' runs it"),
    (['pipeline', 'analyze', 'result.json'], 1, "; it is a result of takt: 'takt report result.json -o page.html' makes"),
    (['analyze', 'result.json'], 1, "; it is a result of takt: 'takt report result.json -o page.html' makes a page of it"),
    (['report', 'one.yaml', '-o', 'x.html'], 1, "; it is the description of a pipeline: 'takt pipeline run one.yaml'"),
    (['plan', 'search', '--costs', 'one.yaml'], 1, "; it is the description of a pipeline: 'takt pipeline run one.yaml'"),
    (['plan', 'run', 'one.yaml'], 1, "; it is the description of a pipeline: 'takt pipeline run one.yaml' runs it"),
    (['fit', 'small.onnx'], 1, "; it is a model: 'takt run small.onnx' measures it"),
    (['diagnose', 'run.json'], 1, "; it is a trace of a pipeline: 'takt pipeline analyze run.json' shows where"),
    (['predict', 'p.json'], 1, "; it is a profile of operators: 'takt analyze p.json' prints it"),
    (['evaluate', 'one.yaml'], 1, "; it is the description of a pipeline: 'takt pipeline run one.yaml' runs it"),
    (['predict', 'small.onnx', '--predictor', 'nowhere'], 1, "'nowhere': no such predictor; name a folder or file that"),
    (['plan', 'search', '--costs', 'costs.json', '--plan', 'foo'], 1, "--plan 'foo': no file has this name; write PEP1"),
    (['pipeline', 'whatif', 'run.json', '--set', 'stage.first.queue=1e9'], 2, 'queue takes a whole number from 1 to 1000000'),
    (['zoo', 'export'], 2, 'name their folder with --out DIR, or choose some with --config FILE'),
    (['pipeline', 'whatif', 'run.json', '--set', 'stage.first.device=GPU'], 2,
     "the run has no device 'GPU'; it has sim:CPU. The time of a stage on a device that did not take part is not known"),
    (['help', 'nonsense'], 2, "'nonsense' is not a command; see 'takt --help'"),
    (['explain', 'foo'], 2, "'foo' is not a column, table or row"),
]
WARNED = [  # words, said on standard error; the command does what it was asked for
    (['analyze', 'p.json', '--aggregate', 'sum'], '--aggregate has no effect alone; add --aggregate-by type'),
    (['analyze', 'p.json', '-t=-1'], 'write --top 1 for the first 1'),
    (['analyze', 'p.json', '--type', 'Nope'], '--type Nope: no operator has this type; there are Conv, Relu, Softmax'),
    (['compare', 'p.json', 'p.json'], 'p.json is on both sides: a file compared with itself shows neither change nor noise'),
    (['plan', 'run', 'small.onnx', '--devices', 'sim:CPU', '--pieces', '2', '--batches', '2', '--rounds', '1'],
     'one device leaves nothing to decide; name several'),
]
SHOWN = [  # words, said on standard output
    (['help', 'run'], 'Usage: takt run MODEL'),
    (['run', '--help'], 'Usage: takt run MODEL'),
    (['explain', 'preempted'], 'preempted'),
]


class WeakAnswers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix='takt_weak_')
        path = pathlib.Path(cls.folder.name)
        subprocess.run([MAKE_MODELS, path], check=True)
        (path / 'tab.yaml').write_text('stages:\n  - name: a\n\tdevice: CPU\n', encoding='utf-8')
        (path / 'brace.yaml').write_text('stages:\n  - {name: a, dummy: {time: 1ms}\n', encoding='utf-8')
        (path / 'empty.yaml').write_text('', encoding='utf-8')
        (path / 'bytes.yaml').write_bytes(b'\xff\xfe')
        (path / 'one.yaml').write_text('batches: 4\nstages:\n  - {name: first, dummy: {time: 1ms}, device: sim:CPU}\n',
                                       encoding='utf-8')
        (path / 'costs.json').write_text((pathlib.Path(__file__).parents[2] / 'examples/plans/costs.json').read_text(),
                                         encoding='utf-8')
        cls.takt('run', *SIM, '--profile', 'p.json', '--format', 'json', '-o', 'result.json')
        cls.takt('pipeline', 'run', 'one.yaml', '--simulate', '--trace', 'run.json')

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def takt(cls, *words, cwd=None):
        return subprocess.run([TAKT, *words], cwd=cwd or cls.folder.name, stdin=subprocess.DEVNULL, capture_output=True,
                              env={**os.environ, 'LC_ALL': 'C.UTF-8', 'TAKT_CACHE_DIR': str(pathlib.Path(cls.folder.name, 'c'))},
                              timeout=120, encoding='utf-8')

    def test_mistakes_are_refused_with_what_helps(self):
        for words, code, said in REFUSED:
            with self.subTest(words=words):
                done = self.takt(*words)
                line = answer(done.stderr)
                self.assertEqual((done.returncode, done.stdout, line.count('\n')), (code, '', 1), line)
                self.assertIn(said, line)

    def test_what_has_no_effect_is_said_beside_the_result(self):
        for words, said in WARNED:
            with self.subTest(words=words):
                done = self.takt(*words)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(said, done.stderr)
                self.assertTrue(done.stdout)

    def test_questions_are_answered(self):
        for words, said in SHOWN:
            with self.subTest(words=words):
                done = self.takt(*words)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(said, done.stdout)

    def test_a_sweep_without_its_device_is_one_line(self):
        rows = self.takt('devices', '--format', 'csv').stdout
        if 'openvino' not in rows or any(row.split(',')[2:4] == ['NPU', 'yes'] for row in rows.splitlines()):
            self.skipTest('needs a binary with OpenVINO, and no NPU')
        done = self.takt('sweep', '--measure', '--devices', 'NPU', '--out', 'sweep')
        line = answer(done.stderr)
        self.assertEqual((done.returncode, done.stdout, line.count('\n')), (1, '', 1), line)
        self.assertRegex(line, 'sweep: --devices: NPU cannot be used .openvino: .*; .takt devices. lists those that can')

    @unittest.skipIf(os.geteuid() == 0, 'root may write everywhere')
    def test_a_folder_that_nothing_can_be_written_in_has_a_way_out(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o500)
            done = self.takt('pipeline', 'run', str(pathlib.Path(self.folder.name, 'one.yaml')), '--simulate', cwd=folder)
            os.chmod(folder, 0o700)
            self.assertIn("name another file with --trace FILE, or write none with --trace ''", answer(done.stderr))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
