// One stage of a pipeline file. For pipeline_spec.cpp and the files that read parts of a stage.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/files/yaml_section.h"
#include "pipeline/spec/pipeline_spec.h"

namespace takt {

/// The device as takt spells it: "CPU", "GPU.0", "sim:NPU". `description`: of a sim device, empty where it is found by
/// its name: built in, or NAME.yaml in `folder`, which is then filled in. Refuses what no runtime knows.
std::string read_device(const YamlSection& where, const YAML::Node& node, const std::string& key,
                        const std::filesystem::path& folder, std::filesystem::path& description);

/// The `dummy` of a stage that has one.
DummyModel read_dummy(const YamlSection& stage, const std::filesystem::path& folder);
/// Refuses a dummy where it cannot run, and keys that it has no use for.
void check_dummy(const YamlSection& stage, const StageSpec& result);

/// The `data` of a stage, by input; the name is empty where the stage's only input is meant. Refuses files that are not
/// there or hold no values, by their names.
std::map<std::string, DataSpec> read_data(const YamlSection& stage, const std::filesystem::path& folder);
/// Refuses data of an input that gets its values otherwise.
void check_data(const YamlSection& stage, const StageSpec& result);

/// Refuses everything about a stage that can be judged without the other stages.
StageSpec read_stage(const YAML::Node& node, const YamlSection& root, std::size_t index, int queue,
                     const std::filesystem::path& folder, std::map<std::string, DeviceSpec>& devices);

}  // namespace takt
