// Cells that the tables of an account share.
#pragma once

#include <optional>

#include "base/basics/index.h"
#include "base/table/table.h"
#include "pipeline/account/account.h"

namespace takt {

/// Missing of nothing.
inline Cell percent(Nanoseconds part, Nanoseconds whole) {
  if (whole.count() == 0) return {};
  return 100 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

inline Cell stage_name(const Accounts& accounts, std::optional<int> stage) {
  return stage ? Cell(accounts.stages[index(*stage)].name) : Cell();
}

}  // namespace takt
