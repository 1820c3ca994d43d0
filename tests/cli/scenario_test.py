#!/usr/bin/env python3
"""scenario_test.py TAKT: the four trainings really run on the CPU, small; each leaves its files, stands out by its own
figure, and is diagnosed right. Exit code 77 in a build without libtorch, of which only the refusal is tested."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import read_back

TAKT = pathlib.Path(sys.argv[1]).resolve()
FIGURES = {'dataloader': 'data_wait_share', 'sync': 'reads_per_step', 'tiny_ops': 'operators_per_step',
           'memory_churn': 'bytes_per_step'}
CAUSES = {'dataloader': 'data_starvation', 'sync': 'host_synchronisation', 'tiny_ops': 'tiny_kernels',
          'memory_churn': 'allocator_churn'}
SMALL = ['--device', 'cpu', '--batch_size', '16', '--image_size', '32', '--width', '16', '--warmup-steps', '2',
         '--profile_steps', '5']


def call(folder, *words, exits=(0,), environment=None):
    done = subprocess.run([TAKT, *map(str, words)], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=250,
                          encoding='utf-8', check=False, env={**os.environ, **(environment or {})})
    if done.returncode not in exits:
        raise AssertionError(f'takt {" ".join(map(str, words))} exits {done.returncode}: {done.stderr}')
    return done


def has_trainer():
    return (TAKT.parent / 'takt-train').exists()


class Refusals(unittest.TestCase):
    def test_a_build_without_libtorch_says_so(self):
        with tempfile.TemporaryDirectory(prefix='takt_scenario_') as folder:
            done = call(folder, 'scenario', 'sync', '--device', 'cpu', exits=(1,), environment={'TAKT_TRAIN': '/nowhere/takt-train'})
            self.assertIn('/nowhere/takt-train', done.stderr)
            if not has_trainer():
                done = call(folder, 'scenario', 'sync', '--device', 'cpu', exits=(1,))
                self.assertIn('TAKT_WITH_TORCH', done.stderr)

    def test_what_is_no_scenario(self):
        for words in (['loader'], ['sync', '--batch_size', '0'], ['sync', '--strength', 'weak'], ['--scenario']):
            with tempfile.TemporaryDirectory(prefix='takt_scenario_') as folder:
                call(folder, 'scenario', *words, exits=(2,))
                self.assertEqual(list(pathlib.Path(folder).iterdir()), [])


@unittest.skipUnless(has_trainer(), 'built without libtorch')
class Scenarios(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix='takt_scenario_')
        cls.folder = pathlib.Path(cls.holder.name)
        cls.metrics, cls.texts = {}, {}
        for name in FIGURES:
            cls.train(name)

    @classmethod
    def train(cls, name):
        shutil.rmtree(cls.folder / 'traces' / name, ignore_errors=True)
        # One worker: other programs run beside this one, and what they make slower is the step that hides the loading.
        workers = ['--num_workers', '1'] if name == 'dataloader' else []
        cls.texts[name] = call(cls.folder, 'scenario', name, *SMALL, *workers, '--trace-dir', f'traces/{name}', '--output_json',
                               f'{name}.json').stdout
        cls.metrics[name] = json.loads((cls.folder / f'{name}.json').read_text(encoding='utf-8'))

    def in_one_of_three(self, check):
        """Each training, and anew where its times say otherwise: a program beside it may take a core for a while."""
        for name in FIGURES:
            for left in (2, 1, 0):
                try:
                    check(name)
                    break
                except AssertionError:
                    if left == 0:
                        raise
                    self.train(name)

    @classmethod
    def tearDownClass(cls):
        unread = read_back.faults_in(TAKT, cls.folder)
        cls.holder.cleanup()
        assert not unread, unread

    def trace(self, name):
        traces = list((self.folder / 'traces' / name).iterdir())
        self.assertEqual(len(traces), 1)
        self.assertTrue(traces[0].name.endswith('.pt.trace.json'))
        return traces[0]

    def test_metrics_have_their_keys_and_steps_add_up(self):
        for name, metrics in self.metrics.items():
            self.assertEqual(list(metrics), ['scenario', 'batch_size', 'num_workers', 'pin_memory', 'amp', 'avg_step_time_s',
                                             'avg_dataloader_wait_s', 'trace_dir', 'takt'])
            self.assertEqual(metrics['scenario'], name)
            own = metrics['takt']
            self.assertEqual(len(own['step_times_ns']), 5)
            self.assertAlmostEqual(metrics['avg_step_time_s'], sum(own['step_times_ns']) / 5e9, places=9)
            self.assertGreater(metrics['avg_step_time_s'], metrics['avg_dataloader_wait_s'])
            self.assertEqual(own['device'], 'cpu')

    def test_each_stands_out_by_its_own_figure(self):
        def stands_out(name):
            figure = FIGURES[name]
            own = self.metrics[name]['takt'][figure]
            others = max(self.metrics[other]['takt'][figure] for other in FIGURES if other != name)
            self.assertGreaterEqual(own, 3 * others, f'{name}: {figure}')

        self.in_one_of_three(stands_out)

    def test_each_is_diagnosed(self):
        def is_diagnosed(name):
            found = json.loads(call(self.folder, 'diagnose', self.trace(name), '--format', 'json').stdout)['tables']
            # The tests beside this one may make steps slower from some step on.
            causes = [row['cause'] for row in found['verdicts'] if row['cause'] != 'rising_step_time']
            self.assertEqual(causes[:1], [CAUSES[name]], f'{name}: {found["verdicts"]}')
            self.assertEqual(len(found['steps']), 5)
            self.assertTrue(all(row['found_by'] == 'marks' for row in found['steps']))

        self.in_one_of_three(is_diagnosed)

    def test_traces_are_sound_and_steps_agree_with_the_clock(self):
        def agree(name):
            call(self.folder, 'trace', 'check', self.trace(name), '--fail-on', 'warning')
            steps = json.loads(call(self.folder, 'diagnose', self.trace(name), '--format', 'json').stdout)['tables']['steps']
            for row, measured in zip(steps, self.metrics[name]['takt']['step_times_ns']):
                self.assertLessEqual(abs(row['step_time_us'] * 1000 - measured), max(2e6, 0.1 * measured), name)

        self.in_one_of_three(agree)

    def test_the_report_names_the_operators_and_whose_time_it_is(self):
        self.assertIn('CPU self time', self.texts['sync'])
        self.assertIn('aten::', self.texts['tiny_ops'])
        self.assertRegex(self.texts['sync'], r'avg_step_time_s +\d+\.\d+\navg_dataloader_wait_s +\d+\.\d+\n')

    def test_without_workers_and_with_mixed_precision_and_stacks(self):
        call(self.folder, 'scenario', 'dataloader', *SMALL, '--num_workers', '0', '--amp', '--with_stack', '--trace_dir',
             'traces/alone', '--output_json', '')
        self.assertFalse((self.folder / 'results').exists())
        text = self.trace('alone').read_text(encoding='utf-8')
        loaders = [event for event in json.loads(text)['traceEvents'] if event.get('name', '').startswith('enumerate(DataLoader)#')]
        self.assertEqual({event['name'].split('.')[0] for event in loaders}, {'enumerate(DataLoader)#_SingleProcessDataLoaderIter'})
        self.assertEqual({event['cat'] for event in loaders}, {'cpu_op'}, 'where plugins of viewers look for them')
        self.assertIn('"Call stack"', text)

    def test_the_same_seed_learns_the_same(self):
        losses = []
        for number in range(2):
            call(self.folder, 'scenario', 'sync', *SMALL, '--threads', '1', '--trace_dir', f'traces/again{number}',
                 '--output_json', f'again{number}.json', '--strength', 'none')
            losses.append(json.loads((self.folder / f'again{number}.json').read_text(encoding='utf-8'))['takt']['last_loss'])
        self.assertEqual(losses[0], losses[1])

    def test_a_gpu_that_is_not_there_is_said(self):
        done = call(self.folder, 'scenario', 'sync', '--trace_dir', 'traces/gpu', '--output_json', '', exits=(0, 1))
        if done.returncode == 1:
            self.assertIn('--device cpu', done.stderr)
        done = call(self.folder, 'scenario', 'sync', *SMALL, '--pin_memory', '--output_json', '', '--trace_dir', 'traces/pin',
                    exits=(1,))
        self.assertIn('--pin-memory', done.stderr)


if __name__ == '__main__':
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 0 if has_trainer() else 77)
