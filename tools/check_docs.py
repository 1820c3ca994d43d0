#!/usr/bin/env python3
"""Checks the documentation against the program: docs/cli.md is what `--help` prints, docs/tables.md has the
tables of `takt explain`, docs/gnn.svg is drawn from the program's own trace, links lead somewhere, and every block of
commands shows what the commands really print (doc_blocks.py has the kinds of blocks).

--write writes docs/cli.md, docs/tables.md and docs/gnn.svg again. --regenerate runs all blocks and writes
down what they print, measurements too: let the machine do nothing else. The program is build/release/takt, or --takt FILE.
"""

import argparse
import difflib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True  # nothing is left in tools/
sys.path.insert(0, str(Path(__file__).resolve().parent))
import doc_blocks
import draw_timeline
CLI = ROOT / "docs" / "cli.md"
PICTURE = ROOT / "docs" / "gnn.svg"
TABLES = ROOT / "docs" / "tables.md"
TABLES_BEGIN = "<!-- tables: written by `tools/check_docs.py --write`; do not edit -->"
TABLES_END = "<!-- end of tables -->"
INTRODUCTION = """# Commands

What `takt --help` and `takt COMMAND --help` print. Written by `tools/check_docs.py --write`; do not edit.
"""


def output_of(takt, arguments):
    environment = {**os.environ, "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    done = subprocess.run([takt, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=ROOT,
                          env=environment, timeout=300)
    return done.returncode, done.stdout


def commands_in(help_text):
    """The commands that a help lists, in its order: under "Commands:", or under the questions of `takt --help`."""
    names = []
    inside = False
    for line in help_text.splitlines():
        if re.match(r"Commands:$|[A-Z].*\?$", line):
            inside = True
        elif inside and line and not line.startswith(" "):
            inside = False
        elif inside and re.match(r" {1,4}[a-z][a-z0-9-]*( |$)", line):
            names.append(line.split()[0])
    return names


def cli_document(takt):
    parts = [INTRODUCTION]
    status, text = output_of(takt, ["--help"])
    if status != 0:
        raise SystemExit(f"check_docs: '{takt} --help' ended with exit code {status}")
    names = commands_in(text)
    if not names:
        raise SystemExit(f"check_docs: '{takt} --help' lists no commands")
    parts.append(f"## takt\n\n```text\n{text.strip()}\n```\n")
    for name in names:
        status, text = output_of(takt, [name, "--help"])
        if status != 0:
            raise SystemExit(f"check_docs: 'takt {name} --help' ended with exit code {status}")
        parts.append(f"## takt {name}\n\n```text\n{text.strip()}\n```\n")
        for inner in commands_in(text):
            status, text_inside = output_of(takt, [name, inner, "--help"])
            if status != 0:
                raise SystemExit(f"check_docs: 'takt {name} {inner} --help' ended with exit code {status}")
            parts.append(f"### takt {name} {inner}\n\n```text\n{text_inside.strip()}\n```\n")
    return "\n".join(parts)


def cell(text):
    return text.replace("|", "\\|")


def table_section(name, sentence, columns, rows):
    lines = [f"| table `{name}` | {cell(sentence)} |", "|---|---|"]
    lines += [f"| `{column['column']}` | {cell(column['meaning'])} |" for column in columns]
    lines += [f"| row `{row['named_row']}` | {cell(row['meaning'])} |" for row in rows]
    return "\n".join(lines) + "\n"


def tables_document(takt):
    """What `takt explain` knows, by command; commands with the same tables share a heading."""
    status, text = output_of(takt, ["explain", "--format", "json"])
    if status != 0:
        raise SystemExit(f"check_docs: 'takt explain --format json' ended with exit code {status}")
    told = json.loads(text)["tables"]
    commands = {}
    for table in told["tables"]:
        of_table = [[row for row in told[kind] if (row["command"], row["table"]) == (table["command"], table["table"])]
                    for kind in ("columns", "named_rows")]
        section = table_section(table["table"], table["sentence"], *of_table)
        commands.setdefault(table["command"], []).append(section)
    headings = {}
    for command, sections in commands.items():
        headings.setdefault("\n".join(sections), []).append(f"takt {command}")
    return "\n".join(f"## {', '.join(names)}\n\n{text}" for text, names in headings.items())


def with_tables(document, tables):
    """`document` with `tables` between its two marks."""
    before, begin, rest = document.partition(TABLES_BEGIN)
    _, end, after = rest.partition(TABLES_END)
    if not begin or not end:
        raise SystemExit(f"check_docs: {TABLES.name} has no lines '{TABLES_BEGIN}' and '{TABLES_END}'")
    return f"{before}{begin}\n\n{tables}\n{end}{after}"


def markdown_files():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in sorted(listed.split("\0")) if name and (ROOT / name).is_file()]


def anchors(text):
    """The anchors of a Markdown file's headings, as the common renderers make them."""
    heads = re.findall(r"^#+ +(.*?) *$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def broken_links(path):
    text = path.read_text(encoding="utf-8")
    prose = re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name) if name else path
        if not file.exists():
            yield f"{path.relative_to(ROOT)}: the link '{target}' leads nowhere"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"{path.relative_to(ROOT)}: the link '{target}' names a heading that is not there"


def wrong_blocks(path, takt):
    with doc_blocks.Checkout(ROOT, takt) as checkout:
        for problem in doc_blocks.problems(path.read_text(encoding="utf-8"), checkout, difference):
            yield f"{path.relative_to(ROOT)}: {problem}"


def regenerate(path, takt):
    text = path.read_text(encoding="utf-8")
    with doc_blocks.Checkout(ROOT, takt) as checkout:
        try:
            path.write_text(doc_blocks.regenerated(text, checkout), encoding="utf-8")
        except doc_blocks.Refused as refused:
            sys.exit(f"check_docs: {path.relative_to(ROOT)}: {refused}")


def pipeline_picture(takt):
    """docs/gnn.svg as the program's own trace of the simulated pipeline gives it."""
    with doc_blocks.Checkout(ROOT, takt) as checkout:
        pipeline = "examples/pipelines/gnn.yaml"
        status, printed = checkout.run(f"takt pipeline run {pipeline} --simulate --trace gnn.trace.json")
        if status != 0:
            raise SystemExit(f"check_docs: the pipeline of docs/gnn.svg does not run: {printed.strip()}")
        trace = checkout.folder / "gnn.trace.json"
        tables = draw_timeline.tables_of(trace, checkout.takt)
        return draw_timeline.picture(draw_timeline.executions(trace), tables, 620)


def difference(expected, actual):
    return "\n".join(difflib.unified_diff(expected.strip().splitlines(), actual.strip().splitlines(), "document",
                                          "program", lineterm="", n=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write what is generated anew: commands, tables, picture")
    parser.add_argument("--regenerate", action="store_true", help="write what the blocks' commands print now")
    parser.add_argument("--takt", default=str(ROOT / "build/release/takt"), help="the program to ask")
    options = parser.parse_args()
    if not os.access(options.takt, os.X_OK):
        sys.exit(f"check_docs: {options.takt} is not there; run 'make build', or name another with --takt")
    document = cli_document(options.takt)
    tables = with_tables(TABLES.read_text(encoding="utf-8"), tables_document(options.takt))
    if options.write:
        CLI.write_text(document, encoding="utf-8")
        TABLES.write_text(tables, encoding="utf-8")
    problems = []
    drawn = pipeline_picture(options.takt)
    if options.write:
        PICTURE.write_text(drawn, encoding="utf-8")
    if not PICTURE.is_file() or PICTURE.read_text(encoding="utf-8") != drawn:
        problems.append("docs/gnn.svg differs from what the program's trace gives; run tools/check_docs.py --write")
    written = CLI.read_text(encoding="utf-8") if CLI.is_file() else ""
    if written != document:
        problems.append("docs/cli.md differs from --help; run tools/check_docs.py --write\n" + difference(written, document))
    written = TABLES.read_text(encoding="utf-8")
    if written != tables:
        problems.append("docs/tables.md differs from 'takt explain'; run tools/check_docs.py --write\n" +
                        difference(written, tables))
    files = markdown_files()
    for path in files:
        if options.regenerate:
            regenerate(path, options.takt)
        problems.extend(broken_links(path))
        problems.extend(wrong_blocks(path, options.takt))
    print("\n".join(problems) if problems else f"check_docs: {len(files)} files agree with the program")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
