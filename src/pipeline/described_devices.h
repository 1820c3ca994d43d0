// Simulated devices that are described in the current folder, for a pipeline file that is written into another one.
#pragma once

#include <string>
#include <vector>

namespace takt {

/// The `devices` of a pipeline file: for each of these that is "sim:NAME", is not built in and has a NAME.yaml in the
/// current folder, that file by its whole path. Empty: there is none.
std::string described_devices(std::vector<std::string> devices);

}  // namespace takt
