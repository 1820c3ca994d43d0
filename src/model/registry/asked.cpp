#include "model/registry/asked.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"
#include "base/system/apart.h"
#include "base/system/log.h"
#include "model/registry/shapes_json.h"
#include "model/sim/simulated.h"

namespace takt {
namespace {

using Json = nlohmann::json;

/// TAKT_ASK_SECONDS in the environment sets it (tests of runtimes that hang).
Nanoseconds limit() {
  const char* const text = std::getenv("TAKT_ASK_SECONDS");
  const auto seconds = text ? number_in<std::int64_t>(text) : std::nullopt;
  return std::chrono::seconds(std::clamp<std::int64_t>(seconds.value_or(30), 1, 3600));
}

/// Of this process: whom not to ask again.
class Silent {
 public:
  bool holds(const std::string& runtime, const std::filesystem::path& model) {
    const std::lock_guard lock(mutex_);
    return about_all_.contains(runtime) || about_.contains({runtime, model});
  }
  void add(const std::string& runtime, const std::filesystem::path& model, bool is_late) {
    const std::lock_guard lock(mutex_);
    if (is_late) about_all_.insert(runtime);
    about_.insert({runtime, model});
  }

 private:
  std::mutex mutex_;
  std::set<std::string> about_all_;
  std::set<std::pair<std::string, std::filesystem::path>> about_;
};

Silent& silent() {
  static Silent of_process;
  return of_process;
}

/// Null where nothing is told.
Json ask(std::string_view runtime, const std::filesystem::path& model, std::string_view what,
         const std::function<Json(Runtime&)>& question) {
  const std::string name(runtime);
  if (silent().holds(name, model)) return nullptr;
  const DoneApart done = do_apart(
      [&] {
        const auto asked = make_runtime(name);
        return question(*asked).dump(-1, ' ', false, Json::error_handler_t::replace);
      },
      limit());
  if (done.end == DoneApart::End::answered) return parse_strictly(done.answer, fmt::format("answer of {}", name));
  const std::string failure = fmt::format("{}: {} was asked for its {} and did not answer: {}",
                                          printable(model.string()), name, what, printable(done.reason));
  const bool is_late = done.end == DoneApart::End::late;
  if (is_late)
    log_info(failure);
  else
    log_debug(failure);
  if (done.end != DoneApart::End::refused) silent().add(name, model, is_late);
  return nullptr;
}

/// What code that may have gone wrong answered is believed where it is of the right form.
template <typename Answer>
Answer believed(const std::function<Answer()>& read) {
  try {
    return read();
  } catch (const Error& error) {
    log_debug(error.what());
  } catch (const Json::exception& error) {
    log_debug(error.what());
  }
  return {};
}

}  // namespace

std::vector<std::string> runtimes_that_tell() {
  std::vector<std::string> names = runtime_names();
  std::erase(names, simulated_runtime);
  std::stable_partition(names.begin(), names.end(), [](const std::string& name) { return name == "onnxruntime"; });
  return names;
}

TensorShapes shapes_told_apart(std::string_view runtime, const std::filesystem::path& model,
                               const std::map<std::string, Shape>& input_shapes) {
  return believed<TensorShapes>([&] {
    TensorShapes shapes;
    const Json told = ask(runtime, model, "shapes", [&](Runtime& asked) {
      Json json = Json::object();
      for (const auto& [name, shape] : asked.infer_shapes(model, input_shapes).value_or(TensorShapes()))
        json[name] = to_json(shape);
      return json;
    });
    if (told.is_object())
      for (const auto& [name, shape] : told.items()) shapes.emplace(name, shape_from(shape, "a reported shape"));
    return shapes;
  });
}

std::map<std::string, ElementType> types_told_apart(std::string_view runtime, const std::filesystem::path& model,
                                                    const Graph& graph) {
  using Types = std::map<std::string, ElementType>;
  return believed<Types>([&] {
    Types types;
    const Json told = ask(runtime, model, "types", [&](Runtime& asked) {
      SessionSettings settings;
      settings.all_tensors = true;
      const auto session = asked.open(model, &graph, settings);
      Json json = Json::object();
      for (const Port& port : session->outputs()) json[port.name] = static_cast<int>(port.type);
      return json;
    });
    constexpr int most = static_cast<int>(ElementType::i2);
    if (told.is_object())
      for (const auto& [name, type] : told.items())
        types.emplace(name, static_cast<ElementType>(JsonObject::integer_in(type, "a reported type", 0, most)));
    return types;
  });
}

std::optional<Graph> executed_shapes_told_apart(std::string_view runtime, const std::filesystem::path& model,
                                                const Graph& graph, const SessionSettings& settings,
                                                const std::vector<HostTensor>& inputs) {
  return believed<std::optional<Graph>>([&]() -> std::optional<Graph> {
    const Json told = ask(runtime, model, "shapes of an inference", [&](Runtime& asked) {
      const auto executed = asked.with_executed_shapes(model, graph, settings, inputs);
      return executed ? shapes_of(*executed) : Json();
    });
    if (told.is_null()) return std::nullopt;
    return with_shapes_of(graph, told, "reported shapes");
  });
}

ToldDevices devices_told_apart(std::string_view runtime) {
  ToldDevices told;
  const DoneApart done = do_apart(
      [&] {
        const auto asked = make_runtime(runtime);
        Json rows = Json::array();
        for (const DeviceStatus& status : asked->devices())
          rows.push_back({status.device, status.description, status.reason ? Json(*status.reason) : Json()});
        return Json{{"version", asked->version()}, {"devices", rows}}.dump(-1, ' ', false,
                                                                           Json::error_handler_t::replace);
      },
      limit());
  if (done.end != DoneApart::End::answered) {
    told.reason = fmt::format("it cannot be asked: {}", printable(done.reason));
    return told;
  }
  try {
    const Json json = parse_strictly(done.answer, "answer of a runtime");
    for (const Json& row : json.at("devices"))
      told.devices.push_back({row.at(0).get<std::string>(), row.at(1).get<std::string>(),
                              row.at(2).is_null() ? std::nullopt : std::optional(row.at(2).get<std::string>())});
    told.version = json.at("version").get<std::string>();
  } catch (const Json::exception&) {
    return {"", {}, "its answer cannot be read"};
  }
  return told;
}

}  // namespace takt
