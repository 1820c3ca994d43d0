// Reading and writing ONNX files (IR ≤ 13, opset ≤ 25), through the schema of the ONNX project compiled with protoc.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace onnx {
class ModelProto;
}

namespace takt {

/// The protobuf and what takt reads from it. `proto` keeps everything, so that a rewrite loses nothing; big external
/// tensors stay in their files (paths that leave the model's folder are refused).
struct OnnxModel {
  std::shared_ptr<onnx::ModelProto> proto;
  Graph graph;
};

/// Whether the file's name ends in .onnx, in any case of letters.
bool is_onnx_file(const std::filesystem::path& path);

/// Reads FILE.onnx. Throws Error(io) when it cannot be read and Error(bad_input) when it is not a model: empty,
/// truncated, another format, larger than protobuf's 2 GiB, a dangling input, two producers of a tensor, a cycle,
/// negative or absurd dimensions (more than 2^40 elements), data that does not fit its dimensions, external data
/// outside the model's folder or not there. A newer IR or opset than known is Error(unsupported). Functions of the
/// model stay as they are: an operator that calls one keeps its type. Thread-safe.
OnnxModel read_onnx(const std::filesystem::path& path);

/// The same without its large weights, for who wants the graph or a runtime that looks for itself: in `proto` they are
/// external data that lies in FILE.onnx. Takes memory for the structure alone.
OnnxModel read_onnx_structure(const std::filesystem::path& path);

/// A model with an input in the place of each large weight, for a runtime that only infers shapes and would read the
/// weights otherwise.
struct OnnxWithoutWeights {
  std::string bytes;
  std::vector<std::string> inputs;  ///< its own, in order, those in the place of weights among them
};
/// Throws as read_onnx.
OnnxWithoutWeights onnx_without_weights(const std::filesystem::path& path);

/// As read_onnx, from memory; `path` only for messages and for external data.
OnnxModel parse_onnx(std::string_view bytes, const std::filesystem::path& path);

/// Serialises (deterministic) and writes atomically. External data references are kept as they are.
void write_onnx(const OnnxModel& model, const std::filesystem::path& path);
std::string serialize_onnx(const onnx::ModelProto& proto);

}  // namespace takt
