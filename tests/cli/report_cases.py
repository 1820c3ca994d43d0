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
    make_plans(takt_does, place)
    make_predictions(place)
    hostile = json.loads((place / "run.json").read_text())
    for table, key in (("operators", "name"), ("operators", "type"), ("types", "type"), ("summary", "model")):
        hostile["tables"][table][0][key] = HOSTILE
    (place / "hostile.json").write_text(json.dumps(hostile))
    return ["profile.json", "run.json", "compare.json", "pipeline.json", "diagnose.json", "analyze.json", "hostile.json",
            "search.json", "plan_run.json", "sweep.json", "evaluate.json", "predict.json", "fit.json"]


COSTS = {"units": ["CPU", "GPU", "NPU"],
         "times_us": {"CPU": [400, 100, 900, 50, 60, 300, 60], "GPU": [500, 200, 400, 20, 100, 150, 80],
                      "NPU": [600, 300, None, None, 120, 140, 60]},
         "transfers_us": {"CPU>GPU": 40, "host>GPU": 40, "GPU>host": 60, "GPU>CPU": 60, "GPU>NPU": 90, "CPU>NPU": 50,
                          "host>NPU": 50, "NPU>host": 50, "NPU>CPU": 50, "NPU>GPU": 90},
         "divide_us": {"partition": 30, "merge": 20}}
CASES = {"config": {"feature_dim": 16, "num_warmup": 1, "num_iterations": 3},
         "test_cases": [{"nodes": nodes, "edges": nodes * degree} for nodes in (100, 200, 400) for degree in (2, 4)]}


def make_plans(takt_does, place):
    """search.json, plan_run.json, sweep.json: of given costs and of simulated devices."""
    here = pathlib.Path(__file__).resolve().parent
    (place / "slowbox.yaml").write_text((here / "slowbox.yaml").read_text())
    (place / "costs.json").write_text(json.dumps(COSTS))
    (place / "cases.json").write_text(json.dumps(CASES))
    takt_does("plan", "search", "--costs", "costs.json", "--top", "4", "--plan", "PEP1", "--format", "json", "-o", "search.json")
    sweep = ["sweep", "--all", "--models", "sage", "--devices", "CPU=sim:box,GPU=sim:slowbox", "--cases", "cases.json", "--out", "sweep"]
    takt_does(*sweep, "--ranges", "--format", "json", "-o", "sweep.json")
    takt_does("plan", "run", "sweep", "--nodes", "400", "--edges", "1600", "--objective", "throughput", "--batches", "20",
              "--plan", "CPU[1-4] | GPU[5-7]", "--format", "json", "-o", "plan_run.json")


def make_predictions(place):
    """evaluate.json, predict.json, fit.json: with the columns of those commands, whose own results take minutes."""
    models = [("alexnet", 25.4, 27.0, "yes", 3.1), ("squeezenet", 3.83, 8.28, "no", 2.0), ("shufflenet", 2.47, 2.6, "yes", None)]
    error = [(predicted / measured - 1) * 100 for _, measured, predicted, _, _ in models]
    rows = [{"model": f"models/{name}.onnx", "measured_ms": measured, "predicted_ms": predicted, "low_ms": predicted * 0.9,
             "high_ms": predicted * 1.1, "error_percent": off, "inside": inside, "noise_percent": noise, "evaluate_problem": None}
            for (name, measured, predicted, inside, noise), off in zip(models, error)]
    summary = {"evaluated_models": 3, "mape": sum(map(abs, error)) / 3, "bias_percent": sum(error) / 3, "coverage_percent": 66.7,
               "noise_floor_percent": 2.55}
    kernels = [{"kernel_number": at + 1, "kernel_name": f"Conv_{at}", "tier": ("measured", "trained", "roofline")[at % 3],
                "predicted_us": 100.0 + at, "predicted_low_us": 90.0 + at, "predicted_high_us": 120.0 + at, "beyond": "no",
                "model": "net.onnx"} for at in range(9)]
    predicted = {"model": "net.onnx", "predicted_ms": 0.986, "low_ms": 0.9, "high_ms": 1.1, "model_kernels": 9,
                 "measured_percent": 33.3, "trained_percent": 33.3, "roofline_percent": 33.4, "overhead_ms": 0.05, "load_factor": 1.25, "load_from": "probe"}
    load = {"feature": "cpu_busy_share", "load_of": "host", "load_value": 0.5, "load_unit": "share", "age_us": None, "averaged_us": 1e5,
            "told_by": "host", "trouble": None}
    groups = [{"kernel_group": group, "group_kernels": 4, "group_measured_us": time, "group_predicted_us": time * 1.1,
               "group_share_percent": time / 10, "mape": mape, "bias_percent": bias, "within_15": 75.0}
              for group, time, mape, bias in (("conv", 900.0, 4.5, -1.5), ("pool", 100.0, 18.0, 12.0))]
    errors = [{"split": split, "error_level": "model", "method": method, "predictions": 10, "mape": mape, "noise_floor_percent": 1.5}
              for split, method, mape in (("model", "takt", 1.6), ("model", "roofline", 28.0), ("family", "takt", 2.8))]
    made = {"evaluate": {"summary": [summary], "models": rows, "groups": groups},
            "predict": {"summary": [predicted], "kernels": kernels, "load": [load]},
            "fit": {"errors": errors}}
    for command, tables in made.items():
        (place / f"{command}.json").write_text(json.dumps({"takt": {"command": ["takt", command, "x"]}, "tables": tables}))


def make_traces(place):
    """Writes a trace of a training and one with hostile names into `place`; returns their names."""
    here = pathlib.Path(__file__).resolve().parent
    (place / "loader.trace.json").write_bytes((here / "slow_loader.trace.json").read_bytes())
    events = [{"ph": "M", "pid": 1, "tid": 1, "name": kind, "args": {"name": HOSTILE}} for kind in ("process_name", "thread_name")]
    events += [{"ph": "X", "pid": 1, "tid": 1, "cat": "cpu_op", "name": HOSTILE if at == 0 else f"aten::mm{HOSTILE[at:40]}",
                "ts": 10 * at, "dur": 8} for at in range(20)]
    (place / "hostile.trace.json").write_text(json.dumps({"traceEvents": events}))
    return ["loader.trace.json", "hostile.trace.json"]


def make_graph(place):
    """graph.json: a profile of 72 operators in 41 levels: a chain with ways around it, and a level of 15 that one reads."""
    steps = [[]] + [[at - 1] + ([at - 6] if at % 9 == 0 else []) for at in range(1, 40)]  # what each reads
    wide = list(range(40, 56))
    steps += [[2]] * 16 + [[39, *wide[:15]]] + [[at] for at in range(0, 15)]
    write_profile(place / "graph.json", [(f"op{step}", ("Conv", "Relu", "Add")[step % 3]) for step in range(len(steps))], steps)
    return steps


def make_blocks(place, layers=40):
    """blocks.json: a profile of a chain of 1,686 operators, of an embedding and layers with an attention and an mlp; returns what a
    layer has."""
    types = ["MatMul", "Add", "Softmax", "Mul", "Transpose", "Reshape"]
    parts = {"attention": 16, "mlp": 26}
    ops = [(f"/model/embed/Gather_{at}", "Gather") for at in range(10)]
    ops += [(f"/model/layers.{layer}/{part}/{types[at % 6]}_{at}", types[at % 6])
            for layer in range(layers) for part, count in parts.items() for at in range(count)]
    ops += [(f"/head/{at}", "MatMul") for at in range(6)]
    write_profile(place / "blocks.json", ops, [[step - 1] if step else [] for step in range(len(ops))])
    return parts


def write_profile(path, ops, reads):
    """A profile of operators (name, type), of 1 to 7 us each, one after the other."""
    names = [str(step) for step in range(len(ops))]
    operators = {name: {"node_type": "operator", "id": name, "name": op, "type": kind, "input": [f"t{read}" for read in reads[step]],
                        "output": [f"t{name}"], "extra": {}, "waiting_spec": {}} for step, (name, (op, kind)) in enumerate(zip(names, ops))}
    device = {name: {"main": {"start": step * 1e-3, "kern": step * 1e-3, "end": step * 1e-3 + (1 + step % 7) * 1e-6}}
              for step, name in enumerate(names)}
    graph = {"comp_seq": names, "operator": operators, "var": {}, "mem_chunk": {}}
    path.write_text(json.dumps({"graph_exec": graph, "profiler": {"device": device, "host": device},
                                "opr_footprint": {name: {} for name in names}}))


def all_hostile(result):
    """The result with a hostile name in the first row of every table, in all of its texts."""
    result = copy.deepcopy(result)
    for rows in result["tables"].values():
        for key, value in (rows[0].items() if rows else ()):
            if isinstance(value, str):
                rows[0][key] = HOSTILE
    return result


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
