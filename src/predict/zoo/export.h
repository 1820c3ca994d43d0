// Models of the zoo as files.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/table/table.h"
#include "predict/zoo/zoo.h"

namespace takt {

/// An ONNX model of the zoo, with what it is among its metadata (takt.family, takt.architecture, takt.batch, …).
struct BuiltZooModel {
  std::string bytes;
  std::int64_t parameters = 0;
  std::int64_t weight_bytes = 0;  ///< that zoo_weights_file has to have at least
};

/// Equal calls give equal bytes. Weights are in zoo_weights_file beside the model (those of graph networks, which are
/// small, in the model itself). Throws Error(bad_input) for a depth or an input that the family does not have, and
/// Error(unsupported) for more weights than such a file may have.
BuiltZooModel build_zoo_model(const ZooModel& model, std::uint64_t seed);

struct ExportedZooModel {
  ZooModel what;
  std::filesystem::path file;  ///< relative to the folder
  std::int64_t parameters = 0;
  bool is_new = false;              ///< written now; else it was there, the same to the byte
  std::filesystem::path optimised;  ///< relative to the folder; empty: not asked for
  std::string optimised_by;         ///< "onnxruntime 1.31.1 on CPU"
};

struct ZooExportSettings {
  std::filesystem::path folder;
  bool optimised = false;  ///< also as ONNX Runtime optimises it, on CUDA where that can be used here, else on the CPU
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  const std::atomic<bool>* stop = nullptr;  ///< looked at between two models
};

/// Writes FOLDER/NAME.onnx and FOLDER/zoo_weights.bin, each whole or not at all, and with `optimised`
/// FOLDER/optimised/NAME.DEVICE.onnx, which has its own weights and says in its metadata what made it
/// (takt.optimised_by). What is there already is not written again, so an export that was stopped goes on where it was.
/// Throws Error(io), and Error(runtime) when stopped.
std::vector<ExportedZooModel> export_zoo(const ZooConfig& config, const ZooExportSettings& settings);

/// "zoo", a row per model; with `exported` what became of it.
std::vector<Table> zoo_tables(const std::vector<ExportedZooModel>& models);
std::vector<TableSchema> zoo_schemas();

}  // namespace takt
