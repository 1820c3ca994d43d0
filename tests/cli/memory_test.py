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
# ONNX Runtime have their weights in memory once, those of OpenVINO each its own packed ones.
COPIES = {('onnxruntime', '--no-ops'): 2.4, ('onnxruntime', '--top'): 2.9,
          ('openvino', '--no-ops'): 2.5, ('openvino', '--top'): 3.6}


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


class Memory(unittest.TestCase):
    def test_weights_are_in_memory_as_often_as_sessions_need_them(self):
        devices = json.loads(subprocess.run([TAKT, 'devices', '--format', 'json'], capture_output=True,
                                            check=True).stdout)['tables']['devices']
        runtimes = {row['runtime'] for row in devices if row['usable'] == 'yes'}
        pairs = [pair for pair in COPIES if pair[0] in runtimes]
        if not pairs:
            sys.exit(77)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([MAKE_SIZES, folder, str(WEIGHTS)], check=True)
            for runtime, option in pairs:
                with self.subTest(runtime=runtime, option=option):
                    words = ['--runtime', runtime, '--iter', 2, '--warmup-iter', 1, '--threads', 1, option]
                    words += [3] if option == '--top' else []
                    light = peak('run', 'table_linear.onnx' if runtime == 'onnxruntime' else 'text_sentence.onnx', *words,
                                 cwd=folder)
                    copies = (peak('run', 'heavy.onnx', *words, cwd=folder) - light) / WEIGHTS
                    self.assertLess(copies, COPIES[runtime, option])


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
