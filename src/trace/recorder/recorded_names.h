// Names of events and arguments of the whole program by number. They are few and never removed, so that records hold a
// number for ever.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace takt {

struct NameTexts {
  std::string name, category, argument;
};

/// The number of these texts, a new one where they are new. Thread-safe.
std::uint32_t register_name(NameTexts texts);

/// Those from number `first` on, so far. Thread-safe.
std::vector<NameTexts> registered_names(std::size_t first = 0);

}  // namespace takt
