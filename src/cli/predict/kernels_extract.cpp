#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/predict/kernels.h"
#include "predict/kernels/extract.h"
#include "predict/kernels/tables.h"

namespace takt {
namespace {

struct KernelsExtractOptions {
  KernelOptions kernels;
  std::filesystem::path out = prediction_folder;
  std::string record;
  bool all = false, no_run = false;
  std::uint64_t seed = 1;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(KernelsExtractOptions& o) {
  CommandLine line(
      "kernels extract",
      "Writes each kernel as a separate model: kernels of a model keep their weights, kernels of records get random "
      "ones. Each is run once; the outputs of a model's kernels must match those inside the model.",
      "takt kernels extract model.onnx", o.log);
  add_kernel_options(line, o.kernels, "Models, folders with .onnx files, or files of 'takt kernels record'");
  line.add({.names = "--record",
            .value = "ID",
            .meaning = "Only this record, or those whose names start with this, e.g. Conv_Add_Relu"},
           &o.record);
  line.add({.names = "--all", .meaning = "Run every kernel of a model, not only the first with each record"}, &o.all);
  line.add({.names = "--no-run", .meaning = "Only write the models"}, &o.no_run);
  line.add({.names = "--seed", .value = "N", .meaning = "Seed of random weights", .fallback = std::to_string(o.seed)},
           &o.seed);
  line.add({.names = "--out",
            .value = "DIR",
            .meaning = "The folder of results; models go to kernel_model/kernel_onnx in it",
            .fallback = o.out.string(),
            .makes = Makes::folder},
           &o.out);
  add_output(line, o.output, {"extracted"});
  return line;
}

std::vector<ExtractedKernel> extract_all(const KernelsExtractOptions& o, const Interrupt& interrupt) {
  Progress bar("extracting kernels");
  ExtractSettings settings;
  settings.folder = kernels_folder(o.out);
  settings.run = !o.no_run;
  settings.all_kernels = o.all;
  settings.seed = o.seed;
  settings.record = o.record;
  settings.stop = &interrupt.requested();
  settings.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  std::vector<ExtractedKernel> all;
  for (const auto& source : kernel_sources(o.kernels)) {
    auto rows = is_kernel_file(source) ? extract_records(read_kernel_file(source), o.kernels.run.device, settings)
                                       : extract_kernels(kernels_of(source, o.kernels.run), settings);
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  return all;
}

int run(KernelsExtractOptions& o, Arguments arguments) {
  settle(o.kernels);
  const Interrupt interrupt;
  const auto extracted = extract_all(o, interrupt);
  interrupt.work_is_over();
  if (extracted.empty() && !o.record.empty())
    throw Error(
        ErrorKind::bad_input,
        fmt::format(
            "no record starts with '{}'; 'takt kernels list --format csv' shows them in the column kernel_record",
            printable(o.record)));
  const auto tables = extract_tables(extracted);
  const auto count = [&](auto holds) { return std::count_if(extracted.begin(), extracted.end(), holds); };
  double largest = 0;
  for (const auto& one : extracted) largest = std::max(largest, one.difference.value_or(0));
  const auto failed = count([](const ExtractedKernel& one) { return one.problem.has_value(); });
  std::string end = fmt::format("{} models of kernels in {}", count([](auto& one) { return !one.file.empty(); }),
                                printable(kernels_folder(o.out).string()));
  if (const auto compared = count([](auto& one) { return one.difference.has_value(); }); compared > 0)
    end += fmt::format("; {} compared with the model, largest difference {:.1e}", compared, largest);
  const Table usual = some_columns(tables[0], {"kernel_record", "kernel_runs", "kernel_difference", "kernel_problem"});
  print(o.output, tables, provenance_of("kernels extract", arguments),
        to_text(usual, o.output.style()) + "\n" + end + "\n");
  if (failed > 0 && count([](auto& one) { return !one.file.empty(); }) == 0)
    throw Error(ErrorKind::runtime, fmt::format("no kernel was extracted; the first one: {}",
                                                extracted.front().problem.value_or("it has no model")));
  if (failed > 0)
    throw Error(ErrorKind::runtime, fmt::format("{} of {} kernels {} a problem; the table says which", failed,
                                                extracted.size(), failed == 1 ? "has" : "have"));
  return 0;
}

}  // namespace

constinit const Command kernels_extract_command =
    command<KernelsExtractOptions, declare, run>("kernels extract", "write each kernel as a separate model");

}  // namespace takt
