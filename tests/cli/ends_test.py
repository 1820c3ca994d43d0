#!/usr/bin/env python3
"""ends_test.py TAKT MAKE_MODELS [all]: Ctrl-C and SIGTERM end every command, also one whose execution never comes back.

Each case starts a command that would go on for ever: a model whose loop has no end, a simulated device that hangs as its
description says, a load without end, a file that nobody writes. Checked: it has ended within two seconds of the signal, with 128 +
the number of the signal (0 where a signal is the usual end) and a sentence; no temporary file and no process of it is left; what
lies in the folder is whole. With `all` by both signals, else by turns.
"""
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from answers import answer
from sanitized import IS_SANITIZED, not_thread_sanitized

TAKT, MAKE_MODELS = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
BOTH_SIGNALS = sys.argv[3:] == ['all']
LIMIT = 2 if not IS_SANITIZED else 20  # seconds from the signal to the end
AT_WORK = 1.2 if not IS_SANITIZED else 8  # seconds from the start on
TOGETHER = 4  # commands at once: most of them only wait

HANGS = '''name: hangs
law: roofline
peak_flops_per_s: 1e11
bandwidth_bytes_per_s: 1e10
launch_ns: 1000
unknown_op_ns: 1000
overhead_ns: 0
clock: real
fails: {as: hang}
'''
ENDLESS_STAGE = '''batches: 5
timeout: 1h
stages:
  - {{name: load, dummy: {{matmul: 8}}, device: CPU, runtime: {runtime}}}
  - {{name: loop, model: endless.onnx, runtime: {runtime}, connect: {{}}, inputs: {{x: "{{1,1}}"}}}}
'''
HOUR = '''batches: 5
timeout: 24h
stages:
  - {name: load, dummy: {time: 1ms}, device: sim:CPU}
  - {name: infer, dummy: {time: 1h}, device: sim:GPU}
'''
SIZES = '{"test_cases": [{"nodes": 100, "edges": 200}]}'
MANY_SIZES = json.dumps({'test_cases': [{'nodes': nodes, 'edges': nodes + more} for nodes in range(100, 200) for more in range(40)]})
ONE = ('--input', 'x:{1,1}')


@dataclasses.dataclass
class Case:
    words: tuple
    usual_end: bool = False  # the command ends in no other way
    says: str = 'takt: '  # on standard error
    files: dict = dataclasses.field(default_factory=dict)

    def name(self):
        return ' '.join(self.words)


def real_runtimes():
    listed = subprocess.run([TAKT, 'devices', '--format', 'json'], capture_output=True, encoding='utf-8', timeout=120, check=True)
    return [row['runtime'] for row in json.loads(listed.stdout)['tables']['devices']
            if row['runtime'] != 'sim' and row['device'] == 'CPU' and row['usable'] == 'yes']


def endless_model(runtime):
    """What runs a model of a real runtime whose first inference never ends."""
    run = ('run', 'endless.onnx', *ONE, '--runtime', runtime)
    yield Case(run)
    yield Case((*run, '--profile', 'p.json', '--trace', 't.json', '-o', 'o.json', '--format', 'json'))
    yield Case((*run, '--vary', 'threads=1,2'))
    yield Case((*run, '--threads', '1', '--no-ops'))
    yield Case((*run, '--fitting'))
    yield Case((*run, '--requests', '2'))
    yield Case((*run, '--thread', '2'))
    yield Case(('run', 'endless.onnx', '--runtime', runtime))  # sizes of its open input are tried
    for command in 'run', 'interference':
        yield Case(('pipeline', command, 'p.yaml'), files={'p.yaml': ENDLESS_STAGE.format(runtime=runtime)})
    yield Case(('plan', 'search', 'endless.onnx', *ONE, '--devices', f'{runtime}@CPU', '-o', 'o.txt'))


def hung_device():
    """A simulated device hangs; in a process of takt's own, or in a child of it."""
    device = ('--device', 'sim:hangs')
    yield Case(('run', 'small.onnx', *device))
    yield Case(('run', 'small.onnx', *device, '--requests', '2'))
    yield Case(('run', 'small.onnx', *device, '--vary', 'batch-size=1,2'))
    if 'onnxruntime' in real_runtimes():  # which cuts models, and measures what is collected
        for command in 'search', 'run':
            yield Case(('plan', command, 'small.onnx', '--devices', 'sim:hangs'))
        yield Case(('collect', '--models', 'endless', '--rounds', '1', '-o', 'd.csv'))
    yield Case(('sweep', '--measure', '--models', 'gcn', '--cases', 'cases.json', '--devices', 'NPU=sim:hangs', '--out', 'out'),
               files={'cases.json': SIZES})


def kernels():
    for words in ('bench', 'endless.onnx', '--place', 'model'), ('extract', 'endless.onnx', '--out', 'out'):
        yield Case(('kernels', *words, *ONE))


def works_on():
    """Nothing hangs; there is no end."""
    yield Case(('pipeline', 'run', 'p.yaml'), files={'p.yaml': HOUR})
    yield Case(('stress', '--cpu', '10%', '--memory', '5%', '--threads', '1', '--for', '600s'), says='')
    yield Case(('load', '--sources', 'host', '--window', '100ms', '--watch'), usual_end=True, says='')
    yield Case(('load', '--sources', 'host', '--window', '600s', '-o', 'o.json', '--format', 'json'), says='')
    yield Case(('exporter', '--listen', '127.0.0.1:0', '--sources', 'host'), usual_end=True, says='')
    yield Case(('sweep', '--export', '--models', 'gcn', '--cases', 'cases.json', '--out', 'out'), files={'cases.json': MANY_SIZES})
    if (pathlib.Path(TAKT).parent / 'takt-train').exists():
        yield Case(('scenario', 'sync', '--device', 'cpu', '--warmup_steps', '100000', '--trace_dir', 'out'))


def only_reads():
    """Commands that compute; here a file never comes, as a large one would keep them busy."""
    for words in (('trace', 'info', 'never'), ('trace', 'check', 'never'), ('trace', 'cut', 'never', '--max', '10kB', '-o', 'o.json'),
                  ('trace', 'convert', 'never', '-o', 'o.pftrace'), ('trace', 'merge', 'never', 'never', '-o', 'o.json'),
                  ('analyze', 'never'), ('compare', 'never', 'never'), ('diagnose', 'never'), ('fit', 'never', '-o', 'out'),
                  ('plan', 'search', '--costs', 'never'), ('pipeline', 'analyze', 'never'), ('run', 'never.onnx'),
                  ('sweep', '--analyze', '--models', 'gcn', '--from', 'never', '--out', 'out')):
        yield Case(words)


def processes_in(folder):
    for link in pathlib.Path('/proc').glob('[0-9]*/cwd'):
        try:
            if pathlib.Path(os.readlink(link)) == folder:
                yield (link.parent / 'cmdline').read_bytes().replace(b'\0', b' ').decode()
        except OSError:
            continue


def prepare(folder, case):
    subprocess.run([MAKE_MODELS, folder], check=True, timeout=60)
    (folder / 'hangs.yaml').write_text(HANGS, encoding='utf-8')
    (folder / 'endless').mkdir()
    (folder / 'endless/endless.onnx').write_bytes((folder / 'endless.onnx').read_bytes())
    (folder / 'temporary').mkdir()
    for name in 'never', 'never.onnx':
        os.mkfifo(folder / name)
    for name, text in case.files.items():
        (folder / name).write_text(text, encoding='utf-8')


def faults_of(folder):
    """What must not be left, or is there by half."""
    left = [path for path in folder.rglob('*') if path.name.startswith('.takt-')] + list((folder / 'temporary').iterdir())
    if left:
        yield f'left behind: {left}'
    running = list(processes_in(folder))
    if running:
        yield f'still running: {running}'
    for path in folder.rglob('*.json'):
        try:
            json.loads(path.read_text(encoding='utf-8'))
        except ValueError as error:
            yield f'{path.name} is written by half: {error}'


def attempt(case, number):
    """Yields what is wrong with the end of one command."""
    with tempfile.TemporaryDirectory(prefix='takt_ends_') as name:
        folder = pathlib.Path(name).resolve()
        prepare(folder, case)
        with subprocess.Popen([TAKT, *case.words], cwd=folder, encoding='utf-8', stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, 'TMPDIR': str(folder / 'temporary')}) as process:
            try:
                out, err = process.communicate(timeout=AT_WORK)
                yield f'it ended by itself with {process.returncode}: {out}{err}'
                return
            except subprocess.TimeoutExpired:
                process.send_signal(number)
                began = time.monotonic()
            try:
                out, err = process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                yield 'it did not end'
                return
            took = time.monotonic() - began
            wanted = 0 if case.usual_end else 128 + number
            if process.returncode != wanted:
                yield f'exit code {process.returncode}, not {wanted}: {out}{err}'
            if took > LIMIT:
                yield f'it ended after {took:.1f} s: {err}'
            if not answer(err).startswith(case.says):
                yield f'it says {err!r}'
        yield from faults_of(folder)


def faults(case, number):
    """A machine that is busy with something else may have been slow: a second try counts."""
    first = list(attempt(case, number))
    return list(attempt(case, number)) if first else []


class Ends(unittest.TestCase):
    def end_all(self, cases):
        cases = list(cases)[::2 if IS_SANITIZED else 1]
        signals = signal.SIGINT, signal.SIGTERM
        runs = [(case, number) for i, case in enumerate(cases)
                for number in (signals if BOTH_SIGNALS else signals[i % 2:i % 2 + 1])]
        with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
            for (case, number), found in zip(runs, pool.map(lambda run: faults(*run), runs)):
                with self.subTest(command=case.name(), signal=number.name):
                    self.assertEqual(found, [])

    def test_a_model_that_never_ends(self):
        for runtime in real_runtimes():
            self.end_all(endless_model(runtime))

    @unittest.skipUnless('onnxruntime' in real_runtimes(), 'kernels are those of ONNX Runtime')
    def test_kernels_of_a_model_that_never_ends(self):
        self.end_all(kernels())

    def test_a_device_that_hangs(self):
        self.end_all(hung_device())

    def test_work_without_an_end(self):
        self.end_all(works_on())

    @not_thread_sanitized
    def test_commands_that_compute(self):
        self.end_all(only_reads())


class Signals(unittest.TestCase):
    def start(self, folder, *words):
        prepare(folder, Case(()))
        return subprocess.Popen([TAKT, *words], cwd=folder, encoding='utf-8', stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def test_a_second_one_ends_it_at_once(self):
        with tempfile.TemporaryDirectory() as name, self.start(pathlib.Path(name), 'run', 'small.onnx', '--device', 'sim:hangs') as process:
            time.sleep(AT_WORK)
            began = time.monotonic()
            for _ in range(2):
                process.send_signal(signal.SIGINT)
                time.sleep(0.15)
            _, err = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 130)
            self.assertEqual(answer(err), 'takt: interrupted\n')
            self.assertLess(time.monotonic() - began, 0.9 * LIMIT)

    @not_thread_sanitized
    def test_a_terminal_that_closes_is_one_unless_it_is_ignored(self):
        for before, code in ((None, 129), (lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN), 143)):
            with tempfile.TemporaryDirectory() as name:
                prepare(pathlib.Path(name), Case(()))
                with subprocess.Popen([TAKT, 'trace', 'info', 'never'], cwd=name, preexec_fn=before, stderr=subprocess.PIPE) as process:
                    time.sleep(AT_WORK)
                    process.send_signal(signal.SIGHUP)
                    time.sleep(0.3)
                    process.send_signal(signal.SIGTERM)
                    self.assertEqual(process.wait(30), code)

    def test_what_was_measured_is_kept(self):
        with tempfile.TemporaryDirectory() as name, self.start(
                pathlib.Path(name), 'run', 'small.onnx', '--device', 'sim:CPU', '--time', '600s') as process:
            time.sleep(AT_WORK)
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 143, err)
            self.assertIn('stopped early; the numbers describe the completed runs only', out)

    def test_a_reader_that_goes_ends_it_quietly(self):
        done = subprocess.run(['bash', '-c', f'"{TAKT}" explain --format json | head -c 1'], capture_output=True, check=True, timeout=60)
        self.assertEqual(done.stderr, b'')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
