// The tables of what the run waited for, a file of their own for their size.
#pragma once

#include <vector>

#include "base/table/table.h"
#include "pipeline/account/account.h"

namespace takt {

/// In the summary, what names the run; in the table of bindings, each.
inline constexpr ColumnText bound_by{
    "bound_by", "Bound by",
    "What limits the cycle time: stage NAME (all its replicas are busy), device NAME (all its requests are busy), "
    "queue of NAME (the input queue of that stage is full), order in NAME (an earlier batch has to leave first), in "
    "flight (no more batches are admitted), source (no batch has arrived), dispatch (takt's own delay: everything is "
    "ready and has not begun). Empty if no batch waited for another."};

Table bindings_table(const Accounts& accounts);       ///< a row per thing that batches waited for
Table critical_path_table(const Accounts& accounts);  ///< a row per stage, activity, device and binding
std::vector<TableSchema> path_schemas();              ///< of both

}  // namespace takt
