#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/machine/class.h"
#include "base/memory/block_places.h"
#include "base/system/busy.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "cli/line/commands.h"
#include "cli/line/worker.h"
#include "cli/plan/sweep_options.h"
#include "plan/costs/raw_measurements.h"
#include "plan/costs/tables.h"
#include "plan/sweep/contention.h"
#include "plan/sweep/contention_bench.h"
#include "plan/sweep/export.h"
#include "plan/sweep/stage_bench.h"
#include "plan/sweep/tables.h"

namespace takt {
namespace {

/// Returns the runtime that writes IR; null if this binary does not have it, with a warning if files were requested.
std::unique_ptr<Runtime> ir_converter(bool is_asked) {
  const std::string converter = runtime_that(&RuntimeTraits::uses_ir);
  if (!converter.empty()) return make_runtime(converter);
  if (is_asked) log_warning("no IR is written: this binary has no OpenVINO; configure with -DTAKT_WITH_OPENVINO=ON");
  return nullptr;
}

/// Exports the models that the devices need; all models if nothing is measured.
std::vector<ExportedModel> export_step(const SweepOptions& o, const SweepCases& cases,
                                       const std::vector<SweepDevice>& devices, const Interrupt& interrupt) {
  auto exports = stage_exports(networks_in(o.models), cases, o.ranges);
  const bool is_asked = o.do_export || o.do_all;
  if (!is_asked)
    std::erase_if(exports, [&](const StageExport& model) {
      return std::none_of(devices.begin(), devices.end(),
                          [&](const SweepDevice& device) { return device.unit == model.device; });
    });
  const auto converter = ir_converter(is_asked);
  Progress bar("exporting models");
  return export_models(exports, {.folder = o.out,
                                 .converter = converter.get(),
                                 .progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); },
                                 .stop = &interrupt.requested()});
}

/// What lies in the folder, with a warning of what of it is damaged.
std::optional<SweepRecords> rows_in(const std::filesystem::path& folder) {
  auto sweep = read_sweep(folder);
  if (sweep)
    for (const std::string& damage : sweep->damage) log_warning(damage);
  return sweep;
}

SweepRecords measure_step(const SweepOptions& o, const SweepCases& cases, const std::vector<SweepDevice>& devices,
                          const Interrupt& interrupt) {
  SweepSettings settings;
  settings.folder = o.out;
  settings.networks = networks_in(o.models);
  settings.cases = cases;
  settings.devices = devices;
  settings.rounds = rounds_of(o, cases, devices);
  settings.ranges = o.ranges;
  settings.retry = o.retry;
  settings.graph = o.graph;
  settings.runtimes = runtimes_for(o);
  settings.row_limit = row_limit_of(o);
  settings.shard = shard_in(o.shard, "sweep");
  settings.machine = to_string(detect_machine_class());
  settings.child = words_of(worker_stage_command);
  settings.stop = &interrupt.requested();
  Progress bar("measuring stages");
  settings.progress = [&](Duration spent, Duration left) {
    bar.update(static_cast<std::uint64_t>(spent.count()), static_cast<std::uint64_t>((spent + left).count()));
  };
  measure_stages(settings);
  return *rows_in(o.out);
}

/// Where rows of these devices were tried and none was measured, the sentence that says so; empty otherwise.
std::string nothing_measured(const SweepRecords& sweep, const std::vector<SweepDevice>& devices) {
  std::vector<const StageRecord*> tried;
  for (const StageRecord& one : sweep.records)
    if (std::any_of(devices.begin(), devices.end(), [&](auto& device) { return device.unit == one.row.key.unit; }))
      tried.push_back(&one);
  const auto is_measured = [](const StageRecord* one) { return one->row.status == StageStatus::measured; };
  if (tried.empty() || std::any_of(tried.begin(), tried.end(), is_measured)) return "";
  return fmt::format("nothing was measured: {} rows failed or are not supported; the first one: {}", tried.size(),
                     tried.front()->row.reason);
}

/// Tables of one network are in DIR/results, those of several in a subfolder each.
std::filesystem::path tables_folder(const SweepOptions& o, Network network, std::size_t networks) {
  const auto results = o.out / "results";
  return networks == 1 ? results : results / network_name(network);
}

StageMeasurements measurements_for(const SweepOptions& o, const std::optional<SweepRecords>& sweep, Network network,
                                   std::int64_t features) {
  if (!o.from.empty()) return read_raw_measurements(o.from, {network, features});
  if (!sweep)
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: contains no measured rows; run with --measure first, or name a raw_measurements.json with "
                    "--measurements",
                    printable(o.out.string())));
  return measurements_of(*sweep, network);
}

struct Analyzed {
  SweepRecords sweep;  ///< the rows, of a file of others without the devices that were asked for
  std::string text;    ///< the reports
};

/// Writes the tables. Units and sizes that were not measured have their keys, too.
Analyzed analyze_step(const SweepOptions& o, const SweepCases& cases, const Provenance& provenance) {
  const bool was_told = o.do_measure || o.do_all;
  const auto sweep = !o.from.empty() ? std::nullopt : was_told ? read_sweep(o.out) : rows_in(o.out);
  const auto networks = networks_in(o.models);
  Analyzed analyzed;
  for (const Network network : networks) {
    const auto folder = tables_folder(o, network, networks.size());
    const auto sizes = o.from.empty() ? cases.sizes : std::vector<GraphSize>();
    const StageMeasurements measurements = measurements_for(o, sweep, network, cases.features);
    for (const StageMeasurement& row : measurements.rows) analyzed.sweep.records.push_back({network, "", row});
    const CostTables tables = write_cost_tables(folder, measurements, provenance, sizes);
    analyzed.text +=
        fmt::format("{}\ntables in {}\n", profiling_report(tables, provenance), printable(folder.string()));
  }
  return analyzed;
}

struct ContentionAnswer {
  std::vector<MeasuredContention> measured;  ///< of networks whose devices share something
  std::string text;
  std::string nothing;  ///< why there is not one of them, although devices share something; empty otherwise
};

/// Where devices share nothing it is passed over, unless the step was asked for by its name.
ContentionAnswer contention_step(const SweepOptions& o, const Provenance& provenance, const Interrupt& interrupt) {
  const auto sweep = read_sweep(o.out);
  if (!sweep)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: contains no measured rows; run with --measure first", printable(o.out.string())));
  const auto networks = networks_in(o.models);
  ContentionAnswer answer;
  for (const Network network : networks) {
    Progress bar("measuring contention");
    ContentionSettings settings;
    settings.folder = o.out;
    settings.network = network;
    settings.alone = o.do_interference;
    settings.retry = o.retry;
    settings.row_limit = row_limit_of(o);
    settings.child = words_of(worker_contention_command);
    settings.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
    settings.stop = &interrupt.requested();
    auto measured = measure_contention(*sweep, settings);
    if (!measured) continue;
    if (!measured->damage.empty()) log_warning(measured->damage);
    for (const std::string& failed : measured->failed)
      log_warning(fmt::format("contention of {} is not measured: {}", network_title(network), printable(failed)));
    if (measured->report.stages.empty()) {
      answer.nothing = fmt::format("no contention of {} was measured; the first one: {}", network_title(network),
                                   measured->failed.empty() ? "it has no stage" : printable(measured->failed.front()));
      continue;
    }
    const auto folder = tables_folder(o, network, networks.size());
    make_folders(folder);
    write_file_atomically(folder / contention_file, contention_json(*measured, provenance));
    answer.text += fmt::format("{}\nslowdowns in {}\n", to_text(measured->report, o.output.style()),
                               printable((folder / contention_file).string()));
    answer.measured.push_back(std::move(*measured));
  }
  if (!answer.measured.empty()) answer.nothing.clear();
  return answer;
}

struct SweepSteps {
  bool exports = false, measures = false, analyzes = false, contends = false;
};

SweepSteps sweep_steps(const SweepOptions& o) {
  SweepSteps steps;
  steps.measures = o.do_measure || o.do_all, steps.exports = o.do_export || steps.measures;
  steps.analyzes = o.do_analyze || o.do_all;
  // A part of a sweep may lack the rows of others.
  steps.contends = o.do_interference || (o.do_all && o.shard.empty());
  if (!steps.exports && !steps.analyzes && !steps.contends)
    throw UsageError(
        "sweep: no step given: --export writes the models, --measure measures them, --analyze writes cost tables, "
        "--measure-interference measures slowdowns, --all runs all steps");
  if (!o.from.empty() && (steps.exports || !steps.analyzes || steps.contends))
    throw UsageError("sweep: --measurements names rows for --analyze alone; leave out the other steps");
  return steps;
}

struct SweepAnswer {
  std::vector<Table> tables;
  std::string text, nothing;  ///< `nothing`: why nothing at all was measured; the other steps are skipped
};

void add_pressures(const SweepOptions& o, const ContentionAnswer& contention, SweepAnswer& answer) {
  answer.nothing = contention.nothing;
  if (answer.tables.empty()) answer.tables = sweep_tables(*read_sweep(o.out));
  std::vector<PressureRow> pressures;
  for (const MeasuredContention& one : contention.measured)
    pressures.insert(pressures.end(), one.report.pressures.begin(), one.report.pressures.end());
  answer.tables.push_back(pressures_table(pressures));
  answer.text += (answer.text.empty() || contention.text.empty() ? "" : "\n") + contention.text;
}

SweepAnswer answer_of(const SweepOptions& o, const SweepSteps& steps, const Provenance& provenance,
                      const Interrupt& interrupt) {
  const SweepCases cases = cases_of(o);
  const auto devices = steps.measures ? devices_in(o) : std::vector<SweepDevice>();
  SweepAnswer answer;
  if (steps.exports) {
    answer.tables = export_tables(export_step(o, cases, devices, interrupt));
    answer.text = fmt::format("{}\nin {}\n", to_text(answer.tables.front(), o.output.style()),
                              printable((o.out / "exported_models").string()));
  }
  if (steps.measures) {
    const SweepRecords sweep = measure_step(o, cases, devices, interrupt);
    answer.nothing = nothing_measured(sweep, devices);
    const std::vector<Table> measured = sweep_tables(sweep);
    answer.tables.insert(answer.tables.begin(), measured.begin(), measured.end());
    answer.text = fmt::format("{}\n{}\nin {}\n", to_text(measured[0], o.output.style()),
                              to_text(measured[1], o.output.style()), printable((o.out / "results").string()));
  }
  if (steps.analyzes && answer.nothing.empty()) {
    const Analyzed analyzed = analyze_step(o, cases, provenance);
    answer.text = analyzed.text;
    if (answer.tables.empty()) answer.tables = sweep_tables(analyzed.sweep);
  }
  if (steps.contends && answer.nothing.empty()) add_pressures(o, contention_step(o, provenance, interrupt), answer);
  return answer;
}

int run(SweepOptions& o, Arguments arguments) {
  const SweepSteps steps = sweep_steps(o);
  shard_in(o.shard, "sweep");
  const Provenance provenance = provenance_of("sweep", arguments);
  const Interrupt interrupt;
  BusyWatch watch;
  const SweepAnswer answer = answer_of(o, steps, provenance, interrupt);
  interrupt.work_is_over();
  if (steps.measures || steps.contends) watch.tell();
  print(o.output, answer.tables, provenance, answer.text);
  if (!answer.nothing.empty()) throw Error(ErrorKind::runtime, answer.nothing);
  return 0;
}

void tell(const std::string& line) { tell_line(line); }

/// Rows are of several processes, and are held against each other and against plans.
int run_stage_worker(Arguments) {
  place_blocks_together();
  return run_stage_task(whole_task(), tell);
}

int run_contention_worker(Arguments) {
  place_blocks_together();
  return run_contention_task(whole_task(), words_of(worker_load_command), tell);
}

}  // namespace

constinit const Command worker_stage_command{"worker stage", "", run_stage_worker};
constinit const Command worker_contention_command{"worker contention", "", run_contention_worker};
constinit const Command sweep_command =
    command<SweepOptions, declare, run>("sweep", "measure GNN stages on every device and graph size");

}  // namespace takt
