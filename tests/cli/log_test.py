#!/usr/bin/env python3
"""log_test.py TAKT MAKE_MODELS: the log of every command says what was done and what failed, and a place that cannot be
written is refused before anything is measured.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TAKT, MAKE_MODELS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent
RUN = ['run', 'small.onnx', '--device', 'sim:box', '--iter', '6']
PIPELINE = ['pipeline', 'run', 'pipe.yaml', '--simulate']

# What is typed, and what its log says.
COMMANDS = [
    ([*RUN, '--profile', 'new.json'], ["read 'small.onnx'", 'runtime sim', 'input x {1,3,8,8}', 'measured 6 plain runs',
                                       'measured 6 profiled runs', "wrote 'new.json'"]),
    (['analyze', 'a.json', '--format', 'csv', '-o', 'new.csv'], ["read 'a.json'", "wrote 'new.csv'"]),
    (['compare', 'a.json', 'b.json', '--junit', 'new.xml'], ["read 'a.json'", "read 'b.json'", "wrote 'new.xml'"]),
    (['trace', 'info', 'gpu.trace.json'], []),
    (['trace', 'convert', 'gpu.trace.json', '-o', 'new.pftrace'], ["wrote 'new.pftrace'"]),
    ([*PIPELINE, '--trace', 'new.trace.json'], ["read 'pipe.yaml'", "wrote 'new.trace.json'"]),
    (['pipeline', 'analyze', 'run.json'], []),
    (['pipeline', 'whatif', 'run.json'], []),
    (['devices'], []),
    (['explain', 'flops'], []),
]

# Every option whose value is a place that is written; '{}' stands for it.
OUTPUTS = [
    *([*RUN, option, '{}'] for option in ('--profile', '--profile-host', '--trace', '--iterations', '--io-dump',
                                           '--bin-io-dump', '--bin-out-dump', '--cache', '-o')),
    ['analyze', 'a.json', '--format', 'csv', '-o', '{}'],
    *(['compare', 'a.json', 'b.json', option, '{}'] for option in ('--junit', '-o')),
    ['trace', 'convert', 'gpu.trace.json', '-o', '{}'],
    ['trace', 'cut', 'gpu.trace.json', '--to', '10us', '-o', '{}'],
    ['diagnose', 'slow_loader.trace.json', '-o', '{}'],
    ['trace', 'merge', 'gpu.trace.json', 'gpu.trace.json', '-o', '{}'],
    *([*PIPELINE, option, '{}'] for option in ('--trace', '-o')),
    ['pipeline', 'interference', 'crowd.yaml', '--simulate', '--save', '{}'],
    ['pipeline', 'whatif', 'run.json', '-o', '{}'],
    ['explain', 'flops', '-o', '{}'],
]


class Log(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='takt_log_')
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.environment = {**os.environ, 'TAKT_FIXED_PROVENANCE': '1', 'TAKT_CACHE_DIR': str(self.path / 'cache')}
        subprocess.run([MAKE_MODELS, self.path], check=True)
        for file in [*HERE.glob('*.yaml'), *HERE.glob('*.trace.json')]:
            shutil.copy(file, self.path)
        for words in ([*RUN, '--profile', 'a.json'], [*RUN, '--seed', '2', '--profile', 'b.json'],
                      [*PIPELINE, '--trace', 'run.json']):
            self.assertEqual(self.takt(*words).returncode, 0)

    def takt(self, *words):
        return subprocess.run([TAKT, *words], cwd=self.path, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=200, encoding='utf-8', check=False)

    def log_of(self, *words):
        file = self.path / 'l.log'
        file.unlink(missing_ok=True)
        done = self.takt(*words, '--log-file', 'l.log')
        return done, file.read_text(encoding='utf-8') if file.exists() else ''

    def test_every_command_logs_itself_and_what_it_did(self):
        for words, said in COMMANDS:
            with self.subTest(command=words):
                done, log = self.log_of(*words)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn('takt ' + ' '.join(words), log)
                for text in said:
                    self.assertIn(text, log)
                self.assertNotIn(' error ', log)
                for text in said:
                    self.assertNotIn(text, done.stderr, 'the log is not for the screen')

    def test_the_sentence_of_a_failure_is_in_the_log(self):
        for words in (['run', 'none.onnx', '--device', 'sim:CPU'], ['analyze', 'none.json'],
                      ['pipeline', 'run', 'none.yaml'], ['trace', 'info', 'none.json'], ['compare', 'a.json', 'none.json']):
            with self.subTest(command=words):
                done, log = self.log_of(*words)
                self.assertNotEqual(done.returncode, 0)
                lines = [line for line in done.stderr.splitlines() if 'none.' in line]
                self.assertEqual(len(lines), 1, done.stderr)
                self.assertIn(' error ' + lines[0].removeprefix('takt: '), log)

    def test_what_cannot_be_written_is_refused_before_the_work(self):
        (self.path / 'file').write_text('', encoding='utf-8')
        for words in OUTPUTS:
            with self.subTest(command=words):
                done, log = self.log_of(*[word.format('file/out') for word in words])
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn('cannot write', done.stderr)
                self.assertIn('file/out', done.stderr)
                for text in ('measured', 'read '):
                    self.assertNotIn(text, log)

    def test_the_check_leaves_nothing_behind(self):
        before = sorted(self.path.iterdir())
        done = self.takt(*RUN, '--profile', 'new.json', '--input', 'x:{7}')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(sorted(self.path.iterdir()), before)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
