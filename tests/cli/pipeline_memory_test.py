#!/usr/bin/env python3
"""pipeline_memory_test.py TAKT: what a long pipeline run takes in memory."""
import os
import pathlib
import resource
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
FEW, MANY = 4000, 100_000
# A batch of this pipeline takes some 2,000 bytes in all. They go to disk, but on a busy machine tens of megabytes may be
# in memory for a moment: bench/pipeline_memory.py measures on a quiet one.
MOST = 1500


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='takt_memory_')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / 'p.yaml').write_text(PIPELINE, encoding='utf-8')

    def peak(self, *words):
        """In bytes."""
        child = subprocess.Popen([TAKT, 'pipeline', *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0, words)
        return usage.ru_maxrss * 1024

    def peak_of_run(self, batches, trace):
        return self.peak('run', 'p.yaml', '--simulate', '--batches', str(batches), '--trace', trace)

    def check(self, few, many):
        self.assertLess((many - few) / (MANY - FEW), MOST, f'{few} and {many} bytes')

    def test_memory_hardly_grows_with_the_batches(self):
        if not any(self.is_disk(folder) for folder in (tempfile.gettempdir(), '/var/tmp')):
            self.skipTest('no folder for temporary files lies on a disk')
        self.check(self.peak_of_run(FEW, 'few.json'), self.peak_of_run(MANY, 'many.json'))
        self.check(self.peak_of_run(FEW, ''), self.peak_of_run(MANY, ''))
        self.check(self.peak('analyze', 'few.json'), self.peak('analyze', 'many.json'))

    @staticmethod
    def is_disk(folder):
        kind = subprocess.run(['stat', '-f', '-c', '%T', folder], capture_output=True, encoding='utf-8')
        return kind.returncode == 0 and kind.stdout.strip() not in ('tmpfs', 'ramfs')

    def test_what_goes_to_disk_comes_back_as_it_was(self):
        """On disk and, where files may not grow, in memory: the same account."""
        self.peak_of_run(MANY, 'many.json')
        analyze = [TAKT, 'pipeline', 'analyze', 'many.json']
        told = [subprocess.run(analyze, cwd=self.folder, capture_output=True, preexec_fn=limit) for limit in
                (None, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))]
        self.assertEqual([one.returncode for one in told], [0, 0], told[1].stderr[-500:])
        self.assertGreater(len(told[0].stdout), 1000)
        self.assertEqual(told[0].stdout, told[1].stdout)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
