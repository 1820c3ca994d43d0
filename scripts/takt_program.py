"""What the scripts that call takt share: which program it is, and the configurations that they write for it."""
import json
import os
import pathlib
import shutil
import sys


def program_of_takt():
    """TAKT, or the one of this checkout, or the one on the PATH; ends the script where there is none."""
    own = pathlib.Path(__file__).resolve().parent.parent / 'build' / 'release' / 'takt'
    found = os.environ.get('TAKT') or (str(own) if own.exists() else shutil.which('takt'))
    script = pathlib.Path(sys.argv[0]).stem
    return found or sys.exit(f"{script}: there is no takt yet; 'make build' builds it, or name it with TAKT=/path/to/takt")


def write(path, content):
    """JSON is YAML, too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + '\n', encoding='utf-8')
    return path


ALL_CHAINS = 240


def soup_of(chains):
    """So many chains of all, as `takt zoo export` takes them: spread evenly, since neighbours are of one kind (of pictures, words,
    graphs), and a predictor has to know them all."""
    if chains == 1:
        numbers = [1]
    else:
        numbers = sorted({1 + round(i * (ALL_CHAINS - 1) / (chains - 1)) for i in range(chains)})
    return {'models': [{'family': 'soup', 'depth': numbers}]}
