#!/usr/bin/env python3
"""completion_test.py TAKT: sources the bash script in bash and asks it what it would offer; fish, where it is installed,
answers the same lines, and zsh reads its script."""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ASK = '''
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_takt; printf '%s\\n' "${COMPREPLY[@]}"
'''

# (line with the cursor at its end, what is offered among others, what is not)
CASES = [
    ('takt ', ['run', 'pipeline', '--version'], ['completion', 'manual', 'small.onnx']),
    ('takt pi', ['pipeline'], ['run']),
    ('takt pipeline ', ['run', 'whatif'], ['compare']),
    ('takt pipeline whatif --s', ['--set', '--sweep'], ['--format']),
    ('takt run --', ['--iter', '--batch-size', '--format', '--help'], ['small.onnx']),
    ('takt run --format ', ['csv', 'markdown'], ['small.onnx']),
    ('takt run --format = c', ['csv'], ['json']),
    ('takt run --runtime o', ['onnxruntime', 'openvino'], ['sim']),
    ('takt run sm', ['small.onnx', 'small folder'], ['--iter']),
    ('takt run small.onnx --cache-dir sm', ['small folder'], ['small.onnx']),
    ('takt run small.onnx --iter ', [''], ['small.onnx']),
    ('takt analyze p.json --print-only ', ['summary', 'device', 'host'], ['p.json']),
    ('takt pipeline run --table ', ['critical_path'], ['pairs']),
    ('takt pipeline interference --table ', ['pairs'], ['critical_path']),
    ('takt sweep ', ['merge'], ['small.onnx']),
    ('takt sweep --', ['--measure', '--cases'], ['merge']),
    ('takt sweep merge --', ['--out'], ['--measure']),
    ('takt evaluate merge --', ['--output'], ['--rounds']),
    ('takt collect m', ['merge'], ['small.onnx']),
    ('takt collect merge --', ['--output'], ['--rounds']),
    ('takt trace merge small.onnx -o sm', ['small.onnx'], []),
]


def offered(script, line, folder):
    words = shlex.split(line) + ([''] if line.endswith(' ') else [])
    done = subprocess.run(['bash', '-c', ASK, 'bash', script, *words], cwd=folder, capture_output=True, text=True,
                          check=True)
    if done.stderr:
        raise SystemExit(f'{line!r}: bash says {done.stderr}')
    return done.stdout.splitlines()


def offered_by_fish(script, line, folder):
    done = subprocess.run(['fish', '--no-config', '-c', f'source {script}; complete -C {shlex.quote(line)}'], cwd=folder,
                          capture_output=True, text=True, check=True)
    return [answer.split('\t')[0].rstrip('/') for answer in done.stdout.splitlines()]


def wrong_in_fish(script, folder):
    """fish offers options only after a dash, and divides no word at '='."""
    for line, wanted, unwanted in CASES:
        if ' = ' in line:
            continue
        answer = offered_by_fish(script, line, folder)
        dashed = line.split(' ')[-1].startswith('-')
        wanted = [word for word in wanted if word and word.startswith('-') == dashed]
        yield from (f'fish: {line!r} does not offer {word!r} but {answer}' for word in wanted if word not in answer)
        yield from (f'fish: {line!r} offers {word!r}' for word in unwanted if word in answer)


def main():
    takt = pathlib.Path(sys.argv[1]).resolve()
    wrong = []
    with tempfile.TemporaryDirectory(prefix='takt_completion_') as folder:
        pathlib.Path(folder, 'small.onnx').touch()
        os.mkdir(pathlib.Path(folder, 'small folder'))
        for shell in ('bash', 'zsh', 'fish'):
            script = pathlib.Path(folder, f'takt.{shell}')
            script.write_bytes(subprocess.run([takt, 'completion', shell], capture_output=True, check=True).stdout)
            if not shutil.which(shell):
                print(f'{shell} is not here: its script is not read')
                continue
            done = subprocess.run([shell, '-n', script], capture_output=True, text=True, check=False)
            if done.returncode or done.stderr:
                wrong.append(f'{shell} -n: {done.stderr}')
        if shutil.which('fish'):
            wrong += wrong_in_fish(pathlib.Path(folder, 'takt.fish'), folder)
        for line, wanted, unwanted in CASES:
            answer = offered(pathlib.Path(folder, 'takt.bash'), line, folder)
            wrong += [f'{line!r} does not offer {word!r} but {answer}' for word in wanted if word not in answer]
            wrong += [f'{line!r} offers {word!r}' for word in unwanted if word in answer]
    print('\n'.join(wrong) or f'{len(CASES)} lines are completed as they should be')
    return int(bool(wrong))


if __name__ == '__main__':
    sys.exit(main())
