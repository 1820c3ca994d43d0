// Which settings of a runtime make a model fastest, told apart from noise.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics/statistics.h"
#include "model/runtime/runtime.h"

namespace takt {

/// One way to run a model.
struct Candidate {
  std::optional<int> threads;  ///< unset: the runtime's default
  Tuning tuning;
};
std::string to_string(const Candidate& candidate);  ///< "threads 1, spinning off"; "defaults"

struct FitRow {
  Candidate candidate;
  Properties properties{};             ///< what the candidate is in the runtime's own names
  Duration median{};                   ///< of the rounds' medians
  std::optional<Interval> time_ratio;  ///< of its time to that of the defaults; missing for the defaults
};

struct FitResult {
  std::vector<FitRow> rows;  ///< the defaults first
  std::size_t best = 0;      ///< 0 unless another is faster beyond doubt
};

/// What is worth trying on `runtime` with so many cores: numbers of threads, and each of its tunings.
std::vector<Candidate> candidates_for(Runtime& runtime, int cores, std::optional<int> threads);

/// Opens a session for each candidate and measures them in turn, round after round, so that what disturbs the machine
/// meets all alike. A candidate is called faster only when the whole interval of its ratios to the defaults, in the
/// same rounds, is below 1; intervals are as wide as the number of candidates demands (95 % for all of them together).
FitResult fit(const std::vector<Candidate>& candidates,
              const std::function<std::unique_ptr<Session>(const Candidate&)>& open);

}  // namespace takt
