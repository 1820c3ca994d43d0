#include "predict/kernels/dag.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/basics/index.h"
#include "base/basics/optional_json.h"
#include "base/basics/text.h"
#include "predict/kernels/tables.h"

namespace takt {
namespace {

using Ordered = nlohmann::ordered_json;

std::string_view weight_name(DagWeight weight) {
  switch (weight) {
    case DagWeight::flops:
      return "flops";
    case DagWeight::bytes:
      return "bytes";
    case DagWeight::time:
      return "time";
    default:
      return "kernels";
  }
}

std::size_t edges_of(const KernelGraph& graph) {
  std::size_t edges = 0;
  for (const KernelInstance& kernel : graph.kernels) edges += kernel.producers.size();
  return edges;
}

/// A time as such, any other weight as a number.
Cell time_of(double weight, DagWeight kind) { return kind == DagWeight::time ? Cell(Duration(weight)) : Cell(); }
Cell work_of(double weight, DagWeight kind) { return kind == DagWeight::time ? Cell() : Cell(weight); }

constexpr Column<DagResult> dag_columns[] = {
    {"kernel_model", "Model", [](const DagResult& r) -> Cell { return r.graph->model; }, "File of the kernel's model."},
    {"dag_kernels", "Kernels",
     [](const DagResult& r) -> Cell { return static_cast<std::int64_t>(r.graph->kernels.size()); },
     "Number of kernels of a model."},
    {"dag_edges", "Edges", [](const DagResult& r) -> Cell { return static_cast<std::int64_t>(edges_of(*r.graph)); },
     "Number of dependencies between kernels of a model: pairs in which one needs the other's result."},
    {"dag_widest", "Max parallel",
     [](const DagResult& r) -> Cell { return static_cast<std::int64_t>(widest_level(*r.graph)); },
     "Maximum number of kernels of a model at equal distance from its inputs: kernels that could run concurrently."},
    {"dag_path_kernels", "Path kernels",
     [](const DagResult& r) -> Cell { return static_cast<std::int64_t>(r.path.kernels.size()); },
     "Number of kernels on the critical path of the model."},
    {"dag_weight", "Weight", [](const DagResult& r) -> Cell { return std::string(weight_name(r.path.weight)); },
     "Weight that the critical path of kernels maximizes: kernels (their number), flops, bytes or time."},
    {"dag_path_us", "Path", [](const DagResult& r) { return time_of(r.path.length, r.path.weight); },
     "Time of the kernels on the critical path: no run of the model can be shorter. Empty for other weights."},
    {"dag_total_us", "Sum", [](const DagResult& r) { return time_of(r.path.total, r.path.weight); },
     "Total time of all kernels of the model: the time of a runtime that runs one after another. Empty for other "
     "weights."},
    {"dag_path_work", "Path work", [](const DagResult& r) { return work_of(r.path.length, r.path.weight); },
     "Weight of the critical path in kernels, FLOPs or bytes; empty if the weight is time."},
    {"dag_path_share", "Share",
     [](const DagResult& r) { return r.path.total > 0 ? Cell(r.path.length / r.path.total) : Cell(); },
     "Fraction of all kernels' weight that is on the critical path, 0 to 1: at 1 no two kernels could run "
     "concurrently."},
    {"dag_unknown", "Unknown", [](const DagResult& r) -> Cell { return static_cast<std::int64_t>(r.path.unknown); },
     "Number of kernels of unknown weight; they count as zero."},
};
constexpr TableDefinition<DagResult> dag_definition{"dag", "Models as graphs of kernels: a row per model.",
                                                    dag_columns};

struct PathRow {
  const DagResult* of = nullptr;
  std::size_t kernel = 0;
  std::optional<double> weight() const { return of->weights[kernel]; }
};

constexpr Column<PathRow> path_columns[] = {
    {"kernel_model", "Model", [](const PathRow& r) -> Cell { return r.of->graph->model; },
     "File of the kernel's model."},
    {kernel_columns::number, [](const PathRow& r) -> Cell { return static_cast<std::int64_t>(r.kernel) + 1; }},
    {kernel_columns::name,
     [](const PathRow& r) -> Cell { return r.of->file->records.at(r.of->graph->kernels[r.kernel].record).name; }},
    {kernel_columns::node, [](const PathRow& r) -> Cell { return r.of->graph->kernels[r.kernel].name; }},
    {"path_kernel_us", "Time",
     [](const PathRow& r) { return r.weight() ? time_of(*r.weight(), r.of->path.weight) : Cell(); },
     "Time of the kernel on the critical path; empty for other weights."},
    {"path_kernel_work", "Work",
     [](const PathRow& r) { return r.weight() ? work_of(*r.weight(), r.of->path.weight) : Cell(); },
     "Weight of the kernel on the critical path: 1, FLOPs or bytes; empty if the weight is time."},
    {kernel_columns::record, [](const PathRow& r) -> Cell { return r.of->graph->kernels[r.kernel].record; }},
};
constexpr TableDefinition<PathRow> path_definition{
    "critical_kernels", "The critical path of each model's kernels: a row per kernel, in order.", path_columns};

}  // namespace

std::vector<std::optional<double>> kernel_weights(const KernelFile& file, const KernelGraph& graph, DagWeight weight,
                                                  const std::vector<std::optional<double>>& times) {
  if (weight == DagWeight::time) return times;
  std::vector<std::optional<double>> weights;
  for (const KernelInstance& kernel : graph.kernels) {
    const Cost& cost = file.records.at(kernel.record).cost;
    std::optional<double> value = 1;
    if (weight == DagWeight::flops) value = cost.flops;
    if (weight == DagWeight::bytes) value = cost.bytes ? std::optional(static_cast<double>(*cost.bytes)) : std::nullopt;
    weights.push_back(value);
  }
  return weights;
}

KernelPath heaviest_path(const KernelGraph& graph, const std::vector<std::optional<double>>& weights,
                         DagWeight weight) {
  KernelPath path;
  path.weight = weight;
  std::vector<double> longest(graph.kernels.size(), 0);
  std::vector<int> before(graph.kernels.size(), -1);
  int last = -1;
  for (std::size_t i = 0; i < graph.kernels.size(); ++i) {
    for (const int producer : graph.kernels[i].producers)
      if (index(producer) < i && (before[i] < 0 || longest[index(producer)] > longest[index(before[i])]))
        before[i] = producer;
    longest[i] = weights[i].value_or(0) + (before[i] < 0 ? 0 : longest[index(before[i])]);
    path.total += weights[i].value_or(0);
    path.unknown += !weights[i];
    if (last < 0 || longest[i] > longest[index(last)]) last = static_cast<int>(i);
  }
  if (last >= 0) path.length = longest[index(last)];
  for (; last >= 0; last = before[index(last)]) path.kernels.push_back(last);
  std::reverse(path.kernels.begin(), path.kernels.end());
  return path;
}

std::size_t widest_level(const KernelGraph& graph) {
  std::vector<std::size_t> level(graph.kernels.size(), 0), count(graph.kernels.size() + 1, 0);
  for (std::size_t i = 0; i < graph.kernels.size(); ++i) {
    for (const int producer : graph.kernels[i].producers)
      if (index(producer) < i) level[i] = std::max(level[i], level[index(producer)] + 1);
    ++count[level[i]];
  }
  return *std::max_element(count.begin(), count.end());
}

std::string dag_json(const KernelGraph& graph, const std::vector<std::optional<double>>& weights,
                     const KernelPath& path, const Provenance& provenance) {
  Ordered json{{"takt", Ordered::parse(to_json(provenance))},
               {"takt_dag", 1},
               {"model", graph.model},
               {"weight", weight_name(path.weight)},
               {"kernels", Ordered::array()},
               {"edges", Ordered::array()},
               {"critical_path", path.kernels}};
  for (std::size_t i = 0; i < graph.kernels.size(); ++i) {
    json["kernels"].push_back({{"name", graph.kernels[i].name},
                               {"record", graph.kernels[i].record},
                               {"weight", or_null<Ordered>(weights[i])}});
    for (const int producer : graph.kernels[i].producers) json["edges"].push_back({producer, i});
  }
  return json.dump(1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

std::string dag_graphviz(const KernelGraph& graph, const KernelFile& file, const KernelPath& path) {
  const std::set<int> on_path(path.kernels.begin(), path.kernels.end());
  std::set<std::pair<int, int>> path_edges;
  for (std::size_t i = 1; i < path.kernels.size(); ++i) path_edges.emplace(path.kernels[i - 1], path.kernels[i]);
  std::string text = "digraph kernels {\n  node [shape=box];\n";
  for (std::size_t i = 0; i < graph.kernels.size(); ++i) {
    const KernelRecord& record = file.records.at(graph.kernels[i].record);
    text += fmt::format("  k{} [label={}{}];\n", i, json_quote(record.name + " " + shape_text(record.outputs)),
                        on_path.contains(static_cast<int>(i)) ? ", color=red" : "");
  }
  for (std::size_t i = 0; i < graph.kernels.size(); ++i)
    for (const int producer : graph.kernels[i].producers) {
      const bool is_red = path_edges.contains({producer, static_cast<int>(i)});
      text += fmt::format("  k{} -> k{}{};\n", producer, i, is_red ? " [color=red]" : "");
    }
  return text + "}\n";
}

std::vector<Table> dag_tables(const std::vector<DagResult>& results) {
  std::vector<PathRow> rows;
  for (const DagResult& result : results)
    for (const int kernel : result.path.kernels) rows.push_back({&result, index(kernel)});
  return {dag_definition.make(results), path_definition.make(rows)};
}

std::vector<TableSchema> dag_schemas() { return {dag_definition.schema(), path_definition.schema()}; }

}  // namespace takt
