#include "runtime/onnxruntime/onnxruntime_loading.h"

#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp is POSIX, not C++

#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "runtime/onnxruntime/onnxruntime_tensors.h"
#include "runtime/tensors.h"

namespace takt::ort {

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  auto base = std::filesystem::temp_directory_path(error);
  std::string name = ((error ? std::filesystem::path("/tmp") : base) / "takt-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw Error(ErrorKind::io, fmt::format("{}: cannot be made: {}; set TMPDIR to a folder that can be written", name,
                                           std::strerror(errno)));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // a leftover in the temporary folder is no reason to fail
  std::filesystem::remove_all(path_, ignored);
}

Loader::Loader(const Ort::Env& env, std::filesystem::path model, const Graph* graph, std::string device,
               const SessionSettings& settings, std::string where)
    : env_(env), model_(std::move(model)), device_(std::move(device)), where_(std::move(where)), settings_(settings) {
  if (graph)
    for (const auto id : graph->inputs) {
      const auto& tensor = graph->tensors[static_cast<std::size_t>(id)];
      const auto wanted = settings_.input_shapes.find(tensor.name);
      if (wanted == settings_.input_shapes.end() || !tensor.shape) continue;
      fix_shape(*tensor.shape, wanted->second, where_, tensor.name);
      for (std::size_t i = 0; i < tensor.shape->size(); ++i)
        if (!(*tensor.shape)[i].symbol.empty()) dimensions_.emplace_back((*tensor.shape)[i].symbol, wanted->second[i]);
    }
  if (settings_.profile_ops) prepare_profiling(graph);
}

Ort::SessionOptions Loader::options() const {
  Ort::SessionOptions options;
  options.SetGraphOptimizationLevel(ORT_ENABLE_ALL);
  options.SetInterOpNumThreads(1);
  if (settings_.threads) options.SetIntraOpNumThreads(*settings_.threads);
  for (const auto& [symbol, size] : dimensions_)
    Ort::ThrowOnError(Ort::GetApi().AddFreeDimensionOverrideByName(options, symbol.c_str(), size));
  if (device_ == "GPU") options.AppendExecutionProvider_CUDA(OrtCUDAProviderOptions{});
  return options;
}

void Loader::prepare_profiling(const Graph* graph) {
  folder_ = std::make_unique<TemporaryFolder>();
  const auto dump = folder_->path() / "optimised.onnx";
  try {
    auto saving = options();
    saving.SetOptimizedModelFilePath(dump.c_str());
    Ort::Session(env_, model_.c_str(), saving);
    optimised_ = read_optimised(dump, graph, where_);
    // What was saved must load again as it is, or the figures would be those of no model.
    auto reloading = options();
    reloading.SetGraphOptimizationLevel(ORT_DISABLE_ALL);
    Ort::Session(env_, optimised_->bytes.data(), optimised_->bytes.size(), reloading);
  } catch (const Ort::Exception& e) {
    optimised_.reset();
    notes_.push_back(fmt::format(
        "ONNX Runtime cannot save its optimised graph ({}), so operators are named as in its own profile and their "
        "fusion groups are not known",
        one_sentence(e.what())));
  }
  std::error_code ignored;
  std::filesystem::remove(dump, ignored);
  notes_.push_back(
      "ONNX Runtime stamps operators in whole microseconds; an operator lasts until the next one starts, so it "
      "includes "
      "dispatch and the writing of its record, 1 to 5 us");
  if (device_ == "GPU")
    notes_.push_back(
        "on CUDA, ONNX Runtime's operator times are launch times; the GPU's own time is in [unattributed]");
}

Ort::Session Loader::open() {
  auto chosen = options();
  if (folder_) chosen.EnableProfiling((folder_->path() / fmt::format("profile-{}", opened_++)).c_str());
  if (!optimised_) return Ort::Session(env_, model_.c_str(), chosen);
  chosen.SetGraphOptimizationLevel(ORT_DISABLE_ALL);
  return Ort::Session(env_, optimised_->bytes.data(), optimised_->bytes.size(), chosen);
}

}  // namespace takt::ort
