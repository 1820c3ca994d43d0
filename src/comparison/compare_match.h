// Which operators of two profiles are the same one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "comparison/profile_reader.h"

namespace takt {

/// One operator in every run of both sides; a null pointer where a run does not have it.
struct MatchedOp {
  std::string name, type;
  std::vector<const RecordedOp*> before, after;  ///< as long as the sides; into the profiles
  bool in_all() const;
  bool regrouped = false;  ///< there, but standing for other operators of the model than before
};

/// By name and type, the n-th of equal ones with the n-th. In the order of the first profile, then what only later ones
/// have. The profiles must outlive the result.
std::vector<MatchedOp> match_ops(std::span<const RecordedProfile> before, std::span<const RecordedProfile> after);

}  // namespace takt
