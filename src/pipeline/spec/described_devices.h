// Words of a pipeline file that is written: simulated devices that are described in the current folder, as the file may
// lie in another one, and mappings.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace takt {

/// The `devices` of a pipeline file: for each of these that is "sim:NAME", is not built in and has a NAME.yaml in the
/// current folder, that file by its whole path; on those of `in_turns` one execution runs at a time. Empty: nothing is
/// to be said of any.
std::string described_devices(std::vector<std::string> devices, const std::set<std::string>& in_turns = {});

/// A flow mapping of YAML, {"input": "stage.output"}; JSON texts are YAML texts.
std::string flow_mapping(const std::map<std::string, std::string>& entries);

}  // namespace takt
