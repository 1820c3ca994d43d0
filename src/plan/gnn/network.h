// Graph neural networks as stages: what each of them computes from what.
//
// One layer of GraphSAGE (mean), GCN or GAT (one head), parted so that every stage has one kind of work: rows gathered
// by edges, arithmetic on edges, sums over the edges of a node, products with weights. N nodes have F numbers each
// before the layer and H after it; E edges lead from `edge_index[0]` to `edge_index[1]`. Edges are taken as they are:
// whoever wants self loops adds them.
//
//   GraphSAGE  x' = relu(W_l · mean of x over the edges that arrive + b + W_r · x)      Hamilton et al., 2017
//   GCN        x' = relu(W · Σ x_j / sqrt(deg_i · deg_j) + b), deg: edges that arrive   Kipf and Welling, 2017
//   GAT        x' = elu(Σ α_ij · W x_j), α: softmax over the edges that arrive of
//              leaky_relu(a_dst · W x_i + a_src · W x_j)                                Veličković et al., 2018
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/gnn/edge_list.h"

namespace takt {

enum class Network { sage, gcn, gat };
inline constexpr std::array all_networks{Network::sage, Network::gcn, Network::gat};

std::string_view network_name(Network network);               ///< "sage"
std::string_view network_title(Network network);              ///< "GraphSAGE"
std::vector<std::string> network_names();                     ///< of all, in their order
std::optional<Network> network_named(std::string_view name);  ///< nullopt: none is called so

/// In which type a model holds the numbers of a tensor.
enum class Holds {
  features,  ///< in the model's precision
  counts,    ///< float32 in every model: halves cannot count beyond 2048
  indices,   ///< int64
};

struct StageTensor {
  std::string_view name;
  std::string_view dims;  ///< "N,F", "E", "2,E": letters as above, or numbers
  Holds holds = Holds::features;

  bool is_per_node() const { return dims.front() == 'N'; }
};

/// What the letters of its dimensions stand for: `features` before and after the layer.
std::vector<std::int64_t> shape_of(const StageTensor& tensor, const GraphSize& size, std::int64_t features);

struct Stage {
  std::string_view name;  ///< "GATHER"
  std::vector<StageTensor> inputs, outputs;
  /// Adds up over the edges of a node, which needs to know how many nodes there are and which NPUs refuse.
  bool scatters = false;
};

/// In the order of execution; stages are numbered from 1.
const std::vector<Stage>& stages_of(Network network);

/// Stages that follow each other, fused into one model: `first` to `last`, both included.
struct StageRange {
  Network network = Network::sage;
  int first = 1, last = 1;

  bool has(int stage) const { return first <= stage && stage <= last; }
};

std::string to_string(const StageRange& range);  ///< "sage_stage3", "gat_stages2-5"

/// All contiguous ranges, single stages among them: 28 of 7 stages.
std::vector<StageRange> ranges_of(Network network);

/// What goes into a range and what comes out: what no stage of it makes, and what stages behind it need. A range that
/// cannot see from its other inputs how many nodes there are has the input `num_nodes` (int64, one number).
struct RangePorts {
  std::vector<StageTensor> inputs, outputs;
};
RangePorts ports_of(const StageRange& range);

}  // namespace takt
