#!/usr/bin/env bash
# Trains with each of the four planted faults under the profiler and leaves their traces and metrics: `takt scenario` four
# times, with this script's arguments. One that fails does not keep the others from running.
#
#   scripts/run_profiler.sh                                  on the GPU, into results/
#   scripts/run_profiler.sh --device cpu --batch-size 16
#
# TAKT names the program; without it the one of this checkout, or else the one on the PATH. Exit code: 1 if one failed.
set -u
own=$(cd "$(dirname "$0")/.." && pwd)/build/release/takt
takt=${TAKT:-}
[ -n "$takt" ] || { [ -x "$own" ] && takt=$own; } || takt=$(command -v takt) || {
  echo "run_profiler: there is no takt yet; 'make demo-training' builds it, or name it: TAKT=/path/to/takt $0" >&2
  exit 1
}
failed=()
for scenario in dataloader sync tiny_ops memory_churn; do
  printf '=== %s\n' "$scenario"
  "$takt" scenario "$scenario" --save "results/metrics_$scenario.json" "$@" || failed+=("$scenario")
  echo
done
[ ${#failed[@]} -eq 0 ] || { echo "run_profiler: failed: ${failed[*]}" >&2; exit 1; }
