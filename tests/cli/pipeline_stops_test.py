#!/usr/bin/env python3
"""pipeline_stops_test.py TAKT MAKE_MODELS: a pipeline that is stopped, or that hangs, ends, and what was measured until then is there.

On simulated devices in real time. Checked: exit code, tables and trace of a run that Ctrl-C, SIGTERM or the time limit of
a stage ended; the trace has no fault, and `takt pipeline analyze` prints from it the tables that were printed live. And on
every real runtime: a model whose first inference never ends, which the time limit or Ctrl-C ends before the first batch.
"""
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
from sanitized import IS_SANITIZED

TAKT, MAKE_MODELS = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
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
ENDLESS = '''batches: 5
stages:
  - {{name: load, dummy: {{matmul: 8}}, device: CPU, runtime: {runtime}}}
  - {{name: loop, model: endless.onnx, runtime: {runtime}, connect: {{}}{inputs}}}
'''
BUSY = '''batches: 100
stages:
  - {name: spin, dummy: {time: 5ms}, device: CPU}
'''
GIVEN = ', inputs: {x: "{1,1}"}'


def real_runtimes():
    listed = subprocess.run([TAKT, 'devices', '--format', 'json'], capture_output=True, encoding='utf-8', timeout=60,
                            check=True)
    return [row['runtime'] for row in json.loads(listed.stdout)['tables']['devices']
            if row['runtime'] != 'sim' and row['device'] == 'CPU' and row['usable'] == 'yes']


class Stops(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='takt_stops_')
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, pipeline, *words, command='run'):
        pathlib.Path(self.folder, 'p.yaml').write_text(pipeline, encoding='utf-8')
        started = subprocess.Popen([TAKT, 'pipeline', command, 'p.yaml', *words], cwd=self.folder, encoding='utf-8',
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

    def start_until_it_runs(self, pipeline):
        """A second of work after the file of the run was begun."""
        run = self.start(pipeline)
        deadline = time.monotonic() + 60
        while not any(pathlib.Path(self.folder).glob('pipeline_trace.json*')) and run.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(1)
        return run

    def check_stopped_by(self, number, pipeline=LONG):
        run = self.start_until_it_runs(pipeline)
        run.send_signal(number)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 128 + number, err)
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
        self.assertRegex(answer(err), r"^takt: p\.yaml: stage 'infer', batch 0: not completed after 200 ms; raise 'timeout', .*\n$")
        self.assertTrue(pathlib.Path(self.folder, 'pipeline_trace.json').exists())

    def test_the_time_limit_may_be_given_with_the_command(self):
        run = self.start(HANGS.replace('timeout: 200ms\n', ''), '--timeout', '100ms')
        _, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertIn('not completed after 100 ms', err)

    def test_a_second_ctrl_c_ends_it_at_once(self):
        run = self.start_until_it_runs(HANGS.replace('200ms', '1h'))
        for _ in range(2):
            run.send_signal(signal.SIGINT)
            time.sleep(0.3)
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, 130)

    def test_ctrl_c_leaves_a_hung_execution_behind_and_keeps_the_rest(self):
        run = self.start_until_it_runs(HANGS.replace('200ms', '1h'))
        run.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, err = run.communicate(timeout=60)
        self.assertLess(time.monotonic() - began, 2 if not IS_SANITIZED else 20)
        self.assertEqual(run.returncode, 130, err)
        self.assertRegex(err, "p.yaml: stage 'infer', batch 0: interrupted; it had not returned after .* and was abandoned")
        self.assertTrue(pathlib.Path(self.folder, 'pipeline_trace.json').exists())

    def each_endless(self):
        """(command, whether sizes are given, pipeline) of stages that hang when they are tried, on every runtime; both commands open a
        pipeline alike, so one is tried both ways."""
        subprocess.run([MAKE_MODELS, self.folder], check=True, timeout=60)
        for runtime in real_runtimes():
            for command, inputs in (('run', ''), ('run', GIVEN), ('interference', ''))[:2 if IS_SANITIZED else 3]:
                with self.subTest(runtime=runtime, command=command, inputs=inputs):
                    yield command, inputs, ENDLESS.format(runtime=runtime, inputs=inputs)

    def test_the_time_limit_holds_before_the_first_batch(self):
        for command, inputs, pipeline in self.each_endless():
            began = time.monotonic()
            run = self.start(pipeline, '--timeout', '1s', command=command)
            out, err = run.communicate(timeout=60)
            self.assertLess(time.monotonic() - began, 50)
            self.assertEqual(run.returncode, 1, out + err)
            doing = 'running it once' if inputs else 'trying sizes for its open inputs'
            self.assertEqual(answer(err).splitlines()[-1], f"takt: p.yaml: stage 'loop', {doing}: not completed after 1.00 s; "
                             "raise 'timeout', or check the device")
            self.assertFalse(pathlib.Path(self.folder, 'pipeline_trace.json').exists())

    def test_ctrl_c_before_the_first_batch_ends_at_once(self):
        for command, _, pipeline in self.each_endless():
            run = self.start(pipeline, '--timeout', '1h', command=command)
            time.sleep(2)
            self.assertIsNone(run.poll())
            run.send_signal(signal.SIGINT)
            began = time.monotonic()
            out, err = run.communicate(timeout=60)
            self.assertLess(time.monotonic() - began, 30)
            self.assertEqual(run.returncode, 130, out + err)
            self.assertIn('interrupted at stage ', err)

    def start_beside_loads(self):
        """A measurement of a real stage (it keeps a thread busy) and the process of its load."""
        run = self.start(BUSY, '--pairs', 'predicted', command='interference')
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for load in pathlib.Path('/proc').glob('[0-9]*/stat'):
                try:
                    words = load.read_text(encoding='utf-8').rsplit(')', 1)[1].split()
                    command = (load.parent / 'cmdline').read_bytes()
                except (OSError, IndexError):
                    continue
                if int(words[1]) == run.pid and b'worker\0load' in command:
                    return run, load.parent
            time.sleep(0.01)
        self.fail('no load was started')

    def wait_until_gone(self, process):
        deadline = time.monotonic() + 20
        while process.exists() and b'worker\0load' in (process / 'cmdline').read_bytes():
            self.assertLess(time.monotonic(), deadline, 'the load lives on')
            time.sleep(0.05)

    def test_a_load_dies_with_its_parent(self):
        run, load = self.start_beside_loads()
        run.kill()
        run.communicate(timeout=30)
        self.wait_until_gone(load)

    def test_ctrl_c_ends_loads_too(self):
        run, load = self.start_beside_loads()
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, err)
        self.wait_until_gone(load)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
