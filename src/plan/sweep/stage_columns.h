// Columns that the tables of a sweep share.
#pragma once

#include <string>

#include "base/table/table.h"
#include "plan/gnn/network.h"

namespace takt {

namespace stage_columns {
inline constexpr ColumnText network{"network", "Network", "The graph neural network of the stage."};
inline constexpr ColumnText number{
    "stage_number", "Stage",
    "The number of the network's stage, from 1; for a fused range the first and the last, for example 1-4."};
inline constexpr ColumnText work{"stage_work", "Operation",
                                 "The operation of the stage, such as GATHER or REDUCE_SUM."};
}  // namespace stage_columns

/// "3", "1-4"
inline std::string stages_text(const StageRange& stage) {
  const std::string first = std::to_string(stage.first);
  return stage.first == stage.last ? first : first + "-" + std::to_string(stage.last);
}

/// "REDUCE_SUM"; of a fused range "GATHER to REDUCE_SUM".
inline std::string work_text(const StageRange& stage) {
  const auto& stages = stages_of(stage.network);
  const std::string first(stages[static_cast<std::size_t>(stage.first) - 1].name);
  if (stage.first == stage.last) return first;
  return first + " to " + std::string(stages[static_cast<std::size_t>(stage.last) - 1].name);
}

}  // namespace takt
