"""What scenarios.py and pytorch.py count: first verdicts against planted faults, predicted speed-ups against real ones."""
import json
import math
import statistics
import subprocess
import sys

HEAD = f'{"right":>7} {"step ms":>9} {"without":>9} {"speed-up":>9} {"predicted":>9} {"off %":>7} {"limit %":>8}'


def call(takt, *words):
    """What takt prints; ends this program where takt fails."""
    done = subprocess.run([takt, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, encoding='utf-8', check=False)
    if done.returncode != 0:
        sys.exit(f'takt {" ".join(map(str, words))}: {done.stderr.strip()}')
    return done.stdout


def verdicts_of(takt, trace):
    """The causes that `takt diagnose` finds, most expensive first: rows of its table."""
    rows = json.loads(call(takt, 'diagnose', trace, '--format', 'json'))['tables']['verdicts']
    return [row for row in rows if row['cause'] != 'compute_bound']


class Tally:
    """Trainings without a fault are counted as `healthy` and `alarms` by the caller, those with one by `judge`."""

    def __init__(self):
        self.right = self.runs = self.alarms = self.healthy = 0
        self.holds = True

    def judge(self, words, rows, is_judged=True):
        """Prints a line that begins with `words`. `rows` are trainings with one fault: {'seconds' and 'without' per step,
        'predicted' speed-up, 'right' first verdict}. A prediction holds within 15 % or three standard errors of the pairs."""
        ratios = [row['seconds'] / row['without'] for row in rows]
        real, predicted = statistics.median(ratios), statistics.median(row['predicted'] for row in rows)
        error = statistics.stdev(ratios) / math.sqrt(len(ratios)) if len(ratios) > 1 else 0
        off, limit = 100 * (predicted / real - 1), max(15, 100 * 3 * error / real)
        right = sum(row['right'] for row in rows)
        self.right, self.runs = self.right + right, self.runs + len(rows)
        is_off = is_judged and abs(off) > limit
        self.holds &= not is_off
        step, without = (1000 * statistics.mean(row[key] for row in rows) for key in ('seconds', 'without'))
        print(f'{words} {right:3}/{len(rows):<3} {step:9.2f} {without:9.2f} {real:9.2f} {predicted:9.2f} {off:+7.1f} {limit:8.1f}'
              f'{"  off" if is_off else ""}{"" if is_judged else "  (not judged)"}', flush=True)

    def end(self):
        print(f'{self.right} of {self.runs} first verdicts right; {self.alarms} false alarms in {self.healthy} trainings without a fault')
        self.holds &= self.right >= 0.99 * self.runs and self.alarms == 0
        print('holds' if self.holds else 'does not hold')
        sys.exit(0 if self.holds else 1)
