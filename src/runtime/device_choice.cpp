#include "runtime/device_choice.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {

std::string choose_device(const std::vector<DeviceStatus>& statuses, std::string_view wanted, std::string_view where,
                          std::string_view sdk) {
  const std::string device = lower_case(wanted);
  std::vector<std::string> usable;
  std::string reason = fmt::format("{} knows no device of this name", sdk);
  for (const auto& status : statuses) {
    const std::string name = lower_case(status.device);
    if (status.reason) {
      if (name == device) reason = *status.reason;
      continue;
    }
    if (name == device || name == device + ".0") return status.device.substr(0, wanted.size());
    usable.push_back(status.device);
  }
  throw Error(ErrorKind::unsupported, fmt::format("{}: device {} cannot be used: {}; use {}", where, printable(wanted),
                                                  reason, fmt::join(usable, ", ")));
}

}  // namespace takt
