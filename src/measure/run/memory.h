// How much memory a model needs: what was resident while it was loaded and run, and what its graph says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "measure/open/run_result.h"

namespace takt {

/// Bytes, from the graph (model/graph/footprint.h); missing without one, or where the size of a tensor is not known.
struct ModelMemory {
  std::optional<std::int64_t> weights;
  std::optional<std::int64_t> activations;  ///< at most, at once
};
ModelMemory model_memory(const RunResult& result);

/// Returns the memory of the plain pass, else of the profiled one: "Memory 412 MiB while loading, 188 MiB while
/// running, 61 MiB before; weights 102 MiB, activations 9.4 MiB at most", in two lines where one is wider than `width`.
/// What is not known is left out; empty: nothing is.
std::string memory_line(const RunResult& result, std::size_t width = 80);

/// The value of `takt.memory` in a profile: an object with one of each pass and figures of the whole, `null` where not
/// known.
std::string memory_json(const RunResult& result);

}  // namespace takt
