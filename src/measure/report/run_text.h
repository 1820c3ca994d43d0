// The report of `takt run` for people: the answer first, then what it rests on.
#pragma once

#include <optional>
#include <string>

#include "measure/open/run_result.h"
#include "measure/operators/op_profile.h"
#include "measure/operators/table.h"
#include "measure/report/run_tables.h"

namespace takt {

struct RunTextSettings {
  std::optional<int> top = 10;         ///< operators shown; nullopt: all
  bool model_info = false;             ///< also the model's inputs and outputs
  bool all_columns = false;            ///< every column, and every single run
  std::vector<std::string> columns{};  ///< of operators, instead of the usual ones
  FigureSettings figures{};            ///< of columns that need them
  std::vector<double> percentiles{};   ///< shown beside the usual ones
  Screen screen{};                     ///< how wide, and whether in colour
};

/// `ops` may be null when there was no profiled pass.
std::string to_text(const RunResult& result, const OpProfile* ops, const RunTextSettings& settings);

}  // namespace takt
