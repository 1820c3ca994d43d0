// The times of each run that a profile keeps beside the one run it describes, by operator id.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/units.h"

namespace takt {

struct OperatorSamples {
  std::vector<Duration> device, host;  ///< empty: not known
  std::string kernel;                  ///< the runtime's implementation; empty if it does not tell
};

struct ProfileSamples {
  std::unordered_map<std::string, OperatorSamples> operators;
  std::string device;       ///< that ran the model; empty: not known
  std::string cpu;          ///< as in the provenance; empty: not known
  bool one_thread = false;  ///< operators were held to one thread
};

/// What takt keeps under its own key `takt`; nothing where a profile has no such key. `origin` begins the message of
/// Error(bad_input), thrown when the key holds something else.
ProfileSamples parse_takt_samples(std::string_view text, const std::string& origin);

}  // namespace takt
