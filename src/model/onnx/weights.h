// Values of a model's tensors that lie in other files (external data), brought to where a copy of the model needs them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>

#include "base/files/file.h"

namespace onnx {
class ModelProto;
class TensorProto;
}  // namespace onnx

namespace takt {

/// Files with values of the tensors of one model, each mapped once. Not thread-safe.
class WeightFiles {
 public:
  /// `model`: the file whose tensors they are; only its folder is looked at.
  explicit WeightFiles(std::filesystem::path model) : model_(std::move(model)) {}

  /// The values of a tensor with external data; they live as long as this object. Throws Error(bad_input) where the
  /// data is not in a file inside of the model's folder, links resolved.
  std::string_view values_of(const onnx::TensorProto& tensor);

 private:
  std::filesystem::path model_;
  std::map<std::string, std::unique_ptr<MappedFile>> files_;
};

/// Where `model` is a link to a file elsewhere, as in the caches of model hubs, the external data of `proto`, the model
/// itself, gets the locations of the files behind the links, in the folder of the model's own file: for readers that
/// follow no links out of a folder. Elsewhere nothing changes.
void point_at_real_files(onnx::ModelProto& proto, const std::filesystem::path& model);

/// Gives each constant of the outermost graph its values, out of the files beside `model`, whose constants they are: a
/// graph that a runtime saved elsewhere still points at those. Throws Error(bad_input) where the data is not there.
void bring_weights_inside(onnx::ModelProto& proto, const std::filesystem::path& model);

/// Writes `model`, whose external tensors are those of `files`, to `path` such that nothing points out of its folder:
/// the values stand in the file itself, or, where they are more than `most_inside` bytes in all, in PATH.data beside
/// it. A PATH.data that is no longer needed is removed. Each file is seen whole or not at all. `model` is changed.
/// Throws Error(io), as values_of(), and Error(unsupported) for what is more than 2 GiB without those.
void write_with_weights(onnx::ModelProto& model, WeightFiles& files, const std::filesystem::path& path,
                        std::int64_t most_inside);

}  // namespace takt
