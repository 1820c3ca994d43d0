// What tells the result of one run from that of another: which model, fed with what, computed in what.
//
// A table that somebody saved as CSV stands alone, without the summary and without the name of its file. So the tables
// that are kept have these columns in every row.
#pragma once

#include "base/table/table.h"
#include "measure/open/run_result.h"

namespace takt {

/// The file that a row is about.
inline constexpr ColumnText model_column{"model", "Model", "The model's file, as it was named."};

/// `table` with the columns model, model_hash, precision and inputs behind its own.
Table labelled(Table table, const RunResult& result);
TableSchema labelled(TableSchema schema);

/// Without them: where a heading has said it.
Table without_labels(const Table& table);

/// "float32", "float32+int8": as the runtime tells, else the types of what the model's operators compute. Empty where
/// neither is known.
std::string precision_of(const RunResult& result);

}  // namespace takt
