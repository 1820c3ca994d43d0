// The tables of `takt diagnose`, and its report in words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/table/table.h"
#include "training/diagnosis/diagnosis.h"

namespace takt {

/// "verdicts", "breakdown", "steps", "abstentions".
std::vector<Table> diagnosis_tables(std::span<const Diagnosis> diagnoses);
std::vector<TableSchema> diagnosis_schemas();

/// Per trace: how its steps were found, the breakdown, each verdict in a few lines, and what could not be looked at.
std::string diagnosis_text(std::span<const Diagnosis> diagnoses, const TextStyle& style);

/// Numbers in order as ranges: "3-7, 9"; at most eight ranges, then "…".
std::string ranges_text(std::span<const std::int64_t> numbers);

}  // namespace takt
