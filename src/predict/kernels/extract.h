// Kernels taken out of models as models of their own, each proven by running it.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/table/table.h"
#include "predict/kernels/model.h"

namespace takt {

struct ExtractedKernel {
  std::string id, name;                ///< of the record
  std::string kernel;                  ///< the model's, whose weights it has; empty: weights are drawn
  std::filesystem::path file;          ///< empty: nothing was written
  bool is_new = false;                 ///< written now; else it was there, the same to the byte
  std::optional<bool> runs;            ///< missing: not tried
  std::optional<double> difference;    ///< the share of distance_of(); missing: not compared
  std::optional<std::string> problem;  ///< why there is no file, or why it does not run
};

struct ExtractSettings {
  std::filesystem::path folder;  ///< of the models, ID.onnx; empty: nothing is written
  bool run = true;               ///< each is run once, with its numbers compared where the model is known
  bool all_kernels = false;      ///< every kernel of a model, not only the first with each record
  std::string record;            ///< only records whose ids begin so; empty: all
  std::uint64_t seed = 1;        ///< of weights that are drawn
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  const std::atomic<bool>* stop = nullptr;  ///< looked at between two kernels
};

/// The kernels of a model, with its weights. With `run`, the model runs once with all of its tensors kept; then each
/// kernel gets what it got there, and its outputs are compared. What fails is a row with its problem. Throws Error(io)
/// and Error(runtime) when stopped.
std::vector<ExtractedKernel> extract_kernels(const OptimisedKernels& kernels, const ExtractSettings& settings);

/// The records of a file, with drawn weights; with `run` each runs once on generated inputs on that device.
std::vector<ExtractedKernel> extract_records(const KernelFile& file, const std::string& device,
                                             const ExtractSettings& settings);

}  // namespace takt
