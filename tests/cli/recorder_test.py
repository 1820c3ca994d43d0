#!/usr/bin/env python3
"""recorder_test.py TAKT EXAMPLE: what a program recorded of itself, in takt's commands: a pipeline that is analysed, a
file that is written as the program goes and survives its being killed.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import read_back

TAKT, EXAMPLE = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])


def call(*words, code=0):
    done = subprocess.run(list(map(str, words)), capture_output=True, encoding='utf-8', timeout=120, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode != code:
        raise AssertionError(f'{words} exits {done.returncode}:\n{done.stdout}{done.stderr}')
    return done


def tables_of(file):
    return json.loads(call(TAKT, 'pipeline', 'analyze', file, '--format', 'json').stdout)['tables']


class Recorded(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='takt_recorder_')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.addCleanup(lambda: self.assertEqual(read_back.faults_in(TAKT, self.folder), []))

    def test_a_program_that_tells_stage_and_batch_is_analysed_as_a_pipeline(self):
        trace = self.folder / 'run.json'
        self.assertEqual(call(EXAMPLE, trace).stdout, '120 events, 0 dropped\n')
        tables = tables_of(trace)
        self.assertEqual([row['stage'] for row in tables['stages']], ['prepare', 'infer', 'finish'])
        self.assertEqual([row['device'] for row in tables['devices']], ['main', 'NPU', 'worker'])
        self.assertEqual(len(tables['batches']), 20)
        for device in tables['devices']:
            parts = sum(device[key] for key in ('busy_us', 'starved_us', 'blocked_us', 'dispatch_us', 'fill_drain_us')
                        if device[key] is not None)
            self.assertLessEqual(parts, device['wall_us'] * 1.001)
        self.assertGreaterEqual(tables['stages'][1]['stage_mean_us'], 300)  # it sleeps so long

    def test_its_arguments_frames_and_arrows_are_in_the_trace(self):
        trace = self.folder / 'run.json'
        call(EXAMPLE, trace)
        events = json.loads(trace.read_text(encoding='utf-8'))['traceEvents']
        reads = [event['args'] for event in events if event['name'] == 'read']
        self.assertEqual(reads[3], {'file': 'frame 3.png', 'bytes': 5 << 30})
        self.assertEqual(sum(event['name'] == 'result' and event['ph'] == 'X' for event in events), 19)
        # Batch 0 has its arrows, too.
        arrows = [event for event in events if event.get('bind_id') and event['args'].get('batch') == 0]
        self.assertEqual([event['name'] for event in arrows], ['prepare', 'infer', 'finish'])

    def test_a_program_that_is_killed_leaves_what_it_had(self):
        file, trace = self.folder / 'run.takt', self.folder / 'run.json'
        with subprocess.Popen([EXAMPLE, '--endless', file], stdout=subprocess.PIPE, encoding='utf-8') as program:
            for line in program.stdout:
                told = int(line.split()[0])  # events that are in the file for sure
                if told > 100:
                    break
            program.kill()
        self.assertEqual(program.returncode, -9)
        checked = call(TAKT, 'trace', 'check', file)
        self.assertIn('recording_cut', checked.stdout)
        self.assertIn('recording_cut', call(TAKT, 'pipeline', 'analyze', file).stderr)
        tables = tables_of(file)
        self.assertEqual(len(tables['stages']), 3)
        call(TAKT, 'trace', 'convert', file, '-o', trace)
        self.assertEqual(tables_of(trace), tables)
        content = json.loads(trace.read_text(encoding='utf-8'))
        # An event of each frame but the first mark, and a record each for scopes and counters.
        self.assertGreaterEqual(sum(event['ph'] in 'XC' for event in content['traceEvents']) + 1, told)
        self.assertFalse(content['metadata']['takt']['recorder']['ended'])
        call(TAKT, 'trace', 'info', trace)

    def test_what_tells_no_stages_is_refused_with_what_is_missing(self):
        trace = self.folder / 'fast.json'
        call(EXAMPLE, trace, 100)
        refused = call(TAKT, 'pipeline', 'analyze', trace, code=1)
        self.assertIn("no event has a whole number 'batch' or 'batch_id'", refused.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
