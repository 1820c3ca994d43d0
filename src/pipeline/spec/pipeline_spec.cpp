#include "pipeline/spec/pipeline_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/yaml_section.h"
#include "pipeline/spec/stage.h"
#include "pipeline/spec/stage_order.h"

namespace takt {
namespace {

constexpr std::int64_t most_batches = 100'000'000;
constexpr Nanoseconds day = std::chrono::hours(24);

SourceSpec read_source(const YamlSection& root) {
  SourceSpec source;
  source.in_flight = root.integer("in_flight", 1, 1'000'000);
  const std::string text = root.text("source", "closed");
  if (text == "closed") return source;
  source.kind = text.starts_with("poisson ") ? SourceKind::poisson : SourceKind::fixed_rate;
  std::string_view rate = text;
  if (source.kind == SourceKind::poisson) rate.remove_prefix(std::string_view("poisson ").size());
  rate = trim(rate);
  const bool has_unit = rate.ends_with("/s");
  if (has_unit) rate.remove_suffix(2);
  const auto per_second = number_in<double>(rate);
  if (!has_unit || !per_second)
    root.fail(root.at("source"), "source",
              fmt::format("'{}' is not a source; write closed, 50/s or poisson 50/s", printable(text)));
  source.per_second = *per_second;
  if (!(source.per_second >= 1e-3 && source.per_second <= 1e6))
    root.fail(root.at("source"), "source",
              fmt::format("{} per second is out of range; use 0.001/s to 1000000/s", source.per_second));
  return source;
}

std::map<std::string, DeviceSpec> read_devices(const YamlSection& root, const std::filesystem::path& folder) {
  std::map<std::string, DeviceSpec> devices;
  if (!root.has("devices")) return devices;
  const YamlSection list(root.at("devices"), root.origin(), "devices.", {});
  for (const auto& entry : list.node()) {
    const std::string typed = entry.first.Scalar(), key = list.full_name(typed);
    const YamlSection section(entry.second, root.origin(), key + ".", {"requests", "description"});
    DeviceSpec device;
    if (const auto requests = section.integer("requests", 1, 4096)) device.requests = static_cast<int>(*requests);
    if (section.has("description")) {
      device.description = folder / section.text("description", "");
      std::error_code error;
      if (!std::filesystem::is_regular_file(device.description, error))
        section.fail(section.at("description"), section.full_name("description"),
                     fmt::format("the file {} does not exist; check the path, which is relative to this file's folder",
                                 printable(device.description.string())));
      if (!is_simulated(lower_case(typed)))
        section.fail(section.at("description"), section.full_name("description"),
                     "describes a simulated device; write sim:NAME");
    }
    const std::string name = lower_case(typed) == wait_device
                                 ? std::string(wait_device)
                                 : read_device(list, entry.first, key, folder, device.description);
    if (!devices.emplace(name, device).second) list.fail(entry.first, key, "is given twice; keep one");
  }
  return devices;
}

void check_devices_used(const YamlSection& root, const PipelineSpec& spec) {
  if (!root.has("devices")) return;
  const auto used = device_names(spec);
  for (const auto& entry : root.at("devices")) {
    const std::string typed = entry.first.Scalar();
    const auto same = [&](const std::string& name) { return lower_case(name) == lower_case(typed); };
    if (std::none_of(used.begin(), used.end(), same))
      root.fail(entry.first, "devices." + typed,
                "no stage runs on it; " + suggestion(typed, used, "name it in a stage, or remove it here"));
  }
}

void check_connections(const YamlSection& root, const PipelineSpec& spec) {
  std::vector<std::string> names;
  for (const auto& stage : spec.stages) names.push_back(stage.name);
  for (std::size_t s = 0; s < spec.stages.size(); ++s) {
    const auto node = root.at("stages")[s]["connect"];
    for (const auto& [input, from] : spec.stages[s].connect) {
      const std::string key = fmt::format("stages[{}].connect.{}", s, input);
      const auto dot = from.find('.');
      if (dot == std::string::npos || dot + 1 == from.size())
        root.fail(node[input], key, fmt::format("'{}' is not an output; write STAGE.OUTPUT", printable(from)));
      const auto found = std::find(names.begin(), names.end(), from.substr(0, dot));
      if (found == names.end())
        root.fail(node[input], key,
                  fmt::format("the stage '{}' does not exist; {}", printable(from.substr(0, dot)),
                              suggestion(from.substr(0, dot), names, "name an earlier stage")));
      if (found - names.begin() >= static_cast<std::ptrdiff_t>(s))
        root.fail(node[input], key,
                  fmt::format("stage '{}' does not come before '{}', so this is a cycle; connect to an earlier stage",
                              *found, names[s]));
    }
  }
}

void check_after(const YamlSection& root, const PipelineSpec& spec) {
  std::vector<std::string> earlier;
  for (std::size_t s = 0; s < spec.stages.size(); ++s) {
    const auto& stage = spec.stages[s];
    const std::string key = fmt::format("stages[{}].after", s);
    for (const auto& name : stage.after.value_or(std::vector<std::string>{})) {
      if (std::find(earlier.begin(), earlier.end(), name) != earlier.end()) continue;
      root.fail(root.at("stages")[s]["after"], key,
                fmt::format("the stage '{}' does not exist before '{}'; {}", printable(name), stage.name,
                            suggestion(name, earlier, "name earlier stages, or source")));
    }
    earlier.push_back(stage.name);
  }
}

/// Values flow along the order only: what a stage takes must be there when it starts.
void check_connected_order(const YamlSection& root, const PipelineSpec& spec) {
  const auto order = order_of(spec);
  for (std::size_t s = 0; s < spec.stages.size(); ++s) {
    for (const auto& [input, from] : spec.stages[s].connect) {
      const std::string name = from.substr(0, from.find('.'));
      if (comes_after(order, static_cast<int>(s), number_of_stage(spec, name))) continue;
      root.fail(
          root.at("stages")[s]["connect"][input], fmt::format("stages[{}].connect.{}", s, input),
          fmt::format("'{}' may still be running when '{}' starts; add it to 'after'", name, spec.stages[s].name));
    }
  }
  std::vector<std::string> names;
  for (const auto& stage : spec.stages) names.push_back(stage.name);
  try {
    check(flow_shape(spec), names);
  } catch (const Error& error) {
    root.fail(root.at("stages"), "stages", error.what());
  }
}

void read_interference(const YamlSection& section, const std::vector<std::string>& names, PipelineSpec& spec) {
  if (!section.has("interference")) return;
  const YamlSection rows(section.at("interference"), section.origin(), "contention.interference.", names);
  for (const auto& row : rows.node()) {
    const std::string name = row.first.Scalar();
    const YamlSection factors(row.second, section.origin(), rows.full_name(name + "."), names);
    for (const auto& entry : factors.node())
      spec.interference[name][entry.first.Scalar()] = factors.number(entry.first.Scalar(), 0.01, 1e6);
  }
}

std::vector<std::string> words_of(const std::vector<std::string_view>& list) { return {list.begin(), list.end()}; }

void read_resource(const YamlSection& section, const std::vector<std::string>& names, ResourceSpec& resource) {
  resource.law = *pressure_law_named(section.word("law", words_of(pressure_law_names())));
  if (!section.has("stages"))
    section.fail(section.node(), section.full_name("stages"), "is missing; list the stages that use the resource");
  const YamlSection stages(section.at("stages"), section.origin(), section.full_name("stages."), names);
  for (const auto& entry : stages.node()) {
    const std::string name = entry.first.Scalar();
    const YamlSection stage(entry.second, section.origin(), stages.full_name(name + "."), {"pressure", "sensitivity"});
    resource.stages[name] = {stage.number("pressure", 0, 1, 0), stage.number("sensitivity", 0, 1, 0)};
  }
}

void read_resources(const YamlSection& section, const std::vector<std::string>& names, PipelineSpec& spec) {
  if (!section.has("resources")) return;
  const YamlSection resources(section.at("resources"), section.origin(), "contention.resources.", {});
  for (const auto& entry : resources.node()) {
    const std::string name = entry.first.Scalar();
    const YamlSection resource(entry.second, section.origin(), resources.full_name(name + "."), {"law", "stages"});
    read_resource(resource, names, spec.resources[name]);
  }
  if (spec.resources.size() > 8)
    section.fail(section.at("resources"), section.full_name("resources"),
                 fmt::format("has {} resources; use up to 8", spec.resources.size()));
}

void read_contention(const YamlSection& root, PipelineSpec& spec) {
  if (!root.has("contention")) return;
  const YamlSection section(root.at("contention"), root.origin(), "contention.",
                            {"interference", "resources", "combine"});
  std::vector<std::string> names;
  for (const auto& stage : spec.stages) names.push_back(stage.name);
  read_interference(section, names, spec);
  read_resources(section, names, spec);
  spec.combination = *combination_named(section.word("combine", words_of(combination_names())));
}

void read_stages(const YamlSection& root, const std::filesystem::path& folder, PipelineSpec& spec) {
  const auto list = root.at("stages");
  if (!root.has("stages")) root.fail(root.node(), "stages", "is missing; describe at least one stage");
  if (!list.IsSequence() || list.size() == 0)
    root.fail(list, "stages", "is not a list of stages; describe at least one");
  if (list.size() > 1000) root.fail(list, "stages", fmt::format("has {} stages; use up to 1000", list.size()));
  const int queue = static_cast<int>(root.integer("queue", 1, 1'000'000).value_or(2));
  for (std::size_t s = 0; s < list.size(); ++s) {
    spec.stages.push_back(read_stage(list[s], root, s, queue, folder, spec.devices));
    for (std::size_t before = 0; before < s; ++before)
      if (spec.stages[before].name == spec.stages[s].name)
        root.fail(list[s]["name"], fmt::format("stages[{}].name", s),
                  fmt::format("'{}' is also the name of an earlier stage; choose another", spec.stages[s].name));
  }
}

PipelineSpec read_spec(const YAML::Node& node, const std::string& origin, const std::filesystem::path& folder) {
  const YamlSection root(node, origin, "",
                         {"name", "batches", "duration", "warmup", "source", "in_flight", "queue", "seed", "timeout",
                          "devices", "contention", "stages"});
  PipelineSpec spec;
  spec.origin = origin;
  spec.name = root.text("name", std::filesystem::path(origin).stem().string());
  spec.batches = root.integer("batches", 1, most_batches);
  spec.duration = root.duration("duration", std::chrono::milliseconds(1), day);
  if (!spec.batches && !spec.duration) spec.batches = 100;
  spec.warmup = root.integer("warmup", 0, most_batches);
  if (spec.warmup && spec.batches && *spec.warmup >= *spec.batches)
    root.fail(root.at("warmup"), "warmup",
              fmt::format("{} leaves nothing of {} batches; use fewer", *spec.warmup, *spec.batches));
  spec.source = read_source(root);
  spec.seed = static_cast<std::uint64_t>(root.integer("seed", 0, INT64_MAX).value_or(1));
  spec.timeout = root.duration("timeout", std::chrono::microseconds(1), day).value_or(spec.timeout);
  spec.devices = read_devices(root, folder);
  read_stages(root, folder, spec);
  check_devices_used(root, spec);
  check_connections(root, spec);
  check_after(root, spec);
  check_connected_order(root, spec);
  read_contention(root, spec);
  return spec;
}

/// What a pipe (`<(…)`) names lies where the program was started.
std::filesystem::path folder_of(const std::string& origin) {
  std::error_code error;
  return std::filesystem::is_fifo(origin, error) ? std::filesystem::path()
                                                 : std::filesystem::path(origin).parent_path();
}

}  // namespace

PipelineSpec parse_pipeline(const std::string& text, const std::string& origin) try {
  return read_spec(load_yaml(text, origin, "pipeline"), origin, folder_of(origin));
} catch (const YAML::Exception& e) {  // of a node that is looked at in a way it does not allow
  throw Error(ErrorKind::bad_input,
              fmt::format("{}:{}: {}", origin, e.mark.is_null() ? 1 : e.mark.line + 1, printable(e.msg)));
}

PipelineSpec read_pipeline(const std::filesystem::path& file) {
  return parse_pipeline(read_file(file), printable(file.string()));
}

}  // namespace takt
