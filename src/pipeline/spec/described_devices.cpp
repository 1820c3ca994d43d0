#include "pipeline/spec/described_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/basics/text.h"
#include "model/sim/simulated.h"

namespace takt {

std::string described_devices(std::vector<std::string> devices, const std::set<std::string>& in_turns) {
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  const auto built_in = built_in_devices();
  std::string text;
  for (const std::string& device : devices) {
    const std::string name(name_without_prefix(device));
    const std::filesystem::path file(name + ".yaml");
    std::error_code error;
    std::vector<std::string> words;
    if (is_simulated(device) && std::find(built_in.begin(), built_in.end(), upper_case(name)) == built_in.end() &&
        std::filesystem::is_regular_file(file, error))
      words.push_back(fmt::format("description: {}", json_quote(std::filesystem::absolute(file).string())));
    if (in_turns.contains(device)) words.emplace_back("requests: 1");
    if (!words.empty()) text += fmt::format("  {}: {{{}}}\n", json_quote(device), fmt::join(words, ", "));
  }
  return text.empty() ? "" : "devices:\n" + text;
}

std::string flow_mapping(const std::map<std::string, std::string>& entries) {
  std::string text = "{";
  for (const auto& [key, value] : entries)
    text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", json_quote(key), json_quote(value));
  return text + "}";
}

}  // namespace takt
