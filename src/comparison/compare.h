// What became slower or faster between two sets of runs of a model, beyond noise.
//
// Problem: two runs of the same thing differ. Samples of one run say how much they scatter and drift, but not what the
// next start of the program brings (load of the machine, placement of memory), and dozens of operators are looked at
// together, so that some of them differ "significantly" by chance.
//
// What is done, on the logarithm of the typical time (compare_statistics.h):
// * intervals hold for all rows together (Bonferroni), so that a whole table of noise has a false alarm in 1 of 20
//   cases at most;
// * with one run on each side, what all operators share is put down to the machine and widens every interval, unless
//   the whole run stands out from its own scatter, from what its fastest samples say, from the difference between its
//   plain and profiled runs and from the time that it waited for processors; and the scatter of the operators' ratios
//   around what they share scales their intervals: it is the one sight of run-to-run noise that two runs offer;
// * with several runs on a side, the variance between runs is measured, and steadied by that of the other operators
//   (moderated as in limma: Smyth, "Linear models and empirical Bayes methods", 2004);
// * a change smaller than `threshold` is none.
// Not done: comparing means or maxima. Interference makes them change without any change of the program.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comparison/profile_reader.h"
#include "core/units.h"

namespace takt {

struct CompareSettings {
  double threshold = 0.02;   ///< smallest relative change that counts as one; raise it where small ones do not matter
  double confidence = 0.99;  ///< of the intervals, for all rows together: a report that cries wolf is not read
};

enum class Verdict {
  same,  ///< no change beyond noise, which is not a proof that there is none
  slower,
  faster,
  added,      ///< only after
  removed,    ///< only before
  regrouped,  ///< the runtime fused it with other operators than before, so its times mean something else
  unknown,    ///< too few samples
};

std::string_view verdict_name(Verdict verdict);

struct Change {
  std::string name, type;                  ///< of the operator; `[whole run]` for the whole
  std::optional<Duration> before, after;   ///< typical times; missing where it did not run
  std::optional<double> ratio, low, high;  ///< relative change (0.05: 5 % slower) and its interval
  double share = 0;                        ///< of the operators' time before (after, if added), 0..1
  Verdict verdict = Verdict::unknown;
};

struct Comparison {
  std::string before, after;  ///< names of the files, joined by ','
  std::size_t runs_before = 1, runs_after = 1;
  Change whole;
  std::vector<Change> ops;  ///< in the order of the profile
  /// Half the width of the interval: a smaller change would not be seen. Of the operators, the median one.
  std::optional<double> detectable_whole, detectable_op;
  std::vector<std::string> notes;  ///< one sentence each: other device, other machine, few samples
};

/// Both sides need a run. Throws Error(bad_input) when the sides are not of one model, runtime and device, unless
/// `force`; then a note says what differs.
Comparison compare_profiles(std::span<const RecordedProfile> before, std::span<const RecordedProfile> after,
                            const CompareSettings& settings, bool force);

}  // namespace takt
