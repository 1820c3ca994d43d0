#!/usr/bin/env python3
"""together_test.py TAKT MAKE_MODELS KEEP_PEAKS: several programs at once on one history and on one file of peaks lose
nothing of each other."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TAKT, MAKE_MODELS, KEEP_PEAKS = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
CLI = pathlib.Path(__file__).resolve().parent.parent / 'cli'
PROGRAMS = 8


class Together(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix='takt_together_')
        self.addCleanup(place.cleanup)
        self.path = pathlib.Path(place.name)
        self.environment = {**os.environ, 'TAKT_CACHE_DIR': str(self.path / 'cache')}

    def all_at_once(self, commands):
        """Runs them at the same time and demands that each goes well."""
        started = [subprocess.Popen(words, cwd=self.path, env=self.environment, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for words in commands]
        for program in started:
            _, errors = program.communicate(timeout=200)
            self.assertEqual(program.returncode, 0, errors)

    def test_every_profile_gets_into_the_history(self):
        subprocess.run([MAKE_MODELS, self.path], check=True)
        shutil.copy(CLI / 'box.yaml', self.path)
        names = [f'{i}.json' for i in range(PROGRAMS)]
        self.all_at_once([[TAKT, 'run', 'small.onnx', '--device', 'sim:box', '--iter', '6', '--seed', str(i),
                           '--profile', name] for i, name in enumerate(names)])
        # Half of them twice: the same profile is kept once.
        self.all_at_once([[TAKT, 'compare', name, '--baseline', 'new/history']
                          for name in [*names, *names[::2]]])
        kept = sorted(path.read_bytes() for path in (self.path / 'new/history').iterdir())
        self.assertEqual(kept, sorted((self.path / name).read_bytes() for name in names))

    def test_the_best_of_every_measurement_stays_in_the_peaks(self):
        for _ in range(4):
            shutil.rmtree(self.path / 'cache', ignore_errors=True)
            self.all_at_once([[KEEP_PEAKS, str(i), str(PROGRAMS)] for i in range(PROGRAMS)])
            kept = json.loads((self.path / 'cache/peaks.json').read_text(encoding='utf-8'))
            for level in kept['peaks']['levels']:
                for rate in ('read_bytes_per_s', 'copy_bytes_per_s'):
                    self.assertEqual([level[rate][threads]['best'] for threads in ('one', 'all')], [2000, 2000], level)
            self.assertEqual([path.name for path in (self.path / 'cache').iterdir()], ['peaks.json'])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
