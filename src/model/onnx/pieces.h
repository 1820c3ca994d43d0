// Pieces of a model as ONNX models of their own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "model/cuts/pieces.h"
#include "model/onnx/onnx.h"

namespace takt {

/// One piece of `model` as a model of its own: its operators, the constants, bodies and declarations that these need,
/// and all that is said of the whole model (versions, operator sets, functions, metadata; of training nothing). Names
/// stay as they are, but that `name` is added to the graph's. Tensors on its border that the model itself does not
/// declare have the type and shape that `graph` says, open dimensions open: `graph` is model.graph, perhaps with more
/// types and shapes (shapes.h). `piece` is one of pieces_of(graph). External data are still where they were, so it is
/// written by write_with_weights() of src/model/onnx/weights.h. Takes a copy of the weights that the piece has.
/// Thread-safe.
onnx::ModelProto piece_model(const OnnxModel& model, const Graph& graph, const Piece& piece, const std::string& name);

/// Weights of at most so many bytes stand in a piece's own file, more of them in a file beside it.
inline constexpr std::int64_t usual_weights_inside = std::int64_t{1} << 28;

/// Writes all pieces to FOLDER/STEM_piece1.onnx, …, where STEM is that of the model's file name, in their order;
/// returns the paths. `model` may be of read_onnx_structure(): then no more than one piece's weights are in memory.
/// Throws Error(io), Error(bad_input) where external data has gone since the model was read, and Error(unsupported) for
/// a piece larger than 2 GiB without its weights.
std::vector<std::filesystem::path> write_piece_models(const OnnxModel& model, const Graph& graph,
                                                      const std::vector<Piece>& pieces,
                                                      const std::filesystem::path& folder,
                                                      std::int64_t most_inside = usual_weights_inside);

}  // namespace takt
