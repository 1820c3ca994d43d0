// Writes a profile in the schema of the peer whose analyser takt understands (docs/formats.md, "Profile"): operator
// times of the median run, footprint, execution sequence, tensors and memory chunks; and the key `takt` with everything
// else.
#pragma once

#include <filesystem>
#include <string>

#include "base/system/provenance.h"
#include "measure/open/run_result.h"
#include "measure/operators/op_profile.h"

namespace takt {

enum class ProfileContent {
  device_and_host,  ///< --profile
  host_only,        ///< --profile-host: `device` is {}
};

/// The JSON text. Times are seconds with nine decimals, so that readers see a floating-point number and no nanosecond
/// is lost. Deterministic.
std::string to_peer_json(const RunResult& result, const OpProfile& profile, const Provenance& provenance,
                         ProfileContent content);

}  // namespace takt
