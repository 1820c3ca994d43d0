#!/usr/bin/env python3
"""cells_test.py TAKT TESTS: every table that takt prints or writes has a test of what stands in which cell.

Such a test is called Cells.of_COMMAND_TABLE (of_pipeline_whatif_summary) and compares whole rows with values worked out
by hand (tests/table_cells.h); it names every column of the table. Tables with the same columns need one of them.
"""
import collections
import csv
import io
import pathlib
import re
import subprocess
import sys
import unittest

TAKT, TESTS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
TEST = re.compile(r'^TEST\(Cells, (of_\w+)\) \{$(.*?)^\}$', re.MULTILINE | re.DOTALL)
LABEL = re.compile(r'^const std::vector<ColumnCells> label\{(.*?)\};$', re.MULTILINE | re.DOTALL)  # columns of many tables


def tables_of(text):
    """By columns, each as explain tells it: the tables that have these, as (command, table)."""
    columns = collections.defaultdict(list)
    for row in csv.DictReader(io.StringIO(text)):
        columns[row['command'], row['table']].append((row['column'], row['title'], row['meaning']))
    alike = collections.defaultdict(list)
    for table, told in columns.items():
        alike[tuple(told)].append(table)
    return alike


def keys_in(source):
    """Of each test in the text of a file: the keys that it names."""
    label = ''.join(LABEL.findall(source))
    return {name: set(re.findall(r'\{"([\w.]+)",', body + (label if 'with_label(' in body else '')))
            for name, body in TEST.findall(source)}


def lacks(alike, tests):
    """A sentence for each kind of table without a test, or with one that lacks a column."""
    sentences = []
    for columns, places in alike.items():
        names = ['of_' + '_'.join([*command.split(), table]) for command, table in places]
        keys = set().union(*(tests.get(name, set()) for name in names))
        wanted = {key.split('.')[0] for key, _, _ in columns}
        missing = sorted(wanted - {key.split('.')[0] for key in keys})
        if missing:
            sentences.append(f'no test Cells.{" or Cells.".join(names)} has {", ".join(missing)}')
    return sentences


class Cells(unittest.TestCase):
    def test_of_every_table_are_compared_with_values(self):
        told = subprocess.run([TAKT, 'explain', '--format', 'csv', '--table', 'columns'], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        alike = tables_of(told)
        self.assertGreater(len(alike), 80)
        tests = {}
        for path in sorted(TESTS.rglob('*_test.cpp')):
            for name, keys in keys_in(path.read_text(encoding='utf-8')).items():
                self.assertNotIn(name, tests, f'{path}: the name is there twice')
                tests[name] = keys
        self.assertEqual(lacks(alike, tests), [])
        known = {'of_' + '_'.join([*command.split(), table]) for places in alike.values() for command, table in places}
        self.assertEqual([name for name in tests if name not in known], [], 'tests of tables that there are not')

    def test_a_table_without_a_test_is_found(self):
        alike = tables_of('command,table,column,title,meaning\nmy run,new,time_us,Time,How long.\nmy run,new,x.STAGE,X,Y.\n')
        self.assertEqual(lacks(alike, {}), ['no test Cells.of_my_run_new has time_us, x'])
        test = 'TEST(Cells, of_my_run_new) {\n  expect_cells(made, {{"time_us", {"1"}}});\n}\n'
        self.assertEqual(lacks(alike, keys_in(test)), ['no test Cells.of_my_run_new has x'])
        self.assertEqual(lacks(alike, keys_in(test.replace('}}});', '}}, {"x.first", {"2"}}});'))), [])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
