// What became of the memory that a model needs. It hardly scatters, so it needs no statistics; it is no part of a
// verdict, which is on times.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/compare/profile_reader.h"

namespace takt {

/// A sentence for each figure (weights, activations, peaks while loading and running) whose least value on one side is
/// more than 5 % and more than 1 MiB above the greatest on the other. A figure that a side does not record is left out.
std::vector<std::string> changed_memory(std::span<const RecordedProfile> before,
                                        std::span<const RecordedProfile> after);

}  // namespace takt
