#include "model/runtime/device_choice.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

/// "CUDA:0" as "gpu.0": frameworks name devices by their vendor's library, and ONNX Runtime by its own part for it.
std::string in_takt_words(std::string_view wanted) {
  std::string device = lower_case(wanted);
  constexpr std::string_view provider = "executionprovider";
  if (device.ends_with(provider)) device.resize(device.size() - provider.size());
  for (const std::string_view vendor : {"cuda", "nvidia", "/gpu"})
    if (device == vendor || device.starts_with(std::string(vendor) + ":") ||
        device.starts_with(std::string(vendor) + "."))
      device.replace(0, vendor.size(), "gpu");
  if (device.size() > 3 && device[3] == ':') device[3] = '.';
  return device;
}

/// Both as lower_case() or in_takt_words() gives them.
bool are_one(const std::string& name, const std::string& device) {
  return name == device || name == device + ".0" || name + ".0" == device;
}

}  // namespace

bool names_cpu(std::string_view wanted) { return are_one("cpu", in_takt_words(wanted)); }

bool names_device(const DeviceStatus& status, std::string_view wanted) {
  return are_one(lower_case(status.device), in_takt_words(wanted));
}

std::string reason_against(const std::vector<DeviceStatus>& statuses, std::string_view wanted) {
  for (const DeviceStatus& status : statuses)
    if (names_device(status, wanted)) return status.reason.value_or("");
  return "it has no device of this name";
}

std::string choose_device(const std::vector<DeviceStatus>& statuses, std::string_view wanted, std::string_view where,
                          std::string_view sdk) {
  const std::string device = in_takt_words(wanted);
  std::vector<std::string> usable;
  std::string reason = fmt::format("{} has no device of this name", sdk);
  for (const auto& status : statuses) {
    const std::string name = lower_case(status.device);
    if (status.reason) {
      if (name == device || name + ".0" == device) reason = *status.reason;
      continue;
    }
    if (name == device || name == device + ".0") return status.device.substr(0, device.size());
    if (name + ".0" == device) return status.device;
    usable.push_back(status.device);
  }
  throw Error(ErrorKind::unsupported, fmt::format("{}: device {} cannot be used: {}; use {}", where, printable(wanted),
                                                  reason, fmt::join(usable, ", ")));
}

}  // namespace takt
