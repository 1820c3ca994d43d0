// A model cut into pieces that run as the stages of a pipeline: one step from a model to models on several devices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/cuts/cuts.h"
#include "model/onnx/pieces.h"

namespace takt {

/// The graph of `model`, which was read from a file, with the types and shapes that the runtimes of this binary know of
/// its tensors where the inputs have these shapes; without any, dimensions that the model leaves open are open inside
/// of it, too. Types that follow from no rule of ONNX's own operators are asked of the runtimes, which open the model
/// for that. What nobody knows stays unknown. Throws Error(bad_input) for an input that the model does not have.
Graph with_known_tensors(const OnnxModel& model, const std::map<std::string, Shape>& input_shapes = {});

/// Where a piece runs.
struct PieceUnit {
  std::string device = "CPU";
  std::string runtime = {};                   ///< empty: the one that `takt run` would take
  std::optional<int> threads{};               ///< as a pipeline file says it
  std::optional<ElementType> precision = {};  ///< the same
};

struct PieceSettings {
  std::filesystem::path folder = {};             ///< made where it is not there
  std::vector<PieceUnit> units = {PieceUnit{}};  ///< of the pieces, in order; the last one of all that are left
  std::map<std::string, Shape> input_shapes{};   ///< of inputs of the whole model, for the stage that is fed with them
  /// Files with values of inputs of the whole model, in `folder`: every stage that reads one is fed with it.
  std::map<std::string, std::string> data{};
  /// An input of the whole model that several pieces read is an output of the first of them, too, and goes on from
  /// there, so that all have the same values. False: each piece is fed for itself, with values of its own unless all
  /// are given the same; a piece then does no work that is not the model's.
  bool hand_on_inputs = true;
  std::int64_t most_weights_inside = usual_weights_inside;  ///< bytes; see src/model/onnx/pieces.h
};

struct WrittenPieces {
  std::vector<Piece> pieces;                  ///< with the inputs that they hand on among their outputs
  std::vector<std::filesystem::path> models;  ///< of each piece
  std::filesystem::path pipeline;             ///< STEM_pieces.yaml, beside them
};

/// Parts `model` at `cuts`, writes a model per piece and the pipeline of them that `takt pipeline run` reads: a stage
/// per piece, each input connected to the piece that makes it or hands it on. `graph` is that of `model` with the types
/// and shapes that the pieces' files are to declare: with_known_tensors(), mostly without input shapes, so that pieces
/// take what the model takes. Throws as write_piece_models() does, and Error(bad_input) where no unit is named, or
/// more of them than there are pieces.
WrittenPieces write_pieces(const OnnxModel& model, const Graph& graph, const std::vector<Cut>& cuts,
                           const PieceSettings& settings);

}  // namespace takt
