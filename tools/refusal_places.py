"""Where a source refuses something, found by its words: every `throw …`, every call of what never returns, of `fail…`, and every
statement `check…(…)`, `require…(…)` or `refuse…(…)`, which refuses where an exception leaves it. TAKT_CHECK, a mistake in takt
itself, is none. What tools/refusals asks for, with the reasons of tests/refusals.txt."""

import re
from typing import NamedTuple

WORDS = re.compile(r"""//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*          # no code
                       |R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"
                       |[A-Za-z_]\w*|\d(?:'?[\w.])*|'(?:\\.|[^'\\\n])+'|::|->|[^\s\w]""", re.S | re.M | re.X)
NEVER_RETURNS = re.compile(r"\[\[[^\]]*\bnoreturn\b[^\]]*\]\][^;{(]*?(\w+)\(")
MAY_REFUSE = re.compile(r"(check|require|refuse)(_\w+)?$")
NOT_LOOKED_AT = {"src/base/basics/error.h"}  # everything includes it, and its one throw is that of everybody who calls it
NO_REFUSALS = {"end_now", "end_suddenly", "hang", "rethrow_as_error", "work_as_copy"}  # which never return for another reason
OPENING, CLOSING = "([{", ")]}"
BEFORE_CALLS = {"return", "co_return", "else", "do"}  # words that a declaration's type can't be


def in_one_piece(code):
    """Code on one line, a string that stands in several literals as one: where lines are broken does not matter."""
    return re.sub(r'(?<!\\)" "', "", " ".join(code.split())).replace("( ", "(")


class Place(NamedTuple):
    file: str  # from the checkout's root
    line: int
    text: str  # in one line
    begin: int  # characters of the file: what is noted, with `head` before and a bracket behind
    end: int
    head: str


class Reason(NamedTuple):
    line: int
    file: str
    texts: list
    reason: str


def words_of(content):
    found = [(one[0], one.start(), one.end()) for one in WORDS.finditer(content)]
    return [one for one in found if not one[0].startswith(("//", "/*")) and not one[0].lstrip().startswith("#")]


def partners_of(words):
    """Of each bracket, by its index, the one that belongs to it."""
    partners, open_ones = {}, []
    for i, (word, _, _) in enumerate(words):
        if word in OPENING:
            open_ones.append(i)
        elif word in CLOSING and open_ones:
            partners[i] = open_ones.pop()
            partners[partners[i]] = i
    return partners


class Source:
    """A source as words. `never_return`: names of functions, beside its own, that always throw."""

    def __init__(self, file, content, never_return=()):
        self.file, self.content, self.words = file, content, words_of(content)
        self.partners = partners_of(self.words)
        self.never_return = {*NEVER_RETURNS.findall(content), *never_return}

    def word(self, i):
        return self.words[i][0] if 0 <= i < len(self.words) else ""

    def places(self):
        for i, (word, begin, _) in enumerate(self.words):
            if word == "throw" and self.word(i + 1) != ";":
                last = self.end_of_operand(i + 1)
                yield self.place(i, i + 1, last, "(static_cast<void>(takt_mutant(@)), ")
            elif self.word(i + 1) == "(" and i + 1 in self.partners:
                head = self.head_of_call(i, word)
                if head:
                    first = self.begin_of_call(i)
                    yield self.place(first, first, self.partners[i + 1], head)

    def place(self, told, first, last, head):
        begin, end = self.words[first][1], self.words[last][2]
        text = in_one_piece(self.content[self.words[told][1]:end])
        return Place(self.file, self.content.count("\n", 0, begin) + 1, text, begin, end, head)

    def end_of_operand(self, i):
        """The last word of what is thrown."""
        questions = 0
        while i < len(self.words):
            word = self.word(i)
            if word in OPENING:
                i = self.partners[i]
            elif word == "?":
                questions += 1
            elif word == ":" and questions:
                questions -= 1
            elif word in (";", ",", ":", *CLOSING):
                return i - 1
            i += 1
        return i - 1

    def begin_of_call(self, i):
        """The first word of `a.b(c)->name`, from that of the name."""
        while self.word(i - 1) in (".", "->", "::"):
            i -= 1
            before = self.word(i - 1)
            if before in (")", "]") and i - 1 in self.partners:
                i = self.partners[i - 1]
            if re.match(r"\w", self.word(i - 1)) and self.word(i - 1) not in BEFORE_CALLS:
                i -= 1
        return i

    def head_of_call(self, i, name):
        before = self.word(self.begin_of_call(i) - 1)
        if before in (">", "*", "&", "~", "]") or (re.match(r"\w", before) and before not in BEFORE_CALLS):
            return None  # a declaration
        if name in NO_REFUSALS:
            return None
        if name in self.never_return or re.match(r"fail(_\w+)?$", name):
            return "(static_cast<void>(takt_mutant(@)), "
        is_statement = before in (";", "{", "}", ")", "else", "") and self.word(self.partners[i + 1] + 1) == ";"
        return "(TaktThrown(@), " if MAY_REFUSE.match(name) and is_statement else None


def sources_of(root):
    """Of src and include, in the order of their names."""
    paths = [path for folder in ("src", "include") for path in sorted((root / folder).rglob("*")) if path.suffix in (".cpp", ".h")]
    for path in paths:
        if str(path.relative_to(root)) in NOT_LOOKED_AT:
            continue
        header = path.with_suffix(".h")
        declared = NEVER_RETURNS.findall(header.read_text(encoding="utf-8")) if header.exists() else ()
        yield Source(str(path.relative_to(root)), path.read_text(encoding="utf-8"), declared)


def all_places(root):
    return [place for source in sources_of(root) for place in source.places()]


def with_notes(content, numbered):
    """The source, in which each of these places, (number, place) …, notes its number; they may lie in one another."""
    inserted = [(one.begin, 1, -one.end, one.head.replace("@", str(number))) for number, one in numbered]
    inserted += [(one.end, 0, -one.begin, ")") for _, one in numbered]
    parts, at = [], 0
    for offset, _, _, text in sorted(inserted):
        parts += [content[at:offset], text]
        at = offset
    return "".join([*parts, content[at:]])


def read_reasons(text):
    """Blocks of lines `file: PATH`, `- TEXT` once or more, and `reason: WHY`."""
    for block in re.finditer(r"(?:^(?!#)[^\n]+\n?)+", text, re.M):
        line = text.count("\n", 0, block.start()) + 1
        fields = [(found[1] or found[2], found[3]) for found in re.finditer(r"^(?:(file|reason): |(-) )(.*)$", block[0], re.M)]
        by_name = {name: value for name, value in fields}
        if len(fields) != len(block[0].strip().splitlines()) or set(by_name) != {"file", "-", "reason"}:
            raise ValueError(f"tests/refusals.txt:{line}: give 'file: PATH', '- TEXT' once or more, and 'reason: WHY'")
        yield Reason(line, by_name["file"], [value for name, value in fields if name == "-"], by_name["reason"])


def stale(reasons, places):
    """What is wrong with reasons whose text is at no place."""
    there = {(one.file, one.text) for one in places}
    for reason in reasons:
        for text in reason.texts:
            if (reason.file, text) not in there:
                yield f"tests/refusals.txt:{reason.line}: {reason.file} refuses nothing by: {text}"
