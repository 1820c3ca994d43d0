#!/usr/bin/env python3
"""foreign_libraries_test.py TAKT MAKE_MODELS PLANTED BUILD SDK [EVERY]: nothing of the working directory is loaded.

A folder gets PLANTED, a library whose constructor says that it was loaded, under every name that `readelf -d` of takt and of
the libraries that it loads tells, and that stands in them or in takt's own code; beside it programs of the names that a
program may start. Every command runs there and ends as it does elsewhere. In CI's size the commands that take longest run in
one place only; EVERY runs all of them in all places. Programs and libraries of BUILD have no RUNPATH element that is empty or
relative."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from every_command import lines, may_fail, prepare
from sanitized import IS_SANITIZED

TAKT, MAKE_MODELS, PLANTED, BUILD, SDK = (pathlib.Path(word).resolve() for word in sys.argv[1:6])
EVERY = len(sys.argv) > 6
PROGRAMS = ['nvidia-smi', 'rocm-smi', 'takt-train', 'sh', 'python3', 'curl', 'lscpu', 'git', 'perf', 'ldconfig']
# Loaded by glibc itself while a program runs, by name.
OF_THE_SYSTEM = ['libgcc_s.so.1', 'libnss_files.so.2', 'libnss_dns.so.2', 'libnss_compat.so.2', 'libnss_systemd.so.2', 'libnss_sss.so.2']


def dynamic(file, *keys):
    """What the dynamic section says under the keys."""
    done = subprocess.run(['readelf', '-d', '-W', file], capture_output=True, text=True, check=False)
    return re.findall(rf'\((?:{"|".join(keys)})\)\s+[^\[]*\[(.*)\]', done.stdout)


def is_elf(file):
    if file.is_symlink() or not file.is_file():
        return False
    with open(file, 'rb') as opened:
        return opened.read(4) == b'\x7fELF'


def loaded_libraries():
    """Files: takt, the SDKs' libraries, and what the loader finds for any of them."""
    files = [TAKT, *(path for path in (TAKT.parent / 'takt-train', TAKT.parent / 'libtakt.so') if path.exists())]
    files += [path for folder in ('onnxruntime', 'openvino') for path in (SDK / folder).rglob('*.so*') if is_elf(path)]
    found = set(files)
    for file in files:
        text = subprocess.run(['ldd', file], capture_output=True, text=True, check=False).stdout
        found |= {pathlib.Path(path) for path in re.findall(r'=> (/\S+)', text)}
    return sorted(found)


def names_inside(file):
    """Names of libraries that stand in the file's bytes."""
    content = file.read_bytes()
    for end in re.finditer(rb'\.so(?:\.[0-9]+)*(?![\w.])', content):
        begin = re.search(rb'[\w.+-]*$', content[max(0, end.start() - 80):end.start()])
        yield (begin.group() + end.group()).decode()


def names_to_plant():
    names = set(OF_THE_SYSTEM)
    for file in loaded_libraries():
        names.add(file.name)
        names |= set(dynamic(file, 'NEEDED', 'SONAME'))
        names |= set(names_inside(file))
    return sorted(name for name in names if '.so' in name and not name.startswith(('.so', '-')))


class ForeignLibraries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix='takt_planted_')
        cls.place = pathlib.Path(cls.holder.name)
        cls.told = cls.place / 'told'
        cls.clean, cls.folder = cls.place / 'clean', cls.place / 'foreign'
        cls.clean.mkdir()
        kept = {key: value for key, value in os.environ.items() if key != 'LD_LIBRARY_PATH'}
        cls.environment = {**kept, 'TAKT_CACHE_DIR': str(cls.place / 'cache'), 'TAKT_PLANTED': str(cls.told), 'LC_ALL': 'C.UTF-8'}
        prepare(TAKT, MAKE_MODELS, cls.clean, cls.environment)
        shutil.copytree(cls.clean, cls.folder)
        cls.names = names_to_plant()
        for name in cls.names:
            cls.plant(cls.folder, name)
        for name in PROGRAMS:
            program = cls.folder / name
            program.write_text(f'#!/bin/bash\necho {name} >> {cls.told}\n', encoding='utf-8')
            program.chmod(0o755)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @classmethod
    def plant(cls, folder, name):
        try:
            os.link(PLANTED, folder / name)
        except OSError:  # another file system
            shutil.copy(PLANTED, folder / name)

    def run_there(self, line, folder, **environment):
        """Exit code, and what was loaded."""
        self.told.unlink(missing_ok=True)
        child = subprocess.Popen([TAKT, *line], cwd=folder, env={**self.environment, **environment}, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, said = child.communicate(timeout=2 if line[0] == 'exporter' else 250)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=30)
        loaded = self.told.read_text(encoding='utf-8').split() if self.told.exists() else []
        return child.returncode, loaded, said

    def check(self, line, **environment):
        code, loaded, said = self.run_there(line, self.folder, **environment)
        self.assertEqual(loaded, [], f'takt {" ".join(line)}')
        self.assertNotIn('invalid ELF', said)
        self.assertNotIn('error while loading shared libraries', said)
        self.assertIn(code, (0, 1, 3) if may_fail(line) else (0,), f'takt {" ".join(line)}: {said}')

    def test_the_planted_library_tells_that_it_is_loaded(self):
        self.assertGreater(len(self.names), 60)
        for name in ('libisal.so.2', 'libnvidia-ml.so.1', 'libcuda.so.1', 'libcurl.so.4', 'libxgboost.so.0', 'libc.so.6'):
            self.assertIn(name, self.names)
        code, loaded, _ = self.run_there(['devices'], self.folder, LD_PRELOAD='./libnvidia-ml.so.1')
        self.assertEqual((code, [pathlib.Path(path).name for path in loaded][:1]), (0, ['libnvidia-ml.so.1']))

    def test_no_command_loads_or_starts_what_lies_in_the_working_directory(self):
        for line in lines(TAKT):
            with self.subTest(' '.join(line)):
                self.check(line)

    def test_an_empty_element_of_the_environments_paths_changes_nothing(self):
        """`PATH=…:` and `LD_LIBRARY_PATH=…:` mean the working directory, there for what is loaded once takt runs."""
        at_start = set()
        for file in [TAKT, *map(pathlib.Path, re.findall(r'=> (/\S+)', subprocess.run(['ldd', TAKT], capture_output=True, text=True,
                                                                                      check=True).stdout))]:
            at_start |= {file.name, *dynamic(file, 'NEEDED', 'SONAME')}
        later = self.place / 'later'
        shutil.copytree(self.clean, later)
        for name in self.names:
            if name not in at_start and not name.startswith('ld-linux'):
                self.plant(later, name)
        chosen = [line for line in lines(TAKT) if EVERY or line[0] in ('devices', 'load', 'run', 'stress', 'fit')]
        for folders in (':', '/nowhere:', '.', ':/nowhere', '/nowhere::/other', 'later', './'):
            for line in chosen if EVERY or folders == ':' else [['devices'], ['load', '--window', '100ms']]:
                with self.subTest(f'LD_LIBRARY_PATH={folders} takt {" ".join(line)}'):
                    code, loaded, said = self.run_there(line, later, LD_LIBRARY_PATH=folders, PATH=f':{os.environ["PATH"]}:')
                    self.assertEqual(loaded, [])
                    self.assertIn(code, (0, 1, 3) if may_fail(line) else (0,), said)

    def test_a_path_that_somebody_gives_is_used_as_it_is(self):
        self.plant(self.folder, 'mine.so')
        for path in ('./mine.so', str(self.folder / 'mine.so')):
            _, loaded, _ = self.run_there(['stress', '--gpu', '10%', '--for', '100ms'], self.folder, TAKT_CUDA_LIBRARY=path)
            self.assertIn(str(self.folder / 'mine.so'), loaded)
        _, loaded, _ = self.run_there(['stress', '--gpu', '10%', '--for', '100ms'], self.folder, TAKT_CUDA_LIBRARY='mine.so')
        self.assertEqual(loaded, [])


class Programs(unittest.TestCase):
    def test_no_runpath_has_an_empty_or_relative_element(self):
        seen = 0
        for file in BUILD.rglob('*'):
            if 'CMakeFiles' in file.parts or not is_elf(file) or file.suffix == '.o':
                continue
            seen += 1
            for folders in dynamic(file, 'RUNPATH', 'RPATH'):
                for folder in folders.split(':'):
                    self.assertTrue(folder.startswith(('/', '$ORIGIN/')) or folder == '$ORIGIN', f'{file}: {folders}')
        self.assertGreater(seen, 3)

    def test_takt_itself_is_found_from_where_it_lies(self):
        for name in ('takt', 'libtakt.so'):
            if (BUILD / name).exists() and str(SDK).startswith(str(pathlib.Path(__file__).resolve().parents[2])):
                folders = dynamic((BUILD / name).resolve(), 'RUNPATH', 'RPATH')
                self.assertEqual([one for one in folders[0].split(':') if not one.startswith('$ORIGIN')], [], name)


if __name__ == '__main__':
    if IS_SANITIZED:
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], '-v'])
