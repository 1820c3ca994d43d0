// The tables of data-parallel stages, a file of their own for their size.
#pragma once

#include <vector>

#include "core/table.h"
#include "pipeline/account.h"

namespace takt {

Table parts_table(const Accounts& accounts);   ///< a row per batch and part
Table splits_table(const Accounts& accounts);  ///< a row per stage and part: means over the batches
std::vector<ColumnInfo> split_columns();       ///< of both

}  // namespace takt
