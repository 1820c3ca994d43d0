// A folder of profiles that grows by one with each comparison: what a build server compares against.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace takt {

/// Profiles (*.json) in the folder, oldest first (by name, which begins with the date), at most the `latest` ones.
/// Empty when the folder is not there yet. Throws Error(io).
std::vector<std::filesystem::path> history_of(const std::filesystem::path& folder, std::size_t latest);

/// Where a profile with this text and date stands in the folder: DATE-HASH.json. The same text has the same name, so a
/// run that is compared twice is kept once.
std::filesystem::path history_place(const std::filesystem::path& folder, std::string_view date, std::string_view text);

/// Adds the profile, seen whole or not at all; makes the folder. Nothing is ever deleted or changed. Throws Error(io).
void add_to_history(const std::filesystem::path& place, std::string_view text);

}  // namespace takt
