#!/usr/bin/env bash
# Exports and measures the stages of a graph neural network on every device of this machine, and makes the tables of
# their costs: `takt sweep --all` with this script's arguments. A run that was stopped goes on where it was.
#
#   scripts/run_profiling.sh                                  the 15 usual sizes, into profiling/
#   scripts/run_profiling.sh --cases 55 --out profiling-55
#
# TAKT names the program; without it the one of this checkout, or else the one on the PATH. Exit code: takt's own.
set -eu
own=$(cd "$(dirname "$0")/.." && pwd)/build/release/takt
takt=${TAKT:-}
[ -n "$takt" ] || { [ -x "$own" ] && takt=$own; } || takt=$(command -v takt) || {
  echo "run_profiling: there is no takt yet; 'make build' builds it, or name it: TAKT=/path/to/takt $0" >&2
  exit 1
}
exec "$takt" sweep --all "$@"
