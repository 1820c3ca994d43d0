#!/usr/bin/env python3
"""shared_resources_test.py TAKT [PIPELINES]: random simulated pipelines whose stages share resources, run by the command and
by a simulation of its own that adds up what everybody wants.

The simulation below is written from docs/formats.md (how stages that share a resource slow each other down) and from the
rules at the top of src/flow/pipeline_flow.h (what starts when); it shares no code with takt. Every start and end, the last
delivery and with them the makespan agree within a few nanoseconds: both round the end of an execution to a whole one.
Without a number 40 pipelines are drawn; more make the test longer.
"""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

TAKT = str(pathlib.Path(sys.argv[1]).resolve())
PIPELINES = int(sys.argv[2]) if len(sys.argv) > 2 else 40
CLOSE_NS = 20

LAWS = {
    'linear': lambda s, p: 1 + s * p,
    'share': lambda s, p: max(1, s + p),
    'queue': lambda s, p: 1 + s * p / (5 - 4 * p) if p < 1 else 1 + s * p,
    'saturating': lambda s, p: 1 + s * (1 - math.exp(-3 * p)) / (1 - math.exp(-3)),
}
COMBINED = {
    'multiply': math.prod,
    'add': lambda factors: 1 + sum(factor - 1 for factor in factors),
    'largest': lambda factors: max([1, *factors]),
}


def random_pipeline(draw):
    """What a description says, as plain lists."""
    devices = ['sim:CPU', 'sim:GPU', 'sim:NPU']
    stages = [{'name': f's{s}', 'us': draw.randrange(200_000, 5_000_000) / 1000, 'device': draw.choice(devices),
               'replicas': draw.choice([1, 1, 1, 2, 3, 4]), 'queue': draw.randint(1, 4), 'ordered': draw.random() < 0.6}
              for s in range(draw.randint(3, 6))]
    resources = []
    for _ in range(draw.randint(1, 3)):
        users = [s for s in range(len(stages)) if draw.random() < 0.85]
        resources.append({'law': draw.choice(list(LAWS)),
                          'stages': {s: (round(draw.random(), 3), round(draw.random(), 3)) for s in users}})
    pairs = {}
    if draw.random() < 0.3:
        for s in range(len(stages)):
            pairs[s] = {draw.randrange(len(stages)): round(1 + draw.random() / 2, 3)}
    return {'stages': stages, 'resources': resources, 'pairs': pairs, 'combine': draw.choice(list(COMBINED)),
            'requests': {device: draw.choice([1, 2, 3, 8]) for device in devices},
            'in_flight': draw.choice([None, 3, 8]), 'batches': 40}


def yaml_of(pipeline):
    lines = ['warmup: 0', f"batches: {pipeline['batches']}"]
    if pipeline['in_flight']:
        lines.append(f"in_flight: {pipeline['in_flight']}")
    used = {stage['device'] for stage in pipeline['stages']}
    lines.append('devices:')
    lines += [f'  {device}: {{requests: {n}}}' for device, n in pipeline['requests'].items() if device in used]
    lines.append('stages:')
    for stage in pipeline['stages']:
        lines.append(f"  - {{name: {stage['name']}, dummy: {{time: {stage['us']}us}}, device: {stage['device']}, replicas: "
                     f"{stage['replicas']}, queue: {stage['queue']}, ordered: {str(stage['ordered']).lower()}}}")
    lines += ['contention:', f"  combine: {pipeline['combine']}", '  resources:']
    for number, resource in enumerate(pipeline['resources']):
        lines += [f'    r{number}:', f"      law: {resource['law']}", '      stages: {']
        lines += [f'        s{s}: {{pressure: {p}, sensitivity: {z}}},' for s, (p, z) in resource['stages'].items()]
        lines.append('      }')
    if pipeline['pairs']:
        lines.append('  interference:')
        lines += [f'    s{s}: {{s{other}: {factor}}}' for s, row in pipeline['pairs'].items() for other, factor in row.items()]
    return '\n'.join(lines) + '\n'


class Simulation:
    """One pipeline, one instant after another."""

    def __init__(self, pipeline):
        self.p = pipeline
        self.stages = pipeline['stages']
        self.queues = [[] for _ in self.stages]
        self.replicas = [[None] * stage['replicas'] for stage in self.stages]  # a batch that is inside
        self.now, self.admitted, self.delivered, self.begun = 0, 0, 0, 0
        self.records = {}

    def running(self):
        return [inside for replicas in self.replicas for inside in replicas if inside and not inside['done']]

    def slow_down(self, one):
        others = [other for other in self.running() if other is not one]
        factors = []
        for resource in self.p['resources']:
            if one['stage'] not in resource['stages'] or resource['stages'][one['stage']][1] == 0:
                continue
            wanted = sum(resource['stages'].get(other['stage'], (0, 0))[0] for other in others)
            if wanted > 0:
                factors.append(LAWS[resource['law']](resource['stages'][one['stage']][1], wanted))
        pairs = self.p['pairs'].get(one['stage'], {})
        return COMBINED[self.p['combine']](factors) * math.prod(pairs.get(other['stage'], 1) for other in others)

    def leave(self, stage):
        inside = [(r, batch) for r, batch in enumerate(self.replicas[stage]) if batch]
        if self.stages[stage]['ordered'] and inside:
            inside = [min(inside, key=lambda one: one[1]['order'])]
        done = [one for one in inside if one[1]['done']]
        if not done:
            return False
        replica, batch = min(done, key=lambda one: one[1]['batch'])
        if stage + 1 == len(self.stages):
            self.delivered += 1
        elif len(self.queues[stage + 1]) < self.stages[stage + 1]['queue']:
            self.queues[stage + 1].append(batch['batch'])
        else:
            return False
        self.replicas[stage][replica] = None
        return True

    def admit(self):
        full = self.p['in_flight'] is not None and self.admitted - self.delivered >= self.p['in_flight']
        if full or self.admitted == self.p['batches'] or len(self.queues[0]) >= self.stages[0]['queue']:
            return False
        self.queues[0].append(self.admitted)
        self.admitted += 1
        return True

    def start(self):
        possible = []
        for number, stage in enumerate(self.stages):
            busy = sum(1 for one in self.running() if self.stages[one['stage']]['device'] == stage['device'])
            free = [r for r, batch in enumerate(self.replicas[number]) if not batch]
            if self.queues[number] and free and busy < self.p['requests'][stage['device']]:
                possible.append((min(self.queues[number]), number, free[0]))
        if not possible:
            return False
        batch, number, replica = min(possible)
        self.queues[number].remove(batch)
        self.begun += 1
        self.replicas[number][replica] = {'batch': batch, 'stage': number, 'order': self.begun, 'done': False, 'since': self.now,
                                          'left': self.stages[number]['us'] * 1000, 'slow': 1.0}
        self.records[batch, number] = [self.now, None]
        return True

    def settle(self):
        moved = True
        while moved:
            moved = False
            for stage in reversed(range(len(self.stages))):
                while self.leave(stage):
                    moved = True
            while self.admit():
                moved = True
            moved |= self.start()

    def run(self):
        while True:
            self.settle()
            if self.delivered == self.p['batches']:
                return self.records
            for one in self.running():
                slow = self.slow_down(one)
                if slow != one['slow']:
                    one['left'] -= (self.now - one['since']) / one['slow']
                    one['since'], one['slow'] = self.now, slow
            ends = [(one['since'] + math.floor(one['left'] * one['slow'] + 0.5), one) for one in self.running()]
            self.now = min(end for end, _ in ends)
            for end, one in ends:
                if end == self.now:
                    one['done'] = True
                    self.records[one['batch'], one['stage']][1] = end


class SharedResources(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='takt_shared_')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_takt(self, text):
        """What every batch did in every stage, in ns, and the makespan."""
        (self.folder / 'p.yaml').write_text(text, encoding='utf-8')
        done = subprocess.run([TAKT, 'pipeline', 'run', 'p.yaml', '--simulate', '--trace', 't.json'], cwd=self.folder,
                              capture_output=True, encoding='utf-8', timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr + text)
        trace = json.loads((self.folder / 't.json').read_text(encoding='utf-8'))
        spans = [event for event in trace['traceEvents'] if event.get('cat') == 'run']
        times = {(e['args']['batch_id'], e['args']['stage']): (round(e['ts'] * 1000), round((e['ts'] + e['dur']) * 1000))
                 for e in spans}
        return times, trace['metadata']['takt']['pipeline']['end_ns']

    def test_random_pipelines_are_as_a_simulation_of_summed_demands(self):
        crowded, worst = 0, 0
        for seed in range(PIPELINES):
            pipeline = random_pipeline(random.Random(seed))
            expected = Simulation(pipeline).run()
            got, end = self.run_takt(yaml_of(pipeline))
            self.assertEqual(got.keys(), expected.keys(), f'seed {seed}')
            off = max(abs(g - e) for key in got for g, e in zip(got[key], expected[key]))
            self.assertLessEqual(off, CLOSE_NS, f'seed {seed}:\n{yaml_of(pipeline)}')
            self.assertLessEqual(abs(end - max(last for _, last in expected.values())), CLOSE_NS, f'seed {seed}')
            worst = max(worst, off)
            crowded += self.most_at_once(expected) >= 3
        print(f'{PIPELINES} pipelines, {crowded} of them with three stages at once, off by {worst} ns at most')
        self.assertGreater(crowded, PIPELINES // 2)

    @staticmethod
    def most_at_once(times):
        changes = sorted([(end, -1) for _, end in times.values()] + [(begin, 1) for begin, _ in times.values()])
        now = most = 0
        for _, change in changes:
            now += change
            most = max(most, now)
        return most


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
