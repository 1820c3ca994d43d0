// Files of kernels: JSON with each record once, and the models whose kernels they are.
//
//   {"takt": provenance, "takt_kernels": 1,
//    "records": {ID: {"name": "Conv_Add_Relu", …}},
//    "models": [{"model": "net.onnx", "runtime": …, "kernels": [{"name": …, "record": ID, …}]}]}
//
// One form serves a single record, a model (MODEL.kernels.json) and a folder of models.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/provenance.h"
#include "predict/kernels/graph.h"

namespace takt {

/// With a line for each record and each kernel, so that `grep` and `diff` find them.
std::string kernel_file_json(const KernelFile& file, const Provenance& provenance);

/// Throws Error(bad_input) that begins with `where` for what is no such file: a newer version, a key that is unknown,
/// missing or twice there, a record under another id than its own, a kernel without its record, producers that are not
/// those who make its inputs.
KernelFile parse_kernel_file(std::string_view json, std::string_view where);
KernelFile read_kernel_file(const std::filesystem::path& path);

/// Whether a file of this name is taken for one of kernels: "net.kernels.json", "Conv_Relu_1x8_01ab.json".
bool is_kernel_file(const std::filesystem::path& path);

/// Writes FOLDER/MODEL/ID.json for each record of each model and FOLDER/MODEL.kernels.json, where MODEL is the stem of
/// the model's file name; each whole or not at all, and the model's own file last. What is there to the byte (but for
/// its provenance) is not written again. Returns the paths of the models' files. Throws Error(io), and Error(bad_input)
/// where two models have one stem.
std::vector<std::filesystem::path> write_kernel_files(const KernelFile& file, const std::filesystem::path& folder,
                                                      const Provenance& provenance);

}  // namespace takt
