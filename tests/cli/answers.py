"""What the tests that start takt share."""
import re

# Debug and sanitizer builds say this with every run; it is no part of any answer.
BUILD_WARNING = re.compile('^takt: warning: this is a .* build: its times are not those of a release build\n', re.M)


def answer(stderr):
    """What takt said on standard error, without the warning of builds that are not for measuring."""
    return BUILD_WARNING.sub('', stderr)
