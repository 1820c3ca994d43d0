// The runtimes and devices that this binary can use here, and why not the others, as a table.
#pragma once

#include "base/table/table.h"

namespace takt {

Table devices_table();  ///< asks every runtime for its devices, which may take a second
TableSchema devices_schema();

}  // namespace takt
