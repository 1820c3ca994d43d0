// Weights that several sessions of a model read where they lie, in a file that is mapped, and the packed copies that
// kernels make of them: once for all sessions instead of once for each.
//
// ONNX Runtime packs a weight when a session is opened, and keeps packed copies of shared weights in a container, where
// the next session finds them by what they hold.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "model/onnxruntime/optimised_model.h"

namespace takt::ort {

/// Must outlive the sessions. Opening is not thread-safe. The file may be removed meanwhile.
class SharedWeights {
 public:
  /// Maps `file` and shares those of `weights` that are stored in it in the layout of a tensor. Throws Error(io).
  SharedWeights(const std::filesystem::path& file, const std::vector<StoredWeight>& weights);

  Ort::Session open(const Ort::Env& env, const std::string& bytes, Ort::SessionOptions& options) const;
  std::shared_ptr<const MappedFile> file() const { return file_; }

 private:
  struct Release {
    void operator()(OrtPrepackedWeightsContainer* packed) const {
      Ort::GetApi().ReleasePrepackedWeightsContainer(packed);
    }
  };

  void add_to(Ort::SessionOptions& options) const;

  std::shared_ptr<const MappedFile> file_;
  std::vector<std::string> names_;
  std::vector<Ort::Value> values_;  ///< of `names_`
  std::unique_ptr<OrtPrepackedWeightsContainer, Release> packed_;
};

}  // namespace takt::ort
