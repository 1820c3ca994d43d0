// Values of a model's tensors in files, to compare two runtimes or two versions of a model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/graph/graph.h"
#include "model/runtime/runtime.h"

namespace takt {

/// One block per tensor: name, shape, type, the operator that makes it with what it reads, the first values, and
/// statistics over all. `graph` may be null. Tensors are numbered in the order given. Formats: docs/formats.md.
std::string dump_text(const std::vector<HostTensor>& tensors, const Graph* graph);

/// Writes each tensor (model/inputs/tensor_dump.h) to FOLDER/PREFIX followed by its number (at least six hexadecimal
/// digits), atomically; tensors that do not fit are left out. Returns how many were written. Throws Error(io), also
/// when the folder does not exist.
std::size_t dump_binaries(const std::vector<HostTensor>& tensors, const std::filesystem::path& folder,
                          const std::string& prefix);

}  // namespace takt
