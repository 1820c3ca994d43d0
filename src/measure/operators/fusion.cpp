#include "measure/operators/fusion.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "measure/operators/op_profile.h"
#include "model/graph/dag.h"

namespace takt {
namespace {

bool is_heavy(const Op& op) {
  static const std::set<std::string> heavy{"Conv",   "ConvTranspose", "ConvInteger",   "QLinearConv", "Gemm",
                                           "MatMul", "MatMulInteger", "QLinearMatMul", "LSTM",        "GRU",
                                           "RNN"};
  return heavy.contains(op.type);
}

/// Whether nodes of this type only put data elsewhere. One that carries a computing operator's name serves it.
bool arranges(const std::string& type) {
  static const std::set<std::string> arranging{"Transpose", "Reshape",       "Squeeze", "Unsqueeze",    "Concat",
                                               "Split",     "VariadicSplit", "Gather",  "StridedSlice", "Broadcast",
                                               "ShapeOf",   "Tile",          "Pad"};
  return moves_data(type) || arranging.contains(type);
}

class Owners {
 public:
  Owners(const Graph& graph, const std::vector<OpRow>& rows) : graph_(graph), dag_(build_dag(graph)) {
    std::unordered_map<std::string, int> indices;
    for (std::size_t i = 0; i < graph.ops.size(); ++i) indices.emplace(graph.ops[i].name, static_cast<int>(i));
    rows_.resize(graph.ops.size());
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (const auto& name : rows[row].model_ops)
        if (auto found = indices.find(name); found != indices.end())
          rows_[static_cast<std::size_t>(found->second)] = row;
  }

  /// One walk forwards for light operators, one backwards for heavy ones and for chains that end in a claimed row.
  void adopt() {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (is_open(i) && !is_heavy(graph_.ops[i]) && !dag_.producers[i].empty())
        rows_[i] = shared_row(dag_.producers[i]);
    for (std::size_t i = rows_.size(); i-- > 0;)
      if (is_open(i)) rows_[i] = shared_row(dag_.consumers[i]);
  }

  std::optional<std::size_t> row(std::size_t op) const { return rows_[op]; }

 private:
  /// Without a row, and computed in each run: what makes a constant is done once, when the model is loaded.
  bool is_open(std::size_t op) const { return !rows_[op] && !is_folded(graph_, graph_.ops[op]); }

  /// The row that all of these operators belong to; nullopt if they disagree or one belongs to none.
  std::optional<std::size_t> shared_row(const std::vector<int>& ops) const {
    std::optional<std::size_t> shared;
    for (int op : ops) {
      auto row = rows_[static_cast<std::size_t>(op)];
      if (!row || (shared && *shared != *row)) return std::nullopt;
      shared = row;
    }
    return shared;
  }

  const Graph& graph_;
  Dag dag_;
  std::vector<std::optional<std::size_t>> rows_;
};

}  // namespace

void settle_ownership(std::vector<OpRow>& rows) {
  const auto only_moves = [](const OpRow& row) { return arranges(row.node_type.empty() ? row.type : row.node_type); };
  std::map<std::string, std::size_t> owners;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& op : rows[i].model_ops) {
      auto [owner, is_new] = owners.emplace(op, i);
      if (!is_new && only_moves(rows[owner->second]) && !only_moves(rows[i])) owner->second = i;
    }
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::erase_if(rows[i].model_ops, [&](const std::string& op) { return owners.at(op) != i; });
}

void adopt_unclaimed(const Graph& graph, std::vector<OpRow>& rows) {
  if (std::any_of(rows.begin(), rows.end(), [](const OpRow& row) { return row.is_settled; })) return;
  Owners owners(graph, rows);
  owners.adopt();
  std::vector<std::vector<std::string>> names(rows.size());
  for (std::size_t i = 0; i < graph.ops.size(); ++i)
    if (auto row = owners.row(i)) names[*row].push_back(graph.ops[i].name);
  // In the model's order now; names that are not in this graph (of a subgraph) stay behind them.
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const auto& name : rows[row].model_ops)
      if (std::find(names[row].begin(), names[row].end(), name) == names[row].end()) names[row].push_back(name);
    rows[row].model_ops = std::move(names[row]);
  }
}

}  // namespace takt
