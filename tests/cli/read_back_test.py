#!/usr/bin/env python3
"""read_back_test.py TAKT MAKE_MODELS: takt reads what it writes, also where what it writes about is hard: names with
quotes, line ends, slashes and other scripts, names of thousands of letters, runs of one batch or one iteration, graphs
without edges, missing values, pipes. Transcripts read back what they write by themselves (run_golden.py).
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import read_back
from answers import answer
from run_golden import has_real_runtime

TAKT, MAKE_MODELS = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
BESIDE = pathlib.Path(__file__).resolve().parent
HARD = ['it\'s "quoted", {braced}', 'two\nlines\tand a tab', '名前 é ñ 🚀', 'a/b\\c', '$HOME `x` %s {0}', 'e' * 3000, '  ', '-o', 'null', '1e5',
        '\u0001\u007f', '\\']


STAGES = ['-o', 'null', '1e5', '0', '_', 'e' * 300, 'stages', 'STAGE-partition', 'host']  # letters, digits, _ and - are allowed


def hard_pipeline(names, batches):
    """Stages of such names one behind the other, the last divided."""
    stages = [{'name': name, 'dummy': {'time': f'{k + 1}00us'}, 'device': 'sim:CPU'} for k, name in enumerate(names)]
    stages[-1] = {'name': names[-1], 'dummy': {'time': '1ms', 'partition': '10us', 'merge': '10us'},
                  'split': {'devices': ['sim:GPU', 'sim:NPU'], 'ratio': [0.5, 0.5]}}
    return json.dumps({'name': HARD[batches % len(HARD)], 'batches': batches, 'stages': stages}, ensure_ascii=False)


class ReadBack(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='takt_read_back_')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {**os.environ, 'LC_ALL': 'C.UTF-8', 'TAKT_CACHE_DIR': str(self.folder / 'cache')}

    def models(self):
        subprocess.run([MAKE_MODELS, self.folder], check=True)
        for device in BESIDE.glob('*box.yaml'):
            shutil.copy(device, self.folder)

    def takt(self, *words, **more):
        done = subprocess.run([TAKT, *map(str, words)], cwd=self.folder, capture_output=True, encoding='utf-8', timeout=300,
                              env=self.environment, check=False, **more)
        self.assertEqual(done.returncode, 0, f'{words}: {done.stderr}')
        return done

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding='utf-8')
        return name

    def all_is_read(self, *commands):
        """Each command's files are read back before the next one runs."""
        for words in commands:
            before = read_back.files_in(self.folder)
            self.takt(*words)
            written = [path for path, changed in read_back.files_in(self.folder).items() if before.get(path) != changed]
            self.assertTrue(written, f'{words} wrote nothing')
            self.assertEqual(read_back.faults(TAKT, written, self.environment), [], words)


class Pipelines(ReadBack):
    def test_traces_of_hard_names_in_every_form(self):
        self.write('hard.yaml', hard_pipeline(STAGES, 5))
        self.all_is_read(['pipeline', 'run', 'hard.yaml', '--simulate', '--trace', 'virtual.json'],
                         ['pipeline', 'run', 'hard.yaml', '--simulate', 'real', '--trace', 'real.json.gz'],
                         ['trace', 'convert', 'virtual.json', '-o', 'v.pftrace.gz'],
                         ['trace', 'merge', 'virtual.json', 'real.json.gz', '--offset', 'virtual.json=0ms', '-o', 'both.pftrace'],
                         ['trace', 'cut', 'virtual.json', '--from', '0us', '--to', '1ms', '-o', 'cut.json'],
                         ['pipeline', 'interference', 'hard.yaml', '--simulate', '--batches', '10', '--rounds', '2', '--save', 'slow.json'])
        for trace in 'virtual.json', 'real.json.gz', 'v.pftrace.gz':
            tables = json.loads(self.takt('pipeline', 'analyze', trace, '--format', 'json').stdout)['tables']
            self.assertEqual([row['stage'] for row in tables['stages']], STAGES, trace)
            self.takt('pipeline', 'whatif', trace, '--interference', 'slow.json')

    def test_one_batch_one_stage_and_many_batches(self):
        for batches in 1, 2, 3000:  # of many the first packet of Perfetto's form is large
            self.write('p.yaml', hard_pipeline(['a', 'b'], batches))
            self.all_is_read(['pipeline', 'run', 'p.yaml', '--simulate', '--trace', f'{batches}.json'],
                             ['trace', 'convert', f'{batches}.json', '-o', f'{batches}.pftrace'],
                             ['trace', 'cut', f'{batches}.pftrace', '--max', '1MB', '-o', f'{batches}.cut.pftrace'])
            tables = [self.takt('pipeline', 'analyze', f'{batches}.{form}').stdout for form in ('json', 'pftrace')]
            self.assertEqual(tables[0], tables[1])

    def test_whatever_comes_through_a_pipe_is_read_as_the_file_is(self):
        self.write('p.yaml', hard_pipeline(STAGES[:3], 20))
        self.takt('pipeline', 'run', 'p.yaml', '--simulate', '--trace', 't.json')
        for form in 't.json.gz', 't.pftrace', 't.pftrace.gz':
            self.takt('trace', 'convert', 't.json', '-o', form)
        for form in 't.json', 't.json.gz', 't.pftrace', 't.pftrace.gz':
            for words in (['trace', 'info'], ['trace', 'check'], ['pipeline', 'analyze'], ['pipeline', 'whatif']):
                of_file = self.takt(*words, form, '--format', 'csv').stdout
                self.assertEqual(self.piped(form, *words, '--format', 'csv').replace('/dev/stdin', form), of_file, (form, words))
            self.piped(form, 'trace', 'cut', '--max', '10kB', '-o', 'cut.json')
            self.assertEqual(read_back.faults(TAKT, [self.folder / 'cut.json'], self.environment), [])

    def piped(self, name, *words):
        """`cat NAME | takt WORDS… /dev/stdin`."""
        with subprocess.Popen(['cat', name], cwd=self.folder, stdout=subprocess.PIPE) as cat:
            return self.takt(*words[:2], '/dev/stdin', *words[2:], stdin=cat.stdout).stdout


class Traces(ReadBack):
    def hard_trace(self):
        events = [{'ph': 'M', 'pid': 1, 'tid': 0, 'name': 'process_name', 'args': {'name': HARD[0]}}]
        for k, name in enumerate(HARD):
            events.append({'ph': 'M', 'pid': 1, 'tid': k + 1, 'name': 'thread_name', 'args': {'name': name}})
            events.append({'ph': 'X', 'pid': 1, 'tid': k + 1, 'ts': k, 'dur': 5.001, 'name': name, 'cat': HARD[-1 - k],
                           'args': {name: name, 'number': 2 ** 53 + 1, 'list': [name, None, {'a': name}]}})
            events.append({'ph': 'C', 'pid': 1, 'ts': k, 'name': f'counter {name}', 'args': {'value': k + 0.5}})
            events.append({'ph': 'i', 'pid': 1, 'tid': k + 1, 'ts': k, 's': 't', 'name': name})
        return self.write('hard.json', json.dumps({'traceEvents': events, 'said': HARD}))

    def test_hard_names_survive_every_form(self):
        self.hard_trace()
        self.all_is_read(['trace', 'convert', 'hard.json', '-o', 'own.json'], ['trace', 'convert', 'own.json', '-o', 'own.pftrace'],
                         ['trace', 'convert', 'own.pftrace', '-o', 'back.json'], ['trace', 'convert', 'own.json', '-o', 'own.csv'],
                         ['trace', 'convert', 'own.pftrace', '-o', 'back.csv'], ['trace', 'cut', 'own.json', '--max', '20kB', '-o', 'cut.pftrace'],
                         ['trace', 'merge', 'own.json', 'own.pftrace', '--offset', 'own.pftrace=0ms', '-o', 'merged.json.gz'])
        own, back = (json.loads((self.folder / name).read_text())['traceEvents'] for name in ('own.json', 'back.json'))
        self.assertEqual([event['name'] for event in own if event['ph'] == 'X'], HARD)
        self.assertEqual(own, back)
        self.assertEqual((self.folder / 'own.csv').read_text(), (self.folder / 'back.csv').read_text())


class Runs(ReadBack):
    def test_profiles_and_dumps_of_models_with_hard_names(self):
        self.models()
        for k, name in enumerate(HARD[:5]):
            file = f'{name.replace("/", "-")}.onnx'
            shutil.copy(self.folder / 'small.onnx', self.folder / file)
            bins = self.folder / f'bins{k}'
            bins.mkdir()
            self.all_is_read(['run', f'./{file}', '--device', 'sim:box', '--iter', '1', '--profile', f'one{k}.json', '--trace', f'one{k}.trace.json'],
                             ['run', f'./{file}', '--device', 'sim:box', '--iter', '6', '--profile-host', f'six{k}.json', '--iterations', f'six{k}.csv'],
                             ['run', f'./{file}', '--device', 'sim:box', '--iter', '2', '--no-ops', '--io-dump', f'd{k}.txt', '--bin-io-dump', bins])

    def test_a_dump_is_an_input_again(self):
        self.models()
        (self.folder / 'bins').mkdir()
        command = ['run', 'small.onnx', '--device', 'sim:box', '--iter', '2', '--no-ops', '--format', 'json', '--table', 'inputs']
        self.takt(*command, '--bin-io-dump', 'bins')
        (self.folder / 'again').mkdir()
        for given in 'bins/000000', 'x:bins/000000':
            self.takt(*command, '--input', given, '--bin-io-dump', 'again')
            self.assertEqual((self.folder / 'again/000000').read_bytes(), (self.folder / 'bins/000000').read_bytes())
        data = (self.folder / 'bins/000000').read_bytes()
        (self.folder / 'bins/000000').write_bytes(data[:-1])
        done = subprocess.run([TAKT, *command, '--input', 'bins/000000'], cwd=self.folder, capture_output=True, encoding='utf-8', check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(answer(done.stderr), r'^takt: bins/000000: has 767 bytes of values, which do not match its shape; [^\n]*\n$')

    def test_tables_stay_what_their_format_says(self):
        self.models()
        name = f'{HARD[0]} {HARD[2]}.onnx'
        shutil.copy(self.folder / 'small.onnx', self.folder / name)
        for words in (['run', name, '--device', 'sim:box', '--iter', '1'], ['run', name, '--device', 'sim:box', '--iter', '3', '--no-ops'],
                      ['devices'], ['zoo', 'list'], ['explain']):
            for form in 'csv', 'json':
                self.all_is_read([*words, '--format', form, '-o', f'table.{form}'])


class Sweeps(ReadBack):
    CASES = {'config': {'feature_dim': 8}, 'test_cases': [{'nodes': 50, 'edges': 0}, {'nodes': 50, 'edges': 100}, {'nodes': 1, 'edges': 1},
                                                         {'nodes': 60, 'edges': 90}]}

    def sweep(self, devices, out):
        self.write('cases.json', json.dumps(self.CASES))
        self.all_is_read(['sweep', '--all', '--devices', devices, '--cases', 'cases.json', '--iterations', '3', '--out', out, '-o', f'{out}.txt'])

    def check(self, out):
        raw = f'{out}/results/raw_measurements.json'
        size = ['--nodes', '50', '--edges', '0']
        self.takt('lookup', out, *size)
        self.takt('lookup', raw, *size)
        self.all_is_read(['plan', 'search', '--costs', out, '--shared', '--nodes', '50', '--edges', '100', '--format', 'json', '-o', f'{out}.plans.json'],
                         ['plan', 'compile', out, '--shared', '--sizes', '50,0-60,90', '--points', '2', '--out', f'{out}.set.json'],
                         ['sweep', 'merge', out, '--out', f'{out}.merged', '-o', f'{out}.merged.txt'])
        self.takt('plan', 'simulate', f'{out}.set.json', '--costs', f'{out}.merged', '--random', '5')
        tables = json.loads((self.folder / f'{out}.plans.json').read_text())['tables']
        self.takt('plan', 'search', '--costs', raw, '--shared', '--nodes', '50', '--edges', '100', '--plan', tables['plans'][0]['plan'])

    def test_a_graph_without_edges_on_simulated_devices(self):
        self.sweep('CPU=sim:CPU,GPU=sim:GPU', 'sim')
        self.check('sim')

    def test_a_device_that_takes_no_time_has_no_rows_and_all_is_read(self):
        self.write('zero.yaml', 'name: zero\nlaw: table\nunknown_op_ns: 0\nops: {}\noverhead_ns: 0\nclock: virtual\n')
        self.write('cases.json', json.dumps(self.CASES))
        self.all_is_read(['sweep', '--all', '--devices', 'CPU=sim:zero,GPU=sim:GPU', '--cases', 'cases.json', '--iterations', '3', '--out', 'out',
                          '-o', 'out.txt'])
        rows = json.loads((self.folder / 'out/results/raw_measurements.json').read_text())
        self.assertIn('takes zero time', rows['50,100,CPU,1']['reason'])
        self.takt('lookup', 'out', '--nodes', '50', '--edges', '100', '--device', 'GPU')

    def test_a_graph_without_edges_on_the_cpu(self):
        if not has_real_runtime(TAKT):
            self.skipTest('this binary has no real runtime')
        self.sweep('CPU', 'real')
        rows = json.loads((self.folder / 'real/results/raw_measurements.json').read_text())
        self.assertEqual(rows['50,0,CPU,1']['copies']['outputs']['bytes'], 0)
        self.check('real')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
