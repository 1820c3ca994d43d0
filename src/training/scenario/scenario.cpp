#include "training/scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/field_list.h"

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
  check_range("--batch-size", settings.batch_size, 1, 65536);
  check_range("--num-workers", settings.num_workers, 0, 256);
  check_range("--warmup-steps", settings.warmup_steps, 0, 1'000'000);
  check_range("--profile-steps", settings.profile_steps, 1, 1'000'000);
  check_range("--image-size", settings.image_size, 8, 1024);
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

namespace {

constexpr auto trainer_fields = [](auto& task, const auto& field) {
  auto& s = task.settings;
  field.named(
      "scenario", s.scenario, [](Scenario one) { return name_of(one); }, scenario_named);
  field.named(
      "strength", s.strength, [](FaultStrength one) { return name_of(one); }, fault_strength_named);
  field("device", s.device);
  field("batch_size", s.batch_size);
  field("num_workers", s.num_workers);
  field("warmup_steps", s.warmup_steps);
  field("profile_steps", s.profile_steps);
  field("pin_memory", s.pin_memory);
  field("amp", s.amp);
  field("with_stack", s.with_stack);
  field("seed", s.seed);
  field("image_size", s.image_size);
  field("width", s.width);
  field("threads", s.threads);
  field("trace_file", task.trace_file);
  field("parent", task.parent);
};

}  // namespace

std::string to_json(const TrainerTask& task) { return written_fields(task, trainer_fields); }

TrainerTask parse_trainer_task(std::string_view json) {
  auto task = read_fields<TrainerTask>(json, trainer_fields, "the settings of the training cannot be read");
  check(task.settings);
  return task;
}

}  // namespace takt
