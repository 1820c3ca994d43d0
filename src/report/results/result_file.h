// A file that takt wrote, as a tab of a page: what a command printed with --format json, or a profile.
#pragma once

#include <filesystem>

#include "report/page/page.h"
#include "report/results/saved_tables.h"

namespace takt {

/// Throws Error(io) where the file cannot be read and Error(bad_input), naming it, where it is neither.
ReportResult report_result(const std::filesystem::path& file, SchemasOf schemas_of);

/// Returns the tab of what a command printed with --format json. `name` is the tab's, and begins the message of
/// Error(bad_input). `what_if`: of a pipeline whose run is at hand.
ReportResult parse_result(std::string_view json, const std::string& name, SchemasOf schemas_of,
                          ReportAnswers what_if = {});

/// Of any profile that takt reads.
ReportResult report_profile(const std::filesystem::path& file);

}  // namespace takt
