#!/usr/bin/env python3
"""sweep_test.py TAKT: a sweep that is killed again and again ends as one that nobody disturbed, and devices that fail cost
only their own rows."""
import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import read_back

TAKT = pathlib.Path(sys.argv[1]).resolve()
CASES = {'config': {'feature_dim': 16}, 'test_cases': [{'nodes': 20, 'edges': 50}, {'nodes': 30, 'edges': 60}]}


class Sweep(unittest.TestCase):
    """A folder with a file of cases."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='takt_sweep_')
        self.path = pathlib.Path(self.folder.name)
        (self.path / 'cases.json').write_text(json.dumps(CASES), encoding='utf-8')

    def tearDown(self):
        unread = read_back.faults_in(TAKT, self.path)
        self.folder.cleanup()
        self.assertEqual(unread, [])


class Exported(Sweep):
    def command(self, out):
        return [TAKT, 'sweep', '--export', '--models', 'sage,gcn,gat', '--cases', 'cases.json', '--out', out,
                '--format', 'json']

    def export(self, out):
        done = subprocess.run(self.command(out), cwd=self.path, capture_output=True, encoding='utf-8', timeout=200,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)['tables']

    def files(self, out, kind):
        folder = self.path / out / 'exported_models' / kind
        return {file.name: file.read_bytes() for file in folder.iterdir()}

    def test_killed_exports_end_as_undisturbed_ones(self):
        whole = self.export('whole')
        self.assertEqual(len(whole['models']), 20 * 4)
        chance = random.Random(5)
        for _ in range(6):
            with subprocess.Popen(self.command('killed'), cwd=self.path, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                try:
                    process.wait(timeout=chance.uniform(0.02, 1.0))
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
        killed = self.export('killed')
        names = [(row['onnx_file'], row['ir_file']) for row in killed['models']]
        self.assertEqual(names, [(row['onnx_file'], row['ir_file']) for row in whole['models']])
        self.assertEqual(self.files('killed', 'onnx_models'), self.files('whole', 'onnx_models'))
        if killed['models'][0]['ir_file']:
            self.assertEqual(self.files('killed', 'ir_models').keys(), self.files('whole', 'ir_models').keys())
        self.assertEqual({row['is_new'] for row in self.export('killed')['models']}, {'no'})

    def test_exported_models_run(self):
        models = self.export('out')['models']
        rows = [row for row in models if row['onnx_file'].endswith(('sage_stage5_cpu.onnx', 'gat_stage1_npu_n20_e50.onnx'))]
        self.assertEqual(len(rows), 2)
        for row in rows:
            done = subprocess.run([TAKT, 'run', f'out/{row["onnx_file"]}', '--device', 'sim:CPU', '--iter', '2'],
                                  cwd=self.path, capture_output=True, encoding='utf-8', timeout=100, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)



FAULTS = {'lost': 'device lost', 'memory': 'out of memory', 'hang': 'no answer within',
          'crash': 'sim: crashed (signal 6, aborted) while running it'}


class Measured(Sweep):
    """Of simulated devices, so that every build can do it."""

    def command(self, out, *more, devices='sim:CPU,sim:NPU'):
        return [TAKT, 'sweep', '--measure', '--cases', 'cases.json', '--out', out, '--warmup', '0', '--iterations', '2',
                '--devices', devices, '--format', 'json', *more]

    def measure(self, out, *more, code=0, **how):
        done = subprocess.run(self.command(out, *more, **how), cwd=self.path, capture_output=True, encoding='utf-8',
                              timeout=250, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)['tables'] if code == 0 else done.stderr

    @staticmethod
    def keys(rows):
        return sorted((row['unit'], row['stage_number'], row['graph_nodes'], row['graph_edges']) for row in rows)

    def lines(self, out):
        return [line for file in sorted((self.path / out / 'results').glob('*.jsonl'))
                for line in file.read_text(encoding='utf-8').splitlines() if '"key"' in line]

    def all_keys(self):
        return self.keys_of('CPU', 'NPU')

    @staticmethod
    def keys_of(*units):
        return sorted((unit, str(stage), case['nodes'], case['edges']) for unit in units for stage in range(1, 8) for case in CASES['test_cases'])

    def test_every_stage_on_every_device_once(self):
        devices = 'sim:CPU,sim:GPU,sim:NPU'
        tables = self.measure('out', devices=devices)
        self.assertEqual(self.keys(tables['measurements']), self.keys_of('CPU', 'GPU', 'NPU'))
        for row in tables['measurements']:
            refused = row['unit'] == 'NPU' and row['stage_number'] in ('3', '4')
            self.assertEqual(row['row_status'], 'unsupported' if refused else 'measured', row)
            self.assertEqual(row['device'], None if refused else 'sim:' + row['unit'])
            self.assertIn('ScatterElements' if refused else 'None', str(row['reason']))
        before = self.lines('out')
        self.measure('out', devices=devices)  # nothing is measured twice
        self.assertEqual(self.lines('out'), before)

    def describe_bad_device(self, kind, from_bytes=1700):
        (self.path / 'bad.yaml').write_text('peak_flops_per_s: 1.0e12\nbandwidth_bytes_per_s: 1.0e10\nunknown_op_ns: 1000\noverhead_ns: 5000\n'
                                            f'fails: {{as: {kind}, from_bytes: {from_bytes}}}\n', encoding='utf-8')

    def kill_some(self, *more):
        random.seed(4)
        for _ in range(6):
            sweep = subprocess.Popen(self.command('out', *more), cwd=self.path, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            try:
                sweep.wait(timeout=random.uniform(0.1, 1.2))
            except subprocess.TimeoutExpired:
                sweep.send_signal(signal.SIGKILL)
                sweep.wait()

    def test_a_sweep_that_is_killed_goes_on(self):
        self.kill_some()
        tables = self.measure('out')
        self.assertEqual(self.keys(tables['measurements']), self.all_keys())
        self.assertEqual(len(self.lines('out')), len(self.all_keys()))

    def test_rounds_of_a_sweep_that_is_killed_are_all_there_once(self):
        self.kill_some('--rounds', '2')
        tables = self.measure('out', '--rounds', '2', '--analyze')
        self.assertEqual(self.keys(tables['measurements']), self.all_keys())
        lines = [json.loads(line) for line in self.lines('out')]
        rounds = collections.Counter((line['key'], line['status'], line.get('round', 1)) for line in lines)
        self.assertEqual(set(rounds.values()), {1})
        refused = sum(status == 'unsupported' for _, status, _ in rounds)
        self.assertEqual(refused, 4)  # which is tried once, not in every round
        self.assertEqual(len(rounds), 2 * (len(self.all_keys()) - refused) + refused)
        raw = json.loads((self.path / 'out/results/raw_measurements.json').read_text(encoding='utf-8'))
        self.assertEqual(raw['20,50,CPU,1']['rounds'], [1, 1])
        self.assertEqual(len(raw['20,50,CPU,1']['samples_ns']), 2)
        self.assertIn('rounds 2 instead of 1', self.measure('out', code=1))
        self.assertIn('3 rounds cannot share 2 iterations', self.measure('new', '--rounds', '3', code=2))

    def test_what_failed_is_not_tried_in_later_rounds(self):
        self.describe_bad_device('memory')
        self.measure('out', '--rounds', '2', devices='NPU=sim:bad')
        lines = [json.loads(line) for line in self.lines('out')]
        failed = [line['key'] for line in lines if line['status'] == 'failed']
        self.assertGreaterEqual(len(failed), 3)
        self.assertEqual(len(failed), len(set(failed)))
        self.assertEqual(len(lines), 2 * 7 * 2 - len(failed))
        rows = self.measure('out', '--rounds', '2', '--retry', devices='NPU=sim:bad')['measurements']
        self.assertEqual({row['row_status'] for row in rows}, {'measured', 'failed'})
        self.assertEqual(len(self.lines('out')), len(lines) + len(failed))

    def test_rounds_of_a_row_are_measured_by_one_shard(self):
        for number in (1, 2):
            tables = self.measure('out', '--rounds', '2', '--shard', f'{number}/2')
        self.assertEqual(self.keys(tables['measurements']), self.all_keys())
        keys = [{json.loads(line)['key'] for line in file.read_text(encoding='utf-8').splitlines() if '"key"' in line}
                for file in sorted((self.path / 'out/results').glob('*.jsonl'))]
        self.assertEqual(len(keys), 2)
        self.assertFalse(keys[0] & keys[1])

    def test_where_nothing_is_measured_the_table_is_followed_by_an_error(self):
        self.describe_bad_device('memory', from_bytes=0)
        for more in (), ('--analyze', '--interference'):
            done = subprocess.run(self.command('out', *more, devices='NPU=sim:bad'), cwd=self.path, capture_output=True,
                                  encoding='utf-8', timeout=100, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, 'takt: nothing was measured: 14 rows failed or are not supported; the first one: .*')
            rows = json.loads(done.stdout)['tables']['measurements']
            self.assertNotIn('measured', {row['row_status'] for row in rows})
        self.measure('out', devices='NPU=sim:bad,sim:CPU')  # some rows are enough

    def test_ctrl_c_says_what_is_left(self):
        sweep = subprocess.Popen(self.command('out'), cwd=self.path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 encoding='utf-8')
        while not (self.path / 'out/results/measurements.jsonl').exists() and sweep.poll() is None:
            time.sleep(0.01)
        sweep.send_signal(signal.SIGINT)
        _, errors = sweep.communicate(timeout=100)
        self.assertEqual(sweep.returncode, 130, errors)
        self.assertIn('the same command resumes', errors)
        self.assertEqual(self.keys(self.measure('out')['measurements']), self.all_keys())

    def test_a_device_that_fails_costs_its_own_rows(self):
        for kind, words in FAULTS.items():
            self.describe_bad_device(kind)
            rows = self.measure(f'out-{kind}', '--row-limit', '2', devices='NPU=sim:bad,sim:CPU')['measurements']
            self.assertEqual(len(rows), 2 * 7 * 2)
            failed = [row for row in rows if row['row_status'] == 'failed']
            for row in rows:
                if row['row_status'] == 'measured':
                    self.assertEqual(row['device'], {'NPU': 'sim:bad', 'CPU': 'sim:CPU'}[row['unit']])
            self.assertTrue(all(row['unit'] == 'NPU' and words in row['reason'] for row in failed), failed)
            self.assertTrue(all(row['device'] is None and row['median_us'] is None for row in failed), failed)
            self.assertGreaterEqual(len(failed), 3)
            self.assertGreaterEqual(sum(row['unit'] == 'NPU' and row['row_status'] == 'measured' for row in rows), 3)

    def test_shards_make_the_same_whole(self):
        for number in (1, 2, 3):
            tables = self.measure('out', '--shard', f'{number}/3')
        self.assertEqual(self.keys(tables['measurements']), self.all_keys())
        self.assertEqual(len(self.lines('out')), len(self.all_keys()))

    def test_parts_in_folders_of_their_own_are_merged(self):
        whole = self.measure('whole')
        for number in (1, 2):
            self.measure(f'part-{number}', '--shard', f'{number}/2')
        self.measure('part-1', '--shard', '1/1', devices='sim:CPU')  # some rows are in both
        merge = [TAKT, 'sweep', 'merge', 'part-1', 'part-2', '--out', 'merged', '--format', 'json']
        done = subprocess.run(merge, cwd=self.path, capture_output=True, encoding='utf-8', timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)['tables']['measurements']
        self.assertEqual(self.keys(rows), self.keys(whole['measurements']))
        self.assertEqual(len(self.lines('merged')), len(self.all_keys()))
        again = subprocess.run(merge, cwd=self.path, capture_output=True, encoding='utf-8', timeout=100, check=False)
        self.assertEqual(again.returncode, 1)
        self.assertIn('already has a sweep', again.stderr)
        self.measure('elsewhere', devices='CPU=sim:GPU')
        apart = subprocess.run([TAKT, 'sweep', 'merge', 'whole', 'elsewhere', '--out', 'mixed'], cwd=self.path, capture_output=True,
                               encoding='utf-8', timeout=100, check=False)
        self.assertEqual(apart.returncode, 1)
        self.assertIn('its CPU rows were measured on sim:GPU, those of another folder on sim:CPU', apart.stderr)
        self.measure('other', '--seed', '7', devices='sim:CPU')
        mixed = subprocess.run([TAKT, 'sweep', 'merge', 'part-1', 'other', '--out', 'mixed'], cwd=self.path,
                               capture_output=True, encoding='utf-8', timeout=100, check=False)
        self.assertEqual(mixed.returncode, 1)
        self.assertIn('seed 42 instead of 7', mixed.stderr)
        self.assertFalse((self.path / 'mixed').exists())

    def test_rows_of_another_way_are_not_mixed_in(self):
        self.measure('out', devices='sim:CPU')
        before = self.lines('out')
        self.assertIn('seed 42 instead of 7', self.measure('out', '--seed', '7', code=1))
        self.assertIn('were measured on sim:CPU, not on sim:GPU', self.measure('out', code=1, devices='CPU=sim:GPU'))
        self.assertEqual(self.lines('out'), before)


class Analyzed(Sweep):
    def test_every_key_is_there_whatever_failed(self):
        sizes = [(1, 1), (1, 2), (1, 3), (1, 5), (1, 10), (2, 2), (2, 3), (2, 5), (2, 10), (3, 3), (3, 5), (3, 10), (5, 5), (5, 10),
                 (10, 10)]
        cases = {'config': {'feature_dim': 8}, 'test_cases': [{'nodes': 100 * n, 'edges': 100 * e} for n, e in sizes]}
        (self.path / 'cases.json').write_text(json.dumps(cases), encoding='utf-8')
        words = [TAKT, 'sweep', '--all', '--cases', 'cases.json', '--devices', 'sim:CPU,sim:GPU,sim:NPU', '--iterations', '3',
                 '--warmup', '0', '--out', 'out']
        done = subprocess.run(words, cwd=self.path, capture_output=True, encoding='utf-8', timeout=250, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        results = self.path / 'out/results'
        tables = {name: json.loads((results / name).read_text(encoding='utf-8'), parse_constant=self.fail)
                  for name in ('raw_measurements.json', 'lookup_table.json', 'bandwidth_table.json')}
        lookup, bandwidth = tables['lookup_table.json'], tables['bandwidth_table.json']
        self.assertEqual(len(lookup), 315 + 1)
        self.assertEqual(len(bandwidth), 21 + 1)
        for stage in (3, 4):
            self.assertIsNone(bandwidth[f'NPU_stage{stage}'])
            self.assertIsNone(lookup[f'100,200,NPU,{stage}'])
            self.assertIn('ScatterElements', lookup['takt']['rows'][f'100,200,NPU,{stage}']['reason'])
        for key, row in lookup.items():
            if key != 'takt' and row:
                self.assertEqual(lookup['takt']['rows'][key]['device'], 'sim:' + key.split(',')[2])
        self.assertIn('unsupported', (results / 'profiling_report.txt').read_text(encoding='utf-8'))
        again = self.path / 'again'
        done = subprocess.run([TAKT, 'sweep', '--analyze', '--from', results / 'raw_measurements.json', '--out', again],
                              cwd=self.path, capture_output=True, encoding='utf-8', timeout=100, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ('lookup_table.json', 'bandwidth_table.json'):
            there = json.loads((again / 'results' / name).read_text(encoding='utf-8'))
            del there['takt'], tables[name]['takt']
            self.assertEqual(there, tables[name])


class SharedMemory(Sweep):
    """Simulated devices that name the same memory, so that each slows the other down."""

    def setUp(self):
        super().setUp()
        for name, pressure in (('left', 0.5), ('right', 1)):
            (self.path / f'{name}.yaml').write_text(
                'peak_flops_per_s: 1.0e9\nbandwidth_bytes_per_s: 1.0e8\nunknown_op_ns: 1000\noverhead_ns: 5000\n'
                f'shares: {{memory: {{pressure: {pressure}, sensitivity: 0.4}}}}\n', encoding='utf-8')

    def sweep(self, *words):
        done = subprocess.run([TAKT, 'sweep', *words, '--cases', 'cases.json', '--out', 'out', '--warmup', '0', '--iterations', '2',
                               '--devices', 'CPU=sim:left,GPU=sim:right', '--format', 'json'], cwd=self.path,
                              capture_output=True, encoding='utf-8', timeout=250, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)['tables']

    def test_ctrl_c_while_contention_is_measured_says_what_goes_on(self):
        self.sweep('--measure')
        command = [TAKT, 'sweep', '--interference', '--cases', 'cases.json', '--out', 'out', '--warmup', '0', '--iterations', '2',
                   '--devices', 'CPU=sim:left,GPU=sim:right']
        with subprocess.Popen(command, cwd=self.path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding='utf-8') as process:
            journal, end = self.path / 'out/results/interference-sage.jsonl', time.monotonic() + 60
            while time.monotonic() < end and process.poll() is None and not (journal.exists() and journal.read_bytes().count(b'\n') > 1):
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn('the same command resumes', errors)
        self.sweep('--interference')
        self.assertEqual(self.contention_files(), ['interference.json'])

    def contention_files(self):
        return sorted(str(path.relative_to(self.path / 'out/results')) for path in self.path.rglob('interference.json'))

    def test_a_part_of_a_sweep_leaves_the_contention_to_the_whole(self):
        tables = self.sweep('--all', '--shard', '1/2')
        self.assertNotIn('pressures', tables)
        self.assertEqual(self.contention_files(), [])
        tables = self.sweep('--all')
        self.assertEqual({row['stage'][:3] for row in tables['pressures']}, {'CPU', 'GPU'})
        self.assertEqual(self.contention_files(), ['interference.json'])

    def test_contention_of_each_of_several_networks_has_a_folder_of_its_own(self):
        models = ('--models', 'sage,gcn')
        self.sweep('--measure', *models)
        self.assertEqual(self.contention_files(), [])
        self.sweep('--interference', *models)
        self.assertEqual(self.contention_files(), ['gcn/interference.json', 'sage/interference.json'])
        for network in ('gcn', 'sage'):
            found = json.loads((self.path / f'out/results/{network}/interference.json').read_text(encoding='utf-8'))
            self.assertTrue(found['tables']['pairs'])


if __name__ == '__main__':
    os.environ['LC_ALL'] = 'C.UTF-8'
    unittest.main(argv=sys.argv[:1])
