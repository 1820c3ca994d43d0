"""Blocks of commands in the documents, run as a reader would run them: from the root of a checkout, one after another.

    <!-- verified -->     what the commands print is compared with the block, byte for byte
    <!-- regenerated -->  a measurement: the commands must succeed and print tables with the block's column heads
    <!-- runs -->         the commands must succeed; the block shows nothing of what they print

Each document has a scratch folder that looks like the checkout (links to .sdk, examples and tests), so that files which
its commands write are found by later ones and nothing is left behind. No shell is used: only takt is run, `cp FILE NAME`
copies into the scratch folder, `| head -N` shows the first lines, and of `make TARGET` it is only asked whether there is
such a target.
"""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

PROGRAMS = ("takt", "build/release/takt")
MARKED = re.compile(r"^<!-- (verified|regenerated|runs) -->\n+```\w*\n(.*?)^```", flags=re.M | re.S)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", flags=re.M)


class Refused(Exception):
    """A command that may not be run from a document."""


class Checkout:
    """A scratch folder that looks like the root of the checkout after `make demo`."""

    def __init__(self, root, takt):
        self.root, self.takt = root, str(Path(takt).resolve())
        self.scratch = tempfile.TemporaryDirectory(prefix="takt_docs_")
        self.folder = Path(self.scratch.name)
        for name in (".sdk", "examples", "tests"):
            if (root / name).exists():
                (self.folder / name).symlink_to(root / name)
        (self.folder / "demo").mkdir()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.scratch.cleanup()

    def run(self, command):
        """(exit code, what a terminal shows). Warnings about this machine and build are no part of an answer."""
        words = shlex.split(command, comments=True)
        if words[:1] == ["cp"] and len(words) == 3 and os.path.basename(words[2]) == words[2]:
            shutil.copy(self.folder / words[1], self.folder / words[2])
            return 0, ""
        if words[:1] == ["make"]:
            done = subprocess.run(["make", "-n", *words[1:]], cwd=self.root, capture_output=True, text=True)
            return done.returncode, done.stderr
        if words[:1] and words[0] not in PROGRAMS:
            raise Refused(f"a block may run only takt, not '{command}'")
        lines = None
        if words[-3:-1] == ["|", "head"] and words[-1][1:].isdigit():
            lines, words = int(words[-1][1:]), words[:-3]
        environment = {**os.environ, "COLUMNS": "80", "LC_ALL": "C.UTF-8", "TAKT_CACHE_DIR": str(self.folder / "cache")}
        done = subprocess.run([self.takt, *words[1:]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=self.folder, env=environment, timeout=300)
        said = [] if done.returncode == 0 else done.stderr.splitlines()
        errors = [line for line in said if not line.startswith("takt: warning: ")]
        shown = done.stdout.splitlines(keepends=True)[:lines]
        return done.returncode, "".join(shown) + "".join(line + "\n" for line in errors)


def column_heads(text):
    """The heads of each table: the words above a rule, or of the first line where that is CSV."""
    lines = text.splitlines()
    heads = [re.split(r" {2,}", lines[i - 1].strip()) for i in range(1, len(lines)) if re.fullmatch("─+", lines[i])]
    if lines and re.fullmatch(r"[a-z0-9_]+(,[a-z0-9_]+)+", lines[0]):
        heads.append(lines[0].split(","))
    return heads


# There when the measurement has something to say in them, or when its figures leave room on the screen.
AT_TIMES = {"Mean/median", "Above peak", "GB/s", "Out shapes", "Kernel", "Fused"}


def always_there(head):
    return [name for name in head if name not in AT_TIMES]


def same_heads(expected, actual):
    printed = [always_there(head) for head in column_heads(actual)]
    return [head for head in column_heads(expected) if always_there(head) not in printed]


def unmarked(text):
    """Commands of blocks that nothing checks."""
    for block in re.findall(r"^```\w*\n(.*?)^```", MARKED.sub("", text), flags=re.M | re.S):
        found = re.search(r"^\$ ((?:build/release/)?takt|make)\b.*", block, flags=re.M)
        if found:
            yield found.group(0)


def regenerated(text, checkout):
    """The document with what its commands print now; raises Refused where one fails that may not."""

    def block(match):
        if match[1] == "runs":
            return match[0]
        lines = []
        for command, _ in COMMAND.findall(match[2]):
            status, printed = checkout.run(command)
            if status != 0 and match[1] == "regenerated":
                raise Refused(f"'{command}' ended with exit code {status}: {printed.strip()}")
            lines.append(f"$ {command}\n" + "".join(line.rstrip() + "\n" for line in printed.splitlines()))
        return match[0].replace(match[2], "".join(lines))

    return MARKED.sub(block, text)


def plain_commands(block):
    """The commands of a block without prompts: lines, without comments."""
    return [line for line in block.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def problems(text, checkout, difference):
    """What is wrong with the blocks of a document, a sentence each."""
    for command in unmarked(text):
        yield f"'{command}' is in a block that is neither verified nor regenerated"
    for kind, block in MARKED.findall(text):
        steps = [(line, "") for line in plain_commands(block)] if kind == "runs" else COMMAND.findall(block)
        if not steps:
            yield f"a block marked as {kind} has no command"
        for command, expected in steps:
            try:
                status, actual = checkout.run(command)
            except (Refused, OSError) as refused:
                yield str(refused)
                continue
            if kind == "verified" and trimmed(actual) != trimmed(expected):
                yield f"'{command}' prints something else:\n" + difference(expected, actual)
            elif kind != "verified" and status != 0:
                yield f"'{command}' ended with exit code {status}: {actual.strip()}"
            elif kind == "regenerated":
                for head in same_heads(expected, actual):
                    yield f"'{command}' prints no table with the columns {' | '.join(head)}"


def trimmed(text):
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
