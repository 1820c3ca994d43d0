// Which operators of two profiles are the same one.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "measure/compare/profile_reader.h"

namespace takt {

/// One operator in every run of both sides; a null pointer where a run does not have it.
struct MatchedOp {
  std::string name, type;
  std::vector<const RecordedOp*> before, after;  ///< as long as the sides
  bool in_all() const;
  bool regrouped = false;  ///< there, but standing for other operators of the model than before
};

/// Not to be copied: the operators point to the profiles, which must outlive it, and to its sums.
struct MatchedOps {
  MatchedOps() = default;
  MatchedOps(MatchedOps&&) = default;
  MatchedOps(const MatchedOps&) = delete;

  std::vector<MatchedOp> ops;  ///< in the order of the first profile, then what only later ones have
  std::deque<RecordedOp> sums;
};

/// By name and type, the n-th of equal ones with the n-th; the runtime's own nodes by type and the tensors that they
/// read and write. Where a runtime grouped operators of the model into other kernels than before, kernels that stand
/// for the same operators together are compared together: as one row, the sum of theirs, called "conv1 + 1 more".
MatchedOps match_ops(std::span<const RecordedProfile> before, std::span<const RecordedProfile> after);

}  // namespace takt
