// The tables of what the run waited for, a file of their own for their size.
#pragma once

#include <vector>

#include "pipeline/account/account.h"
#include "base/table/table.h"

namespace takt {

/// In the summary, what names the run; in the table of bindings, each.
inline constexpr ColumnText bound_by{
    "bound_by", "Bound by",
    "What keeps the cycle from being shorter: stage NAME (all its replicas are taken), device NAME (it executes as "
    "much "
    "as it may), queue of NAME (full in front of that stage), order in NAME (an earlier batch has to leave first), in "
    "flight (no more batches are let in), source (no batch has come), dispatch (takt itself: all is there and has not "
    "begun). Missing where no batch waited for another."};

Table bindings_table(const Accounts& accounts);       ///< a row per thing that batches waited for
Table critical_path_table(const Accounts& accounts);  ///< a row per stage, activity, device and binding
std::vector<TableSchema> path_schemas();              ///< of both

}  // namespace takt
