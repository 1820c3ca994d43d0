#!/usr/bin/env python3
"""The dataset that takt publishes: the kernels of many architectures, timed where they stand in their models, as compressed CSV.

  scripts/collect_dataset.py                     every architecture of the zoo, beside two loads each as well, and the soup's 240
                                                 chains, into kernels/: 70 minutes, in quiet alone (--stress 0) 45
  scripts/collect_dataset.py --soup 40 --out lab

Exports the models at batch 1, collects them, and writes OUT/kernels.csv.gz. A run that was stopped goes on where it
was: what is exported stays, and what is measured is in OUT/kernels.csv.gz.jsonl at once. The machine should do nothing else; a
measurement that something disturbed is made again. TAKT names the program; without it the one of this checkout, or else the one
on the PATH.
"""
import argparse
import pathlib
import subprocess
import sys

from takt_program import ALL_CHAINS, program_of_takt, soup_of, write


def run(*words, shown=True):
    print('$ takt', *words, flush=True)
    done = subprocess.run([program_of_takt(), *map(str, words)], stdin=subprocess.DEVNULL, check=False,
                          stdout=None if shown else subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f'collect_dataset: takt {words[0]} failed (exit code {done.returncode}); what it said is above')


def export(out, name, config):
    run('zoo', 'export', '--config', write(out / f'{name}.yaml', config), '-o', out / name, shown=False)
    return out / name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--out', type=pathlib.Path, default=pathlib.Path('kernels'))
    parser.add_argument('--families', nargs='+', metavar='FAMILY', help='of the zoo; otherwise all')
    parser.add_argument('--soup', type=int, default=ALL_CHAINS, help=f'how many chains ({ALL_CHAINS}), spread over all kinds')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--time', default='700ms', help="of each model in a round (700ms), once with its kernels' records and once without")
    parser.add_argument('--stress', type=int, default=2, help='beside how many loads each of the zoo is measured as well (2)')
    parser.add_argument('--accept-disturbed', action='store_true', help='also on a busy machine; such times are worth little')
    options = parser.parse_args()
    zoo = {'seed': 1, **({'models': [{'family': family} for family in options.families]} if options.families else {})}
    folders = [export(options.out, 'zoo', zoo)]
    if options.soup:
        folders.append(export(options.out, 'soup', soup_of(options.soup)))
    run('collect', *(word for folder in folders for word in ('--models', folder)), '-o', options.out / 'kernels.csv.gz',
        '--rounds', options.rounds, '--time', options.time, *(('--stress', options.stress) if options.stress else ()),
        *['--accept-disturbed'] * options.accept_disturbed)


if __name__ == '__main__':
    main()
