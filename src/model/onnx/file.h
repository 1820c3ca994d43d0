// What a file that is not an ONNX model looks like instead, and the place of a model on disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace takt {

/// "a PNG image", "an OpenVINO model (XML)"…; empty if nothing is recognised.
std::string foreign_format(std::string_view bytes);

/// The model that is being read: how messages call it, and the folder that its external data must stay in.
struct ModelPlace {
  std::string where;                    ///< printable; starts every message
  std::filesystem::path folder;         ///< empty: the model has no place on disk, so external data is refused
  std::filesystem::path real_folder{};  ///< of the file that the model's path leads to as a link; empty: it is none
};

ModelPlace place_of(const std::filesystem::path& model);

/// Checks that `length` bytes at `offset` of `location` are in a regular file, and returns its path, links resolved.
/// They have to stay inside the model's folder or, where the model's file is a link itself, inside the folder of the
/// file that it leads to: so do caches of model hubs (snapshots/…/model.onnx → blobs/…). `tensor` is for messages.
/// Throws Error(bad_input).
std::filesystem::path check_external_data(const ModelPlace& place, const std::string& tensor,
                                          const std::string& location, std::int64_t offset, std::int64_t length);

}  // namespace takt
