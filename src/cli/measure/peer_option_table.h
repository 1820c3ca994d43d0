// The options of `takt analyze` as data: how they are spelled, what they say in the help, what they set.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/profiles/analyze_options.h"

namespace takt {

struct PeerOption {
  std::vector<std::string> names;
  std::string value_name;  ///< empty: a flag
  std::string help;
  std::function<void(AnalyzeOptions&, const std::string&)> apply;  ///< throws UsageError for a bad value
  bool of_peer = true;                                             ///< false: an option of takt, never shortened

  bool takes_value() const { return !value_name.empty(); }
};

/// Returns the options in the order of the help.
const std::vector<PeerOption>& peer_options();

}  // namespace takt
