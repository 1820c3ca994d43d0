// What a model's files hold, in a few characters: whether two profiles are of the same model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace takt {

struct ModelFile {
  std::string name;  ///< without folders
  std::uint64_t bytes = 0;
};

struct ModelContent {
  std::vector<ModelFile> files;  ///< the model's own first, then those with its weights
  std::string fingerprint;       ///< of all of them, 16 hexadecimal digits; equal contents have equal ones
};

/// Reads every file once, in pieces: a gigabyte takes about a fifth of a second and no memory. `graph` names the files
/// of an ONNX model's weights; those of an OpenVINO model are beside it. nullopt: a file cannot be read.
std::optional<ModelContent> content_of(const std::filesystem::path& model, const Graph* graph);

}  // namespace takt
