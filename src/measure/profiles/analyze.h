// Operators of a profile as records: filtered, combined, ordered, cut.
//
// Arithmetic follows the peer analyser down to the last digit where digits are visible: NumPy's pairwise summation, and
// a missing value that is skipped by sums.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "measure/profiles/analyze_options.h"
#include "measure/profiles/peer_profile.h"

namespace takt {

enum class Section { device, host };

/// One row: an operator, or several combined. Views live as long as the profile.
struct OperatorRecord {
  const PeerOperator* op = nullptr;  ///< nullptr: combined
  std::string_view name, type, id;   ///< of combined ones: no name, the type or "all", "N/A"
  std::size_t count = 1;
  double time = 0;  ///< seconds
  std::optional<PeerNumber> computation, memory;
  std::optional<double> flops, bandwidth;  ///< per second; infinite or NaN where the time is 0
};

/// A total and whether all its parts were written as integers.
struct Total {
  double time = 0;
  bool integral = false;
};

/// np.sum of doubles: pairwise within blocks of 8192, blocks added in order.
double numpy_sum(std::span<const double> values);

/// Operators that pass the type, name and data type filters, in file order.
std::vector<const PeerOperator*> filter_operators(const PeerProfile& profile, const AnalyzeOptions& options);

/// Sum over all operators of the profile; nullopt: the section holds none. Throws Error(bad_input) naming the operator
/// whose times are no numbers.
std::optional<Total> total_time(const PeerProfile& profile, Section section);

/// A record per operator seen in the section, unordered, within the time bounds. `until_kernel`: the wait only.
std::vector<OperatorRecord> time_records(std::span<const PeerOperator* const> operators, Section section,
                                         bool until_kernel, const AnalyzeOptions& options);

/// Combines all records, or those of each type in order of first appearance. `how` must not be `none`.
std::vector<OperatorRecord> aggregate_records(std::span<const OperatorRecord> records, AnalyzeOptions::Aggregate how,
                                              bool by_type);

/// Sorts in place, ties in the order they had, missing values last. Throws Error(bad_input) for an unknown column,
/// unless there is nothing to sort.
void order_records(std::vector<OperatorRecord>& records, const std::string& order_by);

/// records[0:top] as Python cuts it; 0 keeps all.
void cut_records(std::vector<OperatorRecord>& records, long long top);

/// All of the above: the rows of one table.
std::vector<OperatorRecord> select_records(const PeerProfile& profile, Section section, const AnalyzeOptions& options);

/// The whole text that `takt analyze` prints, with its last newline. Throws Error(bad_input).
std::string analyze_report(const PeerProfile& profile, const AnalyzeOptions& options);

}  // namespace takt
