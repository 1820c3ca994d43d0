#!/usr/bin/env python3
"""Checks the documentation against the program: docs/cli.md is what `--help` prints, links lead somewhere, and blocks
marked `<!-- verified -->` in any Markdown file show what their `$ takt …` lines really print.

--write writes docs/cli.md anew. The program is build/release/src/cli/takt, or --takt FILE.
"""

import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLI = ROOT / "docs" / "cli.md"
INTRODUCTION = """# Commands

What `takt --help` and `takt COMMAND --help` print. Written by `tools/check_docs.py --write`; do not edit.
"""


def output_of(takt, arguments):
    environment = {**os.environ, "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    done = subprocess.run([takt, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=ROOT,
                          env=environment, timeout=300)
    return done.returncode, done.stdout


def commands_in(help_text):
    """The commands that `takt --help` lists under its heading of that name, in its order."""
    names = []
    inside = False
    for line in help_text.splitlines():
        if re.match(r"(sub)?commands\b.*:\s*$", line, re.IGNORECASE):
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
        raise SystemExit(f"check_docs: '{takt} --help' lists no commands under 'Commands:'")
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
    """Runs the `$ takt …` lines of the blocks marked as verified; only takt is ever run."""
    text = path.read_text(encoding="utf-8")
    for block in re.findall(r"^<!-- verified -->\n+```\w*\n(.*?)^```", text, flags=re.M | re.S):
        for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, flags=re.M):
            words = shlex.split(command)
            if words[:1] != ["takt"]:
                yield f"{path.relative_to(ROOT)}: a verified block may run only takt, not '{command}'"
                continue
            _, actual = output_of(takt, words[1:])
            if actual.strip() != expected.strip():
                yield (f"{path.relative_to(ROOT)}: '{command}' prints something else:\n" + difference(expected, actual))


def difference(expected, actual):
    return "\n".join(difflib.unified_diff(expected.strip().splitlines(), actual.strip().splitlines(), "document",
                                          "program", lineterm="", n=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/cli.md anew")
    parser.add_argument("--takt", default=str(ROOT / "build/release/src/cli/takt"), help="the program to ask")
    options = parser.parse_args()
    if not os.access(options.takt, os.X_OK):
        sys.exit(f"check_docs: {options.takt} is not there; run 'make build', or name another with --takt")
    document = cli_document(options.takt)
    if options.write:
        CLI.write_text(document, encoding="utf-8")
    problems = []
    written = CLI.read_text(encoding="utf-8") if CLI.is_file() else ""
    if written != document:
        problems.append("docs/cli.md differs from --help; run tools/check_docs.py --write\n" + difference(written, document))
    files = markdown_files()
    for path in files:
        problems.extend(broken_links(path))
        problems.extend(wrong_blocks(path, options.takt))
    print("\n".join(problems) if problems else f"check_docs: {len(files)} files agree with the program")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
