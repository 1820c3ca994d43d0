#!/usr/bin/env python3
"""How often `takt compare` is wrong, each rate with its 95 % interval (Wilson):

  simulated same     two runs of one thing on a simulated device with noise: pairs that report any change
  simulated planted  one operator of the simulated device is 5 % slower: pairs that report that operator as slower
  same               two runs of one network on a real runtime: pairs that report any change, of 1 + 1 and 3 + 3 runs
  passes a tenth     the same pairs: those that pass --fail-over 10%, for information
  doubled            eight matrix products, all twice as long: pairs that pass --fail-over 3%, and pairs that name the run
                     as slower
  tenth              one of eight matrix products 10 % longer: pairs that report it as slower, of 5 + 5 runs

The real ones are made twice, on the machine as it is and with busy programs that this program starts. Runs of all kinds are
interleaved. Each run is in one pair of 1 + 1; larger sides are random samples of the same runs.

usage: bench/compare.py [TAKT] [--pairs N] [--runs N] [--busy N] [--keep DIR] [--only simulated|same|planted]
exit 1 if a change is reported in more than 5 % of the pairs of one kind of the same thing, fewer than 95 % of planted
changes of the simulated device, a doubled model passes or fewer than 95 % of 3 + 3 name it, or fewer than 90 % find the
tenth
"""
import argparse
import contextlib
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import matmuls

root = pathlib.Path(__file__).resolve().parent.parent
light = root / ".sdk/onnx/onnx/backend/test/data/light"
NETWORKS = ("squeezenet", "shufflenet", "inception_v2")
INNER = 256
# Not the last one: ONNX Runtime's last operator lasts until the run ends, and what follows it is the noisiest.
PLANTED = {"base": [INNER] * 8, "tenth": [INNER] * 3 + [282] + [INNER] * 4, "doubled": [2 * INNER] * 8}
simulated_runs = 200  # of about 5.8 ms each: what takt takes by itself in 1.2 s
DEVICE = """name: noisy
law: roofline
peak_flops_per_s: 2.0e11
bandwidth_bytes_per_s: 2.0e10
launch_ns: 2000
unknown_op_ns: 20000
ops: {{Softmax: {softmax}}}
noise: {{shape: lognormal, sigma: 0.05}}
overhead_ns: 30000
clock: virtual
"""


def call(command, exits=(0,), **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **options)
    if done.returncode not in exits:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done


def measure(options, model, profile, *words, cwd=None):
    call([options.takt, "run", model, "--profile", profile, *words], cwd=cwd)


def compare(options, before, after, *words):
    """Rows that changed: name -> row; and the exit code. A side is a list of profiles."""
    sides = [",".join(map(str, side)) for side in (before, after)]
    done = call([options.takt, "compare", *sides, "--format", "json", *words], exits=(0, 1, 3))
    tables = json.loads(done.stdout)["tables"]
    rows = tables["whole"] + tables["operators"]
    return {row["name"]: row for row in rows if row["verdict"] in ("slower", "faster")}, done.returncode


def wilson(hits, trials, z=1.96):
    share = hits / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0, centre - half), min(1, centre + half)


class Verdicts:
    """Prints rates and remembers whether one is beyond what is promised."""

    def __init__(self):
        self.failed = False

    def report(self, name, what, hits, trials, at_most=None, at_least=None):
        low, high = wilson(hits, trials)
        bad = at_most is not None and hits > at_most * trials or at_least is not None and hits < at_least * trials
        self.failed |= bad
        print(f"{name:34} {what}: {hits} of {trials} = {100 * hits / trials:.1f} % ({100 * low:.1f} to {100 * high:.1f} %)"
              f"{'   not as promised' if bad else ''}", flush=True)


@contextlib.contextmanager
def busy(count):
    """Programs that compute without pause, at the priority of what is measured."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        time.sleep(0.5 if programs else 0)
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def pairs_of(rng, first, second, runs, most):
    """Pairs of sides of so many runs each. Single runs are used once; sides of one list share none."""
    if runs == 1:
        if first is second:
            shuffled = rng.sample(first, len(first))
            return [([a], [b]) for a, b in zip(shuffled[::2], shuffled[1::2])][:most]
        return [([a], [b]) for a, b in zip(rng.sample(first, len(first)), rng.sample(second, len(second)))][:most]
    pairs = []
    for _ in range(most):
        drawn = rng.sample(first, 2 * runs) if first is second else rng.sample(first, runs) + rng.sample(second, runs)
        pairs.append((drawn[:runs], drawn[runs:]))
    return pairs


def measure_in_turns(options, folder, models):
    """name -> profiles."""
    profiles = {name: [] for name in models}
    for turn in range(options.runs):
        for name, model in models.items():
            profiles[name].append(folder / f"{name}_{turn:03}.json")
            if not profiles[name][-1].exists():  # kept from an earlier time
                measure(options, model, profiles[name][-1], *options.words)
    return profiles


def same(options, folder, state, verdicts):
    models = {name: light / f"light_{name}.onnx" for name in NETWORKS}
    profiles = measure_in_turns(options, folder, models)
    rng = random.Random(1)
    for runs in (1, 3):
        wrong = passed = trials = 0
        for name in models:
            for before, after in pairs_of(rng, profiles[name], profiles[name], runs, options.pairs // len(models)):
                changed, code = compare(options, before, after, "--fail-over", "10%")
                trials, wrong, passed = trials + 1, wrong + bool(changed), passed + (code == 0)
                for row in list(changed.values())[:3]:
                    print(f"  {name} {before[0].name} {after[0].name}: {row['name']} {row['verdict']} "
                          f"{row['change_percent']:+.1f} % ({row['low_percent']:+.1f} to {row['high_percent']:+.1f} %)")
        verdicts.report(f"same, {state}, {runs} + {runs}", "report a change", wrong, trials, at_most=0.05)
        verdicts.report(f"same, {state}, {runs} + {runs}", "pass --fail-over 10%", passed, trials)


def planted(options, folder, state, verdicts):
    models = {}
    for name, inner in PLANTED.items():
        models[name] = folder / name / "matmuls.onnx"  # both sides must call the model the same
        models[name].parent.mkdir(exist_ok=True)
        matmuls.write(models[name], inner)
    profiles = measure_in_turns(options, folder, models)
    rng = random.Random(1)
    for runs in (1, 3):
        passed = named = 0
        pairs = pairs_of(rng, profiles["base"], profiles["doubled"], runs, options.pairs)
        for before, after in pairs:
            changed, code = compare(options, before, after, "--fail-over", "3%")
            passed += code == 0
            named += changed.get("[whole run]", {}).get("verdict") == "slower"
        verdicts.report(f"doubled, {state}, {runs} + {runs}", "pass --fail-over 3%", passed, len(pairs), at_most=0)
        verdicts.report(f"doubled, {state}, {runs} + {runs}", "are named slower", named, len(pairs),
                        at_least=0.95 if runs == 3 else None)
    for runs in (3, 5):
        pairs = pairs_of(rng, profiles["base"], profiles["tenth"], runs, options.pairs // 2)
        found = others = 0
        for before, after in pairs:
            changed, _ = compare(options, before, after)
            found += changed.get("matmul3", {}).get("verdict") == "slower"
            others += bool(set(changed) - {"matmul3", "[whole run]"})
        verdicts.report(f"tenth, {state}, {runs} + {runs}", "find it", found, len(pairs), at_least=0.9 if runs == 5 else None)
        verdicts.report(f"tenth, {state}, {runs} + {runs}", "report another operator", others, len(pairs), at_most=0.05)


def simulated(options, folder, verdicts):
    model = light / "light_squeezenet.onnx"
    runs = {}
    # A description is found by its name in the working folder; both sides must call the device the same.
    for kind, softmax in (("before", 100_000), ("after", 100_000), ("slower", 105_000)):
        place = folder / kind
        place.mkdir(exist_ok=True)
        (place / "noisy.yaml").write_text(DEVICE.format(softmax=softmax))
        runs[kind] = [place / f"{i:03}.json" for i in range(options.pairs)]
        for i, profile in enumerate(runs[kind]):
            seed = str(1 + i + options.pairs * len(runs))
            measure(options, model, profile, "--device", "sim:noisy", "--seed", seed, "--iter", str(simulated_runs),
                    cwd=place)
    name = next(op["name"] for op in json.loads(runs["slower"][0].read_text())["graph_exec"]["operator"].values()
                if op["type"] == "Softmax")
    wrong = sum(bool(compare(options, [a], [b])[0]) for a, b in zip(runs["before"], runs["after"]))
    found = sum(compare(options, [a], [b])[0].get(name, {}).get("verdict") == "slower"
                for a, b in zip(runs["before"], runs["slower"]))
    verdicts.report("simulated same", "report a change", wrong, options.pairs, at_most=0.05)
    verdicts.report("simulated planted", "find the 5 % slow-down", found, options.pairs, at_least=0.95)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", nargs="?", default=root / "build/release/takt")
    parser.add_argument("--pairs", type=int, default=200, help="of each experiment, at most")
    parser.add_argument("--runs", type=int, default=134, help="of each network, quiet and loaded; two make a pair of 1 + 1")
    parser.add_argument("--busy", type=int, default=2, help="programs that compute beside the loaded runs")
    parser.add_argument("--words", default="--threads 1", help="options of takt run")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the profiles in this folder, and take those that are there")
    parser.add_argument("--only", choices=("simulated", "same", "planted"))
    parser.add_argument("--state", choices=("quiet", "loaded"))
    options = parser.parse_args()
    options.takt, options.words = pathlib.Path(options.takt).resolve(), options.words.split()
    verdicts = Verdicts()
    with tempfile.TemporaryDirectory() as temporary:
        top = options.keep.resolve() if options.keep else pathlib.Path(temporary)
        if options.only in (None, "simulated"):
            (top / "simulated").mkdir(parents=True, exist_ok=True)
            simulated(options, top / "simulated", verdicts)
        for state, programs in (("quiet", 0), ("loaded", options.busy)):
            if options.state not in (None, state):
                continue
            folder = top / state
            folder.mkdir(parents=True, exist_ok=True)
            for experiment in (same, planted):
                if options.only in (None, experiment.__name__):
                    with busy(programs):
                        experiment(options, folder, state, verdicts)
    sys.exit(int(verdicts.failed))


if __name__ == "__main__":
    main()
