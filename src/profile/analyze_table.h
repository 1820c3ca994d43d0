// The operators of `takt analyze` as a table with columns to choose from, for every format but the peer's own.
#pragma once

#include <string>
#include <vector>

#include "core/table.h"
#include "machine/peaks.h"
#include "profile/analyze_options.h"
#include "profile/profile_file.h"

namespace takt {

/// Rows as `options` selects them. `samples` may be empty, `peaks` nullptr: cells that rest on them are missing.
Table analyze_table(const PeerProfile& profile, const AnalyzeOptions& options, const ProfileSamples& samples,
                    const Peaks* peaks);

/// Columns that are shown without --columns.
std::vector<std::string> default_analyze_columns();

/// Every column, for `takt explain`.
std::vector<ColumnInfo> analyze_columns();

/// Why the peaks of this machine say nothing about a profile; empty if they do.
std::string why_no_peaks(const ProfileSamples& samples, const std::string& this_cpu);

}  // namespace takt
