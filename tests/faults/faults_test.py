#!/usr/bin/env python3
"""faults_test.py TAKT MAKE_MODELS APPEND_LINES KEEP_PEAKS FAILING_FILES: every open, write, flush, rename and close of
what a command writes is made to fail in turn. A file is then the old one or the new one, whole, nothing else is left, and
one sentence says which file and why.
"""
import errno
import functools
import resource
import sys
import unittest

from failing import APPEND_LINES, FAULTS, KEEP_PEAKS, OLD, REASONS, RUN, TAKT, Failing

# Commands, and the files of the folder 'out' that they write; those of the first kind exist beforehand.
COMMANDS = [
    ([*RUN, '--profile', 'out/p.json'], ['p.json']),
    ([*RUN, '--profile', 'out/p.json', '--profile-host', 'out/h.json', '--iterations', 'out/i.csv'],
     ['p.json', 'h.json', 'i.csv']),
    ([TAKT, 'pipeline', 'run', 'pipe.yaml', '--simulate', '--trace', 'out/t.json'], ['t.json']),
    ([TAKT, 'pipeline', 'run', 'pipe.yaml', '--simulate', '--trace', 'out/t.json.gz'], ['t.json.gz']),
    ([TAKT, 'trace', 'convert', 'gpu.trace.json', '-o', 'out/c.pftrace'], ['c.pftrace']),
    ([TAKT, 'trace', 'convert', 'gpu.trace.json', '-o', 'out/c.json'], ['c.json']),
    ([TAKT, 'trace', 'merge', 'gpu.trace.json', 'gpu.trace.json', '-o', 'out/m.json'], ['m.json']),
    ([TAKT, 'compare', 'a.json', 'b.json', '--junit', 'out/j.xml', '-o', 'out/o.txt'], ['j.xml', 'o.txt']),
]


class Faults(Failing):
    def fail_each_call(self, words, before, check=None):
        """Every call of the command fails in turn: each file is as it was or as the command writes it, and no other is
        there. `check(done, call)` looks at what else must hold. Returns the calls of the run without a fault."""
        self.fill(before)
        clean, calls = self.start_with_faults(words)
        self.assertEqual(clean.returncode, 0, clean.stderr)
        after = self.files()
        self.assertNotEqual(after, before)
        for error, stays in FAULTS:
            for at, call in enumerate(calls, 1):
                with self.subTest(command=words[1:], call=call, at=at, error=errno.errorcode[error], stays=stays):
                    self.fill(before)
                    done, _ = self.start_with_faults(words, at, error, stays)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    sentence = self.sentence(done, clean.stderr.splitlines())
                    self.assertIn(REASONS[error], sentence)
                    now = self.files()
                    self.assertLessEqual(now.keys(), before.keys() | after.keys(), 'something is left behind')
                    self.assertLessEqual(before.keys(), now.keys(), 'something is lost')
                    for name, content in now.items():
                        self.assertIn(content, [files[name] for files in (before, after) if name in files])
                    if check:
                        check(sentence, now)
        return calls

    def cut_each_write_short(self, words, before):
        """A write that takes only half is continued."""
        self.fill(before)
        _, calls = self.start_with_faults(words)
        after = self.files()
        for at, call in enumerate(calls, 1):
            if call.startswith(('write', 'pwrite')):
                with self.subTest(command=words[1:], call=call, at=at, error='cut short'):
                    self.fill(before)
                    done, _ = self.start_with_faults(words, at)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(self.files(), after)

    def test_the_library_sees_and_fails_calls(self):
        for call, words in (('open', ['touch', 'out/new']), ('close', ['dd', 'if=a.json', 'of=out/new', 'status=none']),
                            ('rename', [sys.executable, '-c', 'import os; os.rename("out/old", "out/new")'])):
            self.fill({'old': OLD})
            done, calls = self.start_with_faults(words)
            self.assertEqual(done.returncode, 0, done.stderr)
            kinds = [line.split()[0] for line in calls]
            self.assertIn(call, kinds)
            self.fill({'old': OLD})
            done, _ = self.start_with_faults(words, kinds.index(call) + 1, errno.ENOSPC)
            self.assertNotEqual(done.returncode, 0, call)

    def test_a_command_that_cannot_write_keeps_the_old_file_and_says_so(self):
        for words, names in COMMANDS:
            def check(sentence, now, names=names):
                self.assertTrue(any(f'out/{name}' in sentence and now[name] == OLD for name in names), sentence)

            calls = self.fail_each_call(words, {name: OLD for name in names}, check)
            kinds = {line.split()[0] for line in calls}
            self.assertLessEqual({'open', 'write', 'fsync', 'close', 'rename'}, kinds, words)
            self.cut_each_write_short(words, {name: OLD for name in names})

    def test_a_run_whose_journal_or_trace_cannot_be_written_says_so_and_keeps_what_it_had(self):
        words = [TAKT, 'pipeline', 'run', 'pipe.yaml', '--batches', '100', '--trace', 'out/t.json']
        journal = f'{self.out}/t.json.journal'
        self.fill({'t.json': OLD})
        clean, calls = self.start_with_faults(words)
        self.assertEqual(clean.returncode, 0, clean.stderr)
        self.assertEqual(list(self.files()), ['t.json'])
        self.assertGreater(calls.count(f'write {journal}'), 2, calls)
        for error, stays in FAULTS:
            for at in range(1, len(calls) + 1):  # how often a journal is written is not the same in each run
                with self.subTest(at=at, error=errno.errorcode[error], stays=stays):
                    self.fill({'t.json': OLD})
                    done, called = self.start_with_faults(words, at, error, stays)
                    if at > len(called) or called[at - 1].startswith(f'close {journal}'):
                        self.assertEqual(done.returncode, 0, done.stderr)  # all of it is in the trace by then
                        continue
                    self.assertEqual(done.returncode, 1, done.stderr)
                    sentence = self.sentence(done, clean.stderr.splitlines())
                    self.assertIn(REASONS[error], sentence)
                    self.check_what_is_left(sentence)

    def check_what_is_left(self, sentence):
        """The trace is the old one or a whole one; a journal is there only where the sentence names it, and can be read."""
        left = self.files()
        self.assertLessEqual(left.keys(), {'t.json', 't.json.journal'})
        if left['t.json'] != OLD:
            self.assertEqual(self.start([TAKT, 'pipeline', 'analyze', 'out/t.json']).returncode, 0)
            self.assertNotIn('t.json.journal', left)
        if 't.json.journal' in left:
            self.assertRegex(sentence, r"(the run is|\d+ of its \d+ batches are) in 'out/t.json.journal'")
            self.assertEqual(self.start([TAKT, 'pipeline', 'analyze', 'out/t.json.journal']).returncode, 0)

    def test_a_limit_on_the_size_of_files_is_an_error_and_no_sudden_end(self):
        self.fill({'p.json': OLD})
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (1000, 1000))
        done = self.start([*RUN, '--profile', 'out/p.json'], before=limit)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("cannot write 'out/p.json': larger than", done.stderr)
        self.assertEqual(self.files(), {'p.json': OLD})

    def test_a_history_that_cannot_grow_stays_as_it_was(self):
        self.fill({})
        self.assertEqual(self.start([TAKT, 'compare', 'a.json', '--baseline', 'out/history']).returncode, 0)
        first = self.files()
        self.assertEqual(len(first), 1)

        def check(sentence, now):
            self.assertIn('out/history', sentence)
            self.assertEqual(now, first)

        self.fail_each_call([TAKT, 'compare', 'b.json', '--baseline', 'out/history'], first, check)
        # Two runs at once: the first may be there without the second.
        self.fail_each_call([TAKT, 'compare', 'a.json,b.json', '--baseline', 'out/history'], {})

    def test_peaks_that_cannot_be_kept_leave_those_of_before(self):
        for before in ({}, None):
            if before is None:
                self.assertEqual(self.start([KEEP_PEAKS, '0', '2']).returncode, 0)
                before = self.files()
            calls = self.fail_each_call([KEEP_PEAKS, '1', '2'], before,
                                        lambda sentence, now: self.assertIn('out/cache', sentence))
            self.assertIn(f'rename {self.out}/cache/peaks.json', calls)

    def test_peaks_that_cannot_be_kept_are_not_measured(self):
        done = self.start([TAKT, 'devices', '--measure'], TAKT_CACHE_DIR='/dev/null/cache')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("cannot write to '/dev/null/cache'", done.stderr)

    def test_a_journal_holds_what_it_said_it_holds(self):
        lines = ['{"n":1}', '{"n":2,"pad":"' + 'x' * 500 + '"}', '{"n":3}']
        for before, kept in (('', []), ('{"o":1}\n', ['{"o":1}']), ('{"o":1}\n{"o":2}', ['{"o":1}', '{"o":2}']),
                             ('{"o":1}\n{"o":', ['{"o":1}'])):
            files = {'a.jsonl': before.encode()} if before else {}
            words = [APPEND_LINES, 'out/a.jsonl', *lines]
            self.fill(files)
            done, calls = self.start_with_faults(words)
            self.assertEqual(done.stdout.splitlines(), lines, done.stderr)
            for error, stays in [*FAULTS, (None, False)]:
                for at, call in enumerate(calls, 1):
                    if error is None and not call.startswith('write'):
                        continue
                    if call.startswith('close') and at == len(calls):
                        continue  # by then every line has been flushed, and there is nobody to tell
                    with self.subTest(before=before, call=call, at=at, error=error, stays=stays):
                        self.fill(files)
                        done, _ = self.start_with_faults(words, at, error, stays)
                        self.assertEqual(done.returncode, 1, done.stderr)
                        self.assertIn("out/a.jsonl", done.stderr)
                        self.check_journal(kept + done.stdout.splitlines(), stays)
                        self.start([APPEND_LINES, 'out/a.jsonl', '{"n":4}'])  # and it goes on
                        self.check_journal(kept + done.stdout.splitlines() + ['{"n":4}'], stays)

    def check_journal(self, told, may_hold_more):
        """On a disk that stays broken a line that was written and not flushed cannot be taken back."""
        path = self.out / 'a.jsonl'
        text = path.read_text(encoding='utf-8') if path.exists() else ''
        if not may_hold_more and told and told[-1] == '{"n":4}':
            self.assertTrue(text.endswith('\n'))
        whole = [line for line in text.splitlines() if line.endswith('}')]
        self.assertEqual([line for line in whole if line in told] if may_hold_more else whole, told)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
