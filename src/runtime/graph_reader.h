// What a runtime offers besides when it alone can read a kind of model file.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "graph/graph.h"

namespace takt {

/// Implemented by a Runtime whose own file format takt does not read itself (OpenVINO's IR).
class GraphReader {
 public:
  virtual ~GraphReader() = default;
  /// The model's operators and tensors; nullopt for files of other kinds. With `input_shapes`, by input name, shapes
  /// are those of such a run. Throws Error(bad_input).
  virtual std::optional<Graph> read_graph(const std::filesystem::path& model,
                                          const std::map<std::string, Shape>& input_shapes) = 0;
};

}  // namespace takt
