#!/usr/bin/env python3
"""report_test.py TAKT MAKE_MODELS: pages of `takt report` carry every number of the JSON they are made of, names cannot end
an element, their bars add up, and a damaged result gives a sentence and no file. The browser's side is report_page_test.py."""
import base64
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

from report_cases import HOSTILE, make_results


def page_parts(page):
    """What the page carries, as its script reads it: JSON, and the columns of timelines behind a NUL."""
    text = re.search(r'<script id="takt-data" type="application/json">(.*?)</script>', page, re.DOTALL)[1]
    assert re.fullmatch(r"[A-Za-z0-9+/]+=*", text), text[:80]
    told, _, columns = zlib.decompress(base64.b64decode(text), wbits=-15).partition(b"\0")
    return json.loads(told), columns


def page_data(page):
    return page_parts(page)[0]


def numbers(columns, at):
    """Those of a column: seven bits a byte, the lowest first."""
    while True:
        number = shift = 0
        while columns[at] >= 128:
            number |= (columns[at] & 127) << shift
            at, shift = at + 1, shift + 7
        yield number | columns[at] << shift
        at += 1


def timeline_events(timeline, columns):
    """(row, name, start, duration) of every event in the page, in ns from the trace's base time, and (row, level) of each."""
    steps, durations, names = (numbers(columns, timeline["columns"][key]) for key in ("steps", "durations", "names"))
    events = []
    for row in timeline["rows"]:
        for level in row["levels"]:
            time = timeline["begin_ns"]
            for _ in range(level):
                start = time + next(steps) * timeline["unit_ns"]
                time = start + next(durations) * timeline["unit_ns"]
                events.append((row["name"], timeline["names"][next(names)], start, time - start))
    return events


def table_of(columns):
    count = len(columns[0]["values"]) if columns else 0
    return [{column["key"]: column["values"][row] for column in columns} for row in range(count)]


def check_tables(result, source):
    """Every table, row and cell of the JSON, and nothing else."""
    shown = {table["name"]: table_of(table["columns"]) for table in result["tables"]}
    assert shown.keys() == source["tables"].keys(), (shown.keys(), source["tables"].keys())
    for name, rows in source["tables"].items():
        assert shown[name] == rows, (name, shown[name], rows)
        for column in next(table for table in result["tables"] if table["name"] == name)["columns"]:
            assert column["meaning"] and "Not known to this version" not in column["meaning"], (name, column["key"])


def check_board(result, tables):
    """Loads are those of the table, what is to spare is the rest up to the beat, and the path adds up to the last delivery."""
    board, cycle = result["board"], tables["summary"][0]["cycle_us"]
    assert board["cycle"] == cycle, board
    for station, row in zip(board["stations"], tables["stages"]):
        assert (station["name"], station["load"], station["queue_wait"]) == (row["stage"], row["load_us"], row["queue_mean_us"])
    assert all(station["spare"] is None for station in board["stations"]), "no stage reaches the beat of so few batches"
    (path,) = [bar for bar in result["bars"] if bar["view"] == "path"]
    assert abs(path["whole"] - sum(row["path_us"] for row in tables["critical_path"])) < 1e-6, path
    assert result["titles"]["board"] == "No stage alone takes as long as the beat; infer takes longest: 3.30 ms", result["titles"]


def check_bars(result):
    for bar in result["bars"]:
        total = sum(part["value"] for part in bar["parts"])
        assert abs(total - bar["whole"]) <= 1e-9 * max(1, bar["whole"]), (bar["title"], total, bar["whole"])


def main():
    takt, make_models = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        names = make_results(takt, make_models, place)

        def report(*words):
            return subprocess.run([takt, "report", *words], cwd=folder, capture_output=True, text=True, check=False)

        done = report(*names, "-o", "page.html")
        assert done.returncode == 0, done
        page = (place / "page.html").read_text()
        assert HOSTILE.split('"')[0] not in page, "a name stands in the page as markup"
        assert page.count("</script>") == 2, page.count("</script>")
        data = page_data(page)
        assert [result["name"] for result in data["results"]] == names
        for name, result in zip(names, data["results"]):
            source = json.loads((place / name).read_text())
            check_bars(result)
            assert 0 < len(result["headline"]) and "\n" not in result["headline"], result["headline"]
            if "tables" in source:
                check_tables(result, source)
            else:
                samples = source["takt"]["profile"]["plain_samples_ns"]
                assert result["runs_us"] == [sample / 1000 for sample in samples]
                assert [mark["label"] for mark in result["run_marks"]] == ["median", "p90"], result["run_marks"]
                assert all(min(result["runs_us"]) <= mark["value"] <= max(result["runs_us"]) for mark in result["run_marks"])
                assert abs(result["bars"][0]["whole"] - sum(samples) / len(samples) / 1000) < 1e-6, result["bars"]
        by_name = {result["name"]: result for result in data["results"]}
        assert any("timeline" in words for words in by_name["pipeline.json"]["missing"] + by_name["diagnose.json"]["missing"])
        assert by_name["run.json"]["headline"] == "small.onnx takes 90.0 µs a run; Conv takes 55.6 % of it"
        assert by_name["pipeline.json"]["headline"] == "infer sets the beat: a batch every 3.50 ms"
        assert by_name["diagnose.json"]["headline"] == "data starvation costs 8.95 ms of a step of 24.0 ms"
        rest = by_name["profile.json"]["bars"][0]["parts"][-1]
        assert (rest["kind"], rest["label"]) == ("other", "[unattributed]") and abs(rest["value"] - 5) < 1e-9, rest
        assert [bar["title"] for bar in by_name["pipeline.json"]["bars"] if bar["view"] == "devices"] == ["sim:CPU", "sim:GPU", "sim:NPU"]
        check_board(by_name["pipeline.json"], json.loads((place / "pipeline.json").read_text())["tables"])
        assert by_name["search.json"]["headline"] == "CPU+GPU[1-7 0.437/0.563]: 867 µs a batch, 1.79 times as fast as the best single unit"
        assert by_name["plan_run.json"]["headline"].startswith("GPU[1-6] | CPU[7] takes 585 µs, 37.8 % less"), by_name["plan_run.json"]["headline"]
        assert by_name["sweep.json"]["headline"] == "CPU is the fastest for all 7 stages", by_name["sweep.json"]["headline"]

        for name in names:  # cut off anywhere: a sentence that names the file, and no page
            whole = (place / name).read_bytes()
            for share in (0, 1, 5, 9):
                (place / "cut.json").write_bytes(whole[: len(whole) * share // 10])
                done = report("cut.json", "-o", "cut.html")
                assert done.returncode == 1 and "cut.json" in done.stderr and not (place / "cut.html").exists(), (name, share, done)
        run = json.loads((place / "run.json").read_text())
        for spoil, words in [({"tables": []}, "'tables'"), ({"takt": {}}, "'command'"), ({"takt": 3}, "'command'"),
                             ({"tables": {"types": {}}}, "'types'"), ({"tables": {"types": [3]}}, "'types'"),
                             ({"tables": {"types": [{"type": []}]}}, "'types', 'type'")]:
            (place / "cut.json").write_text(json.dumps({**run, **spoil}))
            done = report("cut.json", "-o", "cut.html")
            assert done.returncode == 1 and words in done.stderr and not (place / "cut.html").exists(), (spoil, done)
        check_option_report(takt, place)
        check_traces(takt, place)
        check_ranks(takt, place)
        check_timelines(takt, place)


def without_clocks(text):
    """Without what a simulated run has measured: how long it took to load, and the host's own time."""
    return [line for line in text.splitlines() if not re.search(r"loaded in|^Host mean", line)]


def check_option_report(takt, place):
    """--report writes the page that takt report makes of the same result, whatever is printed."""
    trace = pathlib.Path(__file__).resolve().parent / "slow_loader.trace.json"
    for words in (["run", "small.onnx", "--device", "sim:box", "--iter", "20"], ["compare", "profile.json", "profile.json"],
                  ["pipeline", "run", "pipe.yaml", "--simulate", "--batches", "10", "--trace", ""], ["diagnose", trace]):
        subprocess.run([takt, *words, "--format", "json", "-o", "same.json", "--report", "same.html"], cwd=place, check=True,
                       capture_output=True)
        (of_option,) = page_data((place / "same.html").read_text())["results"]
        check_tables(of_option, json.loads((place / "same.json").read_text()))
        subprocess.run([takt, "report", "same.json", "-o", "other.html"], cwd=place, check=True, capture_output=True)
        (of_report,) = page_data((place / "other.html").read_text())["results"]
        if words[0] == "pipeline":  # the run is at hand: its changes are answered
            assert of_option["what_ifs"] and not of_report["what_ifs"] and of_option["titles"].pop("what-if"), words
            of_report.update({key: of_option[key] for key in ("what_ifs", "what_if_command")})
        if words[0] in ("pipeline", "diagnose"):  # and the events: nothing is said to be missing
            assert of_option["timeline"]["rows"] and not of_option["missing"] and of_report["missing"], words
            of_report.update({key: of_option[key] for key in ("timeline", "missing")})
        assert {**of_option, "name": ""} == {**of_report, "name": ""}, words
        text = subprocess.run([takt, *words], cwd=place, check=True, capture_output=True, text=True).stdout
        both = subprocess.run([takt, *words, "--report", "same.html"], cwd=place, check=True, capture_output=True, text=True)
        (of_text,) = page_data((place / "same.html").read_text())["results"]
        assert without_clocks(both.stdout) == without_clocks(text) and "same.html" in both.stderr, (both, text)
        assert (of_text["headline"], of_text["bars"]) == (of_option["headline"], of_option["bars"]), words


def check_traces(takt, place):
    """A trace needs no command before: the page has what diagnose says, and the metrics of --show that have rows."""
    trace = pathlib.Path(__file__).resolve().parent / "slow_loader.trace.json"
    (place / "packed.json.gz").write_bytes(gzip.compress(trace.read_bytes()))
    subprocess.run([takt, "report", trace, "packed.json.gz", "-o", "traces.html"], cwd=place, check=True, capture_output=True)
    results = page_data((place / "traces.html").read_text())["results"]
    assert [result["name"] for result in results] == [trace.name, "packed.json.gz"]
    for result in results:
        check_bars(result)
        assert result["headline"] == "data starvation costs 8.95 ms of a step of 24.0 ms", result["headline"]
        labels = [entry["label"] for entry in result["origin"]]
        assert labels[0] == "trace" and "read" in labels and "machine" not in labels, labels  # this machine did not record it
        assert {"verdicts", "kernels", "phases"} <= {table["name"] for table in result["tables"]}


def check_ranks(takt, place):
    """Traces of two ranks, the second 7 ms later by its clock: one timeline, with every event of both at its time."""
    trace = json.loads((pathlib.Path(__file__).resolve().parent / "slow_loader.trace.json").read_text())
    for rank in (0, 1):
        moved = [{**event, "ts": event["ts"] + 7000 * rank} if "ts" in event else event for event in trace["traceEvents"]]
        (place / f"run_rank_{rank}.json").write_text(json.dumps({**trace, "traceEvents": moved}))
    subprocess.run([takt, "diagnose", "run_rank_0.json", "run_rank_1.json", "--report", "ranks.html"], cwd=place, check=True,
                   capture_output=True)
    data, columns = page_parts((place / "ranks.html").read_text())
    (result,) = data["results"]
    assert result["headline"] == "data starvation costs 8.95 ms of a step of 24.0 ms in rank_0", result["headline"]
    assert [bar["title"] for bar in result["bars"] if bar["view"] == "ranks"] == ["rank_0", "rank_1"]
    assert result["titles"]["ranks"] == "A step takes as long in all traces: 24.0 ms", result["titles"]
    timeline = result["timeline"]
    first, second = ([row for row in timeline["rows"] if row["name"].startswith(f"rank_{rank} · ")] for rank in (0, 1))
    assert len(first) == len(second) > 1 and len(first) + len(second) == len(timeline["rows"])
    events = timeline_events(timeline, columns)
    of_first = [(name, start, long) for row, name, start, long in events if row.startswith("rank_0")]
    of_second = [(name, start - 7_000_000, long) for row, name, start, long in events if row.startswith("rank_1")]
    assert of_first == of_second and len(events) == 2 * sum(event["ph"] == "X" for event in trace["traceEvents"])
    begins = [rank["begin_ns"] for rank in timeline["ranks"]]
    assert begins[0] - begins[1] in (0, 7_000_000), begins  # the reader may move the base


def difference(number):
    """Its sign is the lowest bit."""
    return number // 2 if number % 2 == 0 else -(number + 1) // 2


def arrows_of(timeline, columns, events):
    """The events at both ends of each."""
    column = numbers(columns, timeline["columns"]["flows"])
    begin = end = 0
    for _ in range(timeline["flows"]):
        begin, end = begin + next(column), end + difference(next(column))
        yield events[begin], events[end]


def check_timelines(takt, place):
    """Every event of a trace is in its page, with its row, name and time; the tables are those of the command for such a trace."""
    here = pathlib.Path(__file__).resolve().parent
    subprocess.run([takt, "pipeline", "run", "pipe.yaml", "--simulate", "--batches", "10", "--trace", "pipe.trace.json"], cwd=place,
                   check=True, capture_output=True)
    subprocess.run([takt, "run", "small.onnx", "--device", "sim:box", "--iter", "20", "--trace", "run.trace.json"], cwd=place,
                   check=True, capture_output=True)
    (place / "loader.trace.json").write_bytes((here / "slow_loader.trace.json").read_bytes())
    cases = {"loader.trace.json": ["diagnose"], "pipe.trace.json": ["pipeline", "analyze"], "run.trace.json": ["trace", "info"]}
    done = subprocess.run([takt, "report", *cases, "-o", "timelines.html"], cwd=place, check=True, capture_output=True, text=True)
    assert "left out" not in done.stderr, done
    data, columns = page_parts((place / "timelines.html").read_text())
    for (name, command), result in zip(cases.items(), data["results"]):
        said = json.loads(subprocess.run([takt, *command, name, "--format", "json"], cwd=place, check=True, capture_output=True).stdout)
        shown = {table["name"]: table_of(table["columns"]) for table in result["tables"]}
        for table, rows in said["tables"].items():
            assert shown[table] == rows, (name, table)
        events = timeline_events(result["timeline"], columns)
        trace = [event for event in json.loads((place / name).read_text())["traceEvents"] if event["ph"] == "X"]
        assert not result["missing"], result["missing"]
        assert len(events) == len(trace) > 0, (name, len(events), len(trace))
        wanted = sorted((event["name"], round(event["ts"] * 1000), round(event["dur"] * 1000)) for event in trace)
        first = min(start for _, start, _ in wanted) - min(start for _, _, start, _ in events)  # writers may move the base
        assert sorted((called, start + first, long) for _, called, start, long in events) == wanted, name
        for row in shown["rows"]:
            assert sum(event[0] == row["row"] for event in events) == row["events"], (name, row)
        sent = {event["id"] for event in json.loads((place / name).read_text())["traceEvents"] if event["ph"] == "s"}
        arrows = list(arrows_of(result["timeline"], columns, events))
        assert len(arrows) >= len(sent) and all(begin[2] <= end[2] for begin, end in arrows), (name, len(arrows), len(sent))
        if name == "loader.trace.json":
            assert all(begin[1].startswith("cuda") and begin[0] != end[0] for begin, end in arrows), arrows[:3]
    by_name = {result["name"]: result for result in data["results"]}
    counted = [event for event in json.loads((place / "pipe.trace.json").read_text())["traceEvents"] if event["ph"] == "C"]
    counters = by_name["pipe.trace.json"]["timeline"]["counters"]
    assert sum(counter["samples"] for counter in counters) == sum(len(event["args"]) for event in counted) > 0, counters
    assert by_name["pipe.trace.json"]["headline"] == "infer sets the beat: a batch every 3.50 ms"
    assert by_name["run.trace.json"]["headline"].startswith("80 events on "), by_name["run.trace.json"]["headline"]
    timeline = by_name["pipe.trace.json"]["timeline"]
    kinds = {name: timeline["kinds"][kind]["colour"] for name, kind in zip(timeline["names"], timeline["kind_of_name"])}
    assert [kinds[stage] for stage in ("load", "infer", "store")] == ["k1", "k2", "k4"], kinds


if __name__ == "__main__":
    main()
