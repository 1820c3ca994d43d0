// One stage of a pipeline file. For pipeline_spec.cpp only.
#pragma once

#include <filesystem>

#include "core/yaml_section.h"
#include "pipeline/pipeline_spec.h"

namespace takt {

/// The device as takt spells it: "CPU", "GPU.0", "sim:NPU". `description`: of a sim device, empty where it is found by
/// its name: built in, or NAME.yaml in `folder`, which is then filled in. Refuses what no runtime knows.
std::string read_device(const YamlSection& where, const YAML::Node& node, const std::string& key,
                        const std::filesystem::path& folder, std::filesystem::path& description);

/// Refuses everything about a stage that can be judged without the other stages.
StageSpec read_stage(const YAML::Node& node, const YamlSection& root, std::size_t index, int queue,
                     const std::filesystem::path& folder, std::map<std::string, DeviceSpec>& devices);

}  // namespace takt
