#!/usr/bin/env python3
"""pipeline_journal_test.py TAKT: a pipeline run that is killed leaves what it had, and one that is not leaves nothing beside its trace.

On simulated devices in real time, killed with SIGKILL once it has delivered something.
"""
import csv
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from answers import answer

TAKT = str(pathlib.Path(sys.argv[1]).resolve())
PIPELINE = '''batches: {batches}
stages:
  - {{name: load, dummy: {{time: 1ms}}, device: sim:CPU}}
  - {{name: left, dummy: {{time: 1ms}}, device: sim:GPU, replicas: 2}}
  - {{name: right, dummy: {{time: 2ms, partition: 50us, merge: 50us}}, after: load, replicas: 2,
     split: {{devices: [sim:GPU, sim:NPU], ratio: [0.5, 0.5]}}}}
  - {{name: store, dummy: {{time: 500us}}, device: sim:NPU, after: [left, right]}}
'''
JOURNAL = 'pipeline_trace.json.journal'


class Journal(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='takt_journal_')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, batches, *words, **environment):
        (self.folder / 'p.yaml').write_text(PIPELINE.format(batches=batches), encoding='utf-8')
        started = subprocess.Popen([TAKT, 'pipeline', 'run', 'p.yaml', *words], cwd=self.folder, encoding='utf-8',
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, 'LC_ALL': 'C.UTF-8', **environment})
        self.addCleanup(started.kill)
        return started

    def takt(self, *words):
        return subprocess.run([TAKT, *words], cwd=self.folder, capture_output=True, encoding='utf-8', timeout=120,
                              check=False)

    def wait_for(self, run, is_so):
        for _ in range(1200):
            if is_so():
                return
            self.assertIsNone(run.poll(), 'the run ended by itself')
            time.sleep(0.05)
        self.fail('it never came to be so')

    def grown(self, to):
        path = self.folder / JOURNAL
        return lambda: path.exists() and path.stat().st_size > to

    def kill(self, run, when_larger_than=6000):
        self.wait_for(run, self.grown(when_larger_than))
        run.send_signal(signal.SIGKILL)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, -signal.SIGKILL)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_a_killed_run_leaves_its_batches_and_the_tables_are_made_of_them(self):
        self.kill(self.start(1000000))
        self.assertEqual(self.files(), ['p.yaml', JOURNAL])
        done = self.takt('pipeline', 'analyze', JOURNAL)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = re.search(r'the run was killed or is still running; the file has (\d+) batches\n', done.stderr)
        self.assertTrue(said, done.stderr)
        count = int(said[1])
        self.assertGreater(count, 20)
        for name in 'Device', 'Stage', 'left', 'right', 'sim:GPU', 'interrupted':
            self.assertIn(name, done.stdout)
        done = self.takt('pipeline', 'analyze', JOURNAL, '--format', 'csv', '--table', 'batches')
        batches = [int(row['batch']) for row in csv.DictReader(io.StringIO(done.stdout))]
        self.assertEqual(batches, list(range(count)))
        done = self.takt('pipeline', 'whatif', JOURNAL, '--set', 'stage.right.time=x0.5')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('after', done.stdout)

    def test_a_journal_becomes_the_trace_that_would_have_been_written(self):
        self.kill(self.start(1000000))
        done = self.takt('trace', 'convert', JOURNAL, '-o', 'run.json')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('the run was killed', done.stderr)
        self.assertEqual(self.takt('trace', 'check', 'run.json').returncode, 0)
        tables = [self.takt('pipeline', 'analyze', name).stdout for name in (JOURNAL, 'run.json')]
        self.assertEqual(tables[0], tables[1])

    def test_the_journal_of_a_run_that_goes_on_is_read_and_grows(self):
        run = self.start(1000000)
        counts = []
        for _ in range(2):
            self.wait_for(run, self.grown((self.folder / JOURNAL).stat().st_size + 100 if counts else 5000))
            done = self.takt('pipeline', 'analyze', JOURNAL, '--format', 'json')
            self.assertEqual(done.returncode, 0, done.stderr)
            counts.append(json.loads(done.stdout)['tables']['summary'][0]['batches'])
        self.assertGreater(counts[0], 0)
        self.assertGreater(counts[1], counts[0])
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, err)
        self.assertEqual(self.files(), ['p.yaml', 'pipeline_trace.json'])
        again = self.takt('pipeline', 'analyze', 'pipeline_trace.json')
        self.assertEqual(again.stdout.splitlines(), [line for line in out.splitlines() if not re.match('note  |wrote trace ', line)])

    def test_an_undisturbed_run_leaves_its_trace_alone(self):
        run = self.start(50)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0, err)
        self.assertEqual(self.files(), ['p.yaml', 'pipeline_trace.json'])
        again = self.takt('pipeline', 'analyze', 'pipeline_trace.json')
        self.assertEqual(again.stdout.splitlines(), [line for line in out.splitlines() if not re.match('note  |wrote trace ', line)])
        self.assertEqual(self.takt('trace', 'check', 'pipeline_trace.json').returncode, 0)

    def test_without_a_trace_there_is_no_journal_and_none_beside_a_device(self):
        for trace in '', '/dev/null':
            run = self.start(50, '--trace', trace)
            seen = set()
            while run.poll() is None:
                seen.update(self.files())
                time.sleep(0.01)
            self.assertEqual(run.returncode, 0, run.communicate()[1])
            self.assertEqual(seen | set(self.files()), {'p.yaml'})
            self.assertFalse(pathlib.Path('/dev/null.journal').exists())

    def test_the_next_run_keeps_a_journal_under_another_name_and_says_so(self):
        kept = []
        for number in (1, 2):
            self.kill(self.start(1000000))
            left = (self.folder / JOURNAL).read_bytes()
            run = self.start(50)
            _, err = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 0, err)
            kept.append(f'{JOURNAL}.{number}')
            self.assertEqual(self.files(), ['p.yaml', 'pipeline_trace.json', *kept])
            said = re.search(rf"{JOURNAL}: an earlier run left (\d+) batches here, kept as '{kept[-1]}'; "
                             "'takt pipeline analyze' reads it\n", answer(err))
            self.assertTrue(said, err)
            self.assertEqual((self.folder / kept[-1]).read_bytes(), left)
            done = self.takt('pipeline', 'analyze', kept[-1])
            self.assertIn(f'the file has {said[1]} batches', done.stderr)

    def test_of_a_journal_without_a_batch_or_a_readable_one_it_is_said_too(self):
        self.kill(self.start(1000000))
        whole = (self.folder / JOURNAL).read_bytes()
        head = 28 + 16 + int.from_bytes(whole[32:36], sys.byteorder)
        for left, says, stays in ((whole[:head], 'without any batch; it is replaced', False),
                                  (whole[:40], f"cannot be read; it is kept as '{JOURNAL}.1'", True)):
            (self.folder / JOURNAL).write_bytes(left)
            run = self.start(50)
            _, err = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 0, err)
            self.assertIn(says, answer(err))
            self.assertEqual((self.folder / f'{JOURNAL}.1').exists(), stays)

    def test_two_runs_never_write_one_journal(self):
        first = self.start(1000000)
        self.wait_for(first, self.grown(4000))
        _, err = self.start(50).communicate(timeout=60)
        self.assertIn(f'{JOURNAL}: another run writes this file; give each run a separate trace', answer(err))
        self.kill(first)
        self.assertEqual(self.takt('pipeline', 'analyze', JOURNAL).returncode, 0)

    def test_a_file_of_another_kind_is_no_journal_and_stays(self):
        (self.folder / JOURNAL).write_text('a letter', encoding='utf-8')
        run = self.start(50)
        _, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertIn(f'{JOURNAL}: this is a file of another kind', answer(err))
        self.assertEqual((self.folder / JOURNAL).read_text(encoding='utf-8'), 'a letter')

    def test_a_disk_that_fills_up_ends_the_run_and_what_was_written_can_be_read(self):
        for limit in (6000, 20000):
            run = self.start(1000000, TAKT_FAIL_WRITE_AFTER=str(limit))
            out, err = run.communicate(timeout=120)
            self.assertEqual(run.returncode, 1, out)
            said = answer(err)
            self.assertEqual(said.count('\n'), 1, said)
            self.assertIn("cannot write 'pipeline_trace.json'", said)
            count = re.search(rf"; (\d+) of its (\d+) batches are in '{JOURNAL}': 'takt pipeline analyze' reads it", said)
            self.assertTrue(count, said)
            self.assertLess(int(count[1]), int(count[2]))
            self.assertIn('Stage', out)  # what was measured is told all the same
            self.assertEqual(self.files(), ['p.yaml', JOURNAL])
            self.assertLessEqual((self.folder / JOURNAL).stat().st_size, limit)
            self.assertIn(f'the file has {count[1]} batches', self.takt('pipeline', 'analyze', JOURNAL).stderr)
            (self.folder / JOURNAL).unlink()

    def test_what_has_no_batch_yet_says_so(self):
        self.kill(self.start(1000000))
        whole = (self.folder / JOURNAL).read_bytes()
        head = 28 + 16 + int.from_bytes(whole[32:36], sys.byteorder)
        (self.folder / 'head.journal').write_bytes(whole[:head])
        done = self.takt('pipeline', 'analyze', 'head.journal')
        self.assertIn('the file has 0 batches', done.stderr)
        (self.folder / 'none.journal').write_bytes(whole[:30])
        done = self.takt('pipeline', 'analyze', 'none.journal')
        self.assertEqual(done.returncode, 1)
        self.assertIn('none.journal: the journal ends before its description of the run; it has no content', answer(done.stderr))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
