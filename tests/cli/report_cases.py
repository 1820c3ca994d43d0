"""A result of every kind that `takt report` has a picture for, with hostile names, on simulated devices."""
import json
import pathlib
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
