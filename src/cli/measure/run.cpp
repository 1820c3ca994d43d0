#include <fmt/format.h>

#include <memory>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/machine/peaks_file.h"
#include "base/system/busy.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/measure/run_options.h"
#include "cli/measure/run_vary.h"
#include "measure/open/startup.h"
#include "measure/operators/fallback_ops.h"
#include "measure/operators/op_profile.h"
#include "measure/operators/table.h"
#include "measure/operators/type_table.h"
#include "measure/report/io_dump.h"
#include "measure/report/model_explorer.h"
#include "measure/report/peer_writer.h"
#include "measure/report/percentiles.h"
#include "measure/report/run_facts.h"
#include "measure/report/run_tables.h"
#include "measure/report/run_text.h"
#include "measure/report/run_trace.h"
#include "measure/report/shapes_table.h"
#include "measure/report/steps_table.h"
#include "measure/run/label.h"
#include "measure/run/run.h"
#include "measure/timing/instability.h"
#include "measure/timing/throughput.h"
#include "trace/write/chrome_writer.h"

namespace takt {
namespace {

Provenance describe(const RunOptions& o, const RunResult& result, std::span<const std::string> arguments) {
  Provenance provenance = provenance_of("run", arguments);
  provenance.runtime = result.runtime;
  provenance.runtime_version = result.runtime_version;
  provenance.device = result.device;
  auto number = [](auto optional) { return optional ? std::to_string(*optional) : std::string("default"); };
  provenance.settings = {{"iterations", number(o.run.iterations)},
                         {"warmup_iterations", std::to_string(o.run.warmup_iterations)},
                         {"threads", number(o.run.threads)},
                         {"seed", std::to_string(o.run.seed)}};
  if (o.run.batch_size) provenance.settings["batch_size"] = std::to_string(*o.run.batch_size);
  if (result.throughput) {
    provenance.settings["requests"] = std::to_string(result.throughput->requests);
    if (result.throughput->streams) provenance.settings["streams"] = std::to_string(*result.throughput->streams);
  }
  if (result.throughput || o.run.hint)
    provenance.settings["hint"] = hint_name(result.throughput ? result.throughput->hint : *o.run.hint);
  if (o.run.time) provenance.settings["time"] = o.time;
  if (o.run.warmup_time) provenance.settings["warmup_time"] = o.warmup_time;
  if (o.run.instances > 1) provenance.settings["instances"] = std::to_string(o.run.instances);
  if (!o.cores.empty()) provenance.settings["core_ids"] = o.cores;
  if (o.run.copy_to_host) provenance.settings["copy_to_host"] = "yes";
  for (const auto& [key, value] : o.run.properties) provenance.settings["property " + key] = value;
  if (!o.precision.empty()) provenance.settings["precision"] = o.precision;
  if (o.run.state_steps) provenance.settings["state_steps"] = std::to_string(*o.run.state_steps);
  for (const auto& library : o.run.custom_ops) provenance.settings["custom_ops " + library.filename().string()] = "yes";
  if (result.fit) provenance.settings["fitting"] = to_string(result.fit->rows[result.fit->best].candidate);
  return provenance;
}

/// Returns lines saying what was written.
std::vector<std::string> write_files(const RunOptions& o, const RunResult& result, const OpProfile& ops,
                                     const Provenance& provenance) {
  std::vector<std::string> lines;
  auto said = [&](std::string_view what, const std::filesystem::path& path) {
    lines.push_back(fmt::format("wrote {} {}", what, printable(path.string())));
  };
  if (!o.profile.empty()) {
    write_file_atomically(o.profile, to_peer_json(result, ops, provenance, ProfileContent::device_and_host));
    said("profile", o.profile);
  }
  if (!o.profile_host.empty()) {
    write_file_atomically(o.profile_host, to_peer_json(result, ops, provenance, ProfileContent::host_only));
    said("host profile", o.profile_host);
  }
  if (!o.trace.empty()) {
    write_chrome_trace(make_trace(result, ops, provenance), o.trace);
    said("trace", o.trace);
  }
  return lines;
}

/// What to type for more of the same run.
std::string next_step(const RunOptions& o) {
  const std::string columns = "--columns name,type,mean_us,p99_us,roofline";
  if (!o.profile.empty()) return fmt::format("next: takt analyze {} {}\n", printable(o.profile.string()), columns);
  return fmt::format("next: add {}, or --profile FILE\n", columns);
}

/// Returns lines saying what was written.
std::vector<std::string> write_dumps(const RunOptions& o, const RunResult& result) {
  std::vector<std::string> lines;
  if (result.tensors.empty()) return lines;
  if (!o.io_dump.empty()) {
    write_file_atomically(o.io_dump, dump_text(result.tensors, result.graph ? &*result.graph : nullptr));
    lines.push_back(fmt::format("wrote {} tensors to {}", result.tensors.size(), printable(o.io_dump.string())));
  }
  const auto write = [&](const std::filesystem::path& folder, std::size_t first, const std::string& prefix) {
    if (folder.empty()) return;
    const std::vector<HostTensor> tensors(result.tensors.begin() + static_cast<std::ptrdiff_t>(first),
                                          result.tensors.end());
    const auto count = dump_binaries(tensors, folder, prefix);
    lines.push_back(fmt::format("wrote {} tensors to {}", count, printable(folder.string())));
    if (count < tensors.size())
      lines.back() += fmt::format("; {} left out (strings, or more than seven dimensions)", tensors.size() - count);
  };
  write(o.bin_io_dump, 0, "");
  write(o.bin_out_dump, result.first_output, "run0-var");
  return lines;
}

/// What is written with or without a profiled pass. Returns lines saying what was.
std::vector<std::string> write_others(const RunOptions& o, const RunResult& result) {
  std::vector<std::string> lines = write_dumps(o, result);
  if (!o.iterations.empty()) {
    write_file_atomically(o.iterations, to_csv(iterations_table(result)));
    lines.push_back(fmt::format("wrote iterations {}", printable(o.iterations.string())));
  }
  if (!o.run.optimised_model.empty())
    lines.push_back(fmt::format("wrote optimised model {}", printable(o.run.optimised_model.string())));
  if (!o.run.executed_graph.empty())
    lines.push_back(fmt::format("wrote executed graph {}", printable(o.run.executed_graph.string())));
  return lines;
}

RunResult measure(const RunOptions& o) {
  std::unique_ptr<Progress> bar;
  std::string drawn;
  auto progress = [&](std::string_view phase, std::uint64_t done, std::uint64_t total) {
    if (drawn != phase) drawn = phase, bar = std::make_unique<Progress>(fmt::format("{} runs", phase));
    bar->update(done, total);
  };
  return run_model(o.model, o.run, o.no_ops ? RunPasses::plain : RunPasses::both, progress);
}

/// The measured peaks of the device that ran, if there are any; says why not where a column needs them.
std::optional<Peaks> peaks_for(const RunOptions& o, const RunResult& result) {
  KnownPeaks known;
  if (result.device == "CPU")
    known = load_peaks();
  else
    known.reason = fmt::format("only peaks of the CPU are measured, and this is {}", result.device);
  if (!known.peaks && needs_peaks(o.columns)) log_warning(fmt::format("no roofline and peak_share: {}", known.reason));
  return known.peaks;
}

/// What the file of Model Explorer says, and on standard error what it cannot.
std::string node_data(const RunResult& result, const OpProfile& ops) {
  const NodeData data = to_model_explorer(result, ops);
  log_info(
      fmt::format("of {} per run, {} belong to no operator of the model, so no node shows them: what the runtime "
                  "added, and [unattributed]",
                  format_duration(data.shown + data.not_shown), format_duration(data.not_shown)));
  return data.json;
}

/// nullopt: all, as --top 0 asks for.
std::optional<int> operators_shown(const RunOptions& o) { return o.top == 0 ? std::nullopt : std::optional(o.top); }

RunTextSettings text_settings(const RunOptions& o, const FigureSettings& figures) {
  return {.top = operators_shown(o),
          .model_info = o.model_info,
          .all_columns = o.verbose,
          .columns = o.columns,
          .figures = figures,
          .percentiles = o.percentiles,
          .screen = o.output.screen()};
}

/// The operators as data are all there are; Markdown is for people.
Table operators_of(const RunOptions& o, const RunResult& result, const OpProfile& ops, const FigureSettings& figures) {
  const auto top = o.output.format == "markdown" ? operators_shown(o) : std::nullopt;
  const Table all = labelled(operators_table(ops, top, &figures), result);
  return o.columns.empty() ? all : choose_columns(all, with_impossible_rates(o.columns, all));
}

std::vector<Table> tables_of(const RunOptions& o, const RunResult& result, const std::optional<OpProfile>& ops,
                             const FigureSettings& figures) {
  std::vector<Table> tables{summary_table(result)};
  if (ops) {
    tables.push_back(labelled(types_table(*ops, std::nullopt), result));
    tables.push_back(operators_of(o, result, *ops, figures));
    if (auto left = fallback_table(*ops)) tables.push_back(std::move(*left));
  }
  // A simulated clock has no unrest; who asks for the table still gets its heading.
  const auto unrest = find_instability(result);
  if (unrest || o.output.table == "instability") tables.push_back(instability_table(unrest.value_or(Instability{})));
  if (!result.instances.empty()) tables.push_back(instances_table(result));
  if (auto startup = startup_table(result)) tables.push_back(std::move(*startup));
  if (!o.percentiles.empty()) tables.push_back(percentiles_table(result, o.percentiles));
  if (result.throughput) tables.push_back(throughput_table(*result.throughput));
  if (result.fit) tables.push_back(fitting_table(*result.fit));
  if (auto shapes = shapes_table(result)) tables.push_back(std::move(*shapes));
  if (auto steps = steps_table(result)) tables.push_back(std::move(*steps));
  tables.push_back(inputs_table(result));
  tables.push_back(notes_table(result));
  if (o.verbose || o.output.table == "iterations") tables.push_back(iterations_table(result));
  if (o.output.format == "markdown")  // the summary above has said it
    for (Table& table : std::span(tables).subspan(1)) table = without_labels(table);
  return tables;
}

/// Slow runs have their own causes with the programs behind them; others need a word, too.
void tell_busy(BusyWatch& watch, const RunResult& result) {
  const auto& pass = result.plain ? result.plain : result.profiled;
  if (!pass || pass->usage.empty()) return;  // a simulated clock
  const auto unrest = find_instability(result);
  if (!unrest || unrest->verdicts.empty()) watch.tell();
}

int run(RunOptions& o, Arguments arguments) {
  o.model = o.models.front();
  if (!o.vary.empty() || o.models.size() > 1) return run_variants(o, arguments);
  validate(o);
  if (o.verbose) o.log.level = "debug", apply(o.log);
  if (auto warning = build_warning(); !warning.empty()) log_warning(warning);

  const Interrupt interrupt;
  o.run.stop = &interrupt.requested();
  BusyWatch watch;
  const RunResult result = measure(o);
  interrupt.work_is_over();
  tell_busy(watch, result);
  const std::optional<OpProfile> ops = result.profiled ? std::optional(profile_ops(result)) : std::nullopt;
  const std::optional<Peaks> peaks = ops ? peaks_for(o, result) : std::nullopt;
  const FigureSettings figures{peaks ? &*peaks : nullptr, o.run.threads == 1, !o.columns.empty()};
  const Provenance provenance = describe(o, result, arguments);
  std::vector<std::string> written;
  if (ops) written = write_files(o, result, *ops, provenance);
  for (auto& line : write_others(o, result)) written.push_back(std::move(line));
  const bool for_explorer = ops && o.output.format == "model-explorer";
  std::string shown =
      for_explorer ? node_data(result, *ops) : to_text(result, ops ? &*ops : nullptr, text_settings(o, figures));
  for (const auto& line : written)
    if (o.output.is_text_on_screen())
      shown += line + "\n";
    else
      log_info(line);
  if (ops && o.columns.empty() && !for_explorer) shown += next_step(o);
  print(o.output, tables_of(o, result, ops, figures), provenance, shown);
  return 0;
}

}  // namespace

constinit const Command run_command =
    command<RunOptions, declare_run, run>("run", "load a model, run it, show where its time goes");

}  // namespace takt
