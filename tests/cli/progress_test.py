#!/usr/bin/env python3
"""progress_test.py TAKT MAKE_MODELS: on a terminal commands that take their time draw a bar: of what, and how far they are, from
nothing towards all, and it is gone at the end."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

TAKT, MAKE_MODELS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent

REAL_BOX = '''name: real
law: table
unknown_op_ns: 3000000
overhead_ns: 1000000
clock: real
ops: {}
'''
REAL_PIPELINE = '''batches: 60
stages:
  - {name: load, dummy: {time: 4ms}, device: sim:CPU}
  - {name: infer, dummy: {time: 8ms}, device: sim:GPU}
'''
# What is typed, and the labels that its bars have. Each takes some tenths of a second, on a clock of its own.
COMMANDS = {
    'run small.onnx --device sim:real --iter 60': ['plain and profiled runs'],
    'run small.onnx --device sim:real --iter 60 --vary batch-size=1,2': ['measuring variants'],
    'pipeline run real.yaml --simulate real --trace run.json': ['batches'],
    'run small.onnx --device sim:real --iter 60 --no-ops': ['plain runs'],
    'pipeline interference real.yaml --simulate real --batches 12 --rounds 2': ['runs'],
    'stress --cpu 1% --threads 1 --for 500ms': ['stress'],
}


def on_a_terminal(words, folder):
    """What the command writes to standard error, which is a terminal of 80 columns."""
    master, slave = pty.openpty()
    environment = {**os.environ, 'TAKT_CACHE_DIR': str(folder / 'cache'), 'LC_ALL': 'C.UTF-8', 'COLUMNS': '80'}
    with subprocess.Popen([TAKT, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave,
                          env=environment) as running:
        os.close(slave)
        text, until = b'', time.monotonic() + 100
        while time.monotonic() < until:
            if not select.select([master], [], [], 1)[0]:
                continue
            try:
                piece = os.read(master, 4096)
            except OSError:  # nobody holds the other end any more
                break
            if not piece:
                break
            text += piece
        code = running.wait()
    os.close(master)
    return code, text.decode('utf-8')


class Progress(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix='takt_progress_')
        cls.folder = pathlib.Path(cls.temporary.name)
        subprocess.run([MAKE_MODELS, cls.folder], check=True)
        (cls.folder / 'real.yaml').write_text(REAL_PIPELINE, encoding='utf-8')
        shutil.copytree(cls.folder, cls.folder / 'devices')
        (cls.folder / 'devices' / 'real.yaml').write_text(REAL_BOX, encoding='utf-8')

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_bars_go_from_nothing_towards_all(self):
        for line, labels in COMMANDS.items():
            with self.subTest(line):
                folder = self.folder / 'devices' if line.startswith('run') else self.folder
                code, text = on_a_terminal(line.split(), folder)
                self.assertEqual(code, 0, text)
                drawn = re.findall(r'\r(.+?) \[[#.]+\] +(\d+) %', text)
                self.assertTrue(drawn, text)
                seen = list(dict.fromkeys(label for label, _ in drawn))
                self.assertEqual(seen, labels, text)
                for label in seen:
                    shares = [int(share) for of, share in drawn if of == label]
                    self.assertEqual(shares, sorted(shares), text)
                    self.assertLess(shares[0], 100, text)
                    self.assertGreater(shares[-1], 0, text)
                self.assertTrue(re.sub(r'takt: .*?\r?\n', '', text).endswith('\r\x1b[K'), text)

    def test_without_a_terminal_there_is_none(self):
        done = subprocess.run([TAKT, *'stress --cpu 1% --threads 1 --for 300ms'.split()], cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, check=True)
        self.assertNotIn(b'\r', done.stderr + done.stdout)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
