#!/usr/bin/env python3
"""sweep_faults_test.py TAKT MAKE_MODELS APPEND_LINES KEEP_PEAKS FAILING_FILES: every call by which a sweep changes files, and
every start of a child, is made to fail in turn. What was measured by then is kept, one sentence says what went wrong, and
the same command resumes: at the end every row is there once.

TAKT_FAULTS_EVERY=1 tries all calls of an export; otherwise every fifth.
"""
import errno
import json
import os
import sys
import unittest

from failing import FAULTS, REASONS, TAKT, Failing

CASES = {'config': {'feature_dim': 4}, 'test_cases': [{'nodes': 5, 'edges': 9}]}
WORDS = [TAKT, 'sweep', '--cases', 'cases.json', '--models', 'gcn', '--devices', 'sim:CPU', '--iterations', '1', '--warmup', '0',
         '--out', 'out']
EVERY = int(os.environ.get('TAKT_FAULTS_EVERY', '5'))


class SweepFaults(Failing):
    def setUp(self):
        super().setUp()
        (self.path / 'cases.json').write_text(json.dumps(CASES), encoding='utf-8')

    def rows(self):
        journal = self.out / 'results/measurements.jsonl'
        lines = journal.read_text(encoding='utf-8').splitlines() if journal.exists() else []
        return [json.loads(line)['key'] for line in lines if line.endswith('}') and '"key"' in line]

    def exported(self):
        """Bytes of the models; what a killed or failed write leaves under another name is none."""
        return {path.name: path.read_bytes() for path in (self.out / 'exported_models').rglob('*.onnx')}

    def end_whole(self, words):
        done = self.start(words)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_measuring_keeps_what_it_had_and_goes_on(self):
        self.fill({})
        self.end_whole([*WORDS, '--export'])
        models = {str(path.relative_to(self.out)): path.read_bytes() for path in self.out.rglob('*') if path.is_file()}
        clean, calls = self.start_with_faults([*WORDS, '--measure'])
        self.assertEqual(clean.returncode, 0, clean.stderr)
        whole = self.rows()
        self.assertEqual(len(whole), 6)
        self.assertEqual(sum(call.startswith('spawn') for call in calls), 6)
        for error, stays in FAULTS:
            for at, call in enumerate(calls, 1):
                if call.startswith('close') and at == len(calls):
                    continue  # every row has been flushed by then
                with self.subTest(call=call, at=at, error=errno.errorcode[error], stays=stays):
                    self.refill(models)
                    done, _ = self.start_with_faults([*WORDS, '--measure'], at, error, stays)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn(REASONS[error], self.sentence(done, clean.stderr.splitlines()))
                    kept = self.rows()
                    self.assertEqual(kept, whole[:len(kept)])
                    self.end_whole([*WORDS, '--measure'])
                    self.assertEqual(self.rows(), whole)

    def refill(self, files):
        for path in sorted(self.out.rglob('*'), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        for name, content in files.items():
            (self.out / name).parent.mkdir(parents=True, exist_ok=True)
            (self.out / name).write_bytes(content)

    def test_an_export_goes_on(self):
        self.fill({})
        clean, calls = self.start_with_faults([*WORDS, '--export'])
        self.assertEqual(clean.returncode, 0, clean.stderr)
        whole = self.exported()
        self.assertEqual(len(whole), 18)
        for turn, (error, stays) in enumerate(FAULTS):
            for at in range(1 + turn, len(calls), EVERY):
                with self.subTest(call=calls[at - 1], at=at, error=errno.errorcode[error], stays=stays):
                    self.fill({})
                    done, _ = self.start_with_faults([*WORDS, '--export'], at, error, stays)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn(REASONS[error], self.sentence(done, clean.stderr.splitlines()))
                    self.end_whole([*WORDS, '--export'])
                    self.assertEqual(self.exported(), whole)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
