#include "pipeline/described_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/text.h"
#include "runtime/simulated.h"

namespace takt {

std::string described_devices(std::vector<std::string> devices) {
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  const auto built_in = built_in_devices();
  std::string text;
  for (const std::string& device : devices) {
    const std::string name(name_without_prefix(device));
    const std::filesystem::path file(name + ".yaml");
    std::error_code error;
    if (!is_simulated(device) || std::find(built_in.begin(), built_in.end(), upper_case(name)) != built_in.end() ||
        !std::filesystem::is_regular_file(file, error))
      continue;
    text += fmt::format("  {}: {{description: {}}}\n", json_quote(device),
                        json_quote(std::filesystem::absolute(file).string()));
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
