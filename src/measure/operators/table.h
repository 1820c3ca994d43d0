// Where the time of the profiled runs went, operator by operator: the table that `takt run` is about.
#pragma once

#include <optional>

#include "base/machine/op_figures.h"
#include "base/table/table.h"
#include "measure/operators/op_profile.h"

namespace takt {

/// What the columns of op_figures.h need to know beyond the profile.
struct FigureSettings {
  const Peaks* peaks = nullptr;  ///< nullptr: not measured, or not of the device that ran
  bool one_thread = false;       ///< operators were held to one thread
  bool columns = false;          ///< also the columns of op_figures.h, not only what says that a rate cannot be
};

/// "operators": the `top` with the largest typical time (typical.h) first (all: nullopt), the remaining ones as `[other
/// operators]`, `[unattributed]` last. With `figures` it says which rates cannot be, and has more columns if they ask
/// for them.
Table operators_table(const OpProfile& profile, std::optional<int> top, const FigureSettings* figures = nullptr);

/// With every column that --columns can name.
TableSchema operators_schema();

}  // namespace takt
