"""Every command of takt with a line that works, for tests that try something on all of them. The list of commands comes from
`takt --help`, so that a new one without a line is noticed."""
import json
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / 'examples'

LAWS = {'units': ['CPU', 'GPU'], 'times_us': {'CPU': [{'per_node': 0.5, 'per_edge': 0.5}] * 2,
                                              'GPU': [{'fixed': 5000, 'per_node': 0.25, 'per_edge': 0.25}] * 2}}
COSTS = {'units': ['CPU', 'GPU'], 'times_us': {'CPU': [300, 200], 'GPU': [100, 250]}}
EVALUATION = {'takt': {'cpu': 'a processor', 'settings': {}}, 'tables': {'models': []}}
CASES = {'test_cases': [{'nodes': 10, 'edges': 40}, {'nodes': 20, 'edges': 80}]}
PAIR = """name: pair
batches: 3
stages:
  - {name: first, model: small.onnx, runtime: onnxruntime, threads: 1}
  - {name: second, model: small.onnx, runtime: openvino, threads: 1, connect: {}}
"""
ZOO = 'models: [{family: mlp, depth: [3, 6], width: [0.125, 0.25], input: 64}, {family: squeezenet, depth: 11, width: 0.25, input: 48}]\n'

# What is made before, in this order, so that every command below has what it reads.
MADE = [
    'run small.onnx --device sim:box --iter 6 --profile a.json --trace run.json',
    'run small.onnx --device sim:slowbox --iter 6 --profile b.json',
    'pipeline run pipe.yaml --simulate --trace p.json',
    'sweep --all --devices CPU=sim:box,GPU=sim:slowbox --models sage --cases cases.json --out swept -o swept.txt',
    'plan compile laws.json --sizes 1000,1000-20000,40000 --whole --out plans.json',
    'zoo export --config zoo.yaml -o zoo',
]
WITH_ONNXRUNTIME = [
    'kernels record small.onnx --out kernels -o kernels.json',
    'collect --models zoo -o d.csv --rounds 2 --time 30ms --accept-disturbed',
]

# {runtime}: once with each real runtime. A line that needs one begins with its name and a colon.
LINES = [
    'run small.onnx --device sim:box --iter 3 --profile out.json --trace out.trace.json --iterations out.csv --io-dump out.txt',
    '{runtime}: run small.onnx --runtime {runtime} --iter 3',
    '{runtime}: run small.onnx --runtime {runtime} --device GPU --iter 3',
    'analyze a.json',
    'compare a.json b.json --junit junit.xml', 'compare a.json --baseline history',
    'trace info gpu.trace.json', 'trace check gpu.trace.json', 'trace convert gpu.trace.json -o out.pftrace',
    'trace cut slow_loader.trace.json --max 20kB -o cut.json', 'trace merge gpu.trace.json p.json -o merged.json --offset p.json=1ms',
    'diagnose slow_loader.trace.json',
    'scenario sync --device cpu --batch_size 2 --warmup_steps 1 --profile_steps 2 --trace_dir traces --output_json metrics.json',
    'pipeline run pipe.yaml --simulate --trace again.json',
    'both: pipeline run pair.yaml --batches 3 --trace pair.json',
    'pipeline analyze p.json', 'pipeline whatif p.json --set source.in_flight=1',
    'pipeline interference pipe.yaml --simulate --rounds 2 --save slow.json',
    'sweep --all --devices CPU=sim:box --models sage --cases cases.json --out other -o other.txt',
    'both: sweep --all --devices CPU --fallback onnxruntime --models sage --cases cases.json --iterations 2 --warmup 0 --out measured',
    'sweep merge swept --out merged', 'lookup swept --nodes 15 --edges 60',
    'plan search --costs costs.json', 'plan compile laws.json --sizes 1000,1000-20000,40000 --whole --out new_plans.json',
    'plan simulate plans.json --costs laws.json --random 20', 'plan cut small.onnx --pieces 2 --devices sim:CPU,sim:GPU --out pieces',
    'plan run small.onnx --devices sim:box,sim:slowbox --pieces 2 --batches 5 --runs 3',
    'both: plan run small.onnx --devices onnxruntime@CPU,openvino@CPU --threads 1 --pieces 2 --batches 5 --runs 2 --rounds 1',
    'load --window 100ms', 'load --config load.yaml --window 100ms', 'stress --cpu 10% --for 200ms', 'stress --gpu 10% --for 200ms', 'exporter --listen 127.0.0.1:0',
    'zoo list', 'zoo export --config zoo.yaml -o new_zoo',
    'onnxruntime: kernels list small.onnx', 'onnxruntime: kernels record small.onnx --out new_kernels',
    'onnxruntime: kernels extract small.onnx --out extracted', 'onnxruntime: kernels dag small.onnx --out dags',
    'onnxruntime: kernels bench small.onnx --iter 2', 'onnxruntime: collect --models zoo -o new.csv --rounds 1 --time 20ms --accept-disturbed',
    'onnxruntime: collect merge d.csv -o all.csv', 'onnxruntime: fit d.csv -o predictor --folds 2',
    'onnxruntime: predict zoo --predictor predictor --trace predicted.json',
    'onnxruntime: evaluate zoo --predictor predictor --rounds 1 --time 20ms', 'evaluate merge e.json',
    'devices', 'devices --check', 'report a.json -o a.html', 'explain runs', 'completion bash', 'manual pages',
]

# What a machine or a build may lack, and what a command says of noise or of a table that is small.
MAY_FAIL = ('scenario', 'GPU', '--gpu', 'fit', 'predict ', 'evaluate', 'devices --check', 'load --config', 'plan run', 'collect')


def prepare(takt, make_models, folder, environment, collects=True):
    """The files that the lines read; without `collects` not those that take longest."""
    subprocess.run([make_models, folder], check=True)
    for pattern in ('*.yaml', '*.trace.json'):
        for file in HERE.glob(pattern):
            shutil.copy(file, folder)
    texts = {'laws.json': json.dumps(LAWS), 'costs.json': json.dumps(COSTS), 'cases.json': json.dumps(CASES), 'pair.yaml': PAIR,
             'e.json': json.dumps(EVALUATION),
             'zoo.yaml': ZOO, 'load.yaml': 'load: {sources: [prometheus], prometheus: {url: "http://127.0.0.1:9", timeout: 1s}}\n'}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding='utf-8')
    for line in MADE + (WITH_ONNXRUNTIME if collects and 'onnxruntime' in runtimes(takt) else []):
        done = subprocess.run([takt, *line.split()], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=200, check=False)
        if done.returncode != 0:
            raise AssertionError(f'takt {line} exits {done.returncode}: {done.stderr}')


def runtimes(takt):
    version = subprocess.run([takt, '--version'], capture_output=True, text=True, check=True).stdout
    return [name for name in ('onnxruntime', 'openvino') if name in version]


def lines(takt):
    """The lines that this build can run, as lists of words; all commands are among LINES."""
    there = runtimes(takt)
    found = []
    for line in LINES:
        needs, colon, rest = line.partition(': ')
        if not colon:
            found.append(line)
        elif needs == '{runtime}':
            found += [rest.format(runtime=runtime) for runtime in there]
        elif needs in there or (needs == 'both' and len(there) == 2):
            found.append(rest)
    known = {' '.join(command) for command in commands(takt)}
    told = [re.sub(r'^(\{runtime\}|both|onnxruntime|openvino): ', '', line) for line in LINES]
    forgotten = [name for name in known if not any((line + ' ').startswith(name + ' ') for line in told)]
    if forgotten:
        raise AssertionError(f'commands without a line in every_command.py: {forgotten}')
    return [line.split() for line in found]


def listed(takt, *group):
    text = subprocess.run([takt, *group, '--help'], capture_output=True, text=True, check=True).stdout
    section = re.search(r'^Commands:\n((?:  .*\n)+)', text, re.MULTILINE)
    return [] if section is None else re.findall(r'^  (\w+)', section.group(1), re.MULTILINE)


def commands(takt):
    """Words of each command, of groups those of its own commands."""
    found = []
    for name in listed(takt):
        inner = listed(takt, name)
        found += [[name, one] for one in inner] or [[name]]
    return found


def may_fail(line):
    return any(word in ' '.join(line) for word in MAY_FAIL)
