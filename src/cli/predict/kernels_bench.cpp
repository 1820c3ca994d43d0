#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/statistics/statistics.h"
#include "base/system/busy.h"
#include "base/system/interrupt.h"
#include "base/system/progress.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/predict/kernels.h"
#include "predict/kernels/bench.h"

namespace takt {
namespace {

struct KernelsBenchOptions {
  KernelOptions kernels;
  std::filesystem::path model;
  std::string places = "alone", record;
  bool no_warmup = false;
  BenchSettings bench;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(KernelsBenchOptions& o) {
  CommandLine line("kernels bench",
                   "Times kernels: alone in a loop, in a chain after their producers, or inside their model, where "
                   "caches are as in real use.",
                   "takt kernels bench model.onnx --place alone,model", o.log);
  add_kernel_options(line, o.kernels, "Models, folders with .onnx files, or files of 'takt kernels record'", false);
  line.add({.names = "--model", .value = "FILE", .meaning = "Time this file of 'takt kernels extract' as it is"},
           &o.model);
  line.add({.names = "--place",
            .value = "LIST",
            .meaning = "Where kernels are timed: alone, chain, model, or several of them, separated by commas",
            .fallback = o.places,
            .offered = {"alone", "chain", "model"}},
           &o.places);
  line.add(
      {.names = "--record", .value = "ID", .meaning = "Only records whose names start with this, e.g. Conv_Add_Relu"},
      &o.record);
  line.add({.names = "--iter",
            .value = "N",
            .meaning = "Measured executions of each kernel",
            .fallback = std::to_string(o.bench.iterations),
            .range = NumberRange{1, 1'000'000}},
           &o.bench.iterations);
  line.add({.names = "--warmup-iter",
            .value = "N",
            .meaning = "Executions before measuring",
            .fallback = std::to_string(o.bench.warmup),
            .range = NumberRange{0, 1'000'000}},
           &o.bench.warmup);
  line.add({.names = "--no-warmup", .meaning = "Measure from the first execution on"}, &o.no_warmup);
  line.add({.names = "--threads",
            .value = "N",
            .meaning = "Threads within a kernel",
            .fallback = "the runtime's choice",
            .range = NumberRange{1, 4096}},
           &o.bench.threads);
  add_output(line, o.output, {"kernel_times"});
  return line;
}

std::vector<BenchPlace> places_in(const KernelsBenchOptions& o) {
  std::vector<BenchPlace> places;
  for (const std::string& word : words_in(o.places)) {
    const auto place = bench_place_named(word);
    if (!place)
      throw UsageError(fmt::format("--place: '{}' is not a place; use alone, chain or model", printable(word)));
    places.push_back(*place);
  }
  return places;
}

std::vector<KernelTimes> bench_all(KernelsBenchOptions& o, const Interrupt& interrupt) {
  Progress bar("timing kernels");
  o.bench.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  o.bench.stop = &interrupt.requested();
  o.bench.record = o.record;
  if (o.no_warmup) o.bench.warmup = 0;
  std::vector<KernelTimes> all;
  const auto keep = [&](std::vector<KernelTimes> times) {
    std::move(times.begin(), times.end(), std::back_inserter(all));
  };
  if (!o.model.empty()) all.push_back(bench_model_file(o.model, o.kernels.run.device, o.bench));
  for (const auto& source : kernel_sources(o.kernels)) {
    if (is_kernel_file(source)) {
      keep(bench_records(read_kernel_file(source), o.kernels.run.device, o.bench));
      continue;
    }
    const OptimisedKernels kernels = kernels_of(source, o.kernels.run);
    for (const BenchPlace place : places_in(o)) {
      o.bench.place = place;
      keep(bench_kernels(kernels, o.bench));
    }
  }
  return all;
}

/// What the kernels of the models take together: only times inside add up.
std::string sum_in_models(const std::vector<KernelTimes>& times) {
  double sum = 0;
  bool is_there = false;
  for (const KernelTimes& one : times)
    if (const auto summary = summarize(std::span<const Nanoseconds>(one.samples));
        summary && one.place == BenchPlace::model) {
      sum += summary->mean.count();
      is_there = true;
    }
  return is_there ? fmt::format("\nall kernels inside their models: {:.1f} us (sum of the means)\n", sum) : "";
}

int run(KernelsBenchOptions& o, Arguments arguments) {
  if (o.kernels.paths.empty() && o.model.empty())
    throw UsageError("kernels bench: name a model, a file of kernels, or a kernel's own model with --model");
  places_in(o);
  settle(o.kernels);
  const Interrupt interrupt;
  BusyWatch watch;
  const auto times = bench_all(o, interrupt);
  interrupt.work_is_over();
  watch.tell();
  if (times.empty()) throw Error(ErrorKind::bad_input, fmt::format("no record starts with '{}'", printable(o.record)));
  const auto tables = bench_tables(times);
  const Table usual = some_columns(tables[0], {"kernel_record", "bench_place", "kernel_mean_us", "kernel_median_us",
                                               "kernel_min_us", "kernel_executions", "bench_problem"});
  print(o.output, tables, provenance_of("kernels bench", arguments),
        to_text(usual, o.output.style()) + sum_in_models(times));
  const auto has_problem = [](const KernelTimes& one) { return one.problem.has_value(); };
  if (std::all_of(times.begin(), times.end(), has_problem))
    throw Error(ErrorKind::runtime, fmt::format("no kernel was timed; the first one: {}", *times.front().problem));
  return std::any_of(times.begin(), times.end(), has_problem) ? 1 : 0;
}

}  // namespace

constinit const Command kernels_bench_command = command<KernelsBenchOptions, declare, run>(
    "kernels bench", "time kernels alone, after their producers, or inside their model");

}  // namespace takt
