// Words of a pipeline file that is written: simulated devices that are described in the current folder, as the file may
// lie in another one, and mappings.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace takt {

/// The `devices` of a pipeline file: for each of these that is "sim:NAME", is not built in and has a NAME.yaml in the
/// current folder, that file by its whole path. Empty: there is none.
std::string described_devices(std::vector<std::string> devices);

/// A flow mapping of YAML, {"input": "stage.output"}; JSON texts are YAML texts.
std::string flow_mapping(const std::map<std::string, std::string>& entries);

}  // namespace takt
