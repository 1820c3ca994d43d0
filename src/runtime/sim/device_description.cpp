#include "runtime/sim/device_description.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"

namespace takt {
namespace {

const std::map<std::string, std::string>& built_in() {
  static const std::map<std::string, std::string> texts{
      {"CPU",
       "{description: simulated CPU, peak_flops_per_s: 2.0e11, bandwidth_bytes_per_s: 2.0e10, launch_ns: 2000,"
       " unknown_op_ns: 5000, overhead_ns: 10000}"},
      {"GPU",
       "{description: simulated GPU, peak_flops_per_s: 4.0e12, bandwidth_bytes_per_s: 2.0e11, launch_ns: 8000,"
       " unknown_op_ns: 15000, overhead_ns: 30000}"},
      {"NPU",
       "{description: simulated NPU, peak_flops_per_s: 8.0e12, bandwidth_bytes_per_s: 6.0e10, launch_ns: 12000,"
       " unknown_op_ns: 40000, overhead_ns: 60000,"
       " unsupported_ops: [ScatterElements, ScatterND, NonZero, Loop, If, Scan]}"},
  };
  return texts;
}

/// One mapping of the file, with the checks that name file, line and key.
class Section {
 public:
  Section(const YAML::Node& node, std::string origin, std::string prefix, const std::vector<std::string>& keys)
      : node_(node), origin_(std::move(origin)), prefix_(std::move(prefix)) {
    if (!node_.IsMap()) fail(node_, prefix_.empty() ? "the file" : prefix_, "is not a mapping; write KEY: VALUE lines");
    std::set<std::string> seen;
    for (const auto& entry : node_) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string("?");
      if (!seen.insert(key).second) fail(entry.first, prefix_ + key, "is given twice; keep one");
      if (!keys.empty() && std::find(keys.begin(), keys.end(), key) == keys.end()) unknown(entry.first, key, keys);
    }
  }

  bool has(const std::string& key) const { return node_[key].IsDefined(); }
  YAML::Node at(const std::string& key) const { return node_[key]; }
  const YAML::Node& node() const { return node_; }

  std::string text(const std::string& key, const std::string& otherwise) const {
    if (!has(key)) return otherwise;
    if (!node_[key].IsScalar()) fail(node_[key], prefix_ + key, "is not a text");
    return node_[key].Scalar();
  }

  std::string word(const std::string& key, const std::vector<std::string>& words) const {
    const auto value = text(key, words.front());
    if (std::find(words.begin(), words.end(), value) != words.end()) return value;
    const auto near = nearest_word(value, words);
    fail(node_[key], prefix_ + key,
         fmt::format("'{}' is not known; {}", printable(value),
                     near ? fmt::format("did you mean '{}'?", *near) : fmt::format("use {}", fmt::join(words, ", "))));
  }

  bool flag(const std::string& key) const {
    if (!has(key)) return false;
    return word(key, {"true", "false"}) == "true";
  }

  double number(const std::string& key, double least, double most) const {
    if (!has(key)) fail(node_, prefix_ + key, "is missing; add it");
    return number_of(node_[key], prefix_ + key, least, most);
  }

  double number(const std::string& key, double least, double most, double otherwise) const {
    return has(key) ? number(key, least, most) : otherwise;
  }

  double number_of(const YAML::Node& node, const std::string& key, double least, double most) const {
    double value = 0;
    if (!node.IsScalar() || !YAML::convert<double>::decode(node, value) || !std::isfinite(value))
      fail(node, key, "is not a number");
    if (value < least || value > most)
      fail(node, key, fmt::format("{} is out of range; use {:g} to {:g}", value, least, most));
    return value;
  }

  [[noreturn]] void fail(const YAML::Node& node, const std::string& key, const std::string& what) const {
    const int line = node.IsDefined() && !node.Mark().is_null() ? node.Mark().line + 1 : 1;
    throw Error(ErrorKind::bad_input, fmt::format("{}:{}: {}: {}", origin_, line, printable(key), what));
  }

 private:
  [[noreturn]] void unknown(const YAML::Node& node, const std::string& key,
                            const std::vector<std::string>& keys) const {
    const auto near = nearest_word(key, keys);
    fail(node, prefix_ + key,
         near ? fmt::format("unknown key; did you mean '{}'?", *near)
              : fmt::format("unknown key; the keys are {}", fmt::join(keys, ", ")));
  }

  YAML::Node node_;
  std::string origin_, prefix_;
};

constexpr double most_ns = 3.6e12;  // an hour: a slip in the unit, not a device

Nanoseconds whole(double ns) { return Nanoseconds(std::llround(ns)); }

LinearLaw linear_law(const Section& ops, const YAML::Node& node, const std::string& type, const std::string& origin) {
  LinearLaw law;
  if (node.IsScalar()) {
    law.fixed_ns = ops.number_of(node, "ops." + type, 0, most_ns);
    return law;
  }
  const Section entry(node, origin, "ops." + type + ".", {"fixed_ns", "ns_per_flop", "ns_per_byte"});
  law.fixed_ns = entry.number("fixed_ns", 0, most_ns, 0);
  law.ns_per_flop = entry.number("ns_per_flop", 0, 1e6, 0);
  law.ns_per_byte = entry.number("ns_per_byte", 0, 1e6, 0);
  return law;
}

DeviceLaw device_law(const Section& root, const std::string& origin) {
  DeviceLaw law;
  if (root.word("law", {"roofline", "table"}) == "roofline") {
    law.roofline = RooflineLaw{root.number("peak_flops_per_s", 1, 1e21), root.number("bandwidth_bytes_per_s", 1, 1e18),
                               whole(root.number("launch_ns", 0, most_ns, 0))};
  } else {
    for (const char* key : {"peak_flops_per_s", "bandwidth_bytes_per_s", "launch_ns"})
      if (root.has(key)) root.fail(root.at(key), key, "has no meaning with 'law: table'; remove it");
    if (!root.has("ops")) root.fail(root.node(), "ops", "is missing; 'law: table' needs the times by operator type");
  }
  law.otherwise = whole(root.number("unknown_op_ns", 0, most_ns));
  if (root.has("ops")) {
    const Section ops(root.at("ops"), origin, "ops.", {});
    for (const auto& entry : ops.node())
      law.by_type[entry.first.Scalar()] = linear_law(ops, entry.second, entry.first.Scalar(), origin);
  }
  return law;
}

Noise noise_of(const Section& root, const std::string& origin) {
  if (!root.has("noise")) return {};
  const Section section(root.at("noise"), origin, "noise.", {"shape", "sigma"});
  const auto shape = section.word("shape", {"none", "gaussian", "lognormal"});
  if (shape == "none") return {};
  return {shape == "gaussian" ? NoiseShape::gaussian : NoiseShape::lognormal, section.number("sigma", 0, 10)};
}

DeviceDescription describe(const YAML::Node& node, const std::string& origin) {
  const Section root(node, origin, "",
                     {"name", "description", "law", "peak_flops_per_s", "bandwidth_bytes_per_s", "launch_ns",
                      "unknown_op_ns", "ops", "unsupported_ops", "noise", "overhead_ns", "clock", "compute"});
  DeviceDescription device;
  device.name = root.text("name", "");
  device.description = root.text("description", "");
  device.law = device_law(root, origin);
  device.noise = noise_of(root, origin);
  device.overhead = whole(root.number("overhead_ns", 0, most_ns, 0));
  device.virtual_clock = root.word("clock", {"real", "virtual"}) == "virtual";
  device.compute = root.flag("compute");
  if (root.has("unsupported_ops")) {
    const auto list = root.at("unsupported_ops");
    if (!list.IsSequence()) root.fail(list, "unsupported_ops", "is not a list; write [Type, Type]");
    for (const auto& type : list) {
      if (!type.IsScalar()) root.fail(type, "unsupported_ops", "holds something that is not an operator type");
      device.unsupported_ops.insert(type.Scalar());
    }
  }
  return device;
}

}  // namespace

DeviceDescription parse_device_description(const std::string& text, const std::string& origin) {
  constexpr std::size_t most_bytes = 1 << 20;
  if (text.size() > most_bytes)
    throw Error(ErrorKind::bad_input, fmt::format("{}: larger than 1 MiB, so not a device description", origin));
  try {
    return describe(YAML::Load(text), origin);
  } catch (const YAML::Exception& e) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}:{}: not YAML: {}", origin, e.mark.is_null() ? 1 : e.mark.line + 1, printable(e.msg)));
  }
}

DeviceDescription find_device_description(std::string_view name, const std::filesystem::path& file) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  const auto found = built_in().find(upper);
  const std::filesystem::path path = file.empty() ? std::filesystem::path(std::string(name) + ".yaml") : file;
  if (file.empty() && found != built_in().end()) {
    auto device = parse_device_description(found->second, "built-in " + upper);
    device.name = upper;
    return device;
  }
  std::error_code error;
  if (file.empty() && (name.empty() || !std::filesystem::exists(path, error)))
    throw Error(ErrorKind::unsupported,
                fmt::format("device sim:{}: neither built in ({}) nor described by a file {}; write that file or pass "
                            "its path",
                            printable(name), fmt::join(built_in_devices(), ", "), printable(path.string())));
  auto device = parse_device_description(read_file(path), printable(path.string()));
  if (device.name.empty()) device.name = name.empty() ? path.stem().string() : std::string(name);
  return device;
}

std::vector<std::string> built_in_devices() {
  std::vector<std::string> names;
  for (const auto& [name, text] : built_in()) names.push_back(name);
  return names;
}

}  // namespace takt
