#include "model/onnxruntime/loading.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <fstream>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/memory/free_memory.h"
#include "model/onnx/onnx.h"
#include "model/onnx/subnormal_weights.h"
#include "model/onnx/weights.h"
#include "model/onnxruntime/model_cache.h"
#include "model/onnxruntime/properties.h"
#include "model/onnxruntime/shapes.h"
#include "model/onnxruntime/subnormals.h"
#include "model/onnxruntime/tensors.h"
#include "model/runtime/sdk_errors.h"
#include "model/runtime/tensor_checks.h"

namespace takt::ort {
namespace {

constexpr std::string_view weights_file = "weights.bin";

/// The model without its large weights, for a session that finds them (find_external_data).
std::string structure_of(const std::filesystem::path& model) {
  const OnnxModel read = read_onnx_structure(model);
  point_at_real_files(*read.proto, model);
  return serialize_onnx(*read.proto);
}

/// For sessions that run nothing: kernels do not make copies of the weights to their liking.
void leave_weights_as_they_are(Ort::SessionOptions& options) {
  options.AddConfigEntry("session.disable_prepacking", "1");
}

}  // namespace

Loader::Loader(const Ort::Env& env, std::filesystem::path model, const Graph* graph, std::string device,
               const SessionSettings& settings, std::string where)
    : env_(env), model_(std::move(model)), device_(std::move(device)), where_(std::move(where)), settings_(settings) {
  if (graph)
    for (const auto id : graph->inputs) {
      const auto& tensor = graph->tensor(id);
      const auto wanted = settings_.input_shapes.find(tensor.name);
      if (wanted == settings_.input_shapes.end() || !tensor.shape) continue;
      fix_shape(*tensor.shape, wanted->second, where_, tensor.name);
      for (std::size_t i = 0; i < tensor.shape->size(); ++i)
        if (!(*tensor.shape)[i].symbol.empty()) dimensions_.emplace_back((*tensor.shape)[i].symbol, wanted->second[i]);
    }
  check_settings();
  const SubnormalsAsZero set(takes_subnormals_as_zero(settings_.properties));  // constants are folded here
  notes_ = check_properties(settings_.properties, where_);
  for (const auto& file : {settings_.optimised_model, settings_.executed_graph})
    if (!file.empty()) write_optimised_model(file);
  if (settings_.profile_ops)
    prepare_profiling(graph);
  else if (settings_.all_tensors)
    ready_ = with_all_outputs(model_);
  else if (!settings_.cache.empty())
    prepare_cache();
}

void Loader::check_settings() const {
  if (settings_.precision && *settings_.precision != ElementType::f32)
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: it computes in the types that the model is written in and has no setting for {}; "
                            "convert the model, or use --runtime openvino",
                            where_, type_name(*settings_.precision)));
}

/// Optimises the model once more, into a file of the temporary folder; `weights_apart`: with its weights in another
/// file there, from which they need not be copied. Throws Ort::Exception where it cannot be saved.
std::filesystem::path Loader::save_optimised(bool weights_apart) {
  if (!folder_) folder_ = std::make_unique<TemporaryFolder>("takt");
  const auto dump = folder_->path() / "optimised.onnx";
  if (weights_apart) {
    save_with_weights_apart(dump, 4096);
  } else {
    auto saving = options();
    saving.SetOptimizedModelFilePath(dump.c_str());
    leave_weights_as_they_are(saving);
    const Ort::Session saves(env_, model_.c_str(), saving);
  }
  give_back_free_memory();
  return dump;
}

/// Weights of at least so many bytes go to weights_file beside `dump`.
void Loader::save_with_weights_apart(const std::filesystem::path& dump, std::size_t least_bytes) const {
  auto saving = options();
  saving.SetOptimizedModelFilePath(dump.c_str());
  leave_weights_as_they_are(saving);
  saving.AddConfigEntry("session.optimized_model_external_initializers_file_name", weights_file.data());
  saving.AddConfigEntry("session.optimized_model_external_initializers_min_size_in_bytes",
                        std::to_string(least_bytes).c_str());
  // A session that saves keeps the model's weights beside its own copies to the end: it gets a model without any.
  find_external_data(saving, model_);
  const std::string structure = structure_of(model_);
  const Ort::Session saves(env_, structure.data(), structure.size(), saving);
}

/// Large weights are written to nowhere, since nobody will read them; a file of their size, all of it a hole, stands in.
void Loader::save_structure(const std::filesystem::path& to) const {
  const std::filesystem::path weights = to.parent_path() / weights_file;
  std::filesystem::create_symlink("/dev/null", weights);
  save_with_weights_apart(to, 65'536);
  std::filesystem::remove(weights);
  std::ofstream(weights).close();
  std::filesystem::resize_file(weights, end_of_weights(to, where_));
}

void Loader::write_optimised_model(const std::filesystem::path& file) {
  write_file_atomically(file, reloadable(save_optimised(false), where_));
}

/// Takes the optimised model from the cache, or puts it there; without success the model is opened as always.
void Loader::prepare_cache() {
  const CachedModel cached(settings_.cache, model_, settings_, device_);
  from_cache_ = false;
  if (const auto stored = cached.read()) {
    from_cache_ = true;
    ready_ = *stored;
    notes_.push_back(fmt::format("the optimised model came from the cache ({})", printable(cached.path().string())));
    return;
  }
  try {
    const std::string bytes = reloadable(save_optimised(false), where_);
    open_bytes(bytes, options(), model_);  // what cannot be loaded again is of no use in a cache
    cached.write(bytes);
    notes_.push_back(fmt::format("the optimised model is now in the cache ({})", printable(cached.path().string())));
  } catch (const Ort::Exception& e) {
    notes_.push_back(
        fmt::format("nothing was cached: ONNX Runtime cannot save its optimised graph ({})", one_sentence(e.what())));
  }
}

/// `beside`: a file of the folder that external data is in.
Ort::Session Loader::open_bytes(const std::string& bytes, Ort::SessionOptions options,
                                const std::filesystem::path& beside) const {
  options.SetGraphOptimizationLevel(ORT_DISABLE_ALL);
  find_external_data(options, beside);
  if (weights_) return weights_->open(env_, bytes, options);
  return Ort::Session(env_, bytes.data(), bytes.size(), options);
}

Ort::SessionOptions Loader::options() const {
  Ort::SessionOptions options;
  options.SetGraphOptimizationLevel(ORT_ENABLE_ALL);
  options.SetInterOpNumThreads(1);
  set_properties(options, properties_of(settings_.threads, settings_.tuning));
  set_properties(options, settings_.properties);
  for (const auto& [symbol, size] : dimensions_)
    Ort::ThrowOnError(Ort::GetApi().AddFreeDimensionOverrideByName(options, symbol.c_str(), size));
  add_custom_ops(options, settings_.custom_ops);
  if (device_ == "GPU") append_cuda(options, settings_.properties);
  return options;
}

/// Also those that only folding made: each factor was an ordinary number.
void Loader::say_subnormal_weights(const std::filesystem::path& dump) {
  const Properties zeros = zeros_for_subnormals();
  const bool is_asked = settings_.properties.contains(kOrtSessionOptionsConfigSetDenormalAsZero);
  if (device_ != "CPU" || zeros.empty() || is_asked) return;
  if (const auto found = subnormal_weights(*read_onnx_structure(dump).proto, dump))
    notes_.push_back(subnormal_sentence(*found, zeros));
}

void Loader::prepare_profiling(const Graph* graph) {
  folder_ = std::make_unique<TemporaryFolder>("takt");
  const auto dump = folder_->path() / "optimised.onnx";
  try {
    optimised_ = read_optimised(save_optimised(true), graph, where_);
    say_subnormal_weights(dump);
    // What was saved must load again as it is, or the figures would be those of no model.
    auto trial = options();
    leave_weights_as_they_are(trial);
    open_bytes(optimised_->bytes, std::move(trial), dump);
  } catch (const Ort::Exception& e) {
    optimised_.reset();
    notes_.push_back(
        fmt::format("ONNX Runtime cannot save its optimised graph ({}), so operators are named as in its own profile "
                    "and their fusion groups are unknown{}",
                    one_sentence(e.what()), full_temporary_folder()));
  }
  std::error_code ignored;
  std::filesystem::remove(dump, ignored);
}

Ort::Session Loader::open_head(const std::set<std::string>& keys) const {
  const SubnormalsAsZero set(takes_subnormals_as_zero(settings_.properties));
  return open_bytes(head_of(optimised_->bytes, keys, where_), options(), folder_->path() / "optimised.onnx");
}

std::shared_ptr<const SharedWeights> Loader::weights_to_share(const Graph& graph) const {
  if (!optimised_) return nullptr;
  // A name that the optimiser made is not sure to mean the same in a session that optimises anew.
  std::vector<StoredWeight> own;
  for (const StoredWeight& weight : optimised_->weights)
    if (const auto id = graph.find_tensor(weight.name); id && graph.tensor(*id).is_constant) own.push_back(weight);
  return own.empty() ? nullptr : std::make_shared<const SharedWeights>(folder_->path() / weights_file, own);
}

Ort::Session Loader::open() {
  const SubnormalsAsZero set(takes_subnormals_as_zero(settings_.properties));
  auto chosen = options();
  if (profiled()) chosen.EnableProfiling((folder_->path() / fmt::format("profile-{}", opened_++)).c_str());
  if (optimised_) return open_bytes(optimised_->bytes, std::move(chosen), folder_->path() / "optimised.onnx");
  if (ready_) return open_bytes(*ready_, std::move(chosen), model_);
  if (weights_) {  // the model's own copies would be beside the packed ones until all are packed: it does without
    find_external_data(chosen, model_);
    return weights_->open(env_, structure_of(model_), chosen);
  }
  return Ort::Session(env_, model_.c_str(), chosen);
}

}  // namespace takt::ort
