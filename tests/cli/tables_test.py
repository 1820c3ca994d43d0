#!/usr/bin/env python3
"""tables_test.py TAKT MAKE_MODELS TABLES_MD: what commands write is what `takt explain` and docs/tables.md say.

Runs every command that has tables, as JSON and each table as CSV, on small inputs and simulated devices. Every table
and column that comes out must be known, in the same order; every table and column that is known must come out.
One makespan: run, analyze and whatif tell the same one of a recorded run.
"""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from answers import answer
from stateful_ir import write_sum_with_state

TAKT, MAKE_MODELS, TABLES = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
HERE = pathlib.Path(__file__).resolve().parent
# Five models of one file: architectures, as far as their names tell.
COLLECT = ['collect', '--models', 'alike', '-o', 'kernels.csv', '--rounds', '1', '--time', '5ms', '--accept-disturbed']
RUN = ['run', 'small.onnx', '--device', 'sim:box', '--iter', '6']

# By command: what is run, and the tables that CSV may ask for (none: the command has no --table).
COMMANDS = {
    'run': [*RUN, '--columns', 'all'],
    'analyze': ['analyze', 'a.json', '--columns', 'all'],
    'compare': ['compare', 'a.json', 'b.json'],
    'trace info': ['trace', 'info', 'gpu.trace.json'],
    'trace check': ['trace', 'check', 'broken.trace.json'],
    'diagnose': ['diagnose', 'slow_loader.trace.json', '--show',
                 'temporal,idle,kernels,launch,overlap,queue,path,phases,operators,modules,memory,matrix_units'],
    'scenario': ['scenario', 'dataloader', '--device', 'cpu'],
    'pipeline run': ['pipeline', 'run', 'split.yaml', '--simulate'],
    'pipeline analyze': ['pipeline', 'analyze', 'run.json'],
    'pipeline interference': ['pipeline', 'interference', 'pressed.yaml', '--simulate', '--batches', '40', '--rounds', '2', '--pairs', 'both'],
    'pipeline whatif': ['pipeline', 'whatif', 'run.json', '--sweep', 'stage.first.time=x0.5:x1:x0.25'],
    'sweep': ['sweep', '--all', '--ranges', '--devices', 'sim:CPU,sim:NPU', '--iterations', '2', '--cases', 'cases.json', '--out', 'sweep'],
    'lookup': ['lookup', 'raw.json', '--nodes', '15', '--edges', '30'],
    'plan cut': ['plan', 'cut', 'small.onnx', '--pieces', '2', '--out', 'cut_pieces'],
    'plan run': ['plan', 'run', 'sweep', '--nodes', '5', '--edges', '9', '--batches', '3'],
    'plan search': ['plan', 'search', '--costs', 'costs.json', '--plan', 'PEP1'],
    'plan compile': ['plan', 'compile', 'laws.json', '--sizes', '10,0-1000,0', '--out', 'plans.json'],
    'plan simulate': ['plan', 'simulate', 'plans.json', '--costs', 'laws.json', '--random', '9'],
    'load': ['load', '--sources', 'host', '--window', '20ms'],
    'stress': ['stress', '--cpu', '10%', '--threads', '1', '--for', '50ms'],
    'zoo list': ['zoo', 'list'],
    'explain': ['explain'],
}
WITHOUT_TABLE_OPTION = {'analyze': 'operators', 'trace check': 'faults', 'lookup': 'costs', 'plan cut': 'cuts', 'stress': 'stress', 'zoo list': 'zoo'}
# What takes options of its own to come out.
SPECIAL = {
    ('run', 'instances'): [*RUN, '--thread', '2'],
    ('run', 'throughput'): [*RUN, '--requests', '2'],
    ('run', 'percentiles'): [*RUN, '--percentiles', '50,99.9'],
    ('run', 'variants'): [*RUN, '--vary', 'batch-size=1,1'],
    ('run', 'iterations'): [*RUN, '--verbose'],
    ('analyze', 'host_operators'): ['analyze', 'a.json', '--columns', 'all', '--show-host'],
    ('analyze', 'summary'): ['analyze', 'a.json', '--print-only', 'summary'],
    ('diagnose', 'comparison'): ['diagnose', 'slow_loader.trace.json', 'slow_loader.trace.json', '--compare'],
    ('plan search', 'candidates'): ['plan', 'search', '--preset', 'source', '--list'],
    ('load', 'troubles'): ['load', '--sources', 'prometheus,host', '--window', '20ms', '--config', 'nobody.yaml'],
    ('load', 'features'): ['load', '--features'],
    ('devices', 'devices'): ['devices'],
    ('devices', 'load_sources'): ['devices'],
    ('devices', 'peaks'): ['devices', '--measure'],
    ('devices', 'conditions'): ['devices', '--check'],
}
# Settings are fitted, start-up is taken apart, and operators leave their device on a real runtime only.
NEED_REAL_RUNTIME = {
    ('run', 'fitting'): ['run', 'small.onnx', '--iter', '2', '--fitting', '--device', 'CPU'],
    ('run', 'startup'): ['run', 'small.onnx', '--iter', '2', '--no-ops', '--device', 'CPU'],
    ('run', 'shapes'): ['run', 'dynamic.onnx', '--iter', '4', '--no-ops', '--input', 'x:one.json,rows.json'],
    ('run', 'left'): ['run', 'small.onnx', '--iter', '2', '--device', 'CPU'],
    ('kernels list', 'kernels'): ['kernels', 'list', 'small.onnx'],
    ('kernels list', 'kernel_names'): ['kernels', 'list', 'small.onnx'],
    ('kernels extract', 'extracted'): ['kernels', 'extract', 'small.onnx', '--out', 'kernels'],
    ('kernels bench', 'kernel_times'): ['kernels', 'bench', 'small.onnx', '--iter', '2'],
    ('kernels dag', 'dag'): ['kernels', 'dag', 'small.onnx', '--out', 'kernels'],
    ('kernels dag', 'critical_kernels'): ['kernels', 'dag', 'small.onnx', '--out', 'kernels'],
    ('collect', 'collected'): COLLECT,
    ('fit', 'errors'): ['fit', 'kernels.csv', '-o', 'predictor', '--folds', '2'],
    ('fit', 'features'): ['fit', 'kernels.csv', '-o', 'predictor', '--folds', '2'],
    ('predict', 'summary'): ['predict', 'small.onnx', '--predictor', 'predictor'],
    ('predict', 'kernels'): ['predict', 'small.onnx', '--predictor', 'predictor'],
    ('evaluate', 'summary'): ['evaluate', 'small.onnx', '--predictor', 'predictor', '--rounds', '1', '--time', '5ms'],
    ('evaluate', 'models'): ['evaluate', 'small.onnx', '--predictor', 'predictor', '--rounds', '1', '--time', '5ms'],
    ('evaluate', 'groups'): ['evaluate', 'small.onnx', '--predictor', 'predictor', '--rounds', '1', '--time', '5ms'],
    ('predict', 'load'): ['predict', 'small.onnx', '--load'],
    ('plan search', 'piece_costs'): ['plan', 'search', 'small.onnx', '--devices', 'sim:CPU', '--pieces', '2'],
    ('plan run', 'piece_costs'): ['plan', 'run', 'small.onnx', '--devices', 'sim:CPU', '--pieces', '2', '--batches', '2'],
}
# Only OpenVINO's models keep state.
NEED_OPENVINO = {('run', 'steps'): ['run', 'sum.xml', '--iter', '4', '--no-ops', '--keep-state']}
PIECES = ['small.onnx', '--devices', 'sim:left,sim:right', '--pieces', '2', '--objective', 'throughput']
for known in ('search', 'run'):
    NEED_REAL_RUNTIME[f'plan {known}', 'piece_pairs'] = ['plan', known, *PIECES]
SHARING = 'law: table\nops: {Conv: 50000}\nunknown_op_ns: 20000\nshares: {memory: {pressure: 0.5, sensitivity: 0.5}}\n'
SPLIT = """\
name: split
batches: 12
stages:
  - {name: first, dummy: {time: 2ms}, device: sim:CPU}
  - name: halves
    dummy: {time: 6ms, partition: 100us, merge: 100us}
    split: {devices: [sim:GPU, sim:NPU], ratio: [0.5, 0.5]}
"""
COSTS = '{"units": ["CPU", "GPU"], "times_us": {"CPU": [5, 9], "GPU": [4, 3]}}'
LAWS = '{"units": ["CPU", "GPU"], "times_us": {"CPU": [{"per_node": 1}], "GPU": [{"fixed": 50, "per_node": 0.5}]}}'
# In the place of takt-train, which not every build has (cli.scenario really trains).
TRAINER = """\
#!/bin/sh
cat > /dev/null
echo '{"step_times_ns": [9, 9], "data_waits_ns": [1, 1], "trace_file": "slow_loader.trace.json", "device": "cpu",' \
     '"torch_version": "1", "profiler": "none", "last_loss": 1}'
"""
CASES = '{"config": {"feature_dim": 4}, "test_cases": [{"nodes": 5, "edges": 9}]}'
RAW = ('{"10,20,CPU,1": {"mean": 2, "std": 0.1, "min": 1.9, "max": 2.2},'
       ' "10,20,NPU,3": {"failed": true, "error": "no scatter"}}')


class Workshop:
    """A folder with inputs for every command."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix='takt_tables_')
        path = pathlib.Path(self.folder.name)
        self.environment = {**os.environ, 'TAKT_FIXED_PROVENANCE': '1', 'TAKT_CACHE_DIR': str(path / 'cache')}
        subprocess.run([MAKE_MODELS, path], check=True)
        for file in [*HERE.glob('*.yaml'), *HERE.glob('*.trace.json')]:
            shutil.copy(file, path)
        (path / 'one.json').write_text('[[1, 2, 3, 4]]', encoding='utf-8')
        (path / 'split.yaml').write_text(SPLIT, encoding='utf-8')
        for name in ('left', 'right'):
            (path / f'{name}.yaml').write_text(SHARING, encoding='utf-8')
        (path / 'nobody.yaml').write_text('load: {prometheus: {url: "http://127.0.0.1:1"}}', encoding='utf-8')
        (path / 'cases.json').write_text(CASES, encoding='utf-8')
        (path / 'raw.json').write_text(RAW, encoding='utf-8')
        (path / 'laws.json').write_text(LAWS, encoding='utf-8')
        write_sum_with_state(path / 'sum.xml')
        (path / 'costs.json').write_text(COSTS, encoding='utf-8')
        (path / 'trainer').write_text(TRAINER, encoding='utf-8')
        (path / 'trainer').chmod(0o700)
        self.environment['TAKT_TRAIN'] = str(path / 'trainer')
        (path / 'alike').mkdir()
        for name in ('one', 'two', 'three', 'four', 'five'):
            shutil.copy(path / 'small.onnx', path / 'alike' / f'{name}.onnx')
        self.takt(*RUN, '--profile', 'a.json', '--trace', 'a.trace.json')
        self.takt('run', 'small.onnx', '--device', 'sim:slowbox', '--iter', '6', '--profile', 'b.json')
        self.takt('pipeline', 'run', 'split.yaml', '--simulate', '--trace', 'run.json')

    def takt(self, *words, exits=(0,)):
        done = subprocess.run([TAKT, *words], cwd=self.folder.name, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=200, encoding='utf-8', check=False)
        if done.returncode not in exits:
            raise AssertionError(f'takt {" ".join(words)} exits {done.returncode}: {answer(done.stderr)}')
        return done.stdout

    def tables(self, *words, exits=(0,)):
        return json.loads(self.takt(*words, '--format', 'json', exits=exits))['tables']

    def heading(self, *words, exits=(0,)):
        return next(csv.reader(io.StringIO(self.takt(*words, '--format', 'csv', exits=exits))))


def general(keys):
    """Keys whose end differs from run to run, under the name that they are known by."""
    return list(dict.fromkeys('stage_time_us.STAGE' if key.startswith('stage_time_us.') else key for key in keys))


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shop = Workshop()
        told = cls.shop.tables('explain')
        cls.known = {(row['command'], row['table']): [] for row in told['tables']}
        for row in told['columns']:
            cls.known[row['command'], row['table']].append(row['column'])

    @classmethod
    def tearDownClass(cls):
        cls.shop.folder.cleanup()

    def exits(self, command):
        return (1,) if command == 'trace check' else (0,)

    def compare_rows(self, command, tables, seen):
        for name, rows in tables.items():
            self.assertIn((command, name), self.known)
            seen.add((command, name))
            for row in rows:
                self.assertEqual(general(row), self.known[command, name], f'{command} {name}')

    def test_every_table_and_column_is_known_and_every_known_one_comes_out(self):
        seen = set()
        for command, words in COMMANDS.items():
            self.compare_rows(command, self.shop.tables(*words, exits=self.exits(command)), seen)
            names = [table for known, table in self.known if known == command]
            self.assertTrue(names, f'{command}: no tables are known')
            for name in names:
                if (command, name) in {**SPECIAL, **NEED_REAL_RUNTIME, **NEED_OPENVINO}:
                    continue
                option = [] if WITHOUT_TABLE_OPTION.get(command) == name else ['--table', name]
                heading = self.shop.heading(*words, *option, exits=self.exits(command))
                self.assertEqual(general(heading), self.known[command, name], f'{command} {name}')
                seen.add((command, name))
        self.look_at_special_ones(seen)
        self.assertEqual(set(self.known) - seen, set(), 'known, but never printed')

    def look_at_special_ones(self, seen):
        devices = self.shop.tables('devices')['devices']
        real = any(row['device'] == 'CPU' and row['usable'] == 'yes' for row in devices)
        openvino = any(row['runtime'] == 'openvino' for row in devices)
        for (command, name), words in {**SPECIAL, **NEED_REAL_RUNTIME, **NEED_OPENVINO}.items():
            if (command, name) in NEED_REAL_RUNTIME and not real or (command, name) in NEED_OPENVINO and not openvino:
                seen.add((command, name))
                continue
            rows = self.shop.tables(*words)[name]
            self.assertTrue(rows, f'{command} {name} has no row')
            self.assertEqual(list(rows[0]), self.known[command, name], f'{command} {name}')
            seen.add((command, name))

    def test_the_usual_columns_come_in_the_known_order(self):
        for words in (RUN, ['analyze', 'a.json']):
            for name, rows in self.shop.tables(*words).items():
                known = self.known[words[0], name]
                self.assertEqual(list(rows[0]), [key for key in known if key in rows[0]], f'{words[0]} {name}')

    def test_explain_answers_for_columns_tables_and_rows(self):
        for word in ('usable', 'gpu_time', '[unattributed]', 'unattributed', 'stage_time_us.first'):
            self.assertIn(word.split('.')[0], self.shop.takt('explain', word))

    def test_the_document_has_every_table_and_column(self):
        text = TABLES.read_text(encoding='utf-8')
        sections = {}
        for heading, body in re.findall(r'^## (takt .*)\n((?:(?!##).*\n)*)', text, re.M):
            for command in heading.split(', '):
                for name, table in re.findall(r'^\| table `(\w+)` \|.*\n((?:\|.*\n)+)', body, re.M):
                    sections[command.removeprefix('takt '), name] = re.findall(r'^\| `(.*?)` \|', table, re.M)
        self.assertEqual(sections, self.known)

    def test_run_analyze_and_whatif_tell_one_makespan(self):
        run = self.shop.tables('pipeline', 'run', '--simulate', 'real', '--batches', '20', '--trace', 'real.json')
        analyzed = self.shop.tables('pipeline', 'analyze', 'real.json')
        before = self.shop.tables('pipeline', 'whatif', 'real.json')['summary'][0]
        self.assertEqual(before['variant'], 'before')
        makespans = {tables['summary'][0]['makespan_us'] for tables in (run, analyzed)} | {before['makespan_us']}
        self.assertEqual(len(makespans), 1, makespans)
        self.assertGreater(makespans.pop(), 0)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
