#!/usr/bin/env python3
"""memory_test.py TAKT MAKE_SIZES: takt run takes little more memory than the runtime's own session of a model.

Weights are counted: how often they are in memory at most, above what takt needs for a model without any. Resident
sizes do not depend on how busy the machine is. Exit code 77 where the binary has no real runtime.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TAKT, MAKE_SIZES = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
WEIGHTS = 96  # MB; what takt needs besides is about as much

# A session alone keeps, or has while it loads, this many copies: ONNX Runtime its packed weights, OpenVINO the model's
# too. The rest is what the allocator keeps. With operators there are two sessions, which are measured in turns: those of
# ONNX Runtime have packed weights once, those of OpenVINO each its own, and the model's in a file.
COPIES = {('onnxruntime', '--no-ops'): 2.4, ('onnxruntime', '--top'): 2.9,
          ('openvino', '--no-ops'): 2.5, ('openvino', '--top'): 2.9}
# The same of many small weights, with operators and without. One and the same run of ONNX Runtime has had 1.2 and 2.3:
# what is freed is not always given back at once.
COPIES_OF_SMALL = {'onnxruntime': 2.9, 'openvino': 4.0}


def peak(*words, cwd):
    """Mebibytes that the program had in memory at most, by its own word: it lets the system's count begin anew, so that
    the parent sees the last phase only. What the parent sees is no more."""
    process = subprocess.Popen([TAKT, *map(str, words), '--format', 'json'], cwd=cwd, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    told = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        raise RuntimeError(f'{words}: status {status}')
    own = json.loads(told)['tables']['summary'][0]['process_peak_bytes']
    if own is None:
        sys.exit(77)
    return max(own / 2**20, usage.ru_maxrss / 1024)


def usable_runtimes():
    devices = json.loads(subprocess.run([TAKT, 'devices', '--format', 'json'], capture_output=True,
                                        check=True).stdout)['tables']['devices']
    return {row['runtime'] for row in devices if row['usable'] == 'yes'}


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runtimes = usable_runtimes()
        if not {runtime for runtime, _ in COPIES} & cls.runtimes:
            sys.exit(77)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        subprocess.run([MAKE_SIZES, cls.folder, str(WEIGHTS)], check=True)

    def test_weights_are_in_memory_as_often_as_sessions_need_them(self):
        for runtime, option in COPIES:
            if runtime in self.runtimes:
                with self.subTest(runtime=runtime, option=option):
                    self.assertLess(self.copies(runtime, option, 'heavy.onnx'), COPIES[runtime, option])

    def test_small_weights_are_in_memory_as_often_with_operators_as_without(self):
        for runtime, option in COPIES:
            if runtime in self.runtimes:
                with self.subTest(runtime=runtime, option=option):
                    self.assertLess(self.copies(runtime, option, 'heavy_small.onnx'), COPIES_OF_SMALL[runtime])

    def copies(self, runtime, option, model):
        words = ['--runtime', runtime, '--iter', 2, '--warmup-iter', 1, '--threads', 1, option]
        words += [3] if option == '--top' else []
        light = peak('run', 'table_linear.onnx' if runtime == 'onnxruntime' else 'text_sentence.onnx', *words,
                     cwd=self.folder)
        return (peak('run', model, *words, cwd=self.folder) - light) / WEIGHTS


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
