// The tables of `takt run`; each column stands in the .cpp with its meaning, which is what `takt explain` prints.
#pragma once

#include <optional>
#include <vector>

#include "core/table.h"
#include "machine/op_figures.h"
#include "profile/fitting.h"
#include "profile/op_profile.h"
#include "profile/run_result.h"

namespace takt {

/// What the columns of op_figures.h need to know beyond the profile.
struct FigureSettings {
  const Peaks* peaks = nullptr;  ///< nullptr: not measured, or not of the device that ran
  bool one_thread = false;       ///< operators were held to one thread
  bool columns = false;          ///< also the columns of op_figures.h, not only what says that a rate cannot be
};

/// "summary": a row per pass, the plain one first. Plain and profiled runs are never mixed.
Table summary_table(const RunResult& result);
/// "operators": the `top` with the largest typical time (typical.h) first (all: nullopt), the remaining ones as `[other
/// operators]`, `[unattributed]` last. With `figures` it says which rates cannot be, and has more columns if they ask
/// for them.
Table operators_table(const OpProfile& profile, std::optional<int> top, const FigureSettings* figures = nullptr);

/// One row per instance of a run with several.
Table instances_table(const RunResult& result);

/// What --fitting tried.
Table fitting_table(const FitResult& fit);

/// Every table of `run`, for `takt explain` and the documentation.
std::vector<TableSchema> run_schemas();

}  // namespace takt
