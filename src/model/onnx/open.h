// A model that fixes a dimension of its inputs, with that dimension left open.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace takt {

/// Writes the ONNX file `model` to `to`, where dimension `axis` of these inputs is open, all by one name, and nothing
/// is said any more of the shapes that follow from it. What the operators themselves fix, as the constant of a Reshape,
/// stays: a runtime refuses such a model when it runs with another size. Weights that lie in other files come along, to
/// the file itself or, where they are many, to one beside it. Throws as read_onnx() and write_with_weights().
void write_with_open_dimension(const std::filesystem::path& model, const std::vector<std::string>& inputs, int axis,
                               const std::filesystem::path& to);

}  // namespace takt
