#include "model/sim/device_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/yaml_section.h"
#include "model/sim/simulated.h"

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

constexpr double most_ns = 3.6e12;  // an hour: a slip in the unit, not a device

Nanoseconds whole(double ns) { return Nanoseconds(std::llround(ns)); }

LinearLaw linear_law(const YamlSection& ops, const YAML::Node& node, const std::string& type,
                     const std::string& origin) {
  LinearLaw law;
  if (node.IsScalar()) {
    law.fixed_ns = ops.number_of(node, "ops." + type, 0, most_ns);
    return law;
  }
  const YamlSection entry(node, origin, "ops." + type + ".", {"fixed_ns", "ns_per_flop", "ns_per_byte"});
  law.fixed_ns = entry.number("fixed_ns", 0, most_ns, 0);
  law.ns_per_flop = entry.number("ns_per_flop", 0, 1e6, 0);
  law.ns_per_byte = entry.number("ns_per_byte", 0, 1e6, 0);
  return law;
}

DeviceLaw device_law(const YamlSection& root, const std::string& origin) {
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
    const YamlSection ops(root.at("ops"), origin, "ops.", {});
    for (const auto& entry : ops.node())
      law.by_type[entry.first.Scalar()] = linear_law(ops, entry.second, entry.first.Scalar(), origin);
  }
  return law;
}

Noise noise_of(const YamlSection& root, const std::string& origin) {
  if (!root.has("noise")) return {};
  const YamlSection section(root.at("noise"), origin, "noise.", {"shape", "sigma"});
  const auto shape = section.word("shape", {"none", "gaussian", "lognormal"});
  if (shape == "none") return {};
  return {shape == "gaussian" ? NoiseShape::gaussian : NoiseShape::lognormal, section.number("sigma", 0, 10)};
}

std::optional<DeviceFault> fault_of(const YamlSection& root, const std::string& origin) {
  if (!root.has("fails")) return std::nullopt;
  const YamlSection section(root.at("fails"), origin, "fails.", {"as", "from_bytes"});
  const std::vector<std::string> kinds{"lost", "memory", "crash", "hang"};  // in the order of DeviceFault::Kind
  const auto place = std::find(kinds.begin(), kinds.end(), section.word("as", kinds)) - kinds.begin();
  constexpr std::int64_t most_bytes = std::int64_t{1} << 50;
  return DeviceFault{static_cast<DeviceFault::Kind>(place), section.integer("from_bytes", 0, most_bytes).value_or(0)};
}

ResourceUse use_of(const YamlSection& section) {
  return {section.number("pressure", 0, 1, 0), section.number("sensitivity", 0, 1, 0)};
}

DescribedResource shared_resource(const YamlSection& section) {
  const auto words = pressure_law_names();
  DescribedResource resource;
  resource.law = *pressure_law_named(section.word("law", {words.begin(), words.end()}));
  resource.otherwise = use_of(section);
  if (!section.has("ops")) return resource;
  const YamlSection ops(section.at("ops"), section.origin(), section.full_name("ops."), {});
  for (const auto& entry : ops.node()) {
    const std::string type = entry.first.Scalar();
    resource.by_type[type] =
        use_of({entry.second, section.origin(), ops.full_name(type + "."), {"pressure", "sensitivity"}});
  }
  return resource;
}

std::map<std::string, DescribedResource> shares_of(const YamlSection& root, const std::string& origin) {
  std::map<std::string, DescribedResource> shares;
  if (!root.has("shares")) return shares;
  const YamlSection section(root.at("shares"), origin, "shares.", {});
  for (const auto& entry : section.node()) {
    const std::string name = entry.first.Scalar();
    shares[name] = shared_resource(
        {entry.second, origin, section.full_name(name + "."), {"law", "pressure", "sensitivity", "ops"}});
  }
  constexpr std::size_t most = 8;
  if (shares.size() > most)
    root.fail(root.at("shares"), "shares", fmt::format("has {} resources; use up to {}", shares.size(), most));
  return shares;
}

DeviceDescription describe(const YAML::Node& node, const std::string& origin) {
  const YamlSection root(
      node, origin, "",
      {"name", "description", "law", "peak_flops_per_s", "bandwidth_bytes_per_s", "launch_ns", "unknown_op_ns", "ops",
       "unsupported_ops", "noise", "overhead_ns", "clock", "fails", "shares", "compute"});
  DeviceDescription device;
  device.name = root.text("name", "");
  device.description = root.text("description", "");
  device.law = device_law(root, origin);
  device.noise = noise_of(root, origin);
  device.overhead = whole(root.number("overhead_ns", 0, most_ns, 0));
  device.virtual_clock = root.word("clock", {"real", "virtual"}) == "virtual";
  device.waits_really = root.has("clock") && !device.virtual_clock;
  device.fault = fault_of(root, origin);
  device.shares = shares_of(root, origin);
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
  return describe(load_yaml(text, origin, "device description"), origin);
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
