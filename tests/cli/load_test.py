#!/usr/bin/env python3
"""load_test.py TAKT FAKE_NVML FAKE_CUDA: what `takt load`, `stress` and `exporter` do as programs.

The load of a machine made of files, a GPU that is a fake driver, a Prometheus behind TLS and a password; a stressor whose
parent is killed; the exporter read by a real Prometheus, beside a real node exporter, where TAKT_PROMETHEUS_DIR or PATH has
them (tools/fetch_prometheus unpacks them). Nothing is installed or left running; every server listens on loopback.
"""
import http.server
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

TAKT, FAKE_NVML, FAKE_CUDA = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
PATIENCE = 60  # seconds until something that takes one or two is called missing


def takt(*words, exits=0, env=None):
    done = subprocess.run([TAKT, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200,
                          env={**os.environ, **(env or {})}, check=False)
    if done.returncode != exits:
        raise AssertionError(f'takt {" ".join(map(str, words))} exits {done.returncode}: {done.stdout}{done.stderr}')
    return done


def load_of(config, folder, *words, env=None, exits=0):
    """The tables of `takt load` with this configuration."""
    path = pathlib.Path(folder) / 'load.yaml'
    path.write_text(json.dumps({'load': config}), encoding='utf-8')  # JSON is YAML
    return json.loads(takt('load', '--config', path, '--format', 'json', *words, env=env, exits=exits).stdout)['tables']


def values(tables):
    return {(row['feature'], row['load_of']): row['load_value'] for row in tables['load']}


def until(look, what):
    """The first true thing that `look` gives."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.05)
    raise AssertionError(f'{what} did not happen within {PATIENCE} s')


def is_running(pid):
    try:
        return pathlib.Path(f'/proc/{pid}/stat').read_text(encoding='utf-8').rsplit(') ', 1)[1][0] != 'Z'
    except OSError:
        return False


def handles(pid, number):
    """Whether the program has set what it does on this signal. (A thread sanitizer's program has two threads from the start.)"""
    status = pathlib.Path(f'/proc/{pid}/status').read_text(encoding='utf-8', errors='replace')
    return int(re.search(r'^SigCgt:\s*(\w+)', status, re.MULTILINE)[1], 16) >> (number - 1) & 1


def free_port():
    with socket.socket() as one:
        one.bind(('127.0.0.1', 0))
        return one.getsockname()[1]


class Started:
    """A program that is ended with the block. Its output is bytes: the first lines are read one by one, and where reading
    ahead for them stops may be the middle of a letter."""

    def __init__(self, *words):
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __enter__(self):
        return self.process

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


class Load(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix='takt_load_')
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def host(self):
        (self.path / 'proc').mkdir()
        (self.path / 'proc' / 'stat').write_text('cpu0 1 0 0 1\n', encoding='utf-8')
        (self.path / 'proc' / 'loadavg').write_text('1.50 0.2 0.1 3/80 12\n', encoding='utf-8')
        return str(self.path)

    def test_files_and_a_fake_gpu_are_told_with_age_and_source(self):
        tables = load_of({'sources': ['host', 'nvml'], 'root': self.host(), 'window': '20ms', 'nvml': {'library': str(FAKE_NVML)}},
                         self.path, env={'FAKE_NVML_GPM': '1'})
        rows = {(row['feature'], row['load_of']): row for row in tables['load']}
        self.assertEqual(rows['load_average', 'host']['load_value'], 1.5)
        self.assertEqual(rows['gpu_sm_active_share', 'gpu0']['load_value'], 0.02)
        self.assertEqual(rows['gpu_sm_active_share', 'gpu0']['told_by'], 'nvml')
        self.assertGreaterEqual(rows['gpu_sm_active_share', 'gpu0']['age_us'], 0)
        self.assertIsNone(rows['io_pressure_share', 'host']['load_value'])
        self.assertIn('no such file', rows['io_pressure_share', 'host']['trouble'])
        self.assertIsNone(rows['gpu_fp64_active_share', 'gpu0']['load_value'])

    def test_a_gpu_that_is_lost_leaves_the_rest(self):
        tables = load_of({'sources': ['nvml', 'host'], 'root': self.host(), 'window': '20ms', 'nvml': {'library': str(FAKE_NVML)}},
                         self.path, env={'FAKE_NVML_LOST_AFTER': '0'})
        self.assertEqual(values(tables)['load_average', 'host'], 1.5)
        self.assertEqual([row['trouble'] for row in tables['troubles']],
                         ['gpu0 reports nothing: the GPU was lost: it fell off the bus or was reset'])

    def test_nothing_that_tells_is_an_error_after_the_table(self):
        (self.path / 'load.yaml').write_text('load: {sources: [nvml], window: 1ms, nvml: {library: /missing}}', encoding='utf-8')
        done = takt('load', '--config', self.path / 'load.yaml', exits=1)
        self.assertIn('no NVIDIA driver is installed', done.stdout)
        self.assertIn('no source reports any load', done.stderr)

    def test_watching_ends_with_an_interrupt(self):
        with Started(TAKT, 'load', '--sources', 'host', '--window', '10ms', '--watch') as process:
            for _ in range(3):
                until(lambda: b'load_average' in process.stdout.readline(), 'a reading')
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)  # a full pipe would hold it up
            self.assertEqual(process.returncode, 0)


class PrometheusOverTls(http.server.BaseHTTPRequestHandler):
    """Answers `time()` and samples to whoever knows the password."""

    def do_GET(self):  # the library's name
        if self.headers.get('Authorization') != 'Bearer s3cret':
            self.send_error(401)
            return
        if 'time%28%29' in self.path:
            data = {'resultType': 'scalar', 'result': [1000, '1000']}
        else:
            data = {'resultType': 'matrix', 'result': [{'metric': {'__name__': 'node_load1'}, 'values': [[999, '4.5']]}]}
        body = json.dumps({'status': 'success', 'data': data}).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@unittest.skipUnless(shutil.which('openssl'), 'openssl is not here')
class Tls(unittest.TestCase):
    def test_a_server_must_be_trusted_and_know_who_asks(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', path / 'key.pem', '-out',
                            path / 'cert.pem', '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'],
                           check=True, capture_output=True)
            (path / 'token').write_text('s3cret\n', encoding='utf-8')
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(path / 'cert.pem', path / 'key.pem')
            server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), PrometheusOverTls)
            server.socket = context.wrap_socket(server.socket, server_side=True)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                self.ask(path, f'https://localhost:{server.server_port}')
            finally:
                server.shutdown()
                server.server_close()

    def ask(self, path, url):
        def load(**prometheus):
            config = {'sources': ['prometheus', 'host'], 'window': '1ms', 'prometheus': {'url': url, 'timeout': '20s', **prometheus}}
            tables = load_of(config, path)
            return ({row['feature']: row['load_value'] for row in tables['load'] if row['told_by'] == 'prometheus'},
                    ' '.join(row['trouble'] for row in tables['troubles']))

        token = {'authorization': {'credentials_file': str(path / 'token')}}
        trust = {'tls_config': {'ca_file': str(path / 'cert.pem')}}
        self.assertEqual(load(**token, **trust)[0]['load_average'], 4.5)
        told, trouble = load(**token)
        self.assertEqual(told, {})
        self.assertIn('no trusted connection is possible', trouble)
        self.assertEqual(load(**token, tls_config={'insecure_skip_verify': True})[0]['load_average'], 4.5)
        told, trouble = load(**trust)
        self.assertEqual(told, {})
        self.assertIn('requires authentication (401)', trouble)
        self.assertNotIn('s3cret', trouble)


class Stress(unittest.TestCase):
    def test_it_says_what_it_reached(self):
        done = takt('stress', '--cpu', '30%', '--memory', '0.2', '--threads', '1', '--for', '300ms', '--format', 'json')
        rows = json.loads(done.stdout)['tables']['stress']
        self.assertEqual([(row['loaded'], row['wanted_share'], row['load_threads']) for row in rows],
                         [('compute', 0.3, 1), ('memory', 0.2, 1)])
        for row in rows:
            self.assertGreater(row['reached_share'], 0)
            self.assertLess(row['reached_share'], 1.5 * row['wanted_share'])

    def test_it_loads_a_gpu(self):
        env = {'TAKT_CUDA_LIBRARY': str(FAKE_CUDA)}
        done = takt('stress', '--gpu', '60%', '--for', '500ms', '--format', 'json', env=env)
        row, = json.loads(done.stdout)['tables']['stress']
        self.assertEqual((row['loaded'], row['device']), ('gpu', 'Fake GPU'))
        self.assertGreater(row['reached_share'], 0.1)
        done = takt('stress', '--gpu', '1', '--for', '600s', env={**env, 'FAKE_CUDA_LOST_AFTER': '100'}, exits=1)
        self.assertIn('the load ended early: ', done.stderr)
        self.assertIn("the CUDA driver reports 'unspecified launch failure'", done.stderr)
        done = takt('stress', '--gpu', '1', env={'TAKT_CUDA_LIBRARY': '/missing'}, exits=1)
        self.assertIn('no CUDA driver is installed', done.stderr)

    def test_an_interrupt_ends_it_with_its_table(self):
        # It has two threads before there is a load, and three under the thread sanitizer: some of these four count then.
        with Started(TAKT, 'stress', '--cpu', '1%', '--threads', '4', '--for', '600s') as process:
            until(lambda: len(os.listdir(f'/proc/{process.pid}/task')) > 5, 'a load')
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 130)
            self.assertIn('compute', out.decode())

    def dies_with_its_parent(self, *command, told=''):
        """Starts `command` from a program that is then killed."""
        parent = ('import subprocess, sys, time\n'
                  f'child = subprocess.Popen({[str(word) for word in command]!r}, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)\n'
                  f'child.stdin.write({told!r}.encode().replace(b"PARENT", str(__import__("os").getpid()).encode()))\n'
                  'child.stdin.close()\n'
                  'print(child.pid, flush=True)\n'
                  'time.sleep(600)\n')
        with Started(sys.executable, '-c', parent) as process:
            child = int(process.stdout.readline())
            try:
                until(lambda: not is_running(child) or handles(child, signal.SIGINT), 'the start of the load')
                self.assertTrue(is_running(child))
                process.kill()  # as the system does: no time to say goodbye
                process.wait()
                until(lambda: not is_running(child), f'the end of {command}')
            finally:
                if is_running(child):  # it would hold the output that the end of the block waits for
                    os.kill(child, signal.SIGKILL)

    def test_a_parent_that_is_killed_leaves_none_behind(self):
        self.dies_with_its_parent(TAKT, 'stress', '--cpu', '1%', '--threads', '1', '--for', '600s')
        task = {'compute': 0.01, 'memory': 0, 'cache': 0, 'threads': 1, 'gpu': 0, 'gpu_copies': 0, 'gpu_device': 0,
                'gpu_library': '', 'duration_ns': 600_000_000_000, 'parent': 12345}
        self.dies_with_its_parent(TAKT, 'worker', 'stress', told=json.dumps(task).replace('12345', 'PARENT'))


def program(name):
    folder = os.environ.get('TAKT_PROMETHEUS_DIR')
    found = pathlib.Path(folder) / 'usr' / 'bin' / name if folder else None
    return str(found) if found and found.exists() else shutil.which(name)


class Exporter(unittest.TestCase):
    def exporter(self, *words):
        return Started(TAKT, 'exporter', '--listen', '127.0.0.1:0', '--interval', '200ms', '--window', '50ms', *words)

    def test_its_page_is_read_while_it_works(self):
        with self.exporter('--sources', 'host,probe') as process:
            url = process.stdout.readline().decode().strip()
            for _ in range(3):
                with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                    self.assertEqual(answer.headers['Content-Type'], 'text/plain; version=0.0.4; charset=utf-8')
                    text = answer.read().decode()
            self.assertRegex(text, r'(?m)^takt_cpu_busy_share\{device="host",source="host"\} [0-9.e+-]+$')
            self.assertRegex(text, r'(?m)^takt_probe_compute_flops\{device="host",source="probe"\} ')
            done = takt('exporter', '--listen', url.split('/')[2], exits=1)
            self.assertIn('another program listens there', done.stderr)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE), 0)

    @unittest.skipUnless(program('prometheus') and program('prometheus-node-exporter'),
                         'prometheus and prometheus-node-exporter are not here')
    def test_a_real_prometheus_reads_it_and_takt_reads_that(self):
        with tempfile.TemporaryDirectory() as folder, self.exporter('--sources', 'host,probe') as takt_exporter:
            node_port, port = free_port(), free_port()
            target = takt_exporter.stdout.readline().decode().split('/')[2]
            config = {'global': {'scrape_interval': '1s', 'scrape_timeout': '1s'}, 'scrape_configs': [
                {'job_name': 'takt', 'static_configs': [{'targets': [target]}]},
                {'job_name': 'node', 'static_configs': [{'targets': [f'127.0.0.1:{node_port}']}]}]}
            path = pathlib.Path(folder) / 'prometheus.yml'
            path.write_text(json.dumps(config), encoding='utf-8')
            log = open(pathlib.Path(folder) / 'log', 'w', encoding='utf-8')
            servers = [subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log) for words in (
                [program('prometheus-node-exporter'), f'--web.listen-address=127.0.0.1:{node_port}'],
                [program('prometheus'), f'--config.file={path}', f'--storage.tsdb.path={folder}/data',
                 f'--web.listen-address=127.0.0.1:{port}'])]
            try:
                self.read(folder, f'http://127.0.0.1:{port}')
            finally:
                for server in servers:
                    server.kill()
                    server.wait()
                log.close()

    def read(self, folder, url):
        prometheus = {'url': url, 'timeout': '20s', 'lookback': '15s',
                      'metrics': [{'name': 'targets_up', 'query': 'sum(up)', 'unit': 'targets'},
                                  {'name': 'broken', 'query': 'sum(((', 'unit': ''}]}
        config = {'sources': ['prometheus', 'host'], 'window': '2500ms', 'prometheus': prometheus}

        def telling():
            tables = load_of(config, folder)
            rows = {row['feature']: row for row in tables['load'] if row['told_by'] == 'prometheus'}
            wanted = ('cpu_busy_share', 'load_average', 'memory_available_bytes', 'probe_compute_flops', 'targets_up')
            told = all(rows.get(name, {}).get('load_value') is not None for name in wanted)
            return rows if told and rows['targets_up']['load_value'] == 2 else None  # the mean: both have come up

        rows = until(telling, 'a reading from Prometheus')
        self.assertIn('the query is refused (bad_data)', rows['broken']['trouble'])
        self.assertLessEqual(0, rows['cpu_busy_share']['load_value'])
        self.assertLessEqual(rows['cpu_busy_share']['load_value'], 1)
        self.assertLess(rows['load_average']['age_us'], 60e6)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
