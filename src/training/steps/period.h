// What comes every n-th step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace takt {

struct Period {
  std::size_t length = 0;              ///< in steps
  std::vector<std::size_t> long_ones;  ///< positions
};

/// The distance at which values come that are all larger than every other one, and on average `times` the middle of the
/// others; nullopt: there is none.
std::optional<Period> period_of(const std::vector<std::int64_t>& values, double times);

}  // namespace takt
