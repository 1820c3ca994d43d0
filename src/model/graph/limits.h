// Limits of a dimension that a model leaves open. An IR of OpenVINO has them instead of a name, and so they stand in its
// place: "1..10". Dimensions with equal limits are not therefore equal, as dimensions of one name are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/graph/graph.h"

namespace takt {

struct Limits {
  std::int64_t least = 0;
  std::optional<std::int64_t> most;  ///< nullopt: as large as one likes
};

std::string to_symbol(const Limits& limits);      ///< "1..10", "2.."; empty: every size is allowed
std::optional<Limits> limits_of(const Dim& dim);  ///< nullopt: it has a number, a name, or nothing
bool is_named(const Dim& dim);                    ///< open, and of the same size as all others of its symbol
bool allows(const Dim& dim, std::int64_t size);

}  // namespace takt
