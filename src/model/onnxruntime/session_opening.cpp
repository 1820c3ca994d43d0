// One session of a model, or two that have its weights in memory once.
#include "base/memory/free_memory.h"
#include "model/onnxruntime/session.h"
#include "model/runtime/pages_given_back.h"
#include "model/runtime/sdk_errors.h"

namespace takt::ort {

std::unique_ptr<Session> open_session(const Ort::Env& env, const std::filesystem::path& model, const Graph* graph,
                                      const std::string& device, const SessionSettings& settings) {
  return make_session(Loader(env, model, graph, device, settings, where(model, "onnxruntime")), graph, device,
                      settings);
}

std::optional<SessionPair> open_pair(const Ort::Env& env, const std::filesystem::path& model, const Graph& graph,
                                     const std::string& device, SessionSettings settings) {
  const std::string place = where(model, "onnxruntime");
  settings.profile_ops = true;
  const Nanoseconds before = steady_now();
  Loader profiled(env, model, &graph, device, settings, place);  // while nothing else of the model is in memory
  const auto weights = profiled.weights_to_share(graph);
  if (!weights) return std::nullopt;
  const Nanoseconds prepared = steady_now();
  const PagesGivenBack released(weights->file());
  SessionPair pair;
  settings.profile_ops = false;
  Loader plain(env, model, &graph, device, settings, place);
  plain.share(weights), profiled.share(weights);
  pair.plain = make_session(std::move(plain), &graph, device, settings);
  give_back_free_memory();
  const Nanoseconds opening = steady_now();
  settings.profile_ops = true;
  pair.profiled = make_session(std::move(profiled), &graph, device, settings);
  pair.profiled_load = (prepared - before) + (steady_now() - opening);
  return pair;
}

}  // namespace takt::ort
