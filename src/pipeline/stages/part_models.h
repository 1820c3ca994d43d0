// The file that a part of a divided stage opens: the model itself, or where it fixes its number of rows one that does
// not. For data_parallel.cpp only.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files/temporary_folder.h"
#include "takt/stage_executor.h"

namespace takt {

struct RunSettings;

class PartModels {
 public:
  /// `divided`: by input, whether parts get rows of it along `axis`. Copies are made when they are asked for, and live
  /// as long as this object, that is, until all parts are open.
  PartModels(std::filesystem::path model, const RunSettings& settings, int axis, const std::vector<bool>& divided);

  /// Whether the model fixes a dimension that parts have less of.
  bool fixes_rows() const { return !fixed_.empty(); }
  /// The axis of that dimension, where the runtime of such a part changes it itself; nullopt: nothing is to be changed.
  std::optional<std::size_t> free_axis(const StageExecutorSettings& part) const;
  /// Throws Error(unsupported) where neither the runtime can nor takt can make a copy (a runtime that reads IR
  /// reshapes).
  std::filesystem::path model_for(const StageExecutorSettings& part);

 private:
  std::filesystem::path model_;
  int axis_;
  std::vector<std::string> fixed_;  ///< names of the inputs
  std::optional<TemporaryFolder> folder_;
  std::filesystem::path copy_;
};

}  // namespace takt
