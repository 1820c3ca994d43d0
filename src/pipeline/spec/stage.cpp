#include "pipeline/spec/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/inputs/inputs.h"
#include "model/runtime/precision.h"
#include "model/runtime/runtime.h"
#include "model/sim/simulated.h"

namespace takt {
namespace {

std::string read_sim_device(const YamlSection& where, const YAML::Node& node, const std::string& key,
                            const std::filesystem::path& folder, std::filesystem::path& description) {
  const std::string name(name_without_prefix(node.Scalar()));
  const auto built_in = built_in_devices();
  if (!description.empty()) return simulated_device(name);
  if (std::find(built_in.begin(), built_in.end(), upper_case(name)) != built_in.end())
    return simulated_device(upper_case(name));
  const auto file = folder / (name + ".yaml");
  std::error_code error;
  if (name.empty() || !std::filesystem::is_regular_file(file, error))
    where.fail(node, key,
               fmt::format("the device sim:{} does not exist: it is neither built in ({}) nor described by {}; {}",
                           printable(name), fmt::join(built_in, ", "), printable(file.string()),
                           suggestion(upper_case(name), built_in, "write that file, or name it under 'devices'")));
  description = file;
  return simulated_device(name);
}

void check_model(const YamlSection& stage, StageSpec& result, const std::filesystem::path& folder) {
  const bool has_model = stage.has("model"), has_dummy = stage.has("dummy");
  if (has_model && has_dummy)
    stage.fail(stage.at("dummy"), stage.full_name("dummy"), "is given in addition to 'model'; keep one");
  if (!has_model && !has_dummy)
    stage.fail(stage.node(), stage.full_name("model"), "is missing; name a model file, or a 'dummy'");
  if (!has_model) return;
  const auto node = stage.at("model");
  const std::string name = stage.text("model", "");
  if (name.empty()) stage.fail(node, stage.full_name("model"), "names no file; write it, or a 'dummy'");
  result.model = folder / name;
  std::error_code error;
  if (!std::filesystem::exists(result.model, error))
    stage.fail(node, stage.full_name("model"),
               fmt::format("the file {} does not exist; check the path, which is relative to this file's folder",
                           printable(result.model.string())));
  if (!is_model_file(result.model))
    stage.fail(node, stage.full_name("model"),
               fmt::format("{} is neither .onnx nor .xml; name a model file", printable(name)));
}

std::vector<double> read_ratio(const YamlSection& split, const YAML::Node& node, std::size_t parts) {
  const std::string key = split.full_name("ratio");
  if (!node.IsSequence()) split.fail(node, key, "is neither a list nor 'balanced'; write [0.6, 0.4]");
  std::vector<double> ratio;
  for (const auto& share : node) ratio.push_back(split.number_of(share, key, 1e-6, 1));
  if (ratio.size() != parts)
    split.fail(node, key, fmt::format("has {} shares for {} devices; give one each", ratio.size(), parts));
  const double sum = std::accumulate(ratio.begin(), ratio.end(), 0.0);
  if (std::abs(sum - 1) > 1e-6) split.fail(node, key, fmt::format("adds up to {:g}; make the shares add up to 1", sum));
  return ratio;
}

/// One for each part.
std::vector<std::string> read_runtimes(const YamlSection& split, const YAML::Node& node, std::size_t parts) {
  const std::string key = split.full_name("runtimes");
  if (!node.IsSequence()) split.fail(node, key, "is not a list; write one for each device: [openvino, onnxruntime]");
  if (node.size() != parts)
    split.fail(node, key, fmt::format("has {} runtimes for {} devices; give one each", node.size(), parts));
  std::vector<std::string> runtimes;
  for (const auto& entry : node) {
    if (!entry.IsScalar())
      split.fail(entry, key, "has an entry that is not the name of a runtime; write [openvino, onnxruntime]");
    runtimes.push_back(lower_case(entry.Scalar()));
  }
  return runtimes;
}

SplitSpec read_split(const YamlSection& stage, const std::filesystem::path& folder,
                     std::map<std::string, DeviceSpec>& devices) {
  const YamlSection split(stage.at("split"), stage.origin(), stage.full_name("split."),
                          {"devices", "runtimes", "ratio", "axis", "verify"});
  SplitSpec result;
  const auto list = split.at("devices");
  const std::string key = split.full_name("devices");
  if (!split.has("devices") || !list.IsSequence() || list.size() < 2)
    split.fail(split.has("devices") ? list : split.node(), key, "is not a list of two or more; write [CPU, GPU]");
  if (list.size() > 64) split.fail(list, key, fmt::format("names {} devices; use up to 64", list.size()));
  for (const auto& entry : list) {
    std::filesystem::path description;
    if (const auto known = entry.IsScalar() ? devices.find(entry.Scalar()) : devices.end(); known != devices.end())
      description = known->second.description;
    result.devices.push_back(read_device(split, entry, key, folder, description));
    if (!description.empty()) devices[result.devices.back()].description = description;
  }
  const auto simulated = std::count_if(result.devices.begin(), result.devices.end(), is_simulated);
  if (simulated != 0 && simulated != static_cast<std::ptrdiff_t>(list.size()))
    split.fail(list, key, "mixes real and simulated devices, so there is no complete result to merge; use one kind");
  if (split.has("ratio") && !(split.at("ratio").IsScalar() && split.text("ratio", "") == "balanced"))
    result.ratio = read_ratio(split, split.at("ratio"), result.devices.size());
  result.axis = static_cast<int>(split.integer("axis", 0, 15).value_or(0));
  result.verify = split.flag("verify", true);
  if (split.has("runtimes")) result.runtimes = read_runtimes(split, split.at("runtimes"), result.devices.size());
  return result;
}

std::map<std::string, std::string> read_texts(const YamlSection& stage, const std::string& key) {
  std::map<std::string, std::string> texts;
  if (!stage.has(key)) return texts;
  const YamlSection section(stage.at(key), stage.origin(), stage.full_name(key + "."), {});
  for (const auto& entry : section.node()) {
    if (!entry.second.IsScalar())
      section.fail(entry.second, section.full_name(entry.first.Scalar()), "is not a string; put it in quotes");
    texts[entry.first.Scalar()] = entry.second.Scalar();
  }
  return texts;
}

/// One name or a list of them; `source` stands for none.
std::optional<std::vector<std::string>> read_after(const YamlSection& stage) {
  if (!stage.has("after")) return std::nullopt;
  const YAML::Node node = stage.at("after");
  std::vector<std::string> names;
  if (node.IsScalar()) names.push_back(node.Scalar());
  for (std::size_t i = 0; node.IsSequence() && i < node.size(); ++i) {
    if (!node[i].IsScalar()) stage.fail(node[i], stage.full_name("after"), "is not the name of a stage; write [a, b]");
    names.push_back(node[i].Scalar());
  }
  if (names.empty()) stage.fail(node, stage.full_name("after"), "names nothing; write [a, b], or source");
  const bool source = std::find(names.begin(), names.end(), "source") != names.end();
  if (source && names.size() > 1)
    stage.fail(node, stage.full_name("after"),
               "names the source in addition to stages, which come after it anyway; name only the stages");
  if (source) names.clear();
  return names;
}

void check_inputs(const YamlSection& stage, const StageSpec& result) {
  for (const auto& [name, text] : result.inputs) try {
      if (parse_input_specs(text).size() != 1) throw UsageError("give one shape, for example {1,3,224,224}");
    } catch (const UsageError& error) {
      stage.fail(stage.at("inputs")[name], stage.full_name("inputs." + name), error.what());
    }
}

void check_runtime(const YamlSection& where, const YAML::Node& node, const std::string& key, const std::string& runtime,
                   const std::string& device) {
  auto known = runtime_names();
  for (const auto& name : missing_runtime_names()) known.push_back(name);
  if (std::find(known.begin(), known.end(), runtime) == known.end())
    where.fail(node, key,
               fmt::format("'{}' is unknown; {}", printable(runtime),
                           suggestion(runtime, known, fmt::format("use {}", fmt::join(known, ", ")))));
  if (is_simulated(device) != (runtime == simulated_runtime))
    where.fail(node, key, fmt::format("'{}' does not run {}; leave it out", runtime, device));
}

/// Of the stage, or of each part.
void check_runtimes(const YamlSection& stage, const StageSpec& result) {
  const auto devices = devices_of(result);
  if (stage.has("runtime"))
    check_runtime(stage, stage.at("runtime"), stage.full_name("runtime"), result.runtime, devices.front());
  if (!result.split || result.split->runtimes.empty()) return;
  const auto node = stage.at("split")["runtimes"];
  const std::string key = stage.full_name("split.runtimes");
  if (stage.has("runtime")) stage.fail(node, key, "is given in addition to 'runtime'; keep one");
  for (std::size_t p = 0; p < devices.size(); ++p)
    check_runtime(stage, node[p], key, result.split->runtimes[p], devices[p]);
}

void check_name(const YamlSection& stage, const std::string& name) {
  const auto node = stage.has("name") ? stage.at("name") : stage.node();
  if (name.empty()) stage.fail(node, stage.full_name("name"), "is missing; give the stage a name");
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; };
  if (!std::all_of(name.begin(), name.end(), fits))
    stage.fail(node, stage.full_name("name"),
               fmt::format("'{}' has characters other than letters, digits, _ and -; use only those", printable(name)));
}

}  // namespace

std::string read_device(const YamlSection& where, const YAML::Node& node, const std::string& key,
                        const std::filesystem::path& folder, std::filesystem::path& description) {
  if (!node.IsScalar() || node.Scalar().empty()) where.fail(node, key, "is not a device; write CPU, or sim:NAME");
  const std::string upper = upper_case(node.Scalar());
  if (upper.starts_with("SIM:")) return read_sim_device(where, node, key, folder, description);
  for (const char* known : {"CPU", "GPU", "NPU", "AUTO"})
    if (upper == known) return upper;
  for (const char* family : {"CPU.", "GPU.", "NPU.", "MULTI:", "HETERO:", "AUTO:"})
    if (upper.starts_with(family) && upper.size() > std::string_view(family).size()) return upper;
  where.fail(node, key,
             fmt::format("the device '{}' does not exist; {}", printable(node.Scalar()),
                         suggestion(upper, std::vector<std::string>{"CPU", "GPU", "NPU", "AUTO"},
                                    "use CPU, GPU, NPU or sim:NAME")));
}

std::optional<ElementType> read_precision(const YamlSection& stage, const StageSpec& result) {
  if (!stage.has("precision")) return std::nullopt;
  const std::string text = stage.text("precision", "");
  const auto precision = precision_named(text);
  if (!precision)
    stage.fail(stage.at("precision"), stage.full_name("precision"),
               fmt::format("{} is not a precision; use f32, f16 or bf16", printable(text)));
  if (result.dummy && !result.dummy->matmul)
    stage.fail(stage.at("precision"), stage.full_name("precision"),
               "is for models, and this stage has none; leave it out");
  return precision;
}

bool read_open_shapes(const YamlSection& stage, const StageSpec& result) {
  const bool open = stage.flag("open_shapes");
  if (open && (result.dummy || result.split))
    stage.fail(stage.at("open_shapes"), stage.full_name("open_shapes"),
               result.dummy ? "is for models, and this stage has none; leave it out"
                            : "is not possible for a split stage, whose parts differ in size; leave it out");
  return open;
}

StageSpec read_stage(const YAML::Node& node, const YamlSection& root, std::size_t index, int queue,
                     const std::filesystem::path& folder, std::map<std::string, DeviceSpec>& devices) {
  const YamlSection stage(node, root.origin(), fmt::format("stages[{}].", index),
                          {"name", "model", "dummy", "device", "runtime", "split", "replicas", "queue", "ordered",
                           "threads", "precision", "open_shapes", "inputs", "data", "connect", "after"});
  StageSpec result;
  result.line = YamlSection::line_of(node);
  result.name = stage.text("name", "");
  check_name(stage, result.name);
  check_model(stage, result, folder);
  if (stage.has("split") && stage.has("device"))
    stage.fail(stage.at("device"), stage.full_name("device"),
               "is given in addition to 'split', which names the devices; keep one");
  if (stage.has("split")) {
    result.split = read_split(stage, folder, devices);
  } else if (stage.has("device")) {
    std::filesystem::path description;
    const auto text = stage.text("device", "");
    if (const auto known = devices.find(text); known != devices.end()) description = known->second.description;
    result.device = read_device(stage, stage.at("device"), stage.full_name("device"), folder, description);
    if (!description.empty()) devices[result.device].description = description;
  }
  if (stage.has("dummy")) result.dummy = read_dummy(stage, folder);
  if (waits(result)) result.device = wait_device;
  result.runtime = lower_case(stage.text("runtime", ""));
  check_dummy(stage, result);
  check_runtimes(stage, result);
  result.replicas = static_cast<int>(stage.integer("replicas", 1, 1024).value_or(1));
  result.queue = static_cast<int>(stage.integer("queue", 1, 1'000'000).value_or(queue));
  result.ordered = stage.flag("ordered", true);
  if (const auto threads = stage.integer("threads", 1, 4096)) result.threads = static_cast<int>(*threads);
  if (busy_time(result)) result.threads = 1;
  result.precision = read_precision(stage, result);
  result.open_shapes = read_open_shapes(stage, result);
  result.inputs = read_texts(stage, "inputs");
  check_inputs(stage, result);
  result.connect = read_texts(stage, "connect");
  result.connects_by_default = !stage.has("connect");
  result.after = read_after(stage);
  result.data = read_data(stage, folder);
  check_data(stage, result);
  return result;
}

}  // namespace takt
