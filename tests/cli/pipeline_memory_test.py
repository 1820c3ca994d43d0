#!/usr/bin/env python3
"""pipeline_memory_test.py TAKT: what a long pipeline run takes in memory, and that lists on a disk say the same as in memory.

With a limit on the size of files the lists find no room on the disk and stay in memory, as they do in a short run. Exit
code 77 where temporary files lie in memory.
"""
import json
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
FEW, MANY = 4000, 40000


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='takt_memory_')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / 'p.yaml').write_text(PIPELINE, encoding='utf-8')
        if subprocess.run(['stat', '-f', '-c', '%T', folder.name], capture_output=True, encoding='utf-8',
                          check=False).stdout.strip() in ('tmpfs', 'ramfs'):
            sys.exit(77)

    def takt(self, *words, file_limit=None):
        """What it printed, and its peak in bytes."""
        def limit():
            if file_limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
        child = subprocess.Popen([TAKT, 'pipeline', *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding='utf-8', preexec_fn=limit)
        with child.stdout:
            said = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0, words)
        return said, usage.ru_maxrss * 1024

    def run_of(self, batches, *words, **limits):
        return self.takt('run', 'p.yaml', '--simulate', '--batches', batches, *words, **limits)

    def test_lists_on_a_disk_say_the_same_as_lists_in_memory(self):
        def tables(file_limit):
            said, _ = self.run_of(MANY, '--trace', '', '--format', 'json', file_limit=file_limit)
            return json.loads(said)['tables']
        on_disk, in_memory = tables(None), tables(4096)
        self.assertEqual(len(on_disk['batches']), MANY)
        for name, rows in in_memory.items():
            self.assertTrue(on_disk[name] == rows, name)

    def test_a_trace_is_the_same_and_is_read_back_the_same(self):
        self.run_of(MANY, '--trace', 'disk.json')
        text, _ = self.takt('analyze', 'disk.json')
        same, _ = self.takt('analyze', 'disk.json', file_limit=4096)
        self.assertEqual(text, same)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ['disk.json', 'p.yaml'])

    def test_ten_times_the_batches_take_little_more_memory(self):
        for name, words in (('with a trace', ['--trace', 't.json']), ('without', ['--trace', ''])):
            few, many = (self.run_of(batches, *words)[1] for batches in (FEW, MANY))
            # In memory it would be some 2 KB; under load the system gives back late what is not needed any longer.
            self.assertLess((many - few) / (MANY - FEW), 800, f'{name}: {few} and {many} bytes')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
