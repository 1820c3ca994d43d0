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
  std::string runtime{};                   ///< empty: the one that is measured
  std::optional<ElementType> precision{};  ///< unset: as it is measured

  /// Its results may differ from those of the model as it is measured.
  bool is_another_program() const { return !runtime.empty() || precision; }
};
std::string to_string(const Candidate& candidate);  ///< "threads 1, spinning off"; "runtime openvino"; "defaults"

struct FitRow {
  Candidate candidate;
  Properties properties{};             ///< what the candidate is in the runtime's own names
  Duration median{};                   ///< of the rounds' medians
  std::optional<Interval> time_ratio;  ///< of its time to that of the defaults; missing for the defaults
};

struct FitResult {
  std::vector<FitRow> rows;      ///< the defaults first; without what could not be opened
  std::size_t best = 0;          ///< of those in the same runtime and precision; 0 unless one is faster beyond doubt
  std::size_t most_helpful = 0;  ///< of all
  std::vector<std::string> not_tried;  ///< "runtime openvino: REASON"
};

/// What is worth trying on `runtime` with so many cores: numbers of threads, and each of its tunings.
std::vector<Candidate> candidates_for(Runtime& runtime, int cores, std::optional<int> threads);

/// Opens a session for each candidate and measures them in turn, round after round, so that what disturbs the machine
/// meets all alike. A candidate is called faster only when the whole interval of its ratios to the defaults, in the
/// same rounds, is below 1; intervals are as wide as the number of candidates demands (95 % for all of them together).
/// `open` returns nullptr for one that is not worth a row. What it throws for another runtime or precision goes to
/// FitResult::not_tried.
FitResult fit(const std::vector<Candidate>& candidates,
              const std::function<std::unique_ptr<Session>(const Candidate&)>& open);

}  // namespace takt
