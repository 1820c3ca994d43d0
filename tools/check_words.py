#!/usr/bin/env python3
"""Checks the words of the documents: how many there are, that no sentence is too long, that the glossary has no word twice,
and that the words which CONTRIBUTING lists as gone do not come back in what users read.

Prose is what stands outside of code blocks, table rows and comments. What users read is the documents' prose, every
`--help`, every sentence of `takt explain` and the comments of include/. The program is build/release/takt, or --takt FILE.
--list tells the words and the longest sentence of each document.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_WORDS = 20_000  # a person reads them in an hour and a half
MOST_IN_A_SENTENCE = 40
GONE_BEGIN, GONE_END = "<!-- words that went -->", "<!-- end of words that went -->"


def documents():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "src" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def prose_of(text):
    """The paragraphs, headings and list items of a Markdown text, each as one line of words."""
    text = re.sub(r"^```.*?^```", "\n", text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", "\n", text, flags=re.S)
    pieces, lines = [], []
    for line in [*text.splitlines(), ""]:
        begins = re.match(r"\s*([-*+]|\d+\.)\s|#", line)
        if lines and (begins or not line.strip() or line.lstrip().startswith("|")):
            pieces.append(" ".join(lines))
            lines = []
        if line.strip() and not line.lstrip().startswith("|"):
            lines.append(re.sub(r"^\s*([-*+]|\d+\.)\s+|^#+\s*", "", line).strip())
            if line.startswith("#"):
                pieces.append(lines.pop())
    return pieces


def words_in(piece):
    return [word for word in piece.split() if re.search(r"\w", word)]


def sentences_of(piece):
    piece = re.sub(r"`[^`]*`", "`code`", piece)  # a point in code ends no sentence
    return [sentence for sentence in re.split(r"(?<=[.!?])[)*\"]*\s+", piece) if sentence.strip()]


def repeated_words(glossary):
    """Words that two rows of the glossary explain; a row may explain several: `a`, `b`."""
    seen, again = set(), []
    for row in re.findall(r"^\| (?!word )(.*?) \|", glossary, flags=re.M):
        for word in {part.strip(" *`").lower() for part in row.split(",")}:
            if word in seen:
                again.append(word)
            seen.add(word)
    return again


def words_that_went(contributing):
    """The list of CONTRIBUTING: `old` → new, … between its two marks."""
    _, begin, rest = contributing.partition(GONE_BEGIN)
    listed, end, _ = rest.partition(GONE_END)
    gone = re.findall(r"`([^`]+)` →", listed)
    if not begin or not end or not gone:
        raise SystemExit(f"check_words: CONTRIBUTING.md has no list between '{GONE_BEGIN}' and '{GONE_END}'")
    return gone


def printed_by(takt):
    """What a user reads of the program: a page per command, and the meaning of every column."""
    def output(*words):
        return subprocess.run([takt, *words], capture_output=True, text=True, timeout=300, check=True, cwd=ROOT).stdout

    sys.path.insert(0, str(ROOT / "tools"))
    sys.dont_write_bytecode = True
    import check_docs
    return {"takt --help": check_docs.cli_document(takt), "takt explain": output("explain", "--format", "json")}


def comments_of_headers():
    """By header: its comments, each on the line that it has there."""
    def comment_in(line):
        return line.partition("//")[2].lstrip("/< ")

    return {str(path.relative_to(ROOT)): "\n".join(map(comment_in, path.read_text(encoding="utf-8").splitlines()))
            for path in sorted((ROOT / "include").rglob("*.h"))}


def came_back(gone, texts):
    pattern = re.compile(r"(?<![\w-])(" + "|".join(re.escape(words).replace(r"\ ", r"\s+") for words in gone) + r")(?![\w-])", re.I)
    for name, text in texts.items():
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{name}, line {line}: '{' '.join(found[0].split())}' is a word that went (CONTRIBUTING)"


def problems_of(takt, tell):
    total, texts = 0, {}
    for path in documents():
        name = str(path.relative_to(ROOT))
        pieces = prose_of(path.read_text(encoding="utf-8"))
        total += sum(len(words_in(piece)) for piece in pieces)
        sentences = [sentence for piece in pieces for sentence in sentences_of(piece)]
        if tell:
            longest = max((len(words_in(sentence)) for sentence in sentences), default=0)
            print(f"{sum(len(words_in(piece)) for piece in pieces):6} words, longest sentence {longest:3}  {name}")
        for sentence in sentences:
            if len(words_in(sentence)) > MOST_IN_A_SENTENCE:
                yield f"{name}: a sentence of {len(words_in(sentence))} words: {' '.join(sentence.split()[:12])} …"
        if name != "CONTRIBUTING.md":  # it lists them
            texts[name] = "\n".join(pieces)
    if tell:
        print(f"{total:6} words of prose in all; {MOST_WORDS} at most")
    if total > MOST_WORDS:
        yield f"the documents have {total} words of prose; {MOST_WORDS} at most"
    for word in repeated_words((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")):
        yield f"docs/glossary.md explains '{word}' twice"
    gone = words_that_went((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    yield from came_back(gone, {**texts, **printed_by(takt), **comments_of_headers()})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--takt", default=str(ROOT / "build" / "release" / "takt"))
    parser.add_argument("--list", action="store_true", help="words and longest sentence of each document")
    asked = parser.parse_args()
    found = list(problems_of(asked.takt, asked.list))
    for problem in found:
        print(f"check_words: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
