"""What a sanitizer's build leaves out of the tests that start takt many times: it makes every start several times as long, and
what it looks for shows in the first case of a kind. The name of the sanitizer is in TAKT_SANITIZED."""
import os
import unittest

IS_SANITIZED = bool(os.environ.get('TAKT_SANITIZED'))
not_sanitized = unittest.skipIf(IS_SANITIZED, 'run without sanitizers, on the same code')
# It hands on a signal when a call returns, and a call that opens a file that never comes does not.
not_thread_sanitized = unittest.skipIf(os.environ.get('TAKT_SANITIZED') == 'thread', 'the thread sanitizer holds signals back')


def repeats(usual):
    """How often something is tried that is to go well at whatever moment: a third as often, and once at least."""
    return (usual + 2) // 3 if IS_SANITIZED else usual
