#!/usr/bin/env python3
"""one_file_test.py TAKT MAKE_MODELS: what a command reads is never written over, and nothing is written twice.

Of every command that reads a file and writes one, both are made one file: by its name, by a way around, by a symbolic and by a
hard link, and as the log. The command ends with 2, says so in one sentence, and the file has the bytes and the links that it
had. Files that are read without being named (a pipeline's model, weights beside a model, a folder's models) are kept, too."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from answers import answer
from every_command import prepare, runtimes
from sanitized import IS_SANITIZED

TAKT, MAKE_MODELS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])

# A line that works, and the file that it reads; OUT takes the place of what is written. Without OUT only a log is.
READERS = [
    ('run small.onnx --device sim:box --profile OUT', 'small.onnx'), ('run small.onnx --device sim:box --profile-host OUT', 'small.onnx'),
    ('run small.onnx --device sim:box --trace OUT', 'small.onnx'), ('run small.onnx --device sim:box --iterations OUT', 'small.onnx'),
    ('run small.onnx --device sim:box --io-dump OUT', 'small.onnx'), ('run small.onnx --device sim:box -o OUT', 'small.onnx'),
    ('run small.onnx --device sim:box --optimized-model-out OUT', 'small.onnx'),
    ('run small.onnx --device sim:box --executed-graph OUT', 'small.onnx'),
    ('run small.onnx --device sim:box --input x:rows.json -o OUT', 'rows.json'),
    ('run small.onnx --device sim:box --input x:rows.json;y:other --profile OUT', 'rows.json'),
    ('analyze a.json -o OUT', 'a.json'), ('report a.json -o OUT', 'a.json'), ('compare a.json b.json -o OUT', 'b.json'), ('compare a.json b.json --junit OUT', 'a.json'),
    ('trace info p.json -o OUT', 'p.json'), ('trace check p.json -o OUT', 'p.json'), ('trace convert p.json -o OUT', 'p.json'),
    ('trace cut p.json --max 1kB -o OUT', 'p.json'), ('trace merge gpu.trace.json p.json -o OUT', 'p.json'),
    ('diagnose slow_loader.trace.json -o OUT', 'slow_loader.trace.json'),
    ('pipeline run pipe.yaml --simulate --trace OUT', 'pipe.yaml'), ('pipeline run pipe.yaml --simulate -o OUT', 'pipe.yaml'),
    ('pipeline analyze p.json -o OUT', 'p.json'), ('pipeline whatif p.json -o OUT', 'p.json'),
    ('pipeline interference pipe.yaml --simulate --save OUT', 'pipe.yaml'),
    ('plan search --costs costs.json -o OUT', 'costs.json'), ('plan search --costs costs.json --plan laws.json -o OUT', 'laws.json'),
    ('plan compile laws.json --sizes 1000,1000-20000,40000 --out OUT', 'laws.json'),
    ('plan simulate plans.json --costs laws.json --random 20 -o OUT', 'plans.json'), ('plan cut small.onnx --list -o OUT', 'small.onnx'),
    ('plan run small.onnx --devices sim:box,sim:slowbox -o OUT', 'small.onnx'), ('sweep --all --cases cases.json -o OUT', 'cases.json'),
    ('load --config load.yaml -o OUT', 'load.yaml'), ('zoo export --config zoo.yaml -o new', 'zoo.yaml'),
    ('kernels record small.onnx -o OUT', 'small.onnx'), ('kernels list small.onnx -o OUT', 'small.onnx'),
    ('kernels bench small.onnx -o OUT', 'small.onnx'), ('collect --config zoo.yaml -o OUT', 'zoo.yaml'),
    ('collect --models small.onnx -o OUT', 'small.onnx'), ('collect merge d.csv e.csv -o OUT', 'e.csv'), ('fit d.csv -o new', 'd.csv'),
    ('predict small.onnx --trace OUT', 'small.onnx'), ('predict small.onnx -o OUT', 'small.onnx'),
    ('evaluate small.onnx -o OUT', 'small.onnx'), ('lookup raw.json --nodes 10 --edges 40 -o OUT', 'raw.json'),
]
TWICE = ['run small.onnx --device sim:box --profile X --trace X', 'run small.onnx --device sim:box --profile X -o ./X',
         'run small.onnx --device sim:box --profile X --log-file X', 'compare a.json b.json --junit X -o sub/../X',
         'pipeline run pipe.yaml --simulate --trace X --log-file X.journal', 'pipeline run pipe.yaml --simulate --trace X -o X',
         'analyze a.json -o X --log-file X', 'run small.onnx --device sim:box --optimized-model-out X.xml --profile X.bin']
# Read without being named, and found while it is read: exit 1.
UNNAMED = [('pipeline run modelled.yaml --batches 2 --trace OUT', 'small.onnx'), ('kernels record models -o OUT', 'models/small.onnx'),
           ('predict models --predictor swept --trace OUT', 'models/small.onnx')]


def state(folder):
    """Every file with its bytes, number and links."""
    return {str(path.relative_to(folder)): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_ino, path.stat().st_nlink)
            for path in folder.rglob('*') if path.is_file()}


class OneFile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix='takt_one_file_')
        cls.folder = pathlib.Path(cls.holder.name) / 'all'
        cls.folder.mkdir()
        cls.environment = {**os.environ, 'TAKT_CACHE_DIR': str(cls.folder / 'cache'), 'LC_ALL': 'C.UTF-8'}
        prepare(TAKT, MAKE_MODELS, cls.folder, cls.environment, collects=False)
        for name in ('d.csv', 'e.csv'):
            (cls.folder / name).write_text('Kernel_ID,OpType\n', encoding='utf-8')
        shutil.copy(next(cls.folder.rglob('raw_measurements.json')), cls.folder / 'raw.json')
        (cls.folder / 'models').mkdir()
        (cls.folder / 'sub').mkdir()
        shutil.copy(cls.folder / 'small.onnx', cls.folder / 'models')
        (cls.folder / 'modelled.yaml').write_text('name: modelled\nbatches: 2\nstages:\n  - {name: only, model: small.onnx, device: "sim:CPU"}\n', encoding='utf-8')

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def refused(self, line, exit_code=2, says=''):
        before = state(self.folder)
        done = subprocess.run([TAKT, *line.split()], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=100, check=False)
        self.assertEqual(done.returncode, exit_code, f'takt {line}: {done.stdout[:300]}{done.stderr}')
        said = answer(done.stderr)
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertIn(says, said)
        self.assertEqual(done.stdout, '')
        self.assertEqual(state(self.folder), before, f'takt {line}')

    def ways(self, lines):
        """Each line with the file under one of its names, in turns: its own, a way around, a symbolic and a hard link."""
        other = self.folder / 'another_name'
        for number, (line, name) in enumerate(lines):
            self.assertTrue((self.folder / name).is_file(), name)
            if number % 4 < 2:
                yield line, (name, f'sub/../{name}')[number % 4]
                continue
            (os.symlink, os.link)[number % 4 - 2](self.folder / name, other)
            yield line, other.name
            other.unlink()

    def test_what_is_read_is_not_written(self):
        for line, out in self.ways([one for one in READERS if 'OUT' in one[0]][::5 if IS_SANITIZED else 1]):
            with self.subTest(line, out=out):
                self.refused(line.replace('OUT', out), says='would overwrite')
        for line, out in self.ways([READERS[2]] * 4):
            self.refused(line.replace('OUT', out), says='would overwrite')

    def test_a_log_is_written_too(self):
        for line, out in self.ways(READERS[::9 if IS_SANITIZED else 1]):
            with self.subTest(line, out=out):
                self.refused(f'{line.replace("OUT", "new")} --log-file {out}', says='would overwrite')

    def test_two_outputs_are_two_files(self):
        for line in TWICE:
            with self.subTest(line):
                self.refused(line, says='would write the same file')
        os.link(self.folder / 'a.json', self.folder / 'linked.json')
        self.refused('run small.onnx --device sim:box --profile a.json --trace linked.json', says='would write the same file')
        (self.folder / 'linked.json').unlink()

    def test_a_journal_is_written_too(self):
        shutil.copy(self.folder / 'pipe.yaml', self.folder / 'new.journal')
        self.refused('pipeline run new.journal --simulate --trace new', says='the journal of --trace would overwrite')
        (self.folder / 'new.journal').unlink()

    def test_a_file_that_no_option_names_is_kept(self):
        there = runtimes(TAKT)
        for line, name in UNNAMED:
            if 'onnxruntime' not in there and 'pipeline' not in line:
                continue
            with self.subTest(line):
                self.refused(line.replace('OUT', name), exit_code=1)

    def test_a_log_goes_on_in_a_log_alone(self):
        self.refused('explain runs --log-file small.onnx', says='is not a log of takt')
        self.refused('explain runs --log-file pipe.yaml', says='is not a log of takt')
        lengths = []
        for _ in range(3):
            subprocess.run([TAKT, 'explain', 'runs', '--log-file', 'log'], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
            lengths.append(len((self.folder / 'log').read_text(encoding='utf-8').splitlines()))
        self.assertEqual(lengths, [lengths[0] * times for times in (1, 2, 3)])
        (self.folder / 'log').unlink()

    def test_what_is_no_danger_is_done(self):
        """Devices are shared, an output takes the place of that of the run before, a folder is gone on with."""
        for line in ('run small.onnx --device sim:box --iter 2 --profile /dev/null --trace /dev/null --log-file /dev/null',
                     'run small.onnx --device sim:box --iter 2 --profile again.json', 'run small.onnx --device sim:box --iter 2 --profile again.json',
                     'compare a.json --baseline history', 'compare b.json --baseline history',
                     'sweep --analyze --out swept -o swept.txt', 'pipeline analyze p.json -o p.txt',
                     'pipeline run pipe.yaml --simulate --trace p.json'):
            done = subprocess.run([TAKT, *line.split()], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=100, check=False)
            self.assertEqual(done.returncode, 0, f'takt {line}: {done.stderr}')


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], '-v'])
