// A file that takt wrote, as a tab of a page: what a command printed with --format json, or a profile.
#pragma once

#include <filesystem>
#include <optional>

#include "report/page/page.h"
#include "report/results/saved_tables.h"

namespace takt {

/// Throws Error(io) where the file cannot be read and Error(bad_input), naming it, where it is neither.
ReportResult report_result(const std::filesystem::path& file, SchemasOf schemas_of);

/// What a page shows of a run or a trace that is at hand, and no table holds.
struct BesideTables {
  ReportAnswers what_if{};
  std::optional<ReportTimeline> timeline{};  ///< nullopt: not at hand, or nothing is in it
};

/// Returns the tab of what a command printed with --format json. `name` is the tab's, and begins the message of
/// Error(bad_input).
ReportResult parse_result(std::string_view json, const std::string& name, SchemasOf schemas_of,
                          BesideTables beside = {});

/// Of any profile that takt reads.
ReportResult report_profile(const std::filesystem::path& file);

}  // namespace takt
