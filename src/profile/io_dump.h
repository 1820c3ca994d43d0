// Values of a model's tensors in files, to compare two runtimes or two versions of a model.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "runtime/runtime.h"

namespace takt {

/// One block per tensor: name, shape, type, the operator that makes it with what it reads, the first values, and
/// statistics over all. `graph` may be null. Tensors are numbered in the order given. Formats: docs/formats.md.
std::string dump_text(const std::vector<HostTensor>& tensors, const Graph* graph);

/// A header (lengths, type, shape, name) and the raw values. Strings cannot be written so: Error(unsupported).
std::string dump_binary(const HostTensor& tensor);

/// Writes each tensor to FOLDER/PREFIX followed by its number (at least six hexadecimal digits), atomically; tensors of
/// strings are left out. Returns how many were written. Throws Error(io), also when the folder does not exist.
std::size_t dump_binaries(const std::vector<HostTensor>& tensors, const std::filesystem::path& folder,
                          const std::string& prefix);

}  // namespace takt
