#!/usr/bin/env python3
"""What one batch more takes in memory: `takt pipeline run` and `pipeline analyze` on 20,000 and on 500,000 batches of four stages.

The growth of the peak of resident memory, divided by the batches that the longer run has more, for each way to make and to
read a record: run with and without a trace, on the real clock and on the virtual one, analyze of a trace, of a compressed
one and of the journal that a killed run leaves. Pages leave memory some ms after they are too many, which is up to 12 MB
more in one run than in the next, whatever its length: runs must be long for the growth to be seen beside that. Exit 1 when
one takes more than 64 bytes a batch. The folder needs some 4 GB; let the machine do nothing else for five minutes.

usage: bench/pipeline_memory.py [TAKT] [--batches 20000] [--times 25] [--most 64]
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
PIPELINE = '''batches: {batches}
stages:
  - {{name: load, dummy: {{{work}}}, device: {device}}}
  - {{name: left, dummy: {{{work}}}, device: {device}, replicas: 2}}
  - {{name: right, dummy: {{{work}}}, device: {device}}}
  - {{name: store, dummy: {{{work}}}, device: {device}}}
'''


class Bench:
    def __init__(self, takt, folder):
        self.takt, self.folder = takt, folder

    def write(self, name, batches, work, device):
        (self.folder / name).write_text(PIPELINE.format(batches=batches, work=work, device=device), encoding='utf-8')

    def peak(self, *words):
        """Peak resident bytes of a command and its seconds, the middle of three runs: how much is in memory at the moment
        that pages are let go differs by megabytes from run to run."""
        return sorted(self.peak_of_one(*words) for _ in range(3))[1]

    def peak_of_one(self, *words):
        begin = time.monotonic()
        child = subprocess.Popen([self.takt, 'pipeline', *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = child.stderr.read().decode()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f'bench: {words} ended with {child.returncode}: {said}')
        return usage.ru_maxrss * 1024, time.monotonic() - begin

    def leave_journal(self, pipeline, size):
        """The journal of a run that is killed when its file is that long."""
        journal = self.folder / 'killed.json.journal'
        child = subprocess.Popen([self.takt, 'pipeline', 'run', pipeline, '--trace', 'killed.json', '--batches', '10000000'],
                                 cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        while child.poll() is None and not (journal.exists() and journal.stat().st_size > size):
            time.sleep(0.01)
        child.send_signal(signal.SIGKILL)
        child.wait()
        return journal

    def batches_in(self, journal):
        done = subprocess.run([self.takt, 'pipeline', 'analyze', journal], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding='utf-8', check=True)
        return int(re.search(r'the file has (\d+) batches', done.stderr)[1])


def measure(bench, batches):
    """By case: peak in bytes, seconds, batches."""
    bench.write('sim.yaml', batches, 'time: 100us', 'sim:CPU')
    bench.write('real.yaml', batches, 'matmul: 8', 'CPU')
    cases = {}
    for name, words in (('run --simulate', ['run', 'sim.yaml', '--simulate', '--trace', 't.json']),
                        ("run --simulate --trace ''", ['run', 'sim.yaml', '--simulate', '--trace', '']),
                        ('run', ['run', 'real.yaml', '--trace', 'real.json']),
                        ("run --trace ''", ['run', 'real.yaml', '--trace', '']),
                        ('analyze TRACE', ['analyze', 'real.json']),
                        ('analyze TRACE.gz', ['analyze', 'real.json.gz']),
                        ('analyze --format csv --table batches',
                         ['analyze', 'real.json', '--format', 'csv', '--table', 'batches'])):
        if name == 'analyze TRACE.gz':
            subprocess.run(['gzip', '-1kf', 'real.json'], cwd=bench.folder, check=True)
        cases[name] = (*bench.peak(*words), batches)
    journal = bench.leave_journal('real.yaml', batches * 120)
    count = bench.batches_in(journal)
    cases['analyze JOURNAL'] = (*bench.peak('analyze', journal), count)
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('takt', nargs='?', default=root / 'build/release/takt')
    parser.add_argument('--batches', type=int, default=20_000)
    parser.add_argument('--times', type=int, default=25, help='how many times as many batches the long runs have')
    parser.add_argument('--most', type=float, default=64)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='takt-memory-') as folder:
        bench = Bench(arguments.takt.resolve() if isinstance(arguments.takt, pathlib.Path) else
                      pathlib.Path(arguments.takt).resolve(), pathlib.Path(folder))
        few, many = measure(bench, arguments.batches), measure(bench, arguments.times * arguments.batches)
    failed = False
    print(f'{"":38}{"few":>10}{"many":>10}{"time":>9}{"a batch":>12}')
    for name, (peak, seconds, batches) in many.items():
        growth = (peak - few[name][0]) / (batches - few[name][2])
        failed = failed or growth > arguments.most
        print(f'{name:38}{few[name][0] / 1e6:7.0f} MB{peak / 1e6:7.0f} MB{seconds:7.1f} s{growth:10.1f} B'
              f'  {"PASS" if growth <= arguments.most else "FAIL"} (at most {arguments.most:.0f})')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
