// The tables of data-parallel stages, a file of their own for their size.
#pragma once

#include <cstddef>
#include <vector>

#include "base/table/table.h"
#include "pipeline/account/account.h"

namespace takt {

// Columns that these tables share with those of src/pipeline/account/tables.cpp.
inline constexpr ColumnText batch_number{"batch", "Batch",
                                         "Number of the batch, from 0, in the order in which batches entered."};
inline constexpr ColumnText stage_mean_us{
    "stage_mean_us", "Mean",
    "Mean stage time of a batch: from the start of execution to its completion, without the wait in the queue; in a "
    "data-parallel stage, partition + longest device time + sync-merge."};

/// A row per batch and part, some of them.
Table parts_table(const Accounts& accounts, std::size_t first, std::size_t count);
Table splits_table(const Accounts& accounts);  ///< a row per stage and part: means over the batches
std::vector<TableSchema> split_schemas();      ///< of both

}  // namespace takt
