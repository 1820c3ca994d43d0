"""A result of every kind that `takt report` has a picture for, with hostile names, on simulated devices."""
import copy
import json
import pathlib
import random
import subprocess

HOSTILE = '</script><img src=x onerror=alert(1)>"\'\x00\u202eevil\U0001f600' + "n" * 10000


def make_results(takt, make_models, place):
    """Writes them into `place` and returns their names."""
    here = pathlib.Path(__file__).resolve().parent
    subprocess.run([make_models, place], check=True)
    for file in ("box.yaml", "pipe.yaml"):
        (place / file).write_text((here / file).read_text())

    def takt_does(*words):
        subprocess.run([takt, *words], cwd=place, check=True, capture_output=True)

    run = ["run", "small.onnx", "--device", "sim:box", "--iter", "20"]
    takt_does(*run, "--profile", "profile.json")
    takt_does(*run, "--format", "json", "-o", "run.json")
    takt_does("compare", "profile.json", "profile.json", "--format", "json", "-o", "compare.json")
    takt_does("pipeline", "run", "pipe.yaml", "--simulate", "--batches", "10", "--trace", "", "--format", "json", "-o", "pipeline.json")
    takt_does("diagnose", here / "slow_loader.trace.json", "--format", "json", "-o", "diagnose.json")
    takt_does("analyze", "profile.json", "--columns", "all", "--format", "json", "-o", "analyze.json")
    hostile = json.loads((place / "run.json").read_text())
    for table, key in (("operators", "name"), ("operators", "type"), ("types", "type"), ("summary", "model")):
        hostile["tables"][table][0][key] = HOSTILE
    (place / "hostile.json").write_text(json.dumps(hostile))
    return ["profile.json", "run.json", "compare.json", "pipeline.json", "diagnose.json", "analyze.json", "hostile.json"]


def make_traces(place):
    """Writes a trace of a training and one with hostile names into `place`; returns their names."""
    here = pathlib.Path(__file__).resolve().parent
    (place / "loader.trace.json").write_bytes((here / "slow_loader.trace.json").read_bytes())
    events = [{"ph": "M", "pid": 1, "tid": 1, "name": kind, "args": {"name": HOSTILE}} for kind in ("process_name", "thread_name")]
    events += [{"ph": "X", "pid": 1, "tid": 1, "cat": "cpu_op", "name": HOSTILE if at == 0 else f"aten::mm{HOSTILE[at:40]}",
                "ts": 10 * at, "dur": 8} for at in range(20)]
    (place / "hostile.trace.json").write_text(json.dumps({"traceEvents": events}))
    return ["loader.trace.json", "hostile.trace.json"]


CELLS = [None, 0, -1, 1, 1e-300, 1e300, -1e300, 2**62, -(2**62), 0.1, "", " ", "slower", "inconclusive", "[unattributed]", HOSTILE,
         "\u0000", "\u202e", "9" * 400]


def fuzzed(results, seed):
    """One of the results with some cells, rows and columns changed: what no command prints, but a page must bear."""
    chance = random.Random(seed)
    result = copy.deepcopy(chance.choice(results))
    tables = [rows for rows in result["tables"].values() if rows]
    for _ in range(chance.randint(1, 12)):
        rows = chance.choice(tables)
        if not rows:
            continue
        row = chance.choice(rows)
        what = chance.random()
        if what < 0.7 and row:
            row[chance.choice(list(row))] = chance.choice(CELLS)
        elif what < 0.8:
            rows.remove(row)
        elif what < 0.9:
            rows += [dict(row) for _ in range(chance.choice((1, 30)))]
        elif row:
            key = chance.choice(list(row))
            for other in rows:
                other[key] = chance.choice(CELLS)
    return result
