// A mapping of a YAML file that a user writes, with the checks that name file, line and key of every mistake.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/basics/units.h"

namespace takt {

/// Every member function throws Error(bad_input), "FILE:LINE: PREFIX.KEY: what is wrong; what to do".
class YamlSection {
 public:
  /// `keys`: those that may be there, empty: any. Refuses what is no mapping, a key given twice, and an unknown one,
  /// naming the nearest right spelling. `prefix` ends in a dot, or is empty for the file itself.
  YamlSection(const YAML::Node& node, std::string origin, std::string prefix, const std::vector<std::string>& keys);

  bool has(const std::string& key) const { return node_[key].IsDefined(); }
  YAML::Node at(const std::string& key) const { return node_[key]; }
  const YAML::Node& node() const { return node_; }
  std::string full_name(const std::string& key) const { return prefix_ + key; }
  const std::string& origin() const { return origin_; }

  std::string text(const std::string& key, const std::string& otherwise) const;
  /// One of `words`; the first of them where the key is missing.
  std::string word(const std::string& key, const std::vector<std::string>& words) const;
  bool flag(const std::string& key, bool otherwise = false) const;
  double number(const std::string& key, double least, double most) const;
  double number(const std::string& key, double least, double most, double otherwise) const;
  double number_of(const YAML::Node& node, const std::string& key, double least, double most) const;
  /// nullopt where the key is missing.
  std::optional<std::int64_t> integer(const std::string& key, std::int64_t least, std::int64_t most) const;
  std::optional<Nanoseconds> duration(const std::string& key, Nanoseconds least, Nanoseconds most) const;
  Nanoseconds duration_of(const YAML::Node& node, const std::string& key, Nanoseconds least, Nanoseconds most) const;

  static int line_of(const YAML::Node& node);
  [[noreturn]] void fail(const YAML::Node& node, const std::string& key, const std::string& what) const;

 private:
  [[noreturn]] void unknown(const YAML::Node& node, const std::string& key, const std::vector<std::string>& keys) const;

  YAML::Node node_;
  std::string origin_, prefix_;
};

/// The file's text as YAML. Throws Error(bad_input) where it is none, or larger than 1 MiB; `what` names the kind of
/// file in that message.
YAML::Node load_yaml(const std::string& text, const std::string& origin, const std::string& what);

}  // namespace takt
