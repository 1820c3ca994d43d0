// Plan sets, and streams through them, as tables and in sentences.
#pragma once

#include <string>
#include <vector>

#include "base/table/table.h"
#include "plan/sets/set.h"
#include "plan/sets/stream.h"

namespace takt {

/// The stretches of sizes with their plans; every size that was searched; the set as a whole.
std::vector<Table> plan_set_tables(const PlanSet& set);
std::vector<TableSchema> plan_set_schemas();
std::string to_text(const PlanSet& set, const TextStyle& style);

/// The ways to run the stream, and the stream as a whole.
std::vector<Table> plan_stream_tables(const StreamReport& report);
std::vector<TableSchema> plan_stream_schemas();
std::string to_text(const StreamReport& report, const TextStyle& style);

}  // namespace takt
