// Names of calls of device runtimes, by vendor: data, one line per name. A new vendor is new lines, not new code.
#pragma once

#include <string_view>

#include "training/steps/roles.h"

namespace takt {

/// launch, synchronisation, allocation or loading; runtime: any other call.
Role role_of_call(std::string_view name);

/// Whether a call that launches work gives the device something to copy or fill; else it is a kernel, or a graph.
bool gives_a_copy(std::string_view name);

/// Whether a call puts memory of the device where the program sees it, or takes it away: cuMemMap, hipMemUnmap. An
/// allocator with segments that grow does so.
bool maps_memory(std::string_view name);

/// Whether a program's own span of this name waits for its next batch: the names by which PyTorch, DALI and programs
/// call their loaders.
bool is_data_wait(std::string_view name);

/// The same of a Python function as the profiler names it: "torch/utils/data/dataloader.py(633): __next__".
bool is_loader_frame(std::string_view name);

}  // namespace takt
