#include "predict/zoo/zoo.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/yaml_section.h"
#include "predict/zoo/chain.h"

namespace takt {
namespace {

constexpr std::int64_t most_batch = 4096, most_input = 100'000;
constexpr double least_width = 0.05, most_width = 4;
constexpr int most_zoo_models = 100'000;

std::vector<YAML::Node> items_of(const YamlSection& section, const std::string& key) {
  const YAML::Node node = section.at(key);
  if (!node.IsSequence()) return {node};
  if (node.size() == 0) section.fail(node, key, "is an empty list; give a value or omit the key");
  return {node.begin(), node.end()};
}

std::vector<std::int64_t> integers_in(const YamlSection& section, const std::string& key, std::int64_t least,
                                      std::int64_t most, const std::vector<std::int64_t>& otherwise) {
  if (!section.has(key)) return otherwise;
  std::vector<std::int64_t> values;
  for (const YAML::Node& item : items_of(section, key)) {
    const double number = section.number_of(item, key, static_cast<double>(least), static_cast<double>(most));
    const auto value = static_cast<std::int64_t>(number);
    if (static_cast<double>(value) != number) section.fail(item, key, "is not a whole number");
    values.push_back(value);
  }
  return values;
}

std::vector<int> depths_in(const YamlSection& section, const ZooFamily& family) {
  std::vector<int> depths;
  const std::vector<std::int64_t> usual(family.depths.begin(), family.depths.end());
  for (const std::int64_t depth : integers_in(section, "depth", 1, 1000, usual)) {
    if (std::find(usual.begin(), usual.end(), depth) == usual.end())
      section.fail(section.at("depth"), "depth",
                   fmt::format("is {}, and {} has {}", depth, family.name, depths_text(family)));
    depths.push_back(static_cast<int>(depth));
  }
  return depths;
}

std::vector<double> widths_in(const YamlSection& section, const ZooFamily& family) {
  if (!section.has("width")) return family.widths;
  std::vector<double> widths;
  for (const YAML::Node& item : items_of(section, "width"))
    widths.push_back(section.number_of(item, "width", least_width, most_width));
  return widths;
}

const ZooFamily& family_in(const YamlSection& section) {
  std::vector<std::string> names;
  for (const ZooFamily& family : zoo_families()) names.emplace_back(family.name);
  if (!section.has("family"))
    section.fail(section.node(), "family", "is missing; give one of " + fmt::format("{}", fmt::join(names, ", ")));
  return *zoo_family(section.word("family", names));
}

void add_grid(const YAML::Node& node, const std::string& origin, std::size_t number, ZooConfig& config) {
  const YamlSection section(node, origin, fmt::format("models[{}].", number),
                            {"family", "depth", "width", "batch", "input"});
  const ZooFamily& family = family_in(section);
  const auto depths = depths_in(section, family);
  const auto widths = widths_in(section, family);
  const auto batches = integers_in(section, "batch", 1, most_batch, {1});
  const auto inputs = integers_in(section, "input", family.least_input, most_input, {family.input});
  // As a double, which cannot overflow: a small file may span an enormous grid.
  const double count = static_cast<double>(config.models.size()) +
                       static_cast<double>(depths.size()) * static_cast<double>(widths.size()) *
                           static_cast<double>(batches.size()) * static_cast<double>(inputs.size());
  if (count > most_zoo_models)
    section.fail(node, "family", fmt::format("expands to more than {} models of the zoo", most_zoo_models));
  for (const int depth : depths)
    for (const double width : widths)
      for (const std::int64_t batch : batches)
        for (const std::int64_t input : inputs)
          config.models.push_back({std::string(family.name), depth, width, batch, input});
}

std::vector<int> chain_numbers() {
  std::vector<int> numbers(last_wide_chain);
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

}  // namespace

std::string depths_text(const ZooFamily& family) {
  if (family.name == random_chains_family) return fmt::format("{} to {}", family.depths.front(), family.depths.back());
  return fmt::format("{}", fmt::join(family.depths, ", "));
}

const std::vector<ZooFamily>& zoo_families() {
  static const std::vector<ZooFamily> families{
      {"resnet", {10, 18, 26, 34, 50}, {0.25, 0.5, 1}},
      {"vgg", {11, 13, 16}, {0.25, 0.5}},
      {"mobilenetv2", {10, 19}, {0.35, 0.5, 1}},
      {"squeezenet", {10, 11}, {0.5, 1}},
      {"densenet", {59, 121}, {0.375, 1}},
      {"efficientnet", {9, 16}, {0.5, 1}},
      {"inception", {5, 9}, {0.5, 1}},
      {"transformer", {2, 4, 6}, {0.5, 1, 2}, 128, 1},
      {"mlp", {3, 6}, {0.5, 2}, 784, 1},
      {"sage", {1}, {0.25, 1}, 1000, 2},
      {"gcn", {1}, {0.25, 1}, 1000, 2},
      {"gat", {1}, {0.25, 1}, 1000, 2},
      {random_chains_family, chain_numbers(), {1}, 1, 1},
  };
  return families;
}

const ZooFamily* zoo_family(std::string_view name) {
  for (const ZooFamily& family : zoo_families())
    if (family.name == name) return &family;
  return nullptr;
}

std::string ZooModel::architecture() const { return fmt::format("{}{}_w{:g}", family, depth, width); }

std::string ZooModel::name() const { return fmt::format("{}_b{}_{}", architecture(), batch, input); }

std::vector<ZooModel> usual_zoo() {
  std::vector<ZooModel> models;
  for (const ZooFamily& family : zoo_families()) {
    if (family.name == random_chains_family) continue;
    for (const int depth : family.depths)
      for (const double width : family.widths)
        models.push_back({std::string(family.name), depth, width, 1, family.input});
  }
  return models;
}

ZooConfig parse_zoo_config(const std::string& text, const std::string& origin) {
  const YamlSection file(load_yaml(text, origin, "zoo"), origin, "", {"seed", "models"});
  ZooConfig config;
  config.seed = static_cast<std::uint64_t>(file.integer("seed", 0, std::int64_t{1} << 53).value_or(1));
  if (!file.has("models")) {
    config.models = usual_zoo();
    return config;
  }
  const YAML::Node models = file.at("models");
  if (!models.IsSequence() || models.size() == 0)
    file.fail(models, "models", "is not a list; give entries such as {family: resnet, depth: 18}");
  for (std::size_t i = 0; i < models.size(); ++i) add_grid(models[i], origin, i, config);
  std::set<std::string> names;
  for (const ZooModel& model : config.models)
    if (!names.insert(model.name()).second)
      file.fail(models, "models", fmt::format("lists {} twice; remove one", model.name()));
  return config;
}

ZooConfig read_zoo_config(const std::filesystem::path& path) {
  return parse_zoo_config(read_file(path), printable(path.string()));
}

}  // namespace takt
