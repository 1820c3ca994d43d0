#!/usr/bin/env python3
"""damaged_files_test.py TAKT MAKE_MODELS [COUNT [SEED]]: COUNT damaged files of takt's own formats, each through the commands that
read it. A command ends with 0 to 3, says what is wrong in a sentence that is short, and takes neither long nor much memory.

The files are those that the commands themselves write. Prints a table of formats and what came of them. Without ONNX Runtime
and XGBoost the formats of predictors are left out.
"""
import collections
import dataclasses
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import damage

HERE = pathlib.Path(__file__).resolve().parent
CLI = HERE.parent / 'cli'
EXAMPLES = HERE.parents[1] / 'examples'
TAKT, MAKE_MODELS = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 92
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
FOUND_BEFORE = {'kernels': [1_000_707]}  # seeds of what was wrong once
ONLY = os.environ.get('TAKT_DAMAGED_ONLY', '')  # a part of the names of formats
LONGEST_S, MOST_BYTES, LONGEST_LINE = 20, 2 << 30, 1000
if os.environ.get('TAKT_SANITIZED'):
    LONGEST_S *= 5  # a sanitizer takes a multiple of the processor's time
# What shows the inside of the program instead of saying what is wrong.
INSIDES = re.compile(r'bug in takt|terminate called|Traceback|json\.exception|type_error|::|basic_string|stoi|what\(\)|'
                     r'out of memory|bad_alloc|Sanitizer|core dumped|not hold')
DEVICE = """\
description: a device of tests
law: roofline
peak_flops_per_s: {flops}
bandwidth_bytes_per_s: 1e11
unknown_op_ns: {other}
noise: {{shape: lognormal, sigma: 0.02}}
clock: virtual
shares: {{memory: {{pressure: 0.5, sensitivity: 0.5}}}}
"""
CASES = """{"config": {"feature_dim": 4, "num_warmup": 0, "num_iterations": 4}, "test_cases": [
{"nodes": 100, "edges": 200}, {"nodes": 200, "edges": 400}, {"nodes": 300, "edges": 900}, {"nodes": 400, "edges": 500},
{"nodes": 500, "edges": 2500}]}
"""
PLAN = '[[["CPU"], [1, 2, 3]], [["CPU", "GPU"], [4, 5, 6, 7], [0.25, 0.75]]]\n'
SWEEP = ['sweep', '--cases', 'cases.json', '--models', 'gcn', '--devices', 'CPU=sim:left,GPU=sim:right', '--out', 's']
AT = ['--nodes', '250', '--edges', '500']


@dataclasses.dataclass
class Format:
    name: str
    kind: str  # of damage
    file: str
    commands: list
    folder: str = ''  # copied with the file, which lies in it


ROWS = [['sweep', '--analyze', *SWEEP[1:]], ['lookup', 's', *AT], ['plan', 'search', '--costs', 's', *AT, '--top', '2'],
        ['sweep', 'merge', 's', '--out', 'm']]
FORMATS = [
    Format('sweep journal', 'lines', 's/results/measurements.jsonl', [*ROWS, [*SWEEP, '--measure']], 's'),
    Format('contention journal', 'lines', 's/results/interference-gcn.jsonl', [[*SWEEP, '--interference'], ROWS[3]], 's'),
    Format('export journal', 'lines', 's/exported_models/models.jsonl', [[*SWEEP, '--export']], 's'),
    Format('cases', 'json', 'cases.json', [[*SWEEP, '--analyze']], 's'),
    Format('raw rows', 'json', 's/results/raw_measurements.json',
           [['sweep', '--analyze', '--models', 'gcn', '--from', 's/results/raw_measurements.json', '--out', 'o'],
            ['lookup', 's/results/raw_measurements.json', *AT],
            ['plan', 'search', '--costs', 's/results/raw_measurements.json', *AT, '--objective', 'throughput']]),
    Format('costs', 'json', 'costs.json', [['plan', 'search', '--costs', 'costs.json'],
                                           ['plan', 'search', '--costs', 'costs.json', '--shared', '--objective', 'throughput']]),
    Format('costs by size', 'json', 'laws.json', [['plan', 'search', '--costs', 'laws.json', *AT],
                                                  ['plan', 'simulate', 'set.json', '--costs', 'laws.json', '--random', '20']]),
    Format('plan', 'json', 'plan.json', [['plan', 'search', '--costs', 'costs.json', '--plan', 'plan.json']]),
    Format('plan set', 'json', 'set.json', [['plan', 'simulate', 'set.json', '--costs', 'laws.json', '--random', '20']]),
    Format('stream', 'csv', 'stream.csv', [['plan', 'simulate', 'set.json', '--costs', 'laws.json', '--stream', 'stream.csv']]),
    Format('interference', 'json', 'slow.json',
           [['pipeline', 'whatif', 'crowd.json', '--set', 'stage.infer.time=x0.5', '--interference', 'slow.json']]),
    Format('known slow-downs', 'json', 'known.json',
           [['pipeline', 'whatif', 'pressed.json', '--set', 'stage.infer.time=x0.5', '--interference', 'known.json']]),
    Format('slow-downs of plans', 'json', 's/results/interference.json',
           [['plan', 'search', '--costs', 's/results/raw_measurements.json', *AT, '--interference', 's/results/interference.json']]),
    Format('run journal', 'bytes', 'run.json.journal', [['pipeline', 'analyze', 'run.json.journal'],
                                                        ['pipeline', 'whatif', 'run.json.journal', '--set', 'stage.load.time=x0.5']]),
    Format('pipeline trace', 'json', 'crowd.json', [['pipeline', 'analyze', 'crowd.json']]),
    Format('profile', 'json', 'a.json', [['analyze', 'a.json', '--columns', 'all'], ['compare', 'a.json', 'b.json']]),
    Format('history', 'json', 'h/1.json', [['compare', 'b.json', '--baseline', 'h']], 'h'),
    Format('kernels', 'json', 'kernels.json', [['kernels', 'dag', 'kernels.json'], ['kernels', 'list', 'kernels.json'],
                                                       ['kernels', 'extract', 'kernels.json', '-o', 'x']]),
    Format('peaks', 'json', 'cache/peaks.json', [['devices', '--peaks']]),
    Format('collect journal', 'lines', 'data.csv.jsonl', [['collect', '--models', 'zoo', '-o', 'data.csv', '--rounds', '1', '--time', '20ms',
                                                           '--accept-disturbed']]),
    Format('dataset', 'csv', 'data.csv', [['fit', 'data.csv', '-o', 'p2', '--folds', '2', '--no-baselines'],
                                          ['collect', 'merge', 'data.csv', '-o', 'both.csv']]),
    Format('predictor', 'json', 'p/predictor.json', [['predict', 'zoo', '--predictor', 'p']], 'p'),
    Format('trees', 'json', 'p/trees', [['predict', 'zoo', '--predictor', 'p']], 'p'),
]


class Workshop:
    """The folder with one whole file of each format."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {**os.environ, 'TAKT_CACHE_DIR': 'cache', 'COLUMNS': '80'}

    def start(self, words, cwd=None, **more):
        return subprocess.run([TAKT, *words], cwd=cwd or self.folder, env={**self.environment, **more}, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=300, check=False)

    def call(self, *words):
        done = self.start(words)
        if done.returncode != 0:
            sys.exit(f'takt {" ".join(words)} exits {done.returncode}: {done.stderr.decode()}')
        return done

    def write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text, encoding='utf-8')

    def make(self):
        """Returns the formats of which there is a file."""
        subprocess.run([MAKE_MODELS, self.folder], check=True)
        for file in CLI.glob('*.yaml'):
            shutil.copy(file, self.folder)
        self.write('left.yaml', 'name: left\n' + DEVICE.format(flops='1e12', other=1000))
        self.write('right.yaml', 'name: right\n' + DEVICE.format(flops='4e12', other=3000))
        self.write('cases.json', CASES)
        self.make_costs()
        self.make_runs()
        self.make_kernels()
        return [one for one in FORMATS if (self.folder / one.file).exists() or self.make_trees(one)]

    def make_costs(self):
        self.call(*SWEEP, '--all', '--rounds', '2')
        for name in ('costs.json', 'laws.json'):
            shutil.copy(EXAMPLES / 'plans' / name, self.folder)
        self.write('plan.json', PLAN)
        self.write('stream.csv', '1000,2000\n50000,300000\n' * 5)
        self.call('plan', 'compile', 'laws.json', '--sizes', '1000,2000-100000,400000', '--points', '5', '--out', 'set.json')

    def make_runs(self):
        self.call('pipeline', 'run', 'crowd.yaml', '--simulate', '--batches', '30', '--trace', 'crowd.json')
        self.call('pipeline', 'run', 'pressed.yaml', '--simulate', '--batches', '30', '--trace', 'pressed.json')
        self.call('pipeline', 'interference', 'crowd.yaml', '--simulate', '--batches', '30', '--rounds', '2', '--save', 'slow.json')
        self.call('pipeline', 'interference', 'pressed.yaml', '--simulate', '--batches', '30', '--rounds', '2', '--pairs', 'predicted',
                  '--save', 'known.json')
        self.kill_a_run()
        for name, seed in (('a', '1'), ('b', '2')):
            self.call('run', 'small.onnx', '--device', 'sim:box', '--iter', '6', '--seed', seed, '--profile', f'{name}.json')
        self.write('h/1.json', (self.folder / 'a.json').read_text(encoding='utf-8'))

    def kill_a_run(self):
        """So that its journal stays."""
        run = subprocess.Popen([TAKT, 'pipeline', 'run', 'pipe.yaml', '--simulate', 'real', '--batches', '100000', '--trace', 'run.json'],
                               cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        journal = self.folder / 'run.json.journal'
        end = time.monotonic() + 60
        while time.monotonic() < end and not (journal.exists() and journal.stat().st_size > 6000):
            time.sleep(0.05)
        run.kill()
        run.wait()

    def make_kernels(self):
        self.start(['kernels', 'record', 'small.onnx', '-o', 'kernels.json'])
        self.write('zoo.yaml', 'models:\n  - {family: mlp, depth: [3, 6], width: [0.125, 0.25], input: 64}\n')
        self.call('zoo', 'export', '--config', 'zoo.yaml', '-o', 'zoo')
        collected = self.start(['collect', '--models', 'zoo', '-o', 'data.csv', '--rounds', '1', '--time', '20ms', '--accept-disturbed'])
        if collected.returncode == 0:
            self.start(['fit', 'data.csv', '-o', 'p', '--folds', '2', '--no-baselines'])
        self.start(['devices', '--measure'])

    def make_trees(self, one):
        """The largest file of trees of the predictor stands for all of them."""
        files = sorted((self.folder / 'p').glob('*.json'), key=lambda file: file.stat().st_size) if one.name == 'trees' else []
        files = [file for file in files if file.name != 'predictor.json']
        if files:
            one.file = f'p/{files[-1].name}'
        return bool(files)

    def copy(self, one, place):
        """All that its commands read, without what they do not change: those files are linked."""
        for entry in self.folder.iterdir():
            if entry.name in (one.file.split('/')[0], one.folder, 'cache'):
                if entry.is_dir():
                    shutil.copytree(entry, place / entry.name)
                else:
                    shutil.copy(entry, place)
            elif not entry.name.startswith('trial'):
                (place / entry.name).symlink_to(entry)


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST_S, LONGEST_S))  # of the processor's time: others may work, too


def outcome(words, place, environment):
    """How it ended: 'done', 'refused', or what is wrong with it; and what it said."""
    with open(place / 'out.txt', 'wb') as out, open(place / 'err.txt', 'wb') as err:
        process = subprocess.Popen([TAKT, *words], cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   preexec_fn=limit)
        end, used, status = time.monotonic() + 10 * LONGEST_S, None, None
        while status is None and time.monotonic() < end:
            ended, code, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                status, used = code, usage.ru_maxrss * 1024
            else:
                time.sleep(0.003)
        if status is None:
            process.kill()
            os.wait4(process.pid, 0)
        process.returncode = 0
    said = (place / 'err.txt').read_bytes().decode('utf-8', 'replace')
    if status is None:
        return f'took more than {10 * LONGEST_S} s', said
    if os.WIFSIGNALED(status):
        return f'ended by {signal.Signals(os.WTERMSIG(status)).name}', said
    return judged(os.WEXITSTATUS(status), said, used), said


def judged(code, said, used):
    lines = said.splitlines()
    if code not in (0, 1, 2, 3):
        return f'exits {code}'
    if used > MOST_BYTES:
        return f'took {used >> 20} MiB'
    if any(len(line) > LONGEST_LINE for line in lines):
        return 'says a long sentence'
    if inside := INSIDES.search(said):
        return f'says "{inside.group()}"'
    if code and not (lines and lines[-1].startswith('takt: ')):
        return 'fails without a word'
    return 'refused' if code else 'done'


def try_one(workshop, one, seed, found):
    whole = (workshop.folder / one.file).read_bytes()
    data, way = damage.damaged(one.kind, whole, seed)
    place = workshop.folder / f'trial-{os.getpid()}'
    for words in one.commands:
        place.mkdir()
        workshop.copy(one, place)
        file = place / one.file
        file.unlink(missing_ok=True)
        file.write_bytes(data)
        ended, said = outcome(words, place, workshop.environment)
        found[one.name][ended] += 1
        if ended not in ('done', 'refused'):
            kept = pathlib.Path(tempfile.gettempdir()) / f'takt_damaged_{one.name.replace(" ", "_")}_{seed}'
            kept.write_bytes(data)
            print(f'{one.name}, {way}, seed {seed}: takt {" ".join(words)}\n  {ended}; the file is kept as {kept}\n  {said[:300]!r}', flush=True)
        shutil.rmtree(place)


def table(found):
    columns = sorted({ended for of_format in found.values() for ended in of_format if ended not in ('done', 'refused')})
    lines = [f'{"Format":<22}{"Commands":>9}{"done":>9}{"refused":>9}' + ''.join(f'  {column}' for column in columns)]
    for name, of_format in found.items():
        lines.append(f'{name:<22}{sum(of_format.values()):>9}{of_format["done"]:>9}{of_format["refused"]:>9}' +
                     ''.join(f'{of_format[column]:>{len(column) + 2}}' for column in columns))
    return '\n'.join(lines)


def main():
    with tempfile.TemporaryDirectory(prefix='takt_damaged_') as folder:
        workshop = Workshop(pathlib.Path(folder).resolve())
        formats = [one for one in workshop.make() if ONLY in one.name]
        found = {one.name: collections.Counter() for one in formats}
        for one in formats:
            for seed in FOUND_BEFORE.get(one.name, []):
                try_one(workshop, one, seed, found)
        for i in range(COUNT):
            try_one(workshop, formats[i % len(formats)], SEED * 1_000_000 + i, found)
        print(table(found))
        print(f'{COUNT} damaged files of {len(formats)} formats')
    wrong = sum(count for of_format in found.values() for ended, count in of_format.items() if ended not in ('done', 'refused'))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
