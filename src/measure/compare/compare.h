// What became slower or faster between two sets of runs of a model, beyond noise.
//
// Problem: two runs of the same thing differ. Samples of one run say how much they scatter and drift, but not what the
// next start of the program brings (load of the machine, placement of memory), and dozens of operators are looked at
// together, so that some of them differ "significantly" by chance.
//
// What is done, on the logarithm of the typical time (src/measure/compare/statistics.h):
// * the variance comes from samples and runs alone (difference.h): with several runs on a side from the runs, with one
//   from the run's blocks and from what starts of a program are known to differ by. What the machine did besides (a
//   process that waited for processors) is told in `notes`; it explains and does not blur. Only where a side has fewer
//   than three runs and waited longer than the other, the interval reaches as far as that explains: a load that lasts
//   for the whole run shows nowhere else;
// * intervals hold for all rows together: half of the permitted error goes to the whole run, the other half is shared
//   by the operators (Bonferroni), so that a whole table of noise has a false alarm in 1 of 20 cases at most;
// * what all operators share is put down to the machine unless the whole run changed (machine_state.h): with several
//   runs, which show how each operator scatters beside the others, it is taken off, and a note says so; with one run on
//   each side, intervals reach as far;
// * a change smaller than `threshold` is none;
// * the slowest 5 % of whole runs are looked at in the same way: where they became slower or faster beyond what the
//   typical run did, a row of their own says so;
// * a side whose runs go at two speeds (speeds.h) has intervals that reach over both, unless several runs show by
//   themselves what chance makes of it;
// * a row that found no change, but cannot rule out one that matters (`limit`), is inconclusive and not the same.
// Not done: comparing means or maxima. Interference makes them change without any change of the program.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/basics/units.h"
#include "measure/compare/profile_reader.h"

namespace takt {

struct CompareSettings {
  double threshold = 0.02;   ///< smallest relative change that counts as one; raise it where small ones do not matter
  double confidence = 0.99;  ///< of the intervals, for all rows together: a report that cries wolf is not read
  double limit = 0.1;        ///< relative slow-down, of the whole run or as an operator's part of it, that matters
};

enum class Verdict {
  same,  ///< no change beyond noise, and no slow-down that matters could hide in it
  slower,
  faster,
  added,         ///< only after
  removed,       ///< only before
  regrouped,     ///< the runtime fused it with other operators than before, so its times mean something else
  unknown,       ///< too few samples
  inconclusive,  ///< no change beyond noise, but a slow-down that matters could hide in it
};

std::string_view verdict_name(Verdict verdict);

struct Change {
  std::string name, type;                 ///< of the operator; `[whole run]` for the whole
  std::optional<Duration> before, after;  ///< typical times; missing where it did not run
  /// Relative change (0.05: 5 % slower) and its interval; of an operator beside what all share, where a note says so.
  std::optional<double> ratio, low, high;
  double share = 0;  ///< of the operators' time before (after, if added), 0..1
  Verdict verdict = Verdict::unknown;
};

struct Comparison {
  std::string before, after;  ///< names of the files, joined by ','
  std::size_t runs_before = 1, runs_after = 1;
  Change whole;
  std::optional<Change> tail;  ///< of the slowest runs, where they changed otherwise than the typical one
  std::vector<Change> ops;     ///< in the order of the profile
  /// Half the width of the interval: a smaller change would not be seen. Of the operators, the median one.
  std::optional<double> detectable_whole, detectable_op;
  std::optional<std::string> unlike;  ///< why there is no verdict: the sides are not of like things
  std::vector<std::string> notes;     ///< one sentence each: other inputs, other machine, few samples, a busy machine
};

/// Both sides need a run. Throws Error(bad_input) when the sides are not of one model, runtime and device, unless
/// `force`; then a note says what differs. Models of other names are one where nine tenths of the operators' time
/// is in rows that both have. Sides of different processors get no verdict (Comparison::unlike), unless `force`: such
/// times differ for that reason.
Comparison compare_profiles(std::span<const RecordedProfile> before, std::span<const RecordedProfile> after,
                            const CompareSettings& settings, bool force);

}  // namespace takt
