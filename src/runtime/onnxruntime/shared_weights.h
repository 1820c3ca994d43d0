// Weights that several sessions of a model read where they lie, in a file that is mapped, and the packed copies that
// kernels make of them: once for all sessions instead of once for each.
//
// ONNX Runtime packs a weight when a session is opened, and keeps packed copies of shared weights in a container, where
// the next session finds them. While it packs, what was read of the mapped file would count as memory of this program,
// too; so a thread gives those pages back, which come again from the system's cache of files if somebody reads on.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/file.h"
#include "runtime/onnxruntime/optimised_model.h"

namespace takt::ort {

/// Must outlive the sessions. Opening is not thread-safe.
class SharedWeights {
 public:
  /// Those of `weights` that lie in the file as tensors must. Throws Error(io).
  SharedWeights(const std::filesystem::path& file, const std::vector<StoredWeight>& weights);

  Ort::Session open(const Ort::Env& env, const std::string& bytes, Ort::SessionOptions& options) const;
  Ort::Session open(const Ort::Env& env, const std::filesystem::path& model, Ort::SessionOptions& options) const;
  /// Pages that were read take no memory until they are read again. Thread-safe.
  void give_back() const { file_.give_back(0, file_.text().size()); }

 private:
  struct Release {
    void operator()(OrtPrepackedWeightsContainer* packed) const {
      Ort::GetApi().ReleasePrepackedWeightsContainer(packed);
    }
  };

  void add_to(Ort::SessionOptions& options) const;

  MappedFile file_;
  std::vector<std::string> names_;
  std::vector<Ort::Value> values_;  ///< of `names_`
  std::unique_ptr<OrtPrepackedWeightsContainer, Release> packed_;
};

/// As long as it lives, pages of `weights` are given back again and again.
class PagesGivenBack {
 public:
  explicit PagesGivenBack(std::shared_ptr<const SharedWeights> weights);
  ~PagesGivenBack();
  PagesGivenBack(const PagesGivenBack&) = delete;
  PagesGivenBack& operator=(const PagesGivenBack&) = delete;

 private:
  std::shared_ptr<const SharedWeights> weights_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace takt::ort
