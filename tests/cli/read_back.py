"""read_back.py: everything that takt writes is read back by the command that reads it.

What a file is, is told by what is in it and how it is called, without asking takt. `faults()` gives each file to the
commands that read such files, and says which of them did not; a file of no known kind is a fault, too, so that nothing
new goes untried.
"""
import csv
import gzip
import io
import json
import pathlib
import re
import struct
import subprocess
import tempfile
import xml.etree.ElementTree

from sanitized import repeats

ENOUGH = repeats(3)  # files of one kind in one folder: the hundredth model of a sweep is read as the first


def strict(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError(f'a key is there twice: {keys}')
    return dict(pairs)


def no_constant(word):
    raise ValueError(f'{word} is no JSON')


def parsed(text):
    return json.loads(text, object_pairs_hook=strict, parse_constant=no_constant)


def contents(path):
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b'\x1f\x8b' else data


def kind_of_json(value):
    if isinstance(value, list):
        return 'trace' if value and isinstance(value[0], dict) and 'ph' in value[0] else 'json'
    if not isinstance(value, dict):
        return 'json'
    for key, kind in (('traceEvents', 'trace'), ('profiler', 'profile'), ('takt_kernels', 'kernels'), ('takt_plan_set', 'plan set'),
                      ('takt_predictor', 'predictor')):
        if key in value:
            return kind
    rows = [key for key in value if key != 'takt']
    if rows and all(re.fullmatch(r'\d+,\d+,\w+,[\d-]+', key) and 'mean' in (value[key] or {}) for key in rows):
        return 'raw measurements'
    return 'json'


def kind_of(path):
    """A word for what reads it, or a text that says why it is nothing that is known."""
    data, name = contents(path), path.name
    if re.fullmatch(r'(run0-var)?[0-9a-f]{6,}', name):
        return 'dump'
    if data.startswith(b'takt recording '):
        return 'recording'
    if data.startswith(b'takt pipeline journal '):
        return 'journal of a run'
    stem = name.removesuffix('.gz')
    if stem.endswith(('.pftrace', '.perfetto-trace')):
        return 'perfetto trace'
    if stem.endswith('.onnx'):
        return 'model'
    if stem.endswith(('.bin', '.held')):
        return 'bytes'
    text = data.decode('utf-8')
    if stem.endswith('.jsonl'):
        for line in text.splitlines():
            parsed(line)
        return 'lines'
    if stem.endswith('.json'):
        return kind_of_json(parsed(text))
    if stem.endswith('.xml'):
        xml.etree.ElementTree.fromstring(text)
        return 'xml'
    if stem.endswith('.csv'):
        rows = list(csv.reader(io.StringIO(text), strict=True))
        if not rows or len(set(map(len, rows))) != 1:
            raise ValueError('its rows have different numbers of fields')
        return 'dataset' if rows[0][0] == 'Kernel_ID' else 'table'
    if stem.endswith('.yaml'):
        return 'pipeline' if re.search('^stages:', text, re.M) else 'yaml'
    if stem.endswith(('.txt', '.dot', '.svg', '.html', '.md', '.log', '.held')):
        return 'text'
    raise ValueError('a file of no kind that is known here; add what reads it')


def runs_of(profile):
    return parsed(contents(profile))['takt']['profile']['runs']


def is_run_of_pipeline(trace):
    """All of it: a piece that was cut out of one is a trace."""
    value = parsed(contents(trace))
    return isinstance(value, dict) and 'cut' not in value and 'pipeline' in value.get('metadata', {}).get('takt', {})


def commands(path, kind, out):
    """What reads the file; each command has to end with 0."""
    if kind in ('trace', 'perfetto trace', 'recording', 'journal of a run'):
        yield ['trace', 'info', path]
        yield ['trace', 'convert', path, '-o', out / 'again.pftrace']
        yield ['trace', 'info', out / 'again.pftrace']
        yield ['trace', 'convert', out / 'again.pftrace', '-o', out / 'again.json.gz']
        yield ['trace', 'check', out / 'again.json.gz']
        yield ['trace', 'convert', path, '-o', out / 'again.csv']
        if kind == 'journal of a run' or (kind == 'trace' and is_run_of_pipeline(path)):
            yield ['pipeline', 'analyze', path]
            yield ['pipeline', 'analyze', out / 'again.json.gz']
            yield ['pipeline', 'whatif', path]
    elif kind == 'profile':
        yield ['analyze', path]
        if runs_of(path) >= 5:
            yield ['compare', path, path]
            yield ['compare', path, '--baseline', out / 'history']
    elif kind == 'kernels':
        yield ['kernels', 'list', path]
        yield ['kernels', 'extract', path, '--no-run', '--out', out / 'kernels']
        if parsed(contents(path))['models']:
            yield ['kernels', 'dag', path, '--by', 'kernels', '--out', out / 'kernels']
    elif kind == 'raw measurements':
        yield ['sweep', '--analyze', '--from', path, '--out', out / 'sweep']
        nodes, edges = next(key for key in parsed(contents(path)) if key != 'takt').split(',')[:2]
        yield ['lookup', path, '--nodes', nodes, '--edges', edges]
    elif kind == 'lines' and path.name.startswith('measurements'):
        if len(path.read_text(encoding='utf-8').splitlines()) > 1:
            yield ['sweep', '--analyze', '--out', path.parent.parent]
    elif kind == 'model':
        yield ['run', path, '--device', 'sim:CPU', '--iter', '1', '--no-ops']
    elif kind == 'dataset':
        yield ['collect', 'merge', path, '-o', out / 'merged.csv.gz']
    elif kind == 'pipeline':
        yield ['pipeline', 'run', path, '--simulate', '--batches', '3', '--trace', '']


def check_dump(path):
    """By its form alone; which model takes it is not known here."""
    data = path.read_bytes()
    length, _, dimensions = struct.unpack_from('<3I', data)
    if dimensions != 7 or 40 + length > len(data):
        raise ValueError('it is not a tensor dump')


def fault(takt, path, environment=None):
    """Empty where all that reads the file does; else what went wrong, in words."""
    try:
        kind = kind_of(path)
        if kind == 'dump':
            check_dump(path)
    except (ValueError, UnicodeDecodeError, OSError, xml.etree.ElementTree.ParseError, csv.Error) as error:
        return f'{path}: {error}'
    with tempfile.TemporaryDirectory(prefix='takt_read_back_') as out:
        for words in commands(path, kind, pathlib.Path(out)):
            done = subprocess.run([takt, *map(str, words)], cwd=path.parent, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=300, check=False)
            if done.returncode != 0:
                words = ' '.join(map(str, words))
                return f'{path} ({kind}): takt {words}: exit {done.returncode}: {done.stderr.decode("utf-8", "replace")}'
    return ''


def files_in(folder):
    return {path: path.stat().st_mtime_ns for path in pathlib.Path(folder).rglob('*') if path.is_file()}


def faults_in(takt, folder):
    return faults(takt, files_in(folder))


def faults(takt, files, environment=None):
    """Of `files`, at most ENOUGH of a kind in a folder."""
    seen, found = {}, []
    for path in sorted(files):
        group = (path.parent, ''.join(path.suffixes), path.name[:8] if path.suffix == '.jsonl' else '')
        seen[group] = seen.get(group, 0) + 1
        if seen[group] <= ENOUGH and (wrong := fault(takt, path, environment)):
            found.append(wrong)
    return found
