#include "training/scenario/metrics_file.h"

#include <nlohmann/json.hpp>

namespace takt {
namespace {

double mean_s(const std::vector<Nanoseconds>& times) {
  double sum = 0;
  for (const Nanoseconds time : times) sum += static_cast<double>(time.count());
  return times.empty() ? 0 : sum / 1e9 / static_cast<double>(times.size());
}

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json nanoseconds(const std::vector<Nanoseconds>& times) {
  auto list = nlohmann::ordered_json::array();
  for (const Nanoseconds time : times) list.push_back(time.count());
  return list;
}

}  // namespace

double mean_step_s(const TrainingRun& run) { return mean_s(run.step_times); }
double mean_wait_s(const TrainingRun& run) { return mean_s(run.data_waits); }

std::string metrics_json(const ScenarioOutcome& outcome, const Provenance& provenance) {
  const ScenarioSettings& s = outcome.settings;
  const nlohmann::ordered_json own{{"provenance", nlohmann::ordered_json::parse(to_json(provenance))},
                                   {"strength", name_of(s.strength)},
                                   {"device", outcome.run.device},
                                   {"torch_version", outcome.run.torch_version},
                                   {"profiler", outcome.run.profiler},
                                   {"trace_file", outcome.run.trace_file},
                                   {"seed", s.seed},
                                   {"warmup_steps", s.warmup_steps},
                                   {"profile_steps", s.profile_steps},
                                   {"with_stack", s.with_stack},
                                   {"image_size", s.image_size},
                                   {"width", s.width},
                                   {"last_loss", outcome.run.last_loss},
                                   {"step_times_ns", nanoseconds(outcome.run.step_times)},
                                   {"data_waits_ns", nanoseconds(outcome.run.data_waits)},
                                   {"data_wait_share", number_or_null(outcome.figures.data_wait_share)},
                                   {"reads_per_step", number_or_null(outcome.figures.reads_per_step)},
                                   {"operators_per_step", number_or_null(outcome.figures.operators_per_step)},
                                   {"bytes_per_step", number_or_null(outcome.figures.bytes_per_step)}};
  const nlohmann::ordered_json metrics{{"scenario", name_of(s.scenario)},
                                       {"batch_size", s.batch_size},
                                       {"num_workers", s.num_workers},
                                       {"pin_memory", s.pin_memory},
                                       {"amp", s.amp},
                                       {"avg_step_time_s", mean_step_s(outcome.run)},
                                       {"avg_dataloader_wait_s", mean_wait_s(outcome.run)},
                                       {"trace_dir", outcome.trace_dir},
                                       {"takt", own}};
  return metrics.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace takt
