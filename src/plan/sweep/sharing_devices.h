// Which devices of a sweep share something, so that work on one slows down work on the other.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "flow/pressure_law.h"

namespace takt {

/// What simulated devices share: everything that two of them name, with its law. Throws Error(bad_input) where they
/// name different laws, and as SimulatedDevice.
std::map<std::string, PressureLaw> shared_by(const std::vector<std::string>& devices);

/// Devices that one kind of load presses on.
struct SharingDevices {
  std::set<std::string> devices;       ///< as the sweep was asked for them
  std::vector<std::string> simulated;  ///< the same, if they are
};

/// Among these, of a sweep: several real ones, which share the machine; else simulated ones whose descriptions name the
/// same. nullopt: none do. `alone`: then a real one counts by itself. Throws as shared_by().
std::optional<SharingDevices> sharing_among(const std::set<std::string>& devices, bool alone);

}  // namespace takt
