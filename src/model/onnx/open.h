// Open dimensions of ONNX files: as files write them, and one that a file fixes left open.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace onnx {
class GraphProto;
}  // namespace onnx

namespace takt {

/// Leaves open, without a name, what files call so: dimensions of -1, and those named "-1" or "?", of inputs, outputs
/// and tensors inside, in bodies, too. Every runtime reads a -1 that way; one such name is not one size.
void read_open_dimensions(onnx::GraphProto& graph);

/// Writes the ONNX file `model` to `to`, where dimension `axis` of these inputs is open, all by one name, and nothing
/// is said any more of the shapes that follow from it. What the operators themselves fix, as the constant of a Reshape,
/// stays: a runtime refuses such a model when it runs with another size. Weights that lie in other files come along, to
/// the file itself or, where they are many, to one beside it. Throws as read_onnx() and write_with_weights().
void write_with_open_dimension(const std::filesystem::path& model, const std::vector<std::string>& inputs, int axis,
                               const std::filesystem::path& to);

}  // namespace takt
