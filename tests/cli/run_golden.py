#!/usr/bin/env python3
"""run_golden.py TAKT MAKE_MODELS FILE.test [--update]: checks a transcript of takt byte by byte.

A transcript is a list of commands with what they print, as a person would see them:

    # a comment, only at the start of the file
    $ takt explain runs
    runs (Runs)
    ! a line on standard error
    exit 0

    $ cat > file.yaml
    > a line of a file that the commands after this one find
    $ takt pipeline run file.yaml

`…` stands for whatever the clock of the machine puts there; a table that has it may be wider than here. Commands run without a shell in a temporary folder that
holds the models of MAKE_MODELS, the *.yaml device descriptions and *.trace.json files beside the transcript and the profiles
of other programs from tests/data/foreign; measured peaks of the machine are out of their sight. A comment line
`# needs: a real runtime` skips the transcript (exit 77) in a binary that has none. Whatever a command writes is read
back by the commands that read such files (read_back.py). --update rewrites FILE.test with what takt prints now; lines
that still match keep their `…`.
"""
import itertools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import read_back
from answers import answer


def read_cases(text):
    """Returns (leading comment lines, [(command, expected lines)])."""
    comment, cases = [], []
    for line in text.splitlines():
        if line.startswith('$ '):
            cases.append((line[2:], []))
        elif cases:
            cases[-1][1].append(line)
        elif line.startswith('#') or not line:
            comment.append(line)
        else:
            raise SystemExit(f'{line!r} comes before the first command')
    if not cases:
        raise SystemExit('no command in this file')
    return comment, cases


def environment_in(folder):
    return {**os.environ, 'TAKT_FIXED_PROVENANCE': '1', 'LC_ALL': 'C.UTF-8', 'COLUMNS': '80',
            'TAKT_CACHE_DIR': str(pathlib.Path(folder, 'cache'))}


def run(takt, command, folder):
    words = shlex.split(command)
    if words[0] != 'takt':
        raise SystemExit(f'only takt can be run, not {words[0]!r}')
    done = subprocess.run([takt, *words[1:]], cwd=folder, env=environment_in(folder), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120)
    out, err = (stream.decode('utf-8', 'backslashreplace') for stream in (done.stdout, done.stderr))
    return out.splitlines() + [f'! {line}' for line in answer(err).splitlines()] + [f'exit {done.returncode}']


def write_file(command, lines, folder):
    name = command.removeprefix('cat > ')
    if name != os.path.basename(name) or not all(line.startswith('>') for line in lines):
        raise SystemExit(f'{command!r}: a name without a folder, and lines that begin with >')
    pathlib.Path(folder, name).write_text(''.join(line[2:] + '\n' for line in lines), encoding='utf-8')


def matches(expected, line, may_be_wider=False):
    pattern = '.*'.join(map(re.escape, expected.split('…')))
    if may_be_wider:
        pattern = re.sub(r'(\\ ){2,}|─+', lambda gap: f'{gap[0]}[ ─]*', pattern)
    return re.fullmatch(pattern, line) is not None


def wider(expected):
    """Of each line, whether it stands in a block that the clock has a part in."""
    for is_gap, block in itertools.groupby(expected, lambda line: not line):
        block = list(block)
        yield from [not is_gap and any('…' in line for line in block)] * len(block)


def has_real_runtime(takt):
    """Whether this binary has a runtime other than the simulated one."""
    listed = subprocess.run([takt, 'devices', '--format', 'csv'], capture_output=True, text=True, check=True).stdout
    return re.search('^(onnxruntime|openvino),[^,]*,[^,]*,yes', listed, re.M) is not None


def merge(expected, lines):
    """`lines`, but where an expected line with `…` still matches, that one."""
    patterns = [line for line in expected if '…' in line]
    return [next((p for p in patterns if matches(p, line)), line) for line in lines]


def written_and_not_read(takt, before, folder):
    """Of the files that are new since `before`, or other: what a command cannot read, in words."""
    written = [path for path, changed in read_back.files_in(folder).items() if before.get(path) != changed]
    return read_back.faults(takt, written, environment_in(folder))


def main():
    arguments = [word for word in sys.argv[1:] if word != '--update']
    if len(arguments) != 3:
        raise SystemExit(__doc__)
    takt, make_models, test = (pathlib.Path(word).resolve() for word in arguments)
    comment, cases = read_cases(test.read_text(encoding='utf-8'))
    if '# needs: a real runtime' in comment and not has_real_runtime(takt):
        print('skipped: this binary has no real runtime')
        return 77
    failed, seen = False, list(comment)
    with tempfile.TemporaryDirectory(prefix='takt_cli_') as folder:
        subprocess.run([make_models, folder], check=True)
        beside = [file for pattern in ('*.yaml', '*.trace.json') for file in test.parent.glob(pattern)]
        for file in [*beside, *(test.parent.parent / 'data' / 'foreign').glob('*.*')]:
            shutil.copy(file, folder)
        for command, expected in cases:
            if command.startswith('cat > '):
                write_file(command, expected, folder)
                seen += [f'$ {command}', *expected]
                continue
            before = read_back.files_in(folder)
            lines = run(takt, command, folder)
            if unread := written_and_not_read(takt, before, folder):
                failed = True
                print(f'$ {command}\n--- cannot be read back', *unread, sep='\n')
            seen += [f'$ {command}', *merge(expected, lines)]
            if len(lines) == len(expected) and all(map(matches, expected, lines, wider(expected))):
                continue
            failed = True
            print(f'$ {command}\n--- expected', *expected, '--- printed', *lines, sep='\n')
    if '--update' in sys.argv:
        test.write_text('\n'.join(seen) + '\n', encoding='utf-8')
        return 0
    if failed:
        command = [os.path.relpath(word) for word in (__file__, takt, make_models, test)]
        print(f'If the new text is meant: {shlex.join(command)} --update')
    return int(failed)


if __name__ == '__main__':
    sys.exit(main())
