#include "measure/open/startup.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace takt {
namespace {

struct StartUpStep {
  std::string name;
  std::optional<Nanoseconds> time;
  std::optional<bool> from_cache;
};

constexpr Column<StartUpStep> startup_columns[] = {
    {"step", "Step", [](const StartUpStep& r) -> Cell { return r.name; },
     "read: the file into the runtime's graph. compile: optimise it and make it ready for the device. other: the rest "
     "of the load time, such as writing a cache. first run: the first inference, which often allocates. total: all of "
     "them."},
    {"step_us", "Time", [](const StartUpStep& r) { return time_cell(r.time); },
     "Time of the step; empty if the runtime does it within another one: ONNX Runtime reads and optimises in one call, "
     "which is compile here."},
    {"from_cache", "From cache",
     [](const StartUpStep& r) { return r.from_cache ? Cell(std::string(*r.from_cache ? "yes" : "no")) : Cell(); },
     "Whether the compiled model came from the folder of --cache-dir; empty without that option, and for the other "
     "steps."},
};

constexpr TableDefinition<StartUpStep> startup_definition{
    "startup", "Start-up time, from opening the model to its first result: a row per step, the last one their sum.",
    startup_columns};

const RunPass* pass_of(const RunResult& result) {
  const auto& pass = result.plain ? result.plain : result.profiled;
  return pass && pass->start_up.compile ? &*pass : nullptr;
}

std::vector<StartUpStep> steps_of(const RunPass& pass) {
  const auto& told = pass.start_up;
  const Nanoseconds known = told.read.value_or(Nanoseconds(0)) + told.compile.value_or(Nanoseconds(0));
  const Nanoseconds first = pass.warmup.empty() ? pass.samples.front() : pass.warmup.front();
  return {{"read", told.read, {}},
          {"compile", told.compile, told.from_cache},
          {"other", std::max(pass.load_time - known, Nanoseconds(0)), {}},
          {"first run", first, {}},
          {"total", std::max(pass.load_time, known) + first, {}}};
}

}  // namespace

std::optional<Table> startup_table(const RunResult& result) {
  const auto* pass = pass_of(result);
  if (!pass) return std::nullopt;
  return startup_definition.make(steps_of(*pass));
}

TableSchema startup_schema() { return startup_definition.schema(); }

std::string startup_line(const RunResult& result) {
  const auto* pass = pass_of(result);
  if (!pass) return "";
  const auto steps = steps_of(*pass);
  std::string text;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (!steps[i].time) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", steps[i].name, format_duration(*steps[i].time));
    if (steps[i].from_cache && *steps[i].from_cache) text += " (from the cache)";
  }
  return fmt::format("Start-up {}: {}\n", format_duration(*steps.back().time), text);
}

}  // namespace takt
