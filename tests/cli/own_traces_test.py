#!/usr/bin/env python3
"""own_traces_test.py TAKT: traces of programs that report their own stages, as public reports tell of them.

Each case makes the events from the rules of the situation, works out what is true of them, and then asks takt. Times are
those of the events, so nothing depends on the machine.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TAKT = str(pathlib.Path(sys.argv[1]).resolve())


class Events:
    """Events of stages, in milliseconds."""

    def __init__(self):
        self.rows, self.list = {}, []

    def add(self, stage, device, batch, start, length):
        if device not in self.rows:
            self.rows[device] = len(self.rows) + 1
            self.list.append({'ph': 'M', 'pid': 1, 'tid': self.rows[device], 'name': 'thread_name', 'args': {'name': device}})
        self.list.append({'ph': 'X', 'pid': 1, 'tid': self.rows[device], 'name': stage, 'ts': round(1000 * start, 3),
                          'dur': round(1000 * length, 3), 'args': {'stage': stage, 'batch': batch, 'device': device}})

    def end(self):
        return max(event['ts'] + event['dur'] for event in self.list if event['ph'] == 'X') / 1000


class OwnTraces(unittest.TestCase):
    def takt(self, events, *words, command='analyze', code=0):
        with tempfile.TemporaryDirectory(prefix='takt_own_') as folder:
            path = pathlib.Path(folder, 'own.json')
            path.write_text(json.dumps({'traceEvents': events.list}), encoding='utf-8')
            done = subprocess.run([TAKT, 'pipeline', command, str(path), *words], stdin=subprocess.DEVNULL, capture_output=True,
                                  encoding='utf-8', timeout=120, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def tables(self, events, *words, command='analyze'):
        return json.loads(self.takt(events, '--format', 'json', *words, command=command))['tables']

    def test_detection_on_every_fifth_frame(self):
        events, decoder, detector, tracker, latencies, period = Events(), 0, 0, 0, [], 1000 / 30
        for frame in range(300):
            decoder = max(frame * period, decoder) + 4
            events.add('decode', 'CPU', frame, decoder - 4, 4)
            ready = decoder
            if frame % 5 == 0:
                detector = max(ready, detector) + 60
                events.add('detect', 'GPU', frame, detector - 60, 60)
                ready = detector
            tracker = max(ready, tracker) + 6
            events.add('track', 'CPU', frame, tracker - 6, 6)
            latencies.append(tracker - frame * period)
        tables = self.tables(events)
        summary = tables['summary'][0]
        self.assertEqual((summary['batches'], summary['dropped_batches'], summary['bound_by']), (300, 0, 'source'))
        self.assertAlmostEqual(summary['cycle_us'], 1000 * period, delta=300)
        self.assertAlmostEqual(summary['latency_mean_us'], 1000 * sum(latencies) / 300, delta=100)
        self.assertAlmostEqual(summary['arrivals_per_s'], 30, delta=0.1)
        stages = {row['stage']: row for row in tables['stages']}
        self.assertEqual([stages[stage]['stage_batches'] for stage in ('decode', 'detect', 'track')], [300, 60, 300])
        self.assertAlmostEqual(stages['detect']['stage_mean_us'], 60000, delta=1)
        self.assertAlmostEqual(stages['detect']['load_us'], 12000, delta=200)
        devices = {row['device']: row for row in tables['devices']}
        self.assertAlmostEqual(devices['GPU']['utilisation_percent'], 100 * 3600 / events.end(), delta=0.1)
        self.assertEqual(devices['GPU']['executions'], 60)
        self.assertIn('skipped     detect by 240 of 300 batches', self.takt(events))

    def test_a_leaky_queue_drops_a_third_of_the_frames(self):
        events, free, latencies, shown, frame, period = Events(), 0, [], [], 0, 1000 / 60
        for number in range(600):
            events.add('capture', 'camera', number, number * period, 3)
        while frame < 600:
            start = max(free, frame * period + 3)
            while frame + 1 < 600 and (frame + 1) * period + 3 <= start:
                frame += 1
            free = start + 25
            events.add('infer', 'GPU', frame, start, 25)
            latencies.append(free - frame * period)
            shown.append(frame)
            frame += 1
        tables = self.tables(events)
        summary = tables['summary'][0]
        self.assertEqual((summary['batches'], summary['dropped_batches']), (len(shown), 600 - len(shown)))
        self.assertAlmostEqual(summary['arrivals_per_s'], 60, delta=0.1)
        self.assertAlmostEqual(summary['latency_mean_us'], 1000 * sum(latencies) / len(latencies), delta=1)
        self.assertEqual([row['batch'] for row in tables['batches']], shown)
        camera = next(row for row in tables['devices'] if row['device'] == 'camera')
        self.assertEqual(camera['executions'], 600)
        self.assertAlmostEqual(camera['busy_us'], 1.8e6, delta=1)
        dropped = 600 - len(shown)
        self.assertIn(f'dropped     {dropped} of 600 batches ({dropped / 6:.1f} %), after capture', self.takt(events))

    def test_the_first_frames_compile(self):
        events, decoder, detector, starts = Events(), 0, 0, []
        for frame in range(200):
            decoder = max(decoder, starts[frame - 3] if frame >= 3 else 0) + 5
            events.add('decode', 'CPU', frame, decoder - 5, 5)
            length = 2000 if frame < 3 else 20
            starts.append(max(decoder, detector))
            detector = starts[-1] + length
            events.add('detect', 'GPU', frame, starts[-1], length)
        summary = self.tables(events)['summary'][0]
        self.assertGreaterEqual(summary['warmup_batches'], 3)
        for key in ('cycle_us', 'latency_mean_us', 'latency_p99_us'):
            self.assertAlmostEqual(summary[key], 20000 if key == 'cycle_us' else 80000, delta=1, msg=key)
        text = self.takt(events)
        self.assertIn('bottleneck  detect on GPU: a batch every 20.0 ms, 300.0 % more than decode', text)
        self.assertIn('the first took 2.00 s in detect, later ones 20.0 ms', text)
        self.assertEqual(self.tables(events, '--warmup-batches', '0')['summary'][0]['warmup_batches'], 0)
        self.assertGreater(self.tables(events, '--warmup-batches', '0')['summary'][0]['latency_p99_us'], 1e6)

    def test_a_camera_feeds_what_if_as_recorded(self):
        events = Events()
        for frame in range(600):
            events.add('decode', 'CPU', frame, 40 * frame, 5)
            events.add('detect', 'GPU', frame, 40 * frame + 5, 22)
        self.assertEqual(self.tables(events)['summary'][0]['bound_by'], 'source')
        after = self.tables(events, '--set', 'stage.detect.time=x0.5', command='whatif')['summary'][2]
        self.assertAlmostEqual(after['throughput_per_s'], 25, delta=0.01)
        self.assertAlmostEqual(after['latency_us'], 16000, delta=1)
        self.assertLess(after['replay_error'], 0.01)
        text = self.takt(events, '--set', 'stage.detect.time=x0.5', command='whatif')
        self.assertTrue(text.startswith('Makespan'), text)
        self.assertIn('taken to come when the first stage took them', ' '.join(text.split()))
        closed = self.tables(events, '--set', 'source.rate=closed', command='whatif')['summary'][2]
        self.assertGreater(closed['throughput_per_s'], 40)

    def test_an_offline_run_asked_about_a_server(self):
        """Poisson arrivals at 80/s and 10 ms each: 30 ms in the mean by Pollaczek and Khinchine, 10 ms if evenly spaced."""
        events = Events()
        for number in range(4000):
            events.add('infer', 'GPU', number, 10 * number, 10)
        even = self.takt(events, '--set', 'source.rate=80', command='whatif')
        self.assertIn('Latency: 10.0 ms mean, 10.0 ms p99.', even)
        random = self.takt(events, '--set', 'source.rate=poisson 80', command='whatif')
        found = re.search(r'Latency: (\d+\.\d) ms mean, (\d+\.?\d*) ms p99', random)
        self.assertTrue(found, random)
        self.assertTrue(23 < float(found[1]) < 38, random)
        self.assertTrue(80 < float(found[2]) < 160, random)
        swept = self.takt(events, '--sweep', 'source.rate=40:80:40', command='whatif')
        self.assertIn('Latency: 40: 10.0 ms mean, 10.0 ms p99; 80: 10.0 ms mean, 10.0 ms p99.', swept)

    def test_a_device_gets_slower_as_it_heats_up(self):
        events, decoder, detector = Events(), 0, 0
        for frame in range(800):
            length = 20 + 12 * min(max((frame - 200) / 300, 0), 1)
            start = max(decoder + 4, detector)
            events.add('decode', 'CPU', frame, decoder, 4)
            events.add('detect', 'GPU', frame, start, length)
            decoder, detector = max(decoder + 4, start), start + length
        self.assertIn('drift       detect takes 32.0 ms in the last fifth, 20.0 ms in the first', self.takt(events))
        rows = {row['stage']: row for row in self.tables(events)['stages']}
        self.assertAlmostEqual(rows['detect']['drift_percent'], 60, delta=0.1)
        self.assertIsNone(rows['decode']['drift_percent'])

    def test_one_of_four_instances_is_slow(self):
        events, free = Events(), [0, 0, 0, 0]
        for batch in range(400):
            gpu = batch % 4
            start = max(free[gpu], 10.5 * batch + 0.5)
            free[gpu] = start + (40 if gpu == 3 else 10)
            events.add('split', 'CPU', batch, 10.5 * batch, 0.5)
            events.add('infer', f'GPU{gpu}', batch, start, free[gpu] - start)
        self.assertIn('uneven      infer takes 40.0 ms on GPU3, 10.0 ms on its other devices', self.takt(events))
        means = {row['device']: row['execution_mean_us'] for row in self.tables(events)['device_stages'] if row['stage'] == 'infer'}
        self.assertEqual({device: round(us) for device, us in means.items()},
                         {'GPU0': 10000, 'GPU1': 10000, 'GPU2': 10000, 'GPU3': 40000})

    def test_a_copy_engine_that_two_stages_share(self):
        events = Events()
        for batch in range(300):
            events.add('to device', 'copies', batch, 15 * batch, 12)
            events.add('infer', 'GPU', batch, 15 * batch + 12, 5)
            events.add('to host', 'copies', batch, 15 * batch + 27, 3)
        summary = self.tables(events)['summary'][0]
        self.assertEqual(summary['bound_by'], 'device copies')
        self.assertAlmostEqual(summary['cycle_us'], 15000, delta=1)

    def test_two_cameras_that_count_alike_are_refused_with_the_remedy(self):
        events = Events()
        for frame in range(10):
            for camera in range(2):
                events.add('decode', 'CPU', frame, 33 * frame + 5 * camera, 4)
        self.assertEqual(self.takt(events, code=1), '')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
