#include "plan/sweep/sharing_devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/sim/simulated.h"

namespace takt {

std::map<std::string, PressureLaw> shared_by(const std::vector<std::string>& devices) {
  std::map<std::string, PressureLaw> laws;
  std::map<std::string, int> users;
  for (const std::string& device : devices)
    for (const auto& [name, use] : SimulatedDevice(device, {}).shared_uses(nullptr, device)) {
      ++users[name];
      if (laws.try_emplace(name, use.law).first->second != use.law)
        refuse_input(
            fmt::format("{}: has another contention model for '{}' than an earlier device; describe it in the same way",
                        printable(device), printable(name)));
    }
  std::erase_if(laws, [&](const auto& law) { return users.at(law.first) < 2; });
  return laws;
}

std::optional<SharingDevices> sharing_among(const std::set<std::string>& devices, bool alone) {
  std::set<std::string> real, simulated;
  for (const std::string& device : devices) (is_simulated(device) ? simulated : real).insert(device);
  if (real.size() > 1) return SharingDevices{real, {}};
  const auto shared = shared_by({simulated.begin(), simulated.end()});
  std::erase_if(simulated, [&](const std::string& device) {
    const auto uses = SimulatedDevice(device, {}).shared_uses(nullptr, device);
    return std::none_of(uses.begin(), uses.end(), [&](const auto& use) { return shared.contains(use.first); });
  });
  if (!simulated.empty()) return SharingDevices{simulated, {simulated.begin(), simulated.end()}};
  if (alone && !real.empty()) return SharingDevices{real, {}};
  return std::nullopt;
}

}  // namespace takt
