// Reads measured slow-downs back, for whoever predicts with them: the JSON of `takt pipeline interference`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/contention/interference.h"
#include "pipeline/contention/stage_contention.h"

namespace takt {

/// Pure. Of each pair stage, beside, overlap, factor, low, high, p_value, significant and predicted; other members keep
/// their defaults. Throws Error(bad_input), beginning with `origin`, when the text is no such file, a pair is there
/// twice or its numbers contradict each other.
std::vector<PairRow> parse_interference(std::string_view json, const std::string& origin);

/// Throws Error(io), and as parse_interference() does.
std::vector<PairRow> read_interference(const std::filesystem::path& file);

/// What single stages do and suffer, measured beside loads (`--pairs predicted` or `both`).
struct KnownStages {
  std::vector<std::string> stages, resources;
  std::vector<StageContention> contentions;  ///< by stage

  /// Returns the slowdown of `stage` while `beside` runs, 1 or more; nullopt if one of them was not measured.
  std::optional<double> slow_down(std::string_view stage, std::string_view beside) const;
  const StageContention* find(std::string_view stage) const;  ///< nullptr: it was not measured
};

/// Pure. nullopt: the file has pairs only. Throws as parse_interference() does; also where a stage lacks a resource or
/// a level that another has.
std::optional<KnownStages> parse_known_stages(std::string_view json, const std::string& origin);

/// Throws Error(io), and as parse_known_stages() does.
std::optional<KnownStages> read_known_stages(const std::filesystem::path& file);

}  // namespace takt
