#!/usr/bin/env python3
"""tools/draw_timeline.py TRACE OUT.svg [--takt FILE] [--until MS]: draws the beginning of a pipeline's trace as a picture
for a document: a row per device, a bar per execution with its batch, and what `takt pipeline analyze` says of the run.

The picture follows the reader's light or dark background. `make demo` writes demo/gnn.trace.json; from that comes
docs/gnn.svg: tools/draw_timeline.py demo/gnn.trace.json docs/gnn.svg
"""

import argparse
import json
import subprocess
from html import escape
from pathlib import Path

LEFT, RIGHT, WIDTH, TOP, ROW = 140, 12, 900, 58, 34
# Colours that tell the stages apart on white and on near-black, and for colour-blind eyes (Okabe and Ito).
COLOURS = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#d55e00")
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .small { font-size: 11px; fill: #59636e; } .title { font-weight: 600; } .in { font-size: 11px; fill: #111; }
  .idle { fill: #d1d9e0; opacity: .45; } .grid { stroke: #d1d9e0; }
  .paper { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; } .small { fill: #9198a1; } .in { fill: #111; }
    .idle { fill: #3d444d; } .grid { stroke: #3d444d; }
    .paper { fill: #0d1117; }
  }"""


def tables_of(trace, takt):
    printed = subprocess.run([takt, "pipeline", "analyze", trace, "--format", "json"], check=True, capture_output=True,
                             text=True).stdout
    return json.loads(printed)["tables"]


def executions(trace):
    """(row, stage, batch, start, end) of each execution in milliseconds; rows in the order of the trace."""
    events = json.loads(Path(trace).read_text(encoding="utf-8"))["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event.get("name") == "thread_name"}
    return [(names[event["tid"]], event["name"], event["args"]["batch_id"], event["ts"] / 1e3,
             (event["ts"] + event["dur"]) / 1e3) for event in events if event["ph"] == "X" and event["cat"] == "run"]


def label(svg, x, y, text, kind="", anchor="start"):
    svg.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>')


def draw_bar(svg, bar, scale, y, colour):
    _, stage, batch, start, end = bar
    x, width = LEFT + start * scale, (end - start) * scale - 1
    svg.append(f'<rect x="{x:.1f}" y="{y}" width="{max(width, 1):.1f}" height="{ROW - 10}" rx="2" fill="{colour}">'
               f"<title>{escape(stage)}, batch {batch}: {end - start:.1f} ms</title></rect>")
    if width > 14:
        label(svg, x + width / 2, y + 16, str(batch), "in", "middle")


def headline(summary):
    milliseconds = summary["cycle_us"] / 1e3
    return (f"{summary['pipeline']}: a batch every {milliseconds:.1f} ms; bottleneck: {summary['bottleneck']}, "
            f"{summary['margin_percent']:.0f} % more than {summary['second']}")


def busy(devices, row):
    """Of the device, so it stands below its first row."""
    found = [one for one in devices if row in (one["device"], one["device"] + " #1")]
    together = ", together" if row.endswith("#1") else ""
    return f"{found[0]['utilisation_percent']:.0f} % busy{together}" if found else ""


def picture(bars, tables, until):
    rows = sorted({bar[0] for bar in bars})
    stages = list(dict.fromkeys(bar[1] for bar in sorted(bars, key=lambda bar: bar[3])))
    colour = {stage: COLOURS[i % len(COLOURS)] for i, stage in enumerate(stages)}
    scale = (WIDTH - LEFT - RIGHT) / until
    height = TOP + ROW * len(rows) + 46
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
           f"<style>{STYLE}</style>",
           f'<rect width="{WIDTH}" height="{height}" class="paper"/>']  # readable where the page's colour is not known
    label(svg, 8, 20, headline(tables["summary"][0]), "title")
    x = LEFT
    for stage in stages:
        svg.append(f'<rect x="{x}" y="31" width="12" height="12" rx="2" fill="{colour[stage]}"/>')
        label(svg, x + 17, 42, stage, "small")
        x += 30 + 8 * len(stage)
    label(svg, x, 42, "grey: the device waits; numbers are batches", "small")
    for number, row in enumerate(rows):
        y = TOP + ROW * number
        label(svg, 8, y + 11, row.replace("sim:", ""))
        label(svg, 8, y + 24, busy(tables["devices"], row), "small")
        svg.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT - RIGHT}" height="{ROW - 10}" class="idle"/>')
        for bar in bars:
            if bar[0] == row and bar[3] < until:
                draw_bar(svg, (*bar[:4], min(bar[4], until)), scale, y, colour[bar[1]])
    bottom = TOP + ROW * len(rows)
    for tick in range(0, int(until) + 1, 100):
        x = LEFT + tick * scale
        svg.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{bottom}" y2="{bottom + 6}" class="grid"/>')
        label(svg, LEFT + tick * scale, bottom + 18, f"{tick} ms", "small", "middle" if tick else "start")
    path = tables["critical_path"][:2]
    parts = [f"{part['path_stage']} on {part['path_device']} {part['blame_percent']:.0f} %" for part in path]
    label(svg, 8, bottom + 38, "critical path: " + ", ".join(parts).replace("sim:", ""), "small")
    return "\n".join([*svg, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("out")
    parser.add_argument("--takt", default="build/release/takt")
    parser.add_argument("--until", type=float, default=620, help="milliseconds from the beginning. Default: 620")
    options = parser.parse_args()
    drawn = picture(executions(options.trace), tables_of(options.trace, options.takt), options.until)
    Path(options.out).write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
