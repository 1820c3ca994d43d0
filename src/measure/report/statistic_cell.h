// A figure of a few samples in a table's row.
#pragma once

#include <span>

#include "base/statistics/statistics.h"
#include "base/table/table.h"

namespace takt {

/// Empty where there is no sample.
inline Cell statistic_cell(std::span<const Nanoseconds> samples, Duration Summary::*figure) {
  const auto times = summarize(samples);
  return times ? Cell((*times).*figure) : Cell();
}

}  // namespace takt
