// Where the inputs of a stage get their values batch by batch.
#include <fmt/format.h>

#include "base/basics/text.h"
#include "base/files/file.h"
#include "model/inputs/inputs.h"
#include "pipeline/spec/stage.h"

namespace takt {
namespace {

constexpr std::size_t most_turns = 100'000;

std::filesystem::path checked_file(const YamlSection& where, const YAML::Node& node, const std::string& key,
                                   const std::filesystem::path& file) {
  if (!is_value_file(file.string()))
    where.fail(node, key,
               fmt::format("{} is not a file of values (.npy, .json, .ppm, .pgm); name such files, or a folder of them",
                           printable(file.string())));
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    where.fail(node, key,
               fmt::format("the file {} does not exist; check the path, which is relative to this file's folder",
                           printable(file.string())));
  return file;
}

/// The files that a text names, one a line, beside it; empty lines and those behind a # do not count.
std::vector<std::filesystem::path> listed_files(const YamlSection& where, const YAML::Node& node,
                                                const std::string& key, const std::filesystem::path& list) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(list, error))
    where.fail(node, key,
               fmt::format("the file {} does not exist; check the path, which is relative to this file's folder",
                           printable(list.string())));
  std::vector<std::filesystem::path> files;
  const std::string text = read_file(list);
  for (const auto& line : split(text, '\n')) {
    const std::string_view name = trim(line);
    if (name.empty() || name.front() == '#') continue;
    files.push_back(checked_file(where, node, key, list.parent_path() / name));
  }
  return files;
}

std::vector<std::filesystem::path> files_of(const YamlSection& where, const YAML::Node& node, const std::string& key,
                                            const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    auto files = value_files(path, error);
    if (error) where.fail(node, key, fmt::format("{}: cannot be read: {}", printable(path.string()), error.message()));
    return files;
  }
  if (!path.has_filename())
    where.fail(node, key,
               fmt::format("the folder {} does not exist; check the path, which is relative to this file's folder",
                           printable(path.string())));
  if (lower_case(path.extension().string()) == ".txt") return listed_files(where, node, key, path);
  return {checked_file(where, node, key, path)};
}

DataSpec read_one(const YamlSection& where, const YAML::Node& node, const std::string& key,
                  const std::filesystem::path& folder) {
  DataSpec data;
  if (node.IsMap()) {
    const YamlSection section(node, where.origin(), key + ".", {"generated"});
    const auto count = section.integer("generated", 1, static_cast<std::int64_t>(most_turns));
    if (!count) where.fail(node, key, "is empty; write {generated: 16}, or name files");
    data.generated = *count;
    return data;
  }
  if (node.IsScalar() && !node.Scalar().empty()) {
    data.files = files_of(where, node, key, folder / node.Scalar());
  } else if (node.IsSequence()) {
    for (const auto& entry : node) {
      if (!entry.IsScalar()) where.fail(entry, key, "has an entry that is not a file name; write [a.npy, b.npy]");
      data.files.push_back(checked_file(where, entry, key, folder / entry.Scalar()));
    }
  } else {
    where.fail(node, key, "is neither a folder nor a list of files; write frames/, or [a.npy, b.npy]");
  }
  if (data.files.empty()) where.fail(node, key, "has no files of values (.npy, .json, .ppm, .pgm); add some");
  if (data.files.size() > most_turns)
    where.fail(node, key, fmt::format("names {} files; use up to {}", data.files.size(), most_turns));
  return data;
}

/// A shape is what generated values are made in; everything else would be values, of which there are others here.
bool is_shape(const std::string& text) {
  const auto specs = parse_input_specs(text);
  return specs.size() == 1 && std::holds_alternative<Shape>(specs.front().content);
}

}  // namespace

std::map<std::string, DataSpec> read_data(const YamlSection& stage, const std::filesystem::path& folder) {
  std::map<std::string, DataSpec> data;
  if (!stage.has("data")) return data;
  const auto node = stage.at("data");
  const std::string key = stage.full_name("data");
  if (!node.IsMap()) {
    data[""] = read_one(stage, node, key, folder);
    return data;
  }
  const YamlSection section(node, stage.origin(), key + ".", {});
  for (const auto& entry : section.node()) {
    const std::string name = entry.first.Scalar();
    if (name.empty()) section.fail(entry.first, key, "has a key that is not the name of an input");
    data[name] = read_one(section, entry.second, section.full_name(name), folder);
  }
  return data;
}

void check_data(const YamlSection& stage, const StageSpec& result) {
  for (const auto& [name, data] : result.data) {
    const std::string key = stage.full_name(name.empty() ? "data" : "data." + name);
    const auto node = name.empty() ? stage.at("data") : stage.at("data")[name];
    const auto beside = [&](const std::string& other) {
      stage.fail(node, key,
                 fmt::format("is given in addition to '{}', which also sets the values of the input; keep one", other));
    };
    if (result.connect.count(name) > 0) beside("connect." + name);
    if (name.empty() && !result.connect.empty()) beside("connect");
    for (const auto& [input, text] : result.inputs)
      if ((name.empty() || input == name) && !(data.generated > 0 && is_shape(text))) beside("inputs." + input);
  }
}

}  // namespace takt
