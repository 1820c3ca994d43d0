#include "training/scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

template <typename Kind>
Kind kind_named(std::string_view name, const std::vector<std::string>& names, std::string_view what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    refuse_input(fmt::format("'{}' is not a {}; use {}", printable(std::string(name)), what, fmt::join(names, ", ")));
  return static_cast<Kind>(found - names.begin());
}

void check_range(std::string_view option, int value, int low, int high) {
  if (value < low || value > high) refuse_input(fmt::format("{} {}: must be from {} to {}", option, value, low, high));
}

}  // namespace

const std::vector<std::string>& scenario_names() {
  static const std::vector<std::string> names{"dataloader", "sync", "tiny_ops", "memory_churn"};
  return names;
}

std::string_view name_of(Scenario scenario) { return scenario_names()[static_cast<std::size_t>(scenario)]; }

Scenario scenario_named(std::string_view name) { return kind_named<Scenario>(name, scenario_names(), "scenario"); }

const std::vector<std::string>& fault_strength_names() {
  static const std::vector<std::string> names{"none", "mild", "strong"};
  return names;
}

FaultStrength fault_strength_named(std::string_view name) {
  return kind_named<FaultStrength>(name, fault_strength_names(), "problem strength");
}

std::string_view name_of(FaultStrength strength) { return fault_strength_names()[static_cast<std::size_t>(strength)]; }

void check(const ScenarioSettings& settings) {
  check_range("--batch_size", settings.batch_size, 1, 65536);
  check_range("--num_workers", settings.num_workers, 0, 256);
  check_range("--warmup_steps", settings.warmup_steps, 0, 1'000'000);
  check_range("--profile_steps", settings.profile_steps, 1, 1'000'000);
  check_range("--image_size", settings.image_size, 8, 1024);
  check_range("--width", settings.width, 1, 1024);
  check_range("--threads", settings.threads, 0, 1024);
  if (settings.device != "cuda" && settings.device != "cpu")
    refuse_input(fmt::format("--device '{}': a training runs on cuda or cpu", printable(settings.device)));
}

Pressure pressure_of(const ScenarioSettings& settings) {
  const bool is_strong = settings.strength == FaultStrength::strong;
  Pressure pressure;
  if (settings.strength == FaultStrength::none) return pressure;
  switch (settings.scenario) {
    case Scenario::dataloader:
      pressure.cpu_work = is_strong ? 4000 : 3000;
      pressure.io_sleep_ms = is_strong ? 2 : 1.5;
      break;
    case Scenario::sync:
      pressure.reads = is_strong ? 64 : 12;
      break;
    case Scenario::tiny_ops:
      pressure.tiny_ops = is_strong ? 4000 : 1500;
      break;
    case Scenario::memory_churn:
      pressure.temporaries = is_strong ? 128 : 48;
      break;
  }
  return pressure;
}

std::string to_json(const TrainerTask& task) {
  const ScenarioSettings& s = task.settings;
  return nlohmann::ordered_json{{"scenario", name_of(s.scenario)},
                                {"strength", name_of(s.strength)},
                                {"device", s.device},
                                {"batch_size", s.batch_size},
                                {"num_workers", s.num_workers},
                                {"warmup_steps", s.warmup_steps},
                                {"profile_steps", s.profile_steps},
                                {"pin_memory", s.pin_memory},
                                {"amp", s.amp},
                                {"with_stack", s.with_stack},
                                {"seed", s.seed},
                                {"image_size", s.image_size},
                                {"width", s.width},
                                {"threads", s.threads},
                                {"trace_file", task.trace_file},
                                {"parent", task.parent}}
      .dump();
}

TrainerTask parse_trainer_task(std::string_view json) {
  TrainerTask task;
  try {
    const auto told = nlohmann::json::parse(json);
    ScenarioSettings& s = task.settings;
    s.scenario = scenario_named(told.at("scenario").get<std::string>());
    s.strength = fault_strength_named(told.at("strength").get<std::string>());
    told.at("device").get_to(s.device);
    told.at("batch_size").get_to(s.batch_size);
    told.at("num_workers").get_to(s.num_workers);
    told.at("warmup_steps").get_to(s.warmup_steps);
    told.at("profile_steps").get_to(s.profile_steps);
    told.at("pin_memory").get_to(s.pin_memory);
    told.at("amp").get_to(s.amp);
    told.at("with_stack").get_to(s.with_stack);
    told.at("seed").get_to(s.seed);
    told.at("image_size").get_to(s.image_size);
    told.at("width").get_to(s.width);
    told.at("threads").get_to(s.threads);
    told.at("trace_file").get_to(task.trace_file);
    told.at("parent").get_to(task.parent);
  } catch (const nlohmann::json::exception& error) {
    refuse_input(fmt::format("the settings of the training cannot be read: {}", error.what()));
  }
  check(task.settings);
  return task;
}

}  // namespace takt
