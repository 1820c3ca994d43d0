#!/usr/bin/env python3
"""pipeline_stops_test.py TAKT: a pipeline that is stopped, or that hangs, ends, and what was measured until then is there.

On simulated devices in real time. Checked: exit code, tables and trace of a run that Ctrl-C, SIGTERM or the time limit of
a stage ended; the trace has no fault, and `takt pipeline analyze` prints from it the tables that were printed live.
"""
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
LONG = '''batches: 1000000
stages:
  - {name: load, dummy: {time: 2ms}, device: sim:CPU}
  - {name: infer, dummy: {time: 3ms, partition: 100us, merge: 100us}, replicas: 2,
     split: {devices: [sim:GPU, sim:NPU], ratio: [0.5, 0.5]}}
'''
HANGS = '''batches: 5
timeout: 200ms
stages:
  - {name: load, dummy: {time: 1ms}, device: sim:CPU}
  - {name: infer, dummy: {time: 1h}, device: sim:GPU}
'''


class Stops(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='takt_stops_')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, pipeline, *words):
        pathlib.Path(self.folder, 'p.yaml').write_text(pipeline, encoding='utf-8')
        started = subprocess.Popen([TAKT, 'pipeline', 'run', 'p.yaml', *words], cwd=self.folder, encoding='utf-8',
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, 'LC_ALL': 'C.UTF-8'})
        self.addCleanup(started.kill)
        return started

    def takt(self, *words):
        return subprocess.run([TAKT, *words], cwd=self.folder, capture_output=True, encoding='utf-8', timeout=120,
                              check=False)

    def check_trace(self, printed):
        """The trace has no fault and tells what was printed."""
        checked = self.takt('trace', 'check', 'pipeline_trace.json')
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        again = self.takt('pipeline', 'analyze', 'pipeline_trace.json')
        self.assertEqual(again.returncode, 0, again.stderr)
        live = [line for line in printed.splitlines() if not re.match('note  |wrote trace ', line)]
        self.assertEqual(again.stdout.splitlines(), live)

    def check_stopped_by(self, number, pipeline=LONG):
        run = self.start(pipeline)
        time.sleep(1)
        run.send_signal(number)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, err)
        self.assertIn('interrupted', out)
        self.check_trace(out)

    def test_ctrl_c_keeps_what_was_measured(self):
        self.check_stopped_by(signal.SIGINT)

    def test_so_does_a_request_to_terminate(self):
        self.check_stopped_by(signal.SIGTERM)

    def test_an_open_source_stops_with_batches_waiting(self):
        self.check_stopped_by(signal.SIGINT, 'source: poisson 2000/s\n' + LONG)

    def test_a_stage_that_hangs_ends_the_run_and_is_named(self):
        began = time.monotonic()
        run = self.start(HANGS)
        out, err = run.communicate(timeout=60)
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(run.returncode, 1, out)
        self.assertRegex(answer(err), r"^takt: p\.yaml: stage 'infer', batch 0: not done after 200 ms; raise 'timeout', .*\n$")
        self.assertTrue(pathlib.Path(self.folder, 'pipeline_trace.json').exists())

    def test_the_time_limit_may_be_given_with_the_command(self):
        run = self.start(HANGS.replace('timeout: 200ms\n', ''), '--timeout', '100ms')
        _, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertIn('not done after 100 ms', err)

    def test_a_second_ctrl_c_ends_it_at_once(self):
        run = self.start(HANGS.replace('200ms', '1h'))
        time.sleep(1)
        for _ in range(2):
            run.send_signal(signal.SIGINT)
            time.sleep(0.3)
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, -signal.SIGINT)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
