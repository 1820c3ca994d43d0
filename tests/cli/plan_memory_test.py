#!/usr/bin/env python3
"""plan_memory_test.py TAKT: searches for plans where memory is short end, in little memory, and say what they lack.

How many layers of a language model go to which GPU, and which stay on the CPU?
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

TAKT = str(pathlib.Path(sys.argv[1]).resolve())
# A decoder of 40 layers, of which the first 12 are smaller, and a head; in MB. Weights are read once: 800, 300 and 40 GB/s.
SIZES = [430] * 12 + [620] * 28 + [1500]
US_PER_MB = {'GPU0': 1 / 0.8, 'GPU1': 1 / 0.3, 'CPU': 1 / 0.04}
START_US = {'GPU0': 15, 'GPU1': 15, 'CPU': 0}
TRANSFER_US = 40
LIMITS = {'GPU0': 14000, 'GPU1': 5500}
MB = 1_000_000


def costs_of(sizes, limits, units=('GPU0', 'GPU1', 'CPU')):
    return {
        'units': list(units),
        'times_us': {unit: [round(size * US_PER_MB[unit] + START_US[unit], 3) for size in sizes] for unit in units},
        'transfers_us': {f'{a}>{b}': TRANSFER_US for a in units for b in units if a != b},
        'memory_bytes': {unit: {'limit': limit * MB, 'stages': [size * MB for size in sizes]}
                         for unit, limit in limits.items()}}


def least_latency_us(sizes, limits):
    """Of whole blocks, where units may take turns: by what the GPUs keep and where the last layer is."""
    times = costs_of(sizes, limits)['times_us']
    states = {(0, 0, ''): 0.0}
    for stage, size in enumerate(sizes):
        after = {}
        for (kept0, kept1, last), time in states.items():
            for unit in times:
                state = (kept0 + size * (unit == 'GPU0'), kept1 + size * (unit == 'GPU1'), unit)
                if state[0] <= limits['GPU0'] and state[1] <= limits['GPU1']:
                    longer = time + times[unit][stage] + (TRANSFER_US if last not in ('', unit) else 0)
                    after[state] = min(after.get(state, longer), longer)
        states = after
    return min(states.values())


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (4_000 * MB, 4_000 * MB))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


class PlanMemory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='takt_plan_memory_')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def search(self, costs, *options):
        (self.folder / 'costs.json').write_text(json.dumps(costs), encoding='utf-8')
        return subprocess.run([TAKT, 'plan', 'search', '--costs', 'costs.json', *options], cwd=self.folder, text=True,
                              capture_output=True, preexec_fn=limit, timeout=200, check=False)

    def best(self, costs, *options):
        """The first plan, and what the search did."""
        done = self.search(costs, *options, '--format', 'json')
        self.assertEqual(done.returncode, 0, done.stderr)
        tables = json.loads(done.stdout)['tables']
        self.assertLess(tables['search'][0]['kept_bytes'], 300 * MB)
        self.assertEqual(tables['plans'][0]['optimal'] == 'yes', tables['search'][0]['gap'] == 0)
        return tables['plans'][0], tables['search'][0]

    def test_layers_of_a_language_model(self):
        costs = costs_of(SIZES, LIMITS)
        once, _ = self.best(costs, '--whole')
        self.assertEqual(once['plan'], 'CPU[1-11] | GPU1[12-20] | GPU0[21-41]')
        self.assertAlmostEqual(once['latency_ms'], 154.1217, 3)
        turns, _ = self.best(costs, '--whole', '--shared')
        self.assertAlmostEqual(turns['latency_ms'] * 1000, least_latency_us(SIZES, LIMITS), 0)
        self.assertEqual(turns['optimal'], 'yes')
        divided, _ = self.best(costs, '--shared')
        self.assertLessEqual(divided['latency_ms'], turns['latency_ms'])

    def test_a_stream_of_them(self):
        costs = costs_of(SIZES, LIMITS)
        _, search = self.best(costs, '--shared', '--objective', 'throughput')
        text = self.search(costs, '--whole', '--shared', '--objective', 'throughput').stdout
        self.assertEqual('The search stopped' in text, 'not proven optimal' in text)
        self.assertEqual(search['search_end'] == 'complete', search['gap'] == 0)

    def refusal(self, costs):
        done = self.search(costs, '--whole', '--shared')
        self.assertEqual((done.returncode, done.stdout, done.stderr.count('\n')), (1, '', 1), done.stderr)
        return done.stderr

    def test_layers_that_fit_nowhere(self):
        units = ('GPU0', 'GPU1')
        self.assertIn('the stages need at least 4.47 GiB of memory, and the units have GPU0 2.33 GiB, GPU1 1.40 GiB',
                      self.refusal(costs_of([600] * 8, {'GPU0': 2500, 'GPU1': 1500}, units)))
        # 4.9 GB would do for parts of layers, but two of them fit into GPU0 and five into GPU1.
        self.assertIn('no placement of the stages fits into the memory of the units',
                      self.refusal(costs_of([600] * 8, {'GPU0': 1700, 'GPU1': 3200}, units)))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
