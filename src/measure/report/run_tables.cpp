#include "measure/report/run_tables.h"

#include <algorithm>

#include "base/statistics/statistics.h"
#include "base/table/common_columns.h"
#include "measure/open/startup.h"
#include "measure/operators/columns.h"
#include "measure/operators/fallback_ops.h"
#include "measure/operators/table.h"
#include "measure/operators/type_table.h"
#include "measure/report/percentiles.h"
#include "measure/report/run_facts.h"
#include "measure/report/shapes_table.h"
#include "measure/report/steps_table.h"
#include "measure/run/label.h"
#include "measure/run/memory.h"
#include "measure/run/vary.h"
#include "measure/timing/instability.h"
#include "measure/timing/measure.h"
#include "measure/timing/throughput.h"

namespace takt {
namespace {

struct SummaryRow {
  const RunResult* result;
  const RunPass* pass;
  Summary times;
  Duration host_mean;
  std::optional<ProfilingCost> cost;  ///< of the profiled row
  ModelMemory model;
};

Cell percent(const std::optional<Interval>& ratio, double Interval::*end) {
  return ratio ? Cell(((*ratio).*end - 1) * 100) : Cell();
}

double per_second(const SummaryRow& row) { return row.pass->runs_per_second.value_or(1e6 / row.times.mean.count()); }

constexpr Column<SummaryRow> summary_columns[] = {
    {common::runtime, [](const SummaryRow& r) -> Cell { return r.result->runtime; }},
    {common::device, [](const SummaryRow& r) -> Cell { return r.result->device; }},
    {operator_columns::pass,
     [](const SummaryRow& r) -> Cell { return std::string(r.pass->profiled ? "profiled" : "plain"); }},
    {"iterations", "Runs", [](const SummaryRow& r) -> Cell { return static_cast<std::int64_t>(r.times.count); },
     "Measured runs of the model, without warm-up runs."},
    {"load_us", "Load", [](const SummaryRow& r) -> Cell { return Duration(r.pass->load_time); },
     "Time to open the model: read, optimise, compile for the device."},
    {common::mean_us, [](const SummaryRow& r) -> Cell { return r.times.mean; }},
    {common::stddev_us, [](const SummaryRow& r) { return optional_cell(r.times.stddev); }},
    {common::min_us, [](const SummaryRow& r) -> Cell { return r.times.min; }},
    {common::median_us, [](const SummaryRow& r) -> Cell { return r.times.median; }},
    {common::p90_us, [](const SummaryRow& r) -> Cell { return r.times.p90; }},
    {common::p99_us, [](const SummaryRow& r) { return optional_cell(r.times.p99); }},
    {common::max_us, [](const SummaryRow& r) -> Cell { return r.times.max; }},
    {"host_mean_us", "Host mean", [](const SummaryRow& r) -> Cell { return r.host_mean; },
     "Mean time of one run from before the call until control returned to takt: the run and the overhead of takt's "
     "call."},
    {"throughput_per_s", "Runs/s", [](const SummaryRow& r) -> Cell { return per_second(r); },
     "Runs of the model per second, one after another: 1 / mean time. With several concurrent instances, the sum of "
     "their rates."},
    {"profiling_cost_percent", "Profiling overhead %",
     [](const SummaryRow& r) { return r.cost ? Cell((r.cost->ratio - 1) * 100) : Cell(); },
     "How much longer a profiled run takes than a plain one, from alternating blocks of the two; empty for plain "
     "runs."},
    {"profiling_cost_low_percent", "Overhead CI low %",
     [](const SummaryRow& r) { return r.cost ? percent(r.cost->interval, &Interval::low) : Cell(); },
     "Lower end of the 95 % interval of the profiling overhead."},
    {"profiling_cost_high_percent", "Overhead CI high %",
     [](const SummaryRow& r) { return r.cost ? percent(r.cost->interval, &Interval::high) : Cell(); },
     "Upper end of the 95 % interval of the profiling overhead."},
    {"base_bytes", "Resident before", [](const SummaryRow& r) { return optional_cell(r.pass->memory.before); },
     "Resident bytes of takt, its libraries and what else it had open before the session of the row was opened. Empty "
     "on simulated devices, and if the system does not report it."},
    {"load_peak_bytes", "Peak loading", [](const SummaryRow& r) { return optional_cell(r.pass->memory.loading); },
     "Maximum resident bytes of the whole program while the session of the row was opened; a profiled row includes the "
     "plain session. Empty on simulated devices, and if the system does not report it."},
    {"run_peak_bytes", "Peak running", [](const SummaryRow& r) { return optional_cell(r.pass->memory.running); },
     "Maximum resident bytes of the whole program while the session of the row ran: for a plain row that a profiled "
     "one follows, in its warm-up runs, before the other session was opened; for a profiled row with both sessions. "
     "Empty on simulated devices, and if the system does not report it."},
    {"weight_bytes", "Weights", [](const SummaryRow& r) { return optional_cell(r.model.weights); },
     "Bytes of the constants in the model's file, each once; a runtime may keep them in another layout, or twice."},
    {"activation_peak_bytes", "Activations", [](const SummaryRow& r) { return optional_cell(r.model.activations); },
     "Maximum bytes of tensors other than weights that are needed at the same time, over the operators in the model's "
     "order, each tensor in separate memory. Runtimes mostly need less, because they fuse operators and reuse the "
     "memory of inputs; temporary memory of kernels is not included. Empty if the size of one tensor is unknown."},
    {"process_peak_bytes", "Peak of all", [](const SummaryRow& r) { return optional_cell(r.result->process_peak); },
     "Maximum resident bytes of the whole program over its lifetime, including both sessions and their preparation. "
     "Empty on simulated devices, and if the system does not report it."},
};

struct InstanceRow {
  std::int64_t number;
  Summary times;
};

constexpr Column<InstanceRow> instance_columns[] = {
    {"instance", "Instance", [](const InstanceRow& r) -> Cell { return r.number; },
     "Number of one of the sessions of the model that ran at the same time (--instances), from 0."},
    {"instance_runs", "Runs", [](const InstanceRow& r) -> Cell { return static_cast<std::int64_t>(r.times.count); },
     "Measured runs of one of several instances."},
    {"instance_mean_us", "Mean", [](const InstanceRow& r) -> Cell { return r.times.mean; },
     "Mean time of a run of one instance, while the other instances ran too."},
    {"instance_median_us", "Median", [](const InstanceRow& r) -> Cell { return r.times.median; },
     "Median time of a run of one instance, while the other instances ran too."},
    {"instance_p99_us", "p99", [](const InstanceRow& r) { return optional_cell(r.times.p99); },
     "99 % of one instance's runs took less time; empty with fewer than 300."},
    {"instance_throughput_per_s", "Runs/s", [](const InstanceRow& r) -> Cell { return 1e6 / r.times.mean.count(); },
     "Runs per second of one instance: 1 / its mean time. The sum over the instances is the throughput of all."},
};

struct FitLine {
  const FitRow* row;
  bool chosen;
};

Cell own_settings(const FitRow& row) {
  std::string text;
  for (const auto& [key, value] : row.properties) text += (text.empty() ? "" : " ") + key + "=" + value;
  return text.empty() ? Cell() : Cell(text);
}

constexpr Column<FitLine> fitting_columns[] = {
    {"settings", "Settings", [](const FitLine& r) -> Cell { return to_string(r.row->candidate); },
     "What --fitting tried: settings of the runtime, a precision, another runtime with its defaults."},
    {"fit_median_us", "Median", [](const FitLine& r) -> Cell { return r.row->median; },
     "Median over the rounds of a run's time with the settings of the row."},
    {"fit_low_percent", "Change CI low %", [](const FitLine& r) { return percent(r.row->time_ratio, &Interval::low); },
     "Lower end of the interval (95 % for all settings together) of the change of a run's time compared with the "
     "runtime's defaults; negative is faster."},
    {"fit_high_percent", "Change CI high %",
     [](const FitLine& r) { return percent(r.row->time_ratio, &Interval::high); },
     "Upper end of the interval (95 % for all settings together) of the change of a run's time compared with the "
     "runtime's defaults. Only settings with both ends below 0 are called faster."},
    {"chosen", "Chosen", [](const FitLine& r) -> Cell { return std::string(r.chosen ? "yes" : ""); },
     "yes: the measured runs used the settings of the row, the fastest of those in the same runtime and precision that "
     "are faster beyond noise, or else the defaults."},
    {"own_settings", "In your program", [](const FitLine& r) { return own_settings(*r.row); },
     "The settings of the row as the runtime calls them, as --property takes them and your program sets them: "
     "properties of compile_model in OpenVINO; in ONNX Runtime attributes of SessionOptions (as Python spells them), "
     "and with a dot in the name keys of add_session_config_entry. Empty for the defaults."},
};

constexpr TableDefinition<SummaryRow> summary_definition{
    "summary", "The model's runs as a whole: a row per pass, plain before profiled.", summary_columns};
constexpr TableDefinition<InstanceRow> instances_definition{
    "instances", "Several concurrent sessions of the model (--instances): a row per session.", instance_columns};
constexpr TableDefinition<FitLine> fittings_definition{
    "fitting", "What --fitting tried: a row per settings of the runtime, measured interleaved.", fitting_columns};

}  // namespace

Table summary_table(const RunResult& result) {
  std::vector<SummaryRow> rows;
  const ModelMemory model = model_memory(result);
  for (const auto* pass : {&result.plain, &result.profiled}) {
    if (!*pass) continue;
    auto times = summarize((*pass)->samples);
    auto host = summarize((*pass)->host_samples);
    if (times && host) rows.push_back({&result, &**pass, *times, host->mean, std::nullopt, model});
  }
  if (result.plain && result.profiled && !rows.empty())
    rows.back().cost = profiling_cost(*result.plain, *result.profiled);
  return labelled(summary_definition.make(rows), result);
}

Table instances_table(const RunResult& result) {
  std::vector<InstanceRow> rows;
  for (std::size_t i = 0; i < result.instances.size(); ++i)
    if (auto times = summarize(result.instances[i].samples)) rows.push_back({static_cast<std::int64_t>(i), *times});
  return labelled(instances_definition.make(rows), result);
}

Table fitting_table(const FitResult& fit) {
  std::vector<FitLine> rows;
  for (std::size_t i = 0; i < fit.rows.size(); ++i) rows.push_back({&fit.rows[i], i == fit.best});
  return fittings_definition.make(rows);
}

std::vector<TableSchema> run_schemas() {
  std::vector<TableSchema> schemas{labelled(summary_definition.schema()),
                                   labelled(types_schema()),
                                   labelled(operators_schema()),
                                   fallback_schema(),
                                   instability_schema(),
                                   labelled(instances_definition.schema()),
                                   startup_schema(),
                                   percentiles_schema(),
                                   throughput_schema(),
                                   fittings_definition.schema(),
                                   variants_schema(),
                                   shapes_schema(),
                                   steps_schema()};
  for (auto& schema : run_facts_schemas()) schemas.push_back(std::move(schema));
  return schemas;
}

}  // namespace takt
