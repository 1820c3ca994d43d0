// What happens between asking for a model and its first result.
#pragma once

#include <optional>
#include <string>

#include "base/table/table.h"
#include "measure/open/run_result.h"

namespace takt {

/// "startup": a row per step, of the plain pass, else of the profiled one. nullopt: its session does not tell.
std::optional<Table> startup_table(const RunResult& result);
TableSchema startup_schema();

/// One line: "Start-up 12 ms: read 1 ms, compile 8 ms (from the cache), …"; empty where startup_table() has none.
std::string startup_line(const RunResult& result);

}  // namespace takt
