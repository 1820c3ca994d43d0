// Where a trace comes from, as its properties and its provenance tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace/events/trace.h"

namespace takt {

/// distributedInfo.rank, which PyTorch writes; nullopt: not told.
std::optional<std::int64_t> rank_of(const Trace& trace);

/// The host in takt's provenance; empty: not told.
std::string host_of(const Trace& trace);

}  // namespace takt
