// Two minutes that make the built-in predictor one of this machine.
#pragma once

#include <string>

#include "base/system/provenance.h"

namespace takt {

/// Measures random chains on `device`, as many as a minute and a half allows, adapts the built-in predictor to them and
/// keeps it in the user's cache folder, where choose_predictor() finds it. Throws Error as collect() and calibrated(),
/// and Error(io) for a user without such a folder.
void calibrate_this_machine(const std::string& device, const Provenance& provenance);

}  // namespace takt
