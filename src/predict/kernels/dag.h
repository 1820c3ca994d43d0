// Which kernels wait for which, and the longest way through a model.
//
// A runtime that runs kernels one after another takes their sum; one that overlaps them cannot be faster than the
// longest chain of kernels that wait for each other, the critical path. Which of the two holds is measured, not
// assumed: with times from a real profile, how much of them overlapped stands beside.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/system/provenance.h"
#include "base/table/table.h"
#include "predict/kernels/bench.h"
#include "predict/kernels/graph.h"

namespace takt {

enum class DagWeight { kernels, flops, bytes, time };

/// A path and all of the graph, by one weight. What has no weight counts nothing and is counted.
struct KernelPath {
  DagWeight weight = DagWeight::kernels;
  std::vector<int> kernels;  ///< places in KernelGraph::kernels, from the first to the last
  double length = 0, total = 0;
  std::size_t unknown = 0;  ///< kernels without a weight
};

/// Weights of the kernels: one each, FLOPs, bytes, or given ones in microseconds (`times` by place).
std::vector<std::optional<double>> kernel_weights(const KernelFile& file, const KernelGraph& graph, DagWeight weight,
                                                  const std::vector<std::optional<double>>& times = {});

/// The heaviest path; of equal ones that through the earliest kernels. Edges that lead back are passed over: kernels
/// are in the order in which they run. Empty graph: empty path. Linear in kernels and edges.
KernelPath heaviest_path(const KernelGraph& graph, const std::vector<std::optional<double>>& weights, DagWeight weight);

/// Most kernels that could run at once if each took as long: the widest level, counted from the inputs.
std::size_t widest_level(const KernelGraph& graph);

/// The DAG of one model as JSON: kernels with their records and weights, edges, the critical path.
std::string dag_json(const KernelGraph& graph, const std::vector<std::optional<double>>& weights,
                     const KernelPath& path, const Provenance& provenance);
/// And for Graphviz, the critical path in red.
std::string dag_graphviz(const KernelGraph& graph, const KernelFile& file, const KernelPath& path);

/// "dag", a row per model, and "critical_path", a row per kernel of the path.
struct DagResult {
  const KernelGraph* graph = nullptr;
  const KernelFile* file = nullptr;
  std::vector<std::optional<double>> weights;
  KernelPath path;
};
std::vector<Table> dag_tables(const std::vector<DagResult>& results);
std::vector<TableSchema> dag_schemas();

}  // namespace takt
