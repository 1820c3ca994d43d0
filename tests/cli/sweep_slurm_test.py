#!/usr/bin/env python3
"""sweep_slurm_test.py TAKT: a sweep as a job array of a real Slurm on this node; one of its tasks is killed and submitted again.

Starts munged, slurmctld and slurmd of its own, in a temporary folder, and ends them. Exit code 77 (skipped) without Slurm
(Debian: slurm-wlm) or without the rights to start it.
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

TAKT = pathlib.Path(sys.argv[1]).resolve()
BATCH = pathlib.Path(__file__).resolve().parents[2] / 'examples/slurm/sweep.sbatch'
CASES = {'config': {'feature_dim': 16, 'num_iterations': 60}, 'test_cases': [{'nodes': 200, 'edges': 500}, {'nodes': 300, 'edges': 900}]}
CONFIGURATION = """ClusterName=takt
SlurmctldHost={host}
SlurmctldPort={port}
SlurmdPort={port_of_node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
MpiDefault=none
NodeName={host} CPUs={cores} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as one:
        one.bind(('127.0.0.1', 0))
        return one.getsockname()[1]


def comes_true(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class Cluster:
    """A controller and a node, with everything they write in one folder."""

    def __init__(self, folder):
        self.folder = folder
        self.started = []
        for name in ('state', 'spool'):
            (folder / name).mkdir()
        key = folder / 'munge.key'
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        (folder / 'slurm.conf').write_text(CONFIGURATION.format(host=socket.gethostname().split('.')[0], port=free_port(),
                                                               port_of_node=free_port(), folder=folder, cores=os.cpu_count()),
                                           encoding='utf-8')
        self.environment = {**os.environ, 'SLURM_CONF': str(folder / 'slurm.conf')}

    def begin(self):
        """Whether the node is ready to work; on machines that keep Slurm's programs from starting it never is."""
        folder, key = self.folder, self.folder / 'munge.key'
        self.start('munged', '--foreground', '--force', f'--key-file={key}', f'--socket={folder}/munge.socket',
                   f'--pid-file={folder}/munged.pid', f'--log-file={folder}/munged.log', f'--seed-file={folder}/munged.seed')
        time.sleep(1)
        self.start('slurmctld', '-D', '-i')
        self.start('slurmd', '-D', '-N', socket.gethostname().split('.')[0])
        return comes_true(lambda: self.call('sinfo', '--noheader', '--format=%t').stdout.strip() == 'idle', 60)

    def start(self, *command):
        with (self.folder / f'{command[0]}.out').open('w', encoding='utf-8') as output:
            self.started.append(subprocess.Popen(command, env=self.environment, stdout=output, stderr=subprocess.STDOUT))

    def call(self, *command):
        return subprocess.run(command, env=self.environment, cwd=self.folder, capture_output=True, encoding='utf-8', timeout=100,
                              check=False)

    def wait_for(self, condition, seconds, otherwise):
        if not comes_true(condition, seconds):
            self.print_logs()
            raise SystemExit(f'sweep_slurm_test: {otherwise}')

    def print_logs(self):
        for log in self.folder.glob('*.log'):
            print(f'--- {log.name}', log.read_text(encoding='utf-8', errors='replace')[-2000:], sep='\n')

    def submit(self, *options):
        done = self.call('sbatch', '--parsable', *options)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def is_over(self, job):
        return not self.call('squeue', '--noheader', '--jobs', job).stdout.strip()

    def end(self):
        for process in reversed(self.started):
            process.terminate()
        for process in self.started:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def lines_in(file):
    return [line for line in file.read_text(encoding='utf-8').splitlines() if '"key"' in line] if file.exists() else []


def sweep_on(cluster):
    out = cluster.folder / 'out'
    (cluster.folder / 'cases.json').write_text(json.dumps(CASES), encoding='utf-8')
    what = ['--cases', str(cluster.folder / 'cases.json'), '--devices', 'sim:CPU,sim:GPU', '--out', str(out)]
    exported = subprocess.run([TAKT, 'sweep', '--export', *what], capture_output=True, encoding='utf-8', check=False)
    assert exported.returncode == 0, exported.stderr
    cluster.environment['TAKT'] = str(TAKT)
    first = out / 'results/measurements-1-of-2.jsonl'
    job = cluster.submit('--array=1-2', str(BATCH), *what)
    cluster.wait_for(lambda: len(lines_in(first)) >= 2, 60, 'the first task measures nothing')
    cluster.call('scancel', '--signal=KILL', '--full', f'{job}_1')
    cluster.wait_for(lambda: cluster.is_over(job), 120, 'the array does not end')
    kept = lines_in(first)
    rows = 2 * 7 * len(CASES['test_cases'])
    assert len(kept) < rows / 2, 'the first task was done before it was killed'
    again = cluster.submit('--array=1', '--export=ALL,SHARDS=2', str(BATCH), *what)
    cluster.wait_for(lambda: cluster.is_over(again), 120, 'the second try does not end')
    assert lines_in(first)[:len(kept)] == kept, 'rows were measured twice'
    lines = lines_in(first) + lines_in(out / 'results/measurements-2-of-2.jsonl')
    assert len(lines) == rows, f'{len(lines)} rows instead of {rows}'
    assert len({json.loads(line)['key'] for line in lines}) == rows
    print(f'{rows} rows by two tasks, the first killed after {len(kept)} of its own and submitted again: each once')


def main():
    if not all(shutil.which(name) for name in ('munged', 'slurmctld', 'slurmd', 'sbatch')) or os.geteuid() != 0:
        print('skipped: needs Slurm (Debian: slurm-wlm) and the rights to start it')
        return 77
    with tempfile.TemporaryDirectory(prefix='takt_slurm_') as folder:
        cluster = Cluster(pathlib.Path(folder))
        try:
            if not cluster.begin():
                cluster.print_logs()
                print('skipped: Slurm does not start here; its logs are above')
                return 77
            sweep_on(cluster)
        finally:
            cluster.end()
    return 0


if __name__ == '__main__':
    sys.exit(main())
