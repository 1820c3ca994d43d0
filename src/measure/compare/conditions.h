// Under what conditions the runs of a comparison were made: times of another model, input or number of threads differ
// for that reason.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/compare/profile_reader.h"

namespace takt {

/// A sentence for each condition that is not the same in all profiles, and for what some of them do not record. Throws
/// Error(bad_input) where models, runtimes or devices differ, unless `force`.
std::vector<std::string> differing_conditions(std::span<const RecordedProfile> before,
                                              std::span<const RecordedProfile> after, bool force);

/// "the sides ran on different processors: A before, B after"; nullopt where they ran on one kind, or one does not
/// tell.
std::optional<std::string> other_processors(std::span<const RecordedProfile> before,
                                            std::span<const RecordedProfile> after);

}  // namespace takt
