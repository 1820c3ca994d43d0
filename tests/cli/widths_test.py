#!/usr/bin/env python3
"""widths_test.py TAKT ROOT: what commands print at 60, 80 and 200 columns.

The first line is the answer; no line is longer than the terminal; what decides (verdicts, plans, reasons) is never cut:
every word of it is there. Words are compared without the line breaks that a narrow table makes.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unicodedata
import unittest

TAKT, ROOT = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
WIDTHS = (60, 80, 200)
SETUP = [
    ['pipeline', 'run', 'pipe.yaml', '--simulate', '--trace', 'run.json', '-o', 'run.txt'],
    ['plan', 'compile', 'laws.json', '--sizes', '1000,2000-50000,500000', '--out', 'set.json', '-o', 'set.txt'],
]
# Command, and what its first line says.
COMMANDS = [
    (['pipeline', 'run', 'pipe.yaml', '--simulate', '--trace', ''], r'^(bottleneck|bound by) '),
    (['pipeline', 'analyze', 'run.json'], r'^(bottleneck|bound by) '),
    (['pipeline', 'whatif', 'run.json', '--set', 'stage.message.time=x0.5'], r'^Makespan -\d'),
    (['pipeline', 'interference', 'crowd.yaml', '--simulate'], r'is slowed down most'),
    (['plan', 'search', '--costs', 'costs.json', '--plan', 'PEP1'], r'^Best plan: GPU'),
    (['plan', 'compile', 'laws.json', '--sizes', '1000,2000-50000,500000', '--out', 'again.json'], r'^\d+ plans? for 1000 nodes'),
    (['plan', 'simulate', 'set.json', '--costs', 'laws.json', '--random', '200', '--stay', '20'], r'^The set '),
    (['diagnose', 'loader.json'], r'^1\. data_starvation'),
    (['trace', 'info', 'run.json'], r'^File '),
    (['trace', 'check', 'run.json'], r'run\.json: no fault'),
    (['devices'], r'^(Usable here|No real device)'),
    (['devices', '--check'], r'conditions disturb measurements'),
    (['load', '--sources', 'host'], r'^(CPU|load average)'),
]
# Columns whose cells may not be cut, by the first word of the commands that print them.
WHOLE = {'plan': ('plan', 'plan_reason'), 'devices': ('description',), 'diagnose': ('cause', 'fix')}
FILES = {'pipe.yaml': 'examples/pipelines/gnn.yaml', 'crowd.yaml': 'tests/cli/crowd.yaml', 'costs.json': 'examples/plans/costs.json',
         'laws.json': 'examples/plans/laws.json', 'loader.json': 'examples/traces/slow_loader.trace.json'}


def takt(folder, words, width=80):
    done = subprocess.run([TAKT, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder, timeout=120,
                          env={**os.environ, 'COLUMNS': str(width), 'LC_ALL': 'C.UTF-8'}, check=False)
    if done.returncode != 0:
        raise AssertionError(f'takt {" ".join(words)} exits {done.returncode}: {done.stdout}{done.stderr}')
    return done.stdout


def width_of(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in line)


def told_whole(folder, words):
    """Words of the cells that may not be cut, from the same tables as data; longer ones than any column has room for
    are left out."""
    tables = json.loads(takt(folder, [*words, '--format', 'json']))['tables']
    cells = [row.get(column) for rows in tables.values() for row in rows for column in WHOLE[words[0]]]
    return [word for cell in cells if isinstance(cell, str) for word in cell.split() if len(word) <= 24]


class Widths(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix='takt_widths_')
        cls.folder = pathlib.Path(cls.scratch.name)
        for name, source in FILES.items():
            (cls.folder / name).write_bytes((ROOT / source).read_bytes())
        for device in (ROOT / 'examples' / 'pipelines').glob('meteor-*.yaml'):
            (cls.folder / device.name).write_bytes(device.read_bytes())
        for words in SETUP:
            takt(cls.folder, words)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_the_first_line_answers_and_no_line_is_too_long(self):
        for words, first in COMMANDS:
            for width in WIDTHS:
                with self.subTest(command=' '.join(words), width=width):
                    lines = takt(self.folder, words, width).splitlines()
                    self.assertRegex(lines[0], first)
                    too_long = [line for line in lines if width_of(line) > width and ' ' in line.strip()]  # a path stays whole
                    self.assertEqual(too_long, [])

    def test_what_decides_is_never_cut(self):
        commands = [words for words, _ in COMMANDS if words[0] in WHOLE and words[-1] not in ('--check', 'again.json')]
        self.assertGreater(len(commands), 3)
        for words in commands:
            wanted = told_whole(self.folder, words)
            self.assertTrue(wanted, words)
            for width in WIDTHS:
                text = takt(self.folder, words, width)
                for word in wanted:
                    with self.subTest(command=' '.join(words), width=width, word=word):
                        self.assertIn(word, text)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
