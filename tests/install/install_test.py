#!/usr/bin/env python3
"""install_test.py BUILD SDK MAKE_MODELS SANITIZE: takt as somebody sees it who has only installed it.

Installs the build into a folder, moves that folder elsewhere, and works there alone, outside of the checkout: the program
runs, each example is configured with find_package and built (one also with pkg-config) and does what it says. With
SANITIZE (as after -fsanitize=) the examples are compiled with it, so that the sanitizers see the public classes in use.
The examples read models on the runtimes that the build has, else on simulated devices.
"""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, SDK, MAKE_MODELS = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
SANITIZE = sys.argv[4] if len(sys.argv) > 4 else ''
SOURCE = pathlib.Path(__file__).resolve().parents[2]
NETWORK = SDK / 'onnx/onnx/backend/test/data/light/light_squeezenet.onnx'
FLAGS = f'-fsanitize={SANITIZE} -fno-omit-frame-pointer' if SANITIZE else ''
not_sanitized = unittest.skipIf(SANITIZE, 'the same files and compiler as without')


def setting(name):
    """What CMake's cache of the build says."""
    found = re.search(rf'^{name}:\w+=(.*)$', (BUILD / 'CMakeCache.txt').read_text(encoding='utf-8'), re.MULTILINE)
    return found.group(1) if found else ''


LIBRARIES = setting('CMAKE_INSTALL_LIBDIR') or 'lib'


def call(*words, **more):
    env = {key: value for key, value in os.environ.items() if key not in ('LD_LIBRARY_PATH', 'CMAKE_PREFIX_PATH')}
    done = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, capture_output=True, timeout=500, encoding='utf-8',
                          check=False, env=env | more.pop('env', {}), **more)
    if done.returncode != 0:
        raise AssertionError(f'{words} exits {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-6000:]}')
    return done.stdout


def has(runtime):
    return setting(f'TAKT_WITH_{runtime.upper()}') == 'ON'


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix='takt install '))  # with a space in its name
        call('cmake', '--install', BUILD, '--prefix', cls.folder / 'first')
        cls.prefix = cls.folder / 'moved'
        (cls.folder / 'first').rename(cls.prefix)
        cls.takt = cls.prefix / 'bin/takt'
        cls.models = cls.folder / 'models'
        call(MAKE_MODELS, cls.models)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_libraries_are_looked_for_beside_what_is_installed_alone(self):
        """An empty or relative element would be the working directory."""
        files = [path for folder in ('bin', LIBRARIES) for path in (self.prefix / folder).rglob('*')
                 if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b'\x7fELF']
        self.assertIn(self.takt, files)
        for file in files:
            for folders in re.findall(r'\((?:RUNPATH|RPATH)\)[^[]*\[(.*)\]', call('readelf', '-d', '-W', file)):
                for folder in folders.split(':'):
                    whole = folder.startswith('/') and file.name == 'takt-train'  # a libtorch of one's own stays where it is
                    self.assertTrue(whole or folder == '$ORIGIN' or folder.startswith('$ORIGIN/'), f'{file}: {folders}')

    def example(self, name):
        """The program, built outside of the checkout against what is installed."""
        source = self.folder / 'examples' / name
        if not source.exists():
            shutil.copytree(SOURCE / 'examples' / name, source)
        build = self.folder / 'built' / name
        program = build / f'{name}_example'
        if not program.exists():
            call('cmake', '-G', 'Ninja', '-B', build, '-S', source, f'-DCMAKE_PREFIX_PATH={self.prefix}',
                 '-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF', '-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF', f'-DCMAKE_CXX_FLAGS={FLAGS}',
                 f'-DCMAKE_CXX_COMPILER={setting("CMAKE_CXX_COMPILER")}',
                 f'-DCMAKE_BUILD_TYPE={setting("CMAKE_BUILD_TYPE")}')
            call('cmake', '--build', build)
        return program

    def real_devices(self):
        """(device, runtime) pairs that can run a model here; simulated ones where there is nothing else."""
        found = [('CPU', name) for name in ('onnxruntime', 'openvino') if has(name)]
        return found or [('sim:CPU', 'sim')]

    def test_the_program_runs_where_it_was_moved_to(self):
        self.assertRegex(call(self.takt, '--version'), r'takt \d')
        for device, runtime in self.real_devices():
            call(self.takt, 'run', self.models / 'small.onnx', '--device', device, '--runtime', runtime, '--iter', 3,
                 cwd=self.folder)

    def test_examples_come_along(self):
        pipeline, = self.prefix.glob('share/doc/*/examples/pipelines/gnn.yaml')
        text = call(self.takt, 'pipeline', 'run', pipeline, '--simulate', '--trace', '', cwd=self.folder)
        self.assertIn('message', text.splitlines()[0])

    def test_the_built_program_finds_its_libraries_from_where_it_lies(self):
        # With absolute paths a checkout could not be moved.
        header = call('readelf', '-d', BUILD / 'takt')
        paths = re.search(r'R(?:UN)?PATH.*\[(.*)\]', header)
        relative = [BUILD / word.removeprefix('$ORIGIN/') for word in (paths.group(1) if paths else '').split(':')
                    if word.startswith('$ORIGIN/')]
        for name in re.findall(r'Shared library: \[(libonnxruntime.*|libopenvino.*)\]', header):
            self.assertTrue(any((folder / name).exists() for folder in relative), f'{name} in {relative}')

    def test_only_what_belongs_there_is_installed(self):
        programs = sorted(path.name for path in (self.prefix / 'bin').iterdir())
        built = [name for name in ('takt', 'takt-train') if (BUILD / name).exists()]  # the second with libtorch only
        self.assertEqual(programs, built)
        headers = sorted(path.name for path in (self.prefix / 'include/takt').iterdir())
        self.assertEqual(headers, sorted(path.name for path in (SOURCE / 'include/takt').iterdir()))
        libraries = {path.name.split('.')[0] for path in (self.prefix / LIBRARIES).iterdir() if path.is_file()}
        self.assertEqual(libraries, {'libtakt', 'libtakt_base', 'libtakt_recorder'})
        self.assertTrue((self.prefix / 'share/doc/takt/LICENSE').exists())

    @not_sanitized
    def test_headers_need_the_standard_library_and_each_other(self):
        for header in sorted((SOURCE / 'include/takt').iterdir()):
            text = header.read_text(encoding='utf-8')
            for name in re.findall(r'#include "(.*)"', text):
                self.assertTrue(name.startswith('takt/'), f'{header.name} includes {name}')
            file = self.folder / f'alone_{header.stem}.cpp'
            file.write_text(f'#include "takt/{header.name}"\nint main() {{}}\n', encoding='utf-8')
            call(setting('CMAKE_CXX_COMPILER'), '-std=c++20', '-fsyntax-only', '-Wall', '-Wextra', '-Wpedantic', '-Wshadow',
                 '-Wconversion', '-Werror', '-I', self.prefix / 'include', file)

    def test_the_recorder_loses_nothing_and_needs_no_library(self):
        program = self.example('recorder')
        for scopes, threads in ((200000, 1), (50000, 4), (200000, 4)):
            trace = self.folder / f'run {scopes} {threads}.json'
            self.assertEqual(call(program, trace, scopes, threads), f'{scopes * threads} events, 0 dropped\n')
            if scopes * threads <= 200000:
                events = json.loads(trace.read_text(encoding='utf-8'))['traceEvents']
                self.assertEqual(sum(event['ph'] == 'X' for event in events), scopes * threads)
        needed = set(re.findall(r'Shared library: \[(\w+)', call('readelf', '-d', program)))
        self.assertLessEqual(needed, {'libstdc', 'libm', 'libc', 'libgcc_s', 'libpthread', 'ld', 'libasan', 'libubsan', 'libtsan'})

    def test_a_recorded_pipeline_is_analysed_and_a_killed_one_too(self):
        program, trace, file = self.example('recorder'), self.folder / 'recorded.json', self.folder / 'killed.takt'
        call(program, trace)
        self.assertIn('infer', call(self.takt, 'pipeline', 'analyze', trace))
        with subprocess.Popen([program, '--endless', file], stdout=subprocess.PIPE, encoding='utf-8') as endless:
            while int(endless.stdout.readline().split()[0]) < 100:
                pass
            endless.kill()
        self.assertIn('infer', call(self.takt, 'pipeline', 'analyze', file))

    @not_sanitized
    def test_the_recorder_compiled_out_needs_no_library(self):
        program = self.folder / 'compiled_out'
        call(setting('CMAKE_CXX_COMPILER'), '-std=c++20', '-O1', '-pthread', '-DTAKT_RECORDER_OFF', '-Wall', '-Wextra', '-Werror',
             '-I', self.prefix / 'include', SOURCE / 'examples/recorder/main.cpp', '-o', program)
        self.assertEqual(call(program, self.folder / 'not written.json'), '0 events, 0 dropped\n')
        self.assertFalse((self.folder / 'not written.json').exists())

    @not_sanitized
    def test_the_recorder_is_found_by_pkg_config(self):
        if not shutil.which('pkg-config'):
            self.skipTest('no pkg-config')
        words = call('pkg-config', '--cflags', '--libs', 'takt-recorder',
                     env={'PKG_CONFIG_PATH': str(self.prefix / LIBRARIES / 'pkgconfig')})
        # pkg-config writes a space in a path as "\ ".
        flags = [word.replace('\\ ', ' ') for word in re.findall(r'(?:\\.|[^\s\\])+', words)]
        program = self.folder / 'by_pkg_config'
        call(setting('CMAKE_CXX_COMPILER'), '-std=c++20', *FLAGS.split(), SOURCE / 'examples/recorder/main.cpp', '-o', program,
             *flags)
        self.assertEqual(call(program, self.folder / 'pc.json', 1000), '1000 events, 0 dropped\n')
        call(self.takt, 'trace', 'check', self.folder / 'pc.json')

    def test_a_pipeline_of_ones_own_is_analysed_by_the_installed_program(self):
        trace = self.folder / 'own.json'
        printed = call(self.example('pipeline_profiler'), trace)
        self.assertIn('3 stages, 30 batches', printed)
        call(self.takt, 'trace', 'check', trace)

        def table(name):
            return rows(call(self.takt, 'pipeline', 'analyze', trace, '--table', name, '--format', 'csv'))
        summary, = table('summary')
        self.assertEqual((summary['batches'], summary['bottleneck']), ('30', 'infer'))
        # One thread infers and labels: 7 ms and what sleeping too long adds.
        self.assertGreaterEqual(float(summary['cycle_us']), 7000)
        stages = table('stages')
        self.assertEqual([row['stage'] for row in stages], ['decode', 'infer', 'label'])
        for row, least in zip(stages, (2000, 6000, 1000)):
            self.assertGreaterEqual(float(row['stage_mean_us']), least)
        for row in table('devices'):
            parts = sum(float(row[key]) for key in ('busy_us', 'starved_us', 'blocked_us', 'dispatch_us', 'fill_drain_us'))
            self.assertAlmostEqual(parts, float(row['wall_us']), places=2)
        # What the example printed is what the program prints.
        self.assertTrue(printed.startswith(call(self.takt, 'pipeline', 'analyze', trace)))
        call(self.takt, 'pipeline', 'whatif', trace, '--set', 'stage.infer.time=x0.5')

    def test_a_stage_is_driven_on_real_models(self):
        program = self.example('stage_executor')
        for device, runtime in self.real_devices():
            models = [self.models / 'small.onnx']
            if NETWORK.exists() and device == 'CPU':
                models.append(NETWORK)
            for model in models:
                first, *table = call(program, model, device, runtime).splitlines()
                shape = '{1,1000,1,1}' if model == NETWORK else '{1,16,8,8}'
                # Simulated outputs are values of the right shape, drawn anew each time.
                equal = 'DIFFER' if runtime == 'sim' else 'all equal'
                self.assertEqual(first, f'20 batches, outputs {shape} {equal}')
                stage, = rows('\n'.join(table))
                self.assertEqual((stage['stage'], stage['stage_batches'], stage['devices']), ('infer', '20', device))
                self.assertGreater(float(stage['stage_mean_us']), 0)

    def test_functions_are_stages(self):
        said, whole, *table = call(self.example('function_stage'), 30, 7).splitlines()
        self.assertEqual(said, "stage 'load', batch 7: the picture is torn")
        self.assertEqual(whole, '29 pictures came whole')
        stages = rows('\n'.join(table))
        self.assertEqual([(row['stage'], row['devices']) for row in stages], [('load', 'CPU'), ('shrink', 'CPU')])
        for row in stages:
            # The thread had a processor for no longer than the call took.
            self.assertGreater(float(row['hardware_mean_us']), 0)
            self.assertLessEqual(float(row['hardware_mean_us']), float(row['stage_mean_us']))

    def test_a_data_parallel_stage_gives_the_undivided_outputs(self):
        program = self.example('data_parallel')
        if self.real_devices()[0][1] == 'sim':
            self.skipTest('without a real runtime nobody knows the shapes of a model with open dimensions')
        for device, runtime in self.real_devices():
            first, *table = call(program, self.models / 'dynamic.onnx', 'x:{8,4}', device, device, runtime).splitlines()
            self.assertEqual(first, 'rows 4 4, outputs {8,4} as undivided, times add up')
            self.assertEqual([row['part'] for row in rows('\n'.join(table))], ['0', '1'])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
