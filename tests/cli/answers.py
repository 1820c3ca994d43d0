"""What the tests that start takt share."""
import re

# Debug and sanitizer builds say this with every run; it is no part of any answer.
BUILD_WARNING = re.compile('^takt: warning: this is a .* build: its times are not those of a release build\n', re.M)


# So does whoever measures while other programs run, as tests do; what commands say of it is checked in busy_test.py.
BUSY_WARNING = re.compile('^takt: warning: other programs used .*\n', re.M)


def answer(stderr):
    """What takt said on standard error, without the warnings of builds that are not for measuring and of busy machines."""
    return BUSY_WARNING.sub('', BUILD_WARNING.sub('', stderr))
