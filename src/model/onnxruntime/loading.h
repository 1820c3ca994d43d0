// Opening ONNX Runtime sessions: plain, or rewritten and profiled.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/files/temporary_folder.h"
#include "model/onnxruntime/optimised_model.h"
#include "model/onnxruntime/shared_weights.h"
#include "model/runtime/runtime.h"

namespace takt::ort {

/// How a model's sessions are opened; the same model may be opened again when its profile is full.
class Loader {
 public:
  Loader(const Ort::Env& env, std::filesystem::path model, const Graph* graph, std::string device,
         const SessionSettings& settings, std::string where);

  /// A new session; with profiling its events go to a file of their own.
  Ort::Session open();

  /// A session of some of the nodes of optimised(), by their keys, without profiling.
  Ort::Session open_head(const std::set<std::string>& keys) const;

  /// Runtime::save_structure().
  void save_structure(const std::filesystem::path& to) const;

  /// The weights of optimised(), for this and other sessions of the model; nullptr where there are none to share.
  /// `graph` is the model's own reading.
  std::shared_ptr<const SharedWeights> weights_to_share(const Graph& graph) const;
  /// Sessions to be opened take these instead of copies.
  void share(std::shared_ptr<const SharedWeights> weights) { weights_ = std::move(weights); }

  const std::string& where() const { return where_; }
  bool profiled() const { return settings_.profile_ops; }
  const std::optional<OptimisedModel>& optimised() const { return optimised_; }
  const std::vector<std::string>& notes() const { return notes_; }
  std::optional<bool> from_cache() const { return from_cache_; }  ///< unset: no cache was asked for

 private:
  Ort::SessionOptions options() const;
  void check_settings() const;
  std::filesystem::path save_optimised(bool weights_apart);
  void save_with_weights_apart(const std::filesystem::path& dump, std::size_t least_bytes) const;
  void write_optimised_model(const std::filesystem::path& file);
  void prepare_profiling(const Graph* graph);
  void say_subnormal_weights(const std::filesystem::path& dump);
  void prepare_cache();
  Ort::Session open_bytes(const std::string& bytes, Ort::SessionOptions options,
                          const std::filesystem::path& beside) const;

  const Ort::Env& env_;
  std::filesystem::path model_;
  std::string device_, where_;
  SessionSettings settings_;
  std::vector<std::pair<std::string, std::int64_t>> dimensions_;  ///< symbols that the settings fix
  std::unique_ptr<TemporaryFolder> folder_;                       ///< of this session's own files
  std::shared_ptr<const SharedWeights> weights_;                  ///< null: none are shared
  std::optional<std::string> ready_;  ///< a model that needs no optimisation: out of the cache, or of all tensors
  std::optional<OptimisedModel> optimised_;  ///< unset: plain, or the dump is impossible
  std::vector<std::string> notes_;
  std::optional<bool> from_cache_;
  int opened_ = 0;
};

}  // namespace takt::ort
