// Stages of graph neural networks written to a folder as models, for every kind of device that a sweep measures:
// open sizes for CPUs (float32) and GPUs (float16), one model per size for NPUs (float16), which take no others.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/table/table.h"
#include "model/runtime/runtime.h"
#include "plan/gnn/stage_model.h"
#include "plan/sweep/cases.h"

namespace takt {

/// A model that a sweep needs.
struct StageExport {
  StageRange stage;
  std::string device;  ///< "CPU", "GPU", "NPU": the kind that it is for
  StageModelSettings settings;

  /// "sage_stage3_cpu", "sage_stage3_npu_n1000_e2000": of its files, without their ends.
  std::string name() const;
};

/// The one that a stage on a unit is measured with: of a fixed size where the unit takes no other.
StageExport export_of(const StageRange& stage, const std::string& unit, const GraphSize& size);

/// Return the paths of the model, relative to the sweep's folder: "exported_models/onnx_models/NAME.onnx",
/// ".../ir_models/NAME.xml".
std::filesystem::path onnx_file(const StageExport& model);
std::filesystem::path ir_file(const StageExport& model);

/// Returns the exports of all stages of the networks and, with `ranges`, of all their fused ranges: one for CPUs and
/// one for GPUs each, and one per size for NPUs. Stages that NPUs are known to reject are included: their compiler
/// decides.
std::vector<StageExport> stage_exports(const std::vector<Network>& networks, const SweepCases& cases,
                                       bool ranges = false);

struct ExportedModel {
  StageExport what;
  std::filesystem::path onnx;               ///< relative to the sweep's folder
  std::optional<std::filesystem::path> ir;  ///< the .xml of OpenVINO's IR; missing: nobody could convert it
  bool is_new = false;                      ///< written now; else it was there, the same to the byte
};

struct ExportSettings {
  std::filesystem::path folder;
  Runtime* converter = nullptr;                                                ///< writes the IR; nullptr: ONNX alone
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  ///< may be empty
  const std::atomic<bool>* stop = nullptr;                                     ///< looked at between two models
};

/// Writes FOLDER/exported_models/onnx_models/NAME.onnx and ir_models/NAME.xml and .bin, each file whole or not at all.
/// FOLDER/exported_models/models.jsonl gets a line per model with fingerprints of its files once they are on disk; what
/// is there as that line says is not written again, so an export that was stopped goes on where it was. Throws
/// Error(io), also where another export is writing to the folder, and Error(runtime) when stopped.
std::vector<ExportedModel> export_models(const std::vector<StageExport>& exports, const ExportSettings& settings);

/// "exports", a row per network and kind of device, then "models", every one.
std::vector<Table> export_tables(const std::vector<ExportedModel>& models);
std::vector<TableSchema> export_schemas();

}  // namespace takt
