#!/usr/bin/env python3
"""manual_test.py TAKT: there is a man page for every command in the help, with every option of its --help; groff, where
it is installed, has nothing to complain about."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def commands_in(text):
    lists = re.findall(r'^(?:Commands:|[A-Z].*\?)\n((?:  .*\n)+)', text, re.M)
    return re.findall(r'^  (\S+)', ''.join(lists), re.M)


def pages_of(takt, words=()):
    """[(name of the page, options that --help shows)] of a command and all below it."""
    text = output(takt, *words, '--help')
    inner = commands_in(text)
    pages = [('-'.join(('takt', *words)), set(re.findall(r'^  (?:-\w, )?(--?[\w-]+)', text, re.M)))]
    return pages + [page for name in inner for page in pages_of(takt, (*words, name))]


def main():
    takt = pathlib.Path(sys.argv[1]).resolve()
    wrong = []
    with tempfile.TemporaryDirectory(prefix='takt_manual_') as folder:
        made = pathlib.Path(folder, 'share', 'man1')
        output(takt, 'manual', made)
        expected = pages_of(takt)
        names = {page.name for page in made.iterdir()}
        wrong += [f'{name} and the commands differ' for name in names ^ {f'{page}.1' for page, _ in expected}]
        for page, options in expected:
            source = (made / f'{page}.1').read_text(encoding='utf-8')
            plain = re.sub(r'\\f.', '', source).replace('\\-', '-')
            wrong += [f'{page}.1 lacks {option}' for option in options if not re.search(rf'{option}\b', plain)]
            if not options:
                wrong.append(f'{page}: no option found in its --help')
            if shutil.which('groff'):
                done = subprocess.run(['groff', '-man', '-Kutf8', '-Tutf8', '-ww', made / f'{page}.1'], capture_output=True,
                                      text=True, check=False)
                if done.returncode or done.stderr or 'SYNOPSIS' not in re.sub(r'.\x08|\x1b\[[0-9;]*m', '', done.stdout):
                    wrong.append(f'groff on {page}.1: {done.stderr or done.stdout[:300]}')
    if not shutil.which('groff'):
        print('groff is not here: the pages are not rendered')
    print('\n'.join(wrong) or f'{len(expected)} man pages have every option')
    return int(bool(wrong))


if __name__ == '__main__':
    sys.exit(main())
