// Operators that ran on another device than the one that the model was opened on, as runtimes let those do that the
// device has no kernel for: their time, and the copies between the devices that they cause.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/table/table.h"
#include "measure/operators/op_profile.h"

namespace takt {

struct FallbackOps {
  std::int64_t operators = 0;  ///< rows of the profile that ran elsewhere, copies not among them
  std::int64_t copies = 0;     ///< rows that bring tensors from one device to another
  Nanoseconds time{};          ///< Σ over all profiled runs of the operators
  Nanoseconds copy_time{};     ///< Σ over all profiled runs of the copies
  std::string to;              ///< where they ran: "CPU"; several joined by +
};

/// nullopt: the runtime does not say where its operators ran.
std::optional<FallbackOps> fallback_ops(const OpProfile& profile);

/// "2 of 14 operators left GPU for CPU: 1.20 ms a run (8.0 %), with 3 copies of 300 µs a run"; empty: none did.
std::string fallback_ops_line(const OpProfile& profile);

/// "left": what ran on another device than asked for, one row. nullopt: the runtime does not say where operators ran.
std::optional<Table> fallback_table(const OpProfile& profile);
TableSchema fallback_schema();

}  // namespace takt
