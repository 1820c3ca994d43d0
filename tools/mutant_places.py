"""Small mistakes that somebody could make in a source, found by its syntax tree (libclang 14): what `tools/mutants --random`
draws from. A change is one token or expression that still compiles and means something else."""

import json
import random
import re
import shlex
from pathlib import Path

from clang import cindex
from clang.cindex import CursorKind as K

from random_mutants import Change, lines_of, module_of, overlaps, with_switches

RESOURCES = "/usr/lib/llvm-14/lib/clang/14.0.6"  # of the compiler's own headers
COMPARISONS = {"<": ("boundary", "<="), "<=": ("boundary", "<"), ">": ("boundary", ">="), ">=": ("boundary", ">"),
               "==": ("comparison", "!="), "!=": ("comparison", "==")}
OTHER_STEP = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/"}
OTHER_NAME = {"min": ("extreme", "max"), "max": ("extreme", "min"), "front": ("order", "back"), "back": ("order", "front"),
              "min_element": ("extreme", "max_element"), "max_element": ("extreme", "min_element"),
              "lower_bound": ("boundary", "upper_bound"), "upper_bound": ("boundary", "lower_bound"),
              "all_of": ("condition", "any_of"), "any_of": ("condition", "all_of"), "none_of": ("condition", "any_of"),
              "ceil": ("boundary", "floor"), "floor": ("boundary", "ceil"), "push_back": ("order", None)}
UNITS = {"1000": "1", "1000000": "1000", "1000000000": "1000000", "1e3": "1", "1e6": "1e3", "1e9": "1e6", "1024": "1000", "100": "1"}
# Statements without which a program says or takes something else, and computes the same.
SILENT = re.compile(r"(\w+(\.|->))?(reserve|shrink_to_fit|log_\w+|give_back_free_memory|begin_step|static_cast<void>)\s*\(")
LOCK = re.compile(r"(?:const\s+)?std::(?:lock_guard|unique_lock|scoped_lock)(?:<[^;]*>)?\s+(\w+)\s*[({]([\w.>\-]+)[)}]$")
CONSTANT = re.compile(r"\b(constexpr|consteval|constinit)\b")


def commands_of(folder):
    """{source: arguments of the compiler} of a folder that was configured without pieces and precompiled headers."""
    found = {}
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        words = [word for word in shlex.split(entry["command"])[1:] if not word.startswith("-W")]
        found[entry["file"]] = [*words[:words.index("-o")], "-resource-dir", RESOURCES, "-w"]
    return found


class Source:
    """A source and its tree. `through`: the source that a header is compiled with."""

    def __init__(self, root, file, arguments, through=None):
        self.file, self.path, self.through = file, root / file, str(through or root / file)
        self.bytes = self.path.read_bytes()
        self.arguments, self.index = arguments, cindex.Index.create()
        options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        unit = self.index.parse(self.through, arguments, options=options)  # not kept: it takes a hundred MB
        self.macros = [self.range_of(one) for one in unit.cursor.get_children()
                       if one.kind == K.MACRO_INSTANTIATION and self.is_here(one)]
        self.changes = []
        for child in unit.cursor.get_children():
            if child.kind not in (K.MACRO_INSTANTIATION, K.MACRO_DEFINITION, K.INCLUSION_DIRECTIVE):
                self.walk(child, None, None)

    def is_here(self, cursor):
        return cursor.location.file is not None and cursor.location.file.name == str(self.path)

    @staticmethod
    def range_of(cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def text(self, begin, end):
        return self.bytes[begin:end].decode()

    def text_of(self, cursor):
        return self.text(*self.range_of(cursor))

    def compiles(self, content):
        """Whether the source would compile as `content`."""
        unit = self.index.parse(self.through, self.arguments, unsaved_files=[(str(self.path), content)])
        return not any(one.severity >= cindex.Diagnostic.Error for one in unit.diagnostics)

    def add(self, kind, begin, end, new, switched):
        old = self.text(begin, end)
        line = self.bytes[:begin].count(b"\n") + 1
        self.changes.append(Change(self.file, line, kind, begin, end, old, new, switched))

    def add_expression(self, kind, begin, end, new):
        self.add(kind, begin, end, new, f"(takt_mutant(@) ? ({new}) : ({self.text(begin, end)}))")

    # What is computed when the program is compiled, and what is no code, has no place for a switch.
    def walk(self, cursor, function, parent):
        kind = cursor.kind
        if cursor.location.file is None or kind in (K.STATIC_ASSERT, K.ENUM_DECL, K.TYPE_ALIAS_DECL, K.TYPEDEF_DECL):
            return
        if kind not in (K.NAMESPACE, K.LINKAGE_SPEC) and not self.is_here(cursor):
            return
        if kind in (K.VAR_DECL, K.DECL_STMT) and CONSTANT.search(self.text_of(cursor).split("=")[0]):
            return
        begin, end = self.range_of(cursor)
        if not any(a <= begin < b for a, b in self.macros):
            if kind in (K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.FUNCTION_TEMPLATE, K.CONVERSION_FUNCTION):
                function = cursor
            if function is not None or kind == K.FIELD_DECL:
                self.look(cursor, function, parent)
        children = list(cursor.get_children())
        if kind in (K.VAR_DECL, K.FIELD_DECL) and cursor.type.kind == cindex.TypeKind.CONSTANTARRAY:
            children = [child for child in children if child.kind != K.INTEGER_LITERAL]  # how many elements it has
        for child in children[1:] if kind == K.CASE_STMT else children:
            self.walk(child, function, cursor)

    def look(self, cursor, function, parent):
        kind = cursor.kind
        if kind == K.BINARY_OPERATOR or (kind == K.CALL_EXPR and cursor.spelling.startswith("operator")):
            self.operator(cursor)
        if kind == K.CALL_EXPR:
            self.call(cursor)
        elif kind == K.UNARY_OPERATOR and self.text_of(cursor).startswith("!"):
            self.add_expression("condition", *self.range_of(cursor), f"!!({self.text_of(cursor)[1:]})")
        elif kind == K.CONDITIONAL_OPERATOR:
            self.conditional(cursor)
        elif kind in (K.INTEGER_LITERAL, K.FLOATING_LITERAL, K.CXX_BOOL_LITERAL_EXPR):
            self.literal(cursor)
        elif kind in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR):
            self.variable(cursor, function)
        elif kind == K.IF_STMT:
            self.early_end(cursor)
        if parent is not None and parent.kind in (K.COMPOUND_STMT, K.IF_STMT, K.FOR_STMT, K.CXX_FOR_RANGE_STMT):
            self.statement(cursor, parent)

    def operator(self, cursor):
        parts = list(cursor.get_children())
        if len(parts) not in (2, 3):
            return
        left, right = parts[0], parts[-1]
        (begin, middle), (then, end) = self.range_of(left), self.range_of(right)
        sign = self.text(middle, then).strip()
        a, b = self.text(begin, middle), self.text(then, end)
        if sign in COMPARISONS:
            kind, other = COMPARISONS[sign]
            self.add_expression(kind, begin, end, f"{a} {other} {b}")
        elif sign in ("&&", "||"):
            self.add_expression("condition", begin, end, a)
            self.add_expression("condition", begin, end, b)
        elif sign in ("|", "&") or sign in OTHER_STEP:
            self.add_expression("term", begin, end, a)
            if sign in OTHER_STEP:
                self.add_expression("term", begin, end, f"{a} {OTHER_STEP[sign]} {b}")
        elif sign in ("+=", "-=", "*=") and cursor.type.kind != cindex.TypeKind.VOID:
            self.add_expression("term", begin, end, f"{a} = {b}")

    def call(self, cursor):
        begin, end = self.range_of(cursor)
        text = self.text(begin, end)
        name = cursor.spelling
        if name in OTHER_NAME and OTHER_NAME[name][1] and len(re.findall(rf"\b{name}\b", text)) == 1:
            kind, other = OTHER_NAME[name]
            self.add_expression(kind, begin, end, re.sub(rf"\b{name}\b", other, text))
        given = list(cursor.get_arguments())
        for one, two in zip(given, given[1:]):
            if one is None or two is None or not self.is_here(one) or not self.is_here(two):
                continue
            if name in ("min", "max") or name.startswith("operator"):  # which compute the same the other way round, or are told elsewhere
                continue
            if one.type.get_canonical().spelling != two.type.get_canonical().spelling:
                continue
            (a, b), (c, d) = self.range_of(one), self.range_of(two)
            if begin <= a < b <= c < d <= end and self.text(a, b) != self.text(c, d):
                self.add_expression("order", begin, end, self.text(begin, a) + self.text(c, d) + self.text(b, c) + self.text(a, b)
                                    + self.text(d, end))

    def conditional(self, cursor):
        parts = list(cursor.get_children())
        if len(parts) == 3:
            test, yes, no = (self.text_of(part) for part in parts)
            self.add_expression("condition", *self.range_of(cursor), f"{test} ? {no} : {yes}")

    def literal(self, cursor):
        begin, end = self.range_of(cursor)
        text = self.text(begin, end)
        if text in ("true", "false"):
            self.add_expression("value", begin, end, "false" if text == "true" else "true")
        elif text in UNITS:
            self.add_expression("unit", begin, end, UNITS[text])
        elif re.fullmatch(r"\d{1,9}", text):
            self.add_expression("value", begin, end, str(int(text) + 1))
        elif re.fullmatch(r"\d+\.\d+", text):
            self.add_expression("value", begin, end, str(float(text) * 1.1))

    def variable(self, cursor, function):
        """Another of the same type: of a class the fields, of a function its parameters and what it declares before."""
        meant = cursor.referenced
        if meant is None:
            return
        if meant.kind == K.FIELD_DECL:
            others = [one for one in meant.semantic_parent.get_children() if one.kind == K.FIELD_DECL]
        elif meant.kind in (K.VAR_DECL, K.PARM_DECL) and function is not None and self.is_here(meant):
            others = [one for one in function.walk_preorder() if one.kind in (K.VAR_DECL, K.PARM_DECL)
                      and one.location.offset < cursor.extent.start.offset]
        else:
            return
        spelled = meant.type.get_canonical().spelling.replace("const ", "").rstrip(" &")
        names = {one.spelling for one in others if one.spelling and one.spelling != meant.spelling
                 and one.type.get_canonical().spelling.replace("const ", "").rstrip(" &") == spelled}
        begin, end = self.range_of(cursor)
        if self.text(begin, end).endswith(meant.spelling):
            for name in sorted(names):
                self.add_expression("variable", begin, end, self.text(begin, end)[: -len(meant.spelling)] + name)

    def early_end(self, cursor):
        """A check that is gone: `if (…) return …;` without the condition ever being true."""
        parts = list(cursor.get_children())
        if len(parts) != 2 or parts[0].kind in (K.DECL_STMT, K.VAR_DECL):
            return
        first = next(iter(parts[1].get_children()), parts[1]) if parts[1].kind == K.COMPOUND_STMT else parts[1]
        ends = first.kind in (K.RETURN_STMT, K.CONTINUE_STMT, K.BREAK_STMT, K.CXX_THROW_EXPR) or re.match(
            r"(throw\b|\w*fail\(|refuse\w*\(|\w+\.fail\()", self.text_of(first))
        begin, end = self.range_of(parts[0])
        if ends and begin < end:
            test = self.text(begin, end)
            self.add("check", begin, end, f"false && ({test})", f"!takt_mutant(@) && ({test})")

    def statement(self, cursor, parent):
        begin, end = self.range_of(cursor)
        text = self.text(begin, end)
        if self.bytes[end:end + 1] != b";" or not text:
            return
        if parent.kind != K.COMPOUND_STMT and cursor != list(parent.get_children())[-1]:
            return
        if cursor.kind == K.CXX_THROW_EXPR or cursor.kind == K.RETURN_STMT:
            return
        found = LOCK.match(text)
        if cursor.kind == K.DECL_STMT or found:
            if found := LOCK.match(text.rstrip(";")):
                name, what = found.groups()
                self.add("lock", begin, end, f"/* {text} */",
                         f"std::unique_lock<std::remove_reference_t<decltype({what})>> {name}({what}, std::defer_lock); "
                         f"if (!takt_mutant(@)) {name}.lock()")
            return
        if cursor.kind in (K.CALL_EXPR, K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.UNARY_OPERATOR, K.UNEXPOSED_EXPR) and not SILENT.match(text):
            self.add("step", begin, end, f"/* {text} */", f"(takt_mutant(@) ? (void)0 : (void)({text}))")


def is_code(line):
    text = line.strip()
    return bool(text) and not text.startswith(("//", "#", "///", "*")) and text not in ("{", "}", "};", "});", "}  // namespace takt",
                                                                                        "namespace takt {", "namespace {", "}  // namespace")


class Draw:
    """Draws changes over src: by lines, every module at least once. No two of them overlap, those of several seeds neither."""

    def __init__(self, root, commands):
        self.root, self.commands, self.random, self.taken = root, commands, None, []
        self.sources = {}  # by file: Source, or None where it cannot be read
        self.lines = [(str(path.relative_to(root)), number) for path in sorted((root / "src").glob("*/**/*.[ch]*"))
                      if path.suffix in (".cpp", ".h") for number, line in enumerate(path.read_text().splitlines(), 1) if is_code(line)]

    def source(self, file):
        if file not in self.sources:
            path = self.root / file
            through = path if path.suffix == ".cpp" else path.with_suffix(".cpp")
            arguments = self.commands.get(str(through))
            self.sources[file] = Source(self.root, file, arguments, through) if arguments and through.exists() else None
        return self.sources[file]

    def change_at(self, file, line, equivalent):
        """A change in or behind this line that compiles; None where there is none."""
        source = self.source(file)
        behind = sorted({one.line for one in source.changes if one.line >= line})[:3] if source else []
        for place in behind:
            by_kind = {}
            for one in source.changes:
                if one.line == place and (one.file, *lines_of(source.bytes, one)) not in equivalent and not overlaps(one, self.taken):
                    by_kind.setdefault(one.kind, []).append(one)
            kinds = sorted(by_kind)
            self.random.shuffle(kinds)
            for kind in kinds[:3]:
                one = self.random.choice(by_kind[kind])
                if source.compiles(with_switches(source.bytes, [(0, one)])):
                    return one
        return None

    def draw(self, seed, count, only=None, equivalent=frozenset()):
        """Yields changes; those of a module each first."""
        self.random = random.Random(seed)
        by_module = {}
        for file, line in self.lines:
            by_module.setdefault(module_of(file), []).append((file, line))
        modules = sorted(name for name in by_module if not only or any(word in name for word in only))
        lines = [place for name in modules for place in by_module[name]]
        wanted = [by_module[name] for name in modules][:count]
        wanted += [lines] * (count - len(wanted))
        for choice in wanted:
            for _ in range(60):
                file, line = self.random.choice(choice)
                one = self.change_at(file, line, equivalent)
                if one:
                    self.taken.append(one)
                    yield one
                    break
