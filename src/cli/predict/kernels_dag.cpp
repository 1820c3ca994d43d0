#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/statistics/statistics.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/predict/kernels.h"
#include "predict/kernels/dag.h"

namespace takt {
namespace {

struct KernelsDagOptions {
  KernelOptions kernels;
  std::filesystem::path out = prediction_folder;
  std::string weight = "flops";
  int iterations = 30;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(KernelsDagOptions& o) {
  CommandLine line("kernels dag",
                   "Shows the dependencies between the kernels of a model and the critical path (the longest chain), "
                   "and writes the graph as JSON and for Graphviz.",
                   "takt kernels dag model.onnx --by time", o.log);
  add_kernel_options(line, o.kernels, "Models, folders with .onnx files, or files of 'takt kernels record'");
  line.add(
      {.names = "--by",
       .value = "WEIGHT",
       .meaning = "Weight that makes the path the longest; time is measured inside the model, so it needs the model",
       .fallback = o.weight,
       .one_of = {"kernels", "flops", "bytes", "time"}},
      &o.weight);
  line.add({.names = "--iter",
            .value = "N",
            .meaning = "Measured runs for --by time",
            .fallback = std::to_string(o.iterations),
            .range = NumberRange{1, 100'000}},
           &o.iterations);
  line.add({.names = "--out",
            .value = "DIR",
            .meaning = "The folder of results; graphs go to graph_model/model_DAG in it",
            .fallback = o.out.string(),
            .makes = Makes::folder},
           &o.out);
  add_output(line, o.output, table_names("kernels dag"));
  return line;
}

DagWeight weight_in(const std::string& word) {
  if (word == "flops") return DagWeight::flops;
  if (word == "bytes") return DagWeight::bytes;
  return word == "time" ? DagWeight::time : DagWeight::kernels;
}

/// A model's kernels with their weights.
struct WeighedKernels {
  KernelFile file;
  std::vector<std::vector<std::optional<double>>> weights;  ///< by model
};

/// Mean microseconds of each kernel inside the model.
WeighedKernels measured(const std::filesystem::path& source, const KernelsDagOptions& o) {
  if (is_kernel_file(source))
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: contains no times; name the model for --by time, or use another weight",
                            printable(source.string())));
  OptimisedKernels kernels = kernels_of(source, o.kernels.run);
  BenchSettings bench;
  bench.place = BenchPlace::model;
  bench.iterations = o.iterations;
  WeighedKernels weighed;
  auto& times = weighed.weights.emplace_back();
  for (const KernelTimes& one : bench_kernels(kernels, bench)) {
    const auto summary = summarize(std::span<const Nanoseconds>(one.samples));
    times.push_back(summary ? std::optional(summary->mean.count()) : std::nullopt);
  }
  add(weighed.file, std::move(kernels.graph), std::move(kernels.records));
  return weighed;
}

WeighedKernels weighed_kernels(const std::filesystem::path& source, const KernelsDagOptions& o) {
  const DagWeight weight = weight_in(o.weight);
  if (weight == DagWeight::time) return measured(source, o);
  KernelOptions one = o.kernels;
  one.paths = {source};
  WeighedKernels weighed{kernels_in(one), {}};
  for (const KernelGraph& graph : weighed.file.models)
    weighed.weights.push_back(kernel_weights(weighed.file, graph, weight));
  return weighed;
}

int run(KernelsDagOptions& o, Arguments arguments) {
  settle(o.kernels);
  const Provenance provenance = provenance_of("kernels dag", arguments);
  std::vector<WeighedKernels> sources;
  for (const auto& source : kernel_sources(o.kernels)) sources.push_back(weighed_kernels(source, o));
  std::vector<DagResult> results;
  make_folders(dags_folder(o.out));
  for (const WeighedKernels& source : sources)
    for (std::size_t i = 0; i < source.file.models.size(); ++i) {
      const KernelGraph& graph = source.file.models[i];
      DagResult& result = results.emplace_back();
      result.graph = &graph, result.file = &source.file, result.weights = source.weights[i];
      result.path = heaviest_path(graph, result.weights, weight_in(o.weight));
      const auto stem = dags_folder(o.out) / std::filesystem::path(graph.model).stem();
      write_file_atomically(stem.string() + ".dag.json", dag_json(graph, result.weights, result.path, provenance));
      write_file_atomically(stem.string() + ".dot", dag_graphviz(graph, source.file, result.path));
    }
  if (results.empty())
    throw Error(ErrorKind::bad_input, "the files contain records but no model; name a MODEL.kernels.json");
  const auto tables = dag_tables(results);
  const bool is_time = weight_in(o.weight) == DagWeight::time;
  const Table usual = is_time ? some_columns(tables[0], {"kernel_model", "dag_kernels", "dag_edges", "dag_widest",
                                                         "dag_path_kernels", "dag_path_us", "dag_total_us"})
                              : some_columns(tables[0], {"kernel_model", "dag_kernels", "dag_edges", "dag_widest",
                                                         "dag_path_kernels", "dag_path_work", "dag_path_share"});
  const Table path = some_columns(
      tables[1], {"kernel_number", "kernel_name", "kernel_node", is_time ? "path_kernel_us" : "path_kernel_work"});
  print(o.output, tables, provenance,
        to_text(usual, o.output.style()) + "\n" + to_text(path, o.output.style()) +
            fmt::format("\ngraphs in {}\n", printable(dags_folder(o.out).string())));
  return 0;
}

}  // namespace

constinit const Command kernels_dag_command =
    command<KernelsDagOptions, declare, run>("kernels dag", "show dependencies between kernels and the critical path");

}  // namespace takt
