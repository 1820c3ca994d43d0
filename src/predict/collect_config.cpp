#include <fmt/format.h>

#include "core/file.h"
#include "core/text.h"
#include "core/yaml_section.h"
#include "predict/collect.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

std::vector<std::filesystem::path> model_paths_in(const YamlSection& file, const std::filesystem::path& base) {
  std::vector<std::filesystem::path> paths;
  const YAML::Node models = file.at("models");
  const auto add = [&](const YAML::Node& node) {
    if (!node.IsScalar() || node.Scalar().empty()) file.fail(node, "models", "is no path; give a folder or a model");
    paths.push_back(base / node.Scalar());
  };
  if (models.IsSequence())
    for (const auto& node : models) add(node);
  else
    add(models);
  if (paths.empty()) file.fail(models, "models", "names nothing; give a folder or a model");
  return paths;
}

}  // namespace

CollectSettings parse_collect_config(const std::string& text, const std::string& origin) {
  const YamlSection file(
      load_yaml(text, origin, "a collection"), origin, "",
      {"models", "rounds", "time", "threads", "runtime", "device", "run_delay", "canary", "retries", "seed"});
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
  return settings;
}

CollectSettings read_collect_config(const std::filesystem::path& path) {
  return parse_collect_config(read_file(path), path.string());
}

}  // namespace takt
