// Plans of a layer of a graph neural network, as pipelines of models.
//
// Every block is a stage whose model is the block's fused range; a block that is divided is a stage that cuts (on the
// host), one per unit, and one that puts together. All lies in one folder:
//
//   plan.yaml   block1.onnx   block2_partition.onnx  block2_CPU.onnx  block2_GPU.onnx  block2_merge.onnx
//   x.npy  edge_index.npy     edge_index_block2_1.npy …
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plan/estimate/costs.h"
#include "plan/gnn/edge_list.h"
#include "plan/gnn/network.h"
#include "plan/run/planned_model.h"

namespace takt {

/// What plans of a network are tried with: one graph, the same for all. Models are of the graph's size where the device
/// is an NPU or simulated, else open, as in a sweep. A unit of float16 gets models in halves; tensors change their type
/// between units of different precision. Thread-safe to read.
struct PlannedLayer final : PlannedModel {
  Network network = Network::sage;
  EdgeList graph;
  std::int64_t features = 500;
  std::uint64_t seed = 42;                ///< of weights and features
  std::map<std::string, PlanUnit> units;  ///< by the names in plans
  std::string host_runtime;               ///< of what cuts and puts together, and of the reference
  /// What dividing a batch takes where every unit is simulated, and nothing is cut.
  DivideCost divide{};

  bool is_simulated() const;  ///< no unit really computes
  StageRange range(const StageSpan& span) const { return {network, span.first, span.last}; }

  /// Refuses a unit that is not known, and a graph or a range that cannot be divided as the plan says.
  PlanPipeline write(const Plan& plan, const std::filesystem::path& folder) const override;
  /// Beside the layer computed as one in float32. Allowed are 1e-4, behind the first block in halves 2e-2.
  std::optional<std::vector<BlockNumbers>> check(const Plan& plan, const PlanPipeline& pipeline,
                                                 const PipelineSpec& spec,
                                                 const std::atomic<bool>* stop) const override;
};

/// Features of the nodes, the edges and the number of nodes, by the names of network.h, as float32 and int64.
std::map<std::string, HostTensor> layer_values(const PlannedLayer& layer);

}  // namespace takt
