#!/usr/bin/env python3
"""How often `takt compare` is wrong. Three experiments, each with a rate and its 95 % interval (Wilson):

  real     two runs of the same network on the same runtime: pairs that report any change, in the whole run or an operator
           (each run is in one pair only, pairs are drawn at random)
  same     the same on a simulated device with noise
  planted  one operator of the simulated device is 5 % slower: pairs that report that operator as slower

usage: bench/compare.py [TAKT] [--pairs N] [--iter N] [--model FILE] [--keep DIR] [--skip-real]
exit 1 if a change is reported in more than 5 % of the pairs of one kind of the same thing, or fewer than 95 % of planted
changes are found
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parent.parent
network = root / ".sdk/onnx/onnx/backend/test/data/light/light_squeezenet.onnx"
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


def call(command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def measure(options, profile, *words, iterations, cwd=None):
    call([options.takt, "run", options.model, "--iter", str(iterations), "--profile", profile, *words], cwd=cwd)


def compare(options, before, after):
    """Rows with a verdict other than 'same': name -> row."""
    tables = json.loads(call([options.takt, "compare", before, after, "--format", "json"]))["tables"]
    return {row["name"]: row for row in tables["whole"] + tables["operators"] if row["verdict"] != "same"}


def wilson(hits, trials, z=1.96):
    share = hits / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return max(0, centre - half), min(1, centre + half)


def report(name, what, hits, trials, begin):
    low, high = wilson(hits, trials)
    print(f"{name:18} {what}: {hits} of {trials} pairs = {100 * hits / trials:.1f} % "
          f"({100 * low:.1f} to {100 * high:.1f} %), {time.monotonic() - begin:.0f} s", flush=True)
    return hits / trials


def real(options, folder, runtime, pairs):
    begin = time.monotonic()
    profiles = [folder / f"{runtime}_{i:03}.json" for i in range(2 * pairs)]
    for profile in profiles:
        measure(options, profile, "--runtime", runtime, iterations=options.iter)
    random.Random(1).shuffle(profiles)
    wrong = 0
    for before, after in zip(profiles[::2], profiles[1::2]):
        changed = compare(options, before, after)
        wrong += bool(changed)
        for row in list(changed.values())[:3]:
            print(f"  {before.name} {after.name}: {row['name']} {row['verdict']} {row['change_percent']:+.1f} % "
                  f"({row['low_percent']:+.1f} to {row['high_percent']:+.1f} %)")
    return report(f"real {runtime}", "report a change", wrong, pairs, begin)


def simulated(options, folder, pairs):
    """Shares of pairs with a false and with a found change."""
    begin = time.monotonic()
    runs = {}
    # A description is found by its name in the working folder; both sides must call the device the same.
    for kind, softmax in (("before", 100_000), ("after", 100_000), ("slower", 105_000)):
        place = folder / kind
        place.mkdir()
        (place / "noisy.yaml").write_text(DEVICE.format(softmax=softmax))
        runs[kind] = [place / f"{i:03}.json" for i in range(pairs)]
        for i, profile in enumerate(runs[kind]):
            seed = str(1 + i + pairs * len(runs))
            measure(options, profile, "--device", "sim:noisy", "--seed", seed, iterations=simulated_runs, cwd=place)
    name = next(op["name"] for op in json.loads(runs["slower"][0].read_text())["graph_exec"]["operator"].values()
                if op["type"] == "Softmax")
    wrong = sum(bool(compare(options, *pair)) for pair in zip(runs["before"], runs["after"]))
    found = sum(compare(options, *pair).get(name, {}).get("verdict") == "slower"
                for pair in zip(runs["before"], runs["slower"]))
    return (report("simulated same", "report a change", wrong, pairs, begin),
            report("simulated planted", "find the 5 % slow-down", found, pairs, begin))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt", nargs="?", default=root / "build/release/takt")
    parser.add_argument("--pairs", type=int, default=200, help="of each experiment; real ones are shared by two runtimes")
    parser.add_argument("--iter", type=int, default=50, help="measured runs per real profile and pass")
    parser.add_argument("--model", type=pathlib.Path, default=network)
    parser.add_argument("--keep", type=pathlib.Path, help="keep the profiles in this folder")
    parser.add_argument("--skip-real", action="store_true")
    options = parser.parse_args()
    options.takt, options.model = pathlib.Path(options.takt).resolve(), options.model.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep.resolve() if options.keep else pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        false_share, found_share = simulated(options, folder, options.pairs)
        failed = false_share > 0.05 or found_share < 0.95
        if not options.skip_real:
            for runtime in ("onnxruntime", "openvino"):
                failed |= real(options, folder, runtime, options.pairs // 2) > 0.05
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
