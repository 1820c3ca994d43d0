// The operators of `takt analyze` as a table with columns to choose from, for every format but the peer's own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/machine/peaks.h"
#include "base/table/table.h"
#include "measure/profiles/analyze.h"
#include "measure/profiles/analyze_options.h"
#include "measure/profiles/profile_file.h"

namespace takt {

/// "operators" (times on the device) or "host_operators", with rows as `options` selects them. `samples` may be empty,
/// `peaks` nullptr: cells that rest on them are missing.
Table analyze_table(const PeerProfile& profile, Section section, const AnalyzeOptions& options,
                    const ProfileSamples& samples, const Peaks* peaks);

/// "summary": one row with the totals over all operators, whatever `options` would select.
Table analyze_summary_table(const PeerProfile& profile);

/// Columns that are shown without --columns.
std::vector<std::string> default_analyze_columns();

/// Whether any of these columns rests on what takt keeps of each run: samples, kernels, where it ran.
bool needs_samples(std::span<const std::string> names);

std::vector<TableSchema> analyze_schemas();  ///< with every column

/// Why the peaks of this machine say nothing about a profile; empty if they do.
std::string why_no_peaks(const ProfileSamples& samples, const std::string& this_cpu);

}  // namespace takt
