#!/usr/bin/env python3
"""pipeline_memory_test.py TAKT: what a long pipeline run takes in memory."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TAKT = str(pathlib.Path(sys.argv[1]).resolve())
PIPELINE = '''stages:
  - {name: load, dummy: {time: 1ms}, device: sim:CPU}
  - {name: left, dummy: {time: 1.1ms}, device: sim:GPU, replicas: 2}
  - {name: right, dummy: {time: 2ms, partition: 50us, merge: 50us}, after: load, replicas: 2,
     split: {devices: [sim:GPU, sim:NPU], ratio: [0.5, 0.5]}}
  - {name: store, dummy: {time: 500us}, device: sim:NPU, after: [left, right]}
'''
FEW, MANY = 4000, 40000


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='takt_memory_')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / 'p.yaml').write_text(PIPELINE, encoding='utf-8')

    def peak_of_run(self, batches, *words):
        """In bytes."""
        child = subprocess.Popen([TAKT, 'pipeline', 'run', 'p.yaml', '--simulate', '--batches', str(batches), *words],
                                 cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0, words)
        return usage.ru_maxrss * 1024

    def test_batches_take_less_memory_than_their_events_would(self):
        for name, words in (('with a trace', ['--trace', 't.json']), ('without', ['--trace', ''])):
            few, many = (self.peak_of_run(batches, *words) for batches in (FEW, MANY))
            self.assertLess((many - few) / (MANY - FEW), 2000, f'{name}: {few} and {many} bytes')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
