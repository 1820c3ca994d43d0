#include "profile/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "profile/measure.h"
#include "profile/prepared_model.h"

namespace takt {
namespace {

void give_inputs(PreparedModel& model, Session& session) {
  RunResult& result = model.result();
  result.device = session.device();
  result.inputs = session.inputs();
  result.outputs = session.outputs();
  session.set_inputs(model.values(result.inputs));
}

void measure_passes(PreparedModel& model, const RunSettings& settings, RunPasses passes, const RunProgress& progress) {
  RunResult& result = model.result();
  UsageReader reader;
  result.cpu_limit = cpu_limit();
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<Measurement> measurements;
  for (bool profiled : {false, true}) {
    if (passes == (profiled ? RunPasses::plain : RunPasses::profiled)) continue;
    RunPass pass;
    pass.profiled = profiled;
    Nanoseconds before = steady_now();
    sessions.push_back(model.open(profiled));
    pass.load_time = steady_now() - before;
    give_inputs(model, *sessions.back());
    UsageReader* usage = sessions.back()->keeps_real_time() ? &reader : nullptr;
    measurements.emplace_back(*sessions.back(), settings, usage, std::move(pass));
  }
  measure(measurements, progress);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    RunPass pass = measurements[i].finish();
    (pass.profiled ? result.profiled : result.plain) = std::move(pass);
    for (const auto& note : sessions[i]->notes())
      if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end()) result.notes.push_back(note);
  }
}

}  // namespace

std::string choose_runtime(const std::filesystem::path& model, const RunSettings& settings, std::string& why) {
  bool simulated = lower_case(settings.device).starts_with("sim:");
  if (simulated && !settings.runtime.empty() && settings.runtime != "sim")
    throw UsageError(fmt::format("--device {} is simulated, but --runtime {} is asked for; leave out one of the two",
                                 printable(settings.device), printable(settings.runtime)));
  why = "as asked";
  if (!settings.runtime.empty()) return settings.runtime;
  if (simulated) return why = "for a sim: device", "sim";
  bool ir = lower_case(model.extension().string()) == ".xml";
  auto names = runtime_names();
  std::string wanted = ir ? "openvino" : "onnxruntime";
  why = fmt::format("for {} files", ir ? ".xml" : ".onnx");
  if (std::find(names.begin(), names.end(), wanted) != names.end()) return wanted;
  // The user did not ask for a runtime, so the other real one that reads ONNX is a choice and not a substitution.
  if (!ir && std::find(names.begin(), names.end(), "openvino") != names.end()) {
    why = "onnxruntime is not in this binary";
    return "openvino";
  }
  return wanted;
}

RunResult run_model(const std::filesystem::path& model, const RunSettings& settings, RunPasses passes,
                    const RunProgress& progress) {
  PreparedModel prepared(model, settings);
  measure_passes(prepared, settings, passes, progress);
  return std::move(prepared.result());
}

}  // namespace takt
