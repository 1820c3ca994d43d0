// The tables of loads that are read and of those that are made.
#pragma once

#include <string>
#include <vector>

#include "base/table/table.h"
#include "predict/load/reading.h"
#include "predict/sources/sources.h"
#include "predict/stress/stress.h"

namespace takt {

/// "load": a row per reading. "troubles": what a source could not tell.
std::vector<Table> load_tables(const LoadSnapshot& snapshot);
std::vector<TableSchema> load_schemas();

/// "load" for people: each value with its unit.
Table shown_load_table(const LoadSnapshot& snapshot);

/// What people read: the table of the figures that are told, then those that are not, with the reason.
std::string load_text(const LoadSnapshot& snapshot, const TextStyle& style);

/// "features": what a source may tell.
Table features_table();
std::string features_text(std::size_t width);

/// "load_sources": a row per source, whether it can be had here.
Table load_sources_table(const std::vector<SourceState>& states);
TableSchema load_sources_schema();

/// "stress": a row per resource that was loaded.
Table stress_table(const std::vector<ReachedLevel>& levels);
TableSchema stress_schema();

}  // namespace takt
