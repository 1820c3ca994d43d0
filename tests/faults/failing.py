"""What tests of failing calls share: commands in a folder, with a library that fails the calls that change files."""
import errno
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'cli'))
from answers import answer  # noqa: E402

TAKT, MAKE_MODELS, APPEND_LINES, KEEP_PEAKS, FAILING_FILES = (pathlib.Path(word).resolve() for word in sys.argv[1:6])
HERE = pathlib.Path(__file__).resolve().parent
CLI = HERE.parent / 'cli'
RUN = [TAKT, 'run', 'small.onnx', '--device', 'sim:box', '--iter', '6']
CLOCKED = b'pass,iteration'  # begins the file with times of the host's clock
OLD = b'what stood here before\n'
# The error, and whether every later call fails, too.
FAULTS = [(errno.ENOSPC, False), (errno.EIO, False), (errno.ENOSPC, True)]
REASONS = {errno.ENOSPC: 'no space left', errno.EIO: 'Input/output error'}


class Failing(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix='takt_faults_')
        self.addCleanup(place.cleanup)
        self.path = pathlib.Path(place.name).resolve()
        self.out, self.log = self.path / 'out', self.path / 'calls'
        subprocess.run([MAKE_MODELS, self.path], check=True)
        for file in [*CLI.glob('*.yaml'), CLI / 'gpu.trace.json']:
            shutil.copy(file, self.path)
        for name, seed in (('a', 1), ('b', 2)):
            self.assertEqual(self.start([*RUN, '--seed', str(seed), '--profile', f'{name}.json']).returncode, 0)

    def start(self, words, before=None, **faults):
        environment = {**os.environ, 'TAKT_FIXED_PROVENANCE': '1', 'TAKT_CACHE_DIR': str(self.out / 'cache'), **faults}
        return subprocess.run(words, cwd=self.path, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              preexec_fn=before, timeout=120, encoding='utf-8', check=False)

    def start_with_faults(self, words, at=None, error=None, stays=False):
        """Returns what happened, and the calls on files of the folder 'out' as lines 'call path'."""
        faults = {'LD_PRELOAD': str(FAILING_FILES), 'TAKT_FAULT_FOLDER': str(self.out), 'TAKT_FAULT_LOG': str(self.log)}
        faults |= {} if at is None else {'TAKT_FAULT_AT': str(at)}
        faults |= {} if error is None else {'TAKT_FAULT_ERROR': str(error)}
        faults |= {'TAKT_FAULT_STAYS': '1'} if stays else {}
        self.log.unlink(missing_ok=True)
        done = self.start(words, **faults)
        return done, self.log.read_text(encoding='utf-8').splitlines() if self.log.exists() else []

    def fill(self, files):
        """The folder 'out' with just these files."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        for name, content in files.items():
            (self.out / name).parent.mkdir(exist_ok=True)
            (self.out / name).write_bytes(content)

    def files(self):
        """What the folder holds. No two runs have the same times of the host's clock: the file that has them without figures."""
        contents = {str(path.relative_to(self.out)): path.read_bytes() for path in self.out.rglob('*') if path.is_file()}
        return {name: re.sub(rb'\d+(\.\d+)?', b'#', text) if text.startswith(CLOCKED) else text
                for name, text in contents.items()}

    def sentence(self, done, usual):
        """The one line on standard error that a run without faults does not write."""
        lines = [line for line in answer(done.stderr).splitlines() if line not in usual]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith('takt: '), lines[0])
        return lines[0]
