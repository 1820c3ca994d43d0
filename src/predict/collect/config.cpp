#include <fmt/format.h>

#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/yaml_section.h"
#include "predict/collect/collect.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

std::vector<std::filesystem::path> model_paths_in(const YamlSection& file, const std::filesystem::path& base) {
  std::vector<std::filesystem::path> paths;
  const YAML::Node models = file.at("models");
  const auto add = [&](const YAML::Node& node) {
    if (!node.IsScalar() || node.Scalar().empty()) file.fail(node, "models", "is not a path; give a folder or a model");
    paths.push_back(base / node.Scalar());
  };
  if (models.IsSequence())
    for (const auto& node : models) add(node);
  else
    add(models);
  if (paths.empty()) file.fail(models, "models", "is empty; give a folder or a model");
  return paths;
}

/// A value, or a list of them.
std::vector<YAML::Node> values_at(const YamlSection& section, const std::string& key) {
  const YAML::Node node = section.at(key);
  std::vector<YAML::Node> values;
  if (!node.IsSequence()) return {node};
  for (const auto& value : node) values.push_back(value);
  if (values.empty()) section.fail(node, section.full_name(key), "is an empty list; omit the key, or give an entry");
  return values;
}

StressPlan stress_in(const YamlSection& file) {
  const YamlSection section(file.at("stress"), file.origin(), "stress.",
                            {"kinds", "levels", "threads", "per_model", "time"});
  StressPlan plan;
  if (section.has("kinds")) {
    plan.kinds.clear();
    for (const YAML::Node& node : values_at(section, "kinds")) {
      if (!node.IsScalar() || !is_stress_kind(node.Scalar()))
        section.fail(node, "stress.kinds", "is not a load; use compute, memory or cache");
      plan.kinds.push_back(node.Scalar());
    }
  }
  if (section.has("levels")) {
    plan.levels.clear();
    for (const YAML::Node& node : values_at(section, "levels"))
      plan.levels.push_back(section.number_of(node, "stress.levels", 0.01, 1));
  }
  if (section.has("threads"))
    for (const YAML::Node& node : values_at(section, "threads"))
      plan.threads.push_back(static_cast<int>(section.number_of(node, "stress.threads", 1, 1024)));
  plan.per_model = static_cast<int>(section.integer("per_model", 0, 1000).value_or(plan.per_model));
  if (const auto time = section.duration("time", 1ms, 1h)) plan.time = *time;
  return plan;
}

}  // namespace

CollectSettings parse_collect_config(const std::string& text, const std::string& origin) {
  const YamlSection file(load_yaml(text, origin, "collection"), origin, "",
                         {"models", "rounds", "time", "threads", "runtime", "device", "run_delay", "canary", "retries",
                          "seed", "stress", "load"});
  CollectSettings settings;
  if (!file.has("models")) file.fail(file.node(), "models", "is missing; name a folder with models");
  settings.models = model_paths_in(file, std::filesystem::path(origin).parent_path());
  settings.rounds = static_cast<int>(file.integer("rounds", 1, 1000).value_or(settings.rounds));
  settings.threads = static_cast<int>(file.integer("threads", 1, 4096).value_or(settings.threads));
  if (const auto time = file.duration("time", 1ms, 1h)) settings.time = *time;
  settings.runtime = file.text("runtime", settings.runtime);
  settings.device = file.text("device", settings.device);
  settings.most_run_delay = file.number("run_delay", 0, 1e6, settings.most_run_delay);
  settings.most_canary = file.number("canary", 1, 1e6, settings.most_canary);
  settings.retries = static_cast<int>(file.integer("retries", 0, 1000).value_or(settings.retries));
  settings.seed = static_cast<std::uint64_t>(
      file.integer("seed", 0, std::int64_t{1} << 53).value_or(static_cast<std::int64_t>(settings.seed)));
  if (file.has("stress")) settings.stress = stress_in(file);
  if (file.has("load")) settings.load = parse_load_config(file.at("load"), origin, usual_load_config());
  return settings;
}

CollectSettings read_collect_config(const std::filesystem::path& path) {
  return parse_collect_config(read_file(path), path.string());
}

}  // namespace takt
