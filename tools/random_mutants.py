"""tools/mutants --random: changes drawn anew (mutant_places.py), all compiled into one release build, each behind a switch, so
that a hundred are judged in about an hour. Each test runs once without a change and says which switches it came by; a
change is then held against those tests alone, the quickest first. A failure counts if it comes twice with the change and not
without."""

import collections
import concurrent.futures
import hashlib
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

# What tests a room, or a wing for its rooms that are not here: test_NAME.
TESTED_BY = {"base": "core", "base/machine": "machine", "trace": "trace", "flow": "flow", "model": "runtime", "model/graph": "graph",
             "model/cost": "graph", "model/cuts": "graph", "model/onnx": "graph", "model/inputs": "inputs", "measure": "profile",
             "measure/python_text": "pyformat", "measure/profiles": "analysis", "measure/compare": "comparison", "pipeline": "pipeline",
             "pipeline/record": "record", "pipeline/account": "account", "pipeline/contention": "replay", "pipeline/whatif": "replay",
             "plan": "plan", "plan/gnn": "gnn", "plan/costs": "costs", "plan/sweep": "sweep", "predict": "load", "predict/kernels": "kernels",
             "predict/zoo": "kernels", "predict/fit": "predict", "predict/collect": "predict", "predict/answer": "predict",
             "training": "training", "training/scenario": "scenario", "training/trainer": "trainer", "report": "report", "cli": "cli"}


def module_of(file):
    """The name of what tests a source: "core" of src/base/files/file.cpp."""
    wing, *room = file.split("/")[1:-1]
    return TESTED_BY.get("/".join([wing, *room])) or TESTED_BY[wing]

LONGEST_TEST = 300  # seconds
LONGEST_JUDGEMENT = 150  # seconds of tests that a change passes until it has survived, whatever the slower ones would say
SWITCH = Path(__file__).resolve().parent / "mutant_switch.h"


class Change(NamedTuple):
    file: str  # from the checkout's root
    line: int
    kind: str
    begin: int  # bytes of the file that are replaced
    end: int
    old: str
    new: str       # the mistake
    switched: str  # both, chosen by takt_mutant(@)


def overlaps(one, others):
    return any(one.file == other.file and one.begin < other.end and other.begin < one.end for other in others)


def lines_of(content, change):
    """The whole lines that a change stands in, before and after: as an entry of tests/mutants has them."""
    begin = content.rfind(b"\n", 0, change.begin) + 1
    end = content.find(b"\n", change.end)
    return content[begin:end].decode(), content[begin:change.begin].decode() + change.new + content[change.end:end].decode()


def with_switches(content, numbered):
    """The source with these changes behind their switches: (number, change) …, none of which overlap."""
    for number, one in sorted(numbered, key=lambda pair: pair[1].begin, reverse=True):
        content = content[:one.begin] + one.switched.replace("takt_mutant(@)", f"takt_mutant({number})").encode() + content[one.end:]
    return SWITCH.read_text() + content.decode()


class Test(NamedTuple):
    name: str
    command: list
    folder: str
    environment: dict
    skipped_by: str  # what it prints where it can't be run here
    skip_code: int
    limit: float     # seconds
    alone: bool


def tests_of(build):
    """What ctest would run."""
    told = json.loads(subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True, capture_output=True).stdout)
    for one in told["tests"]:
        properties = {entry["name"]: entry["value"] for entry in one.get("properties", [])}
        if "command" in one:
            yield Test(one["name"], one["command"], properties["WORKING_DIRECTORY"],
                       dict(entry.split("=", 1) for entry in properties.get("ENVIRONMENT", [])),
                       "|".join(properties.get("SKIP_REGULAR_EXPRESSION", [])), properties.get("SKIP_RETURN_CODE", 0),
                       min(LONGEST_TEST, properties.get("TIMEOUT", LONGEST_TEST)), properties.get("RUN_SERIAL", False))


def run_test(test, mutant=None, reached=None, limit=None):
    """(whether it passed, seconds); None instead of the first where it was skipped."""
    environment = {**os.environ, **test.environment}
    if mutant is not None:
        environment["TAKT_MUTANT"] = str(mutant)
    if reached is not None:
        environment["TAKT_MUTANTS_REACHED"] = str(reached)
    begin = time.monotonic()
    process = subprocess.Popen(test.command, cwd=test.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=limit or test.limit)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            return False, time.monotonic() - begin
        raise
    seconds = time.monotonic() - begin
    if (test.skip_code and process.returncode == test.skip_code) or (test.skipped_by and re.search(test.skipped_by, output)):
        return None, seconds
    return process.returncode == 0, seconds


def reached_folder(place, name):
    """Where a test notes which switches it came by. Cases of a table have names as long as their values."""
    return place / "reached" / f"{re.sub(r'[^a-zA-Z0-9.-]', '_', name)[:100]}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"


class Baseline:
    """What every test does without a change: {name: (seconds, numbers of the switches that it came by)} of those that pass."""

    def __init__(self, tests, place, jobs):
        self.tests, self.place, self.jobs, self.file = {test.name: test for test in tests}, place, jobs, place / "baseline.jsonl"
        self.told = {}
        if self.file.exists():
            self.told = {entry["name"]: entry for entry in map(json.loads, self.file.read_text().splitlines())}

    def run(self):
        left = [test for test in self.tests.values() if test.name not in self.told]
        with open(self.file, "a", encoding="utf-8") as log, concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for number, entry in enumerate(pool.map(self.one, [test for test in left if not test.alone]), 1):
                self.keep(entry, log)
                if number % 200 == 0:
                    print(f"{number} of {len(left)} tests ran without a change", flush=True)
            for test in left:
                if test.alone:
                    self.keep(self.one(test), log)

    def one(self, test):
        folder = reached_folder(self.place, test.name)
        folder.mkdir(parents=True, exist_ok=True)
        passed, seconds = run_test(test, reached=folder)
        return {"name": test.name, "passed": passed, "seconds": seconds, "reached": sorted(int(one.name) for one in folder.iterdir())}

    def keep(self, entry, log):
        self.told[entry["name"]] = entry
        log.write(json.dumps(entry) + "\n")
        log.flush()

    def reaching(self, number):
        """The tests that come by a switch, the quickest first."""
        found = [entry for entry in self.told.values() if entry["passed"] and number in entry["reached"]]
        return [self.tests[entry["name"]] for entry in sorted(found, key=lambda entry: entry["seconds"])]

    def judge(self, number):
        """(outcome, test that noticed it). A change that many slow tests come by would keep the others waiting: it may be told
        to survive too early, never the other way round."""
        reaching = self.reaching(number)
        end = time.monotonic() + LONGEST_JUDGEMENT
        for test in reaching:
            if time.monotonic() > end:
                break
            limit = min(test.limit, 20 + 10 * self.told[test.name]["seconds"])
            if run_test(test, number, limit=limit)[0] is not False:
                continue
            if run_test(test, number, limit=limit)[0] is False and run_test(test)[0]:
                return "noticed", test.name
        return ("survived" if reaching else "not run"), ""


def entry_of(change, content):
    """As tests/mutants has it."""
    old, new = lines_of(content, change)
    lines = [f"file: {change.file}", f"kind: {change.kind}"]
    return "\n".join(lines + [f"- {line}" for line in old.split("\n")] + [f"+ {line}" for line in new.split("\n")])


def table(head, outcomes):
    """The lines of the report by `head` of a change: its kind or its module."""
    count = collections.defaultdict(collections.Counter)
    for name, outcome in outcomes:
        count[name][outcome] += 1
    yield f"{head:<12}" + "".join(f"{word:>10}" for word in ("noticed", "survived", "not run", "percent"))
    for name in [*sorted(count), "all"]:
        row = count[name] if name != "all" else sum(count.values(), collections.Counter())
        share = f"{100 * row['noticed'] / sum(row.values()):.0f}" if row else "-"
        yield f"{name:<12}" + "".join(f"{row[word]:>10}" for word in ("noticed", "survived", "not run")) + f"{share:>10}"


def draw(root, tree, count, seeds, only, equivalent, place):
    """{seed: its changes}, kept in a file: another call with the same words goes on with them."""
    file = place / "draw.json"
    if file.exists():
        return {int(seed): [Change(*entry) for entry in entries] for seed, entries in json.loads(file.read_text()).items()}
    import mutant_places
    for words in (["--preset", "release", "-B", "build/tidy", "-DTAKT_UNITY=OFF", "-DTAKT_PRECOMPILE=OFF", "-DTAKT_BUILD_TESTS=OFF",
                   "-DTAKT_WITH_TORCH=ON"],
                  ["--build", "build/tidy", "--target", "src/model/onnx_schema/onnx-ml.pb.h"]):
        subprocess.run(["cmake", *words], cwd=tree.path, check=True, stdout=subprocess.DEVNULL)
    places, drawn = mutant_places.Draw(tree.path, mutant_places.commands_of(tree.path / "build/tidy")), {}
    for seed in seeds:
        drawn[seed] = []
        for one in places.draw(seed, count, only, equivalent):
            drawn[seed].append(one)
            print(f"seed {seed}, {len(drawn[seed])}: {one.kind} {one.file}:{one.line}: {' '.join(one.old.split())[:50]} -> "
                  f"{' '.join(one.new.split())[:50]}", flush=True)
    file.write_text(json.dumps(drawn))
    return drawn


def build(tree, drawn):
    """The copy with all changes behind their switches, built."""
    build_changed(tree, {file: with_switches((tree.root / file).read_bytes(), [(number, one) for number, one in enumerate(drawn) if one.file == file])
                         for file in {one.file for one in drawn}})


def build_changed(tree, changed):
    """Builds a copy whose sources are `changed`, by file; a second call with the same builds nothing."""
    tree.copy(changed)
    code, output = tree.call(["tools/build", "release", "-DTAKT_BUILD_TESTS=ON", "-DTAKT_WITH_TORCH=ON"])
    if code != 0:
        raise RuntimeError(f"the changed copy does not build:\n{output}")


def run(tree, count, seeds, only, equivalent, jobs):
    """Draws, builds, judges, prints. Returns 1 where a change survived."""
    place = tree.root / f"build/mutants/random-{count}-{'-'.join(map(str, seeds))}{'-' + '-'.join(only) if only else ''}"
    place.mkdir(parents=True, exist_ok=True)
    if not (place / "draw.json").exists():
        tree.copy()
    drawn = draw(tree.root, tree, count, seeds, only, equivalent, place)
    changes = [one for seed in seeds for one in drawn[seed]]
    build(tree, changes)
    baseline = Baseline(tests_of(tree.path / "build/release"), place, jobs)
    baseline.run()
    outcomes = judge_all(changes, baseline, place / "outcomes.jsonl", jobs)
    begin = 0
    for seed in seeds:
        numbers = range(begin, begin + len(drawn[seed]))
        begin = numbers.stop
        print(f"\nseed {seed}")
        print("\n".join(report(tree.root, {number: changes[number] for number in numbers}, outcomes, baseline)))
    return 0 if set(outcomes.values()) == {"noticed"} else 1


def judge_all(changes, baseline, log, jobs):
    """{number of a change: outcome}; the log says what an earlier call found."""
    outcomes = {entry["number"]: entry["outcome"] for entry in map(json.loads, log.read_text().splitlines())} if log.exists() else {}
    left = [number for number in range(len(changes)) if number not in outcomes]
    with open(log, "a", encoding="utf-8") as file, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, (outcome, by) in zip(left, pool.map(baseline.judge, left)):
            outcomes[number] = outcome
            file.write(json.dumps({"number": number, "outcome": outcome, "by": by}) + "\n")
            file.flush()
            one = changes[number]
            print(f"{len(outcomes)}/{len(changes)} {outcome:<8} {one.kind:<10} {one.file}:{one.line} {by}", flush=True)
    return outcomes


def report(root, drawn, outcomes, baseline):
    """The lines about changes, by number."""
    told = [(one, outcomes[number]) for number, one in drawn.items()]
    yield from table("kind", [(one.kind, outcome) for one, outcome in told])
    yield ""
    yield from table("module", [(module_of(one.file), outcome) for one, outcome in told])
    for number, one in drawn.items():
        if outcomes[number] == "noticed":
            continue
        names = [test.name for test in baseline.reaching(number)]
        yield f"\n# {outcomes[number]}, line {one.line}; {len(names)} tests run it: {', '.join(names[:4])}"
        yield entry_of(one, (root / one.file).read_bytes())
