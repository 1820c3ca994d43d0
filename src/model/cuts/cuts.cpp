#include "model/cuts/cuts.h"

#include <algorithm>
#include <set>

#include "base/basics/index.h"
#include "model/cost/cost.h"
#include "model/graph/run_order.h"

namespace takt {
namespace {

void add_cost(const Graph& graph, const Op& op, SummedCost& sum) {
  const Cost one = cost(graph, op);
  sum.flops += one.flops.value_or(0) + one.sfu_ops.value_or(0);
  sum.bytes += static_cast<double>(one.bytes.value_or(0));
  sum.unknown += one.flops && one.bytes ? 0 : 1;
  ++sum.operators;
}

/// One walk along the order, with the tensors that are alive at each place.
class CutSearch {
 public:
  CutSearch(const Graph& graph, std::size_t max_tensors)
      : graph_(graph),
        max_tensors_(max_tensors),
        order_(run_order(graph)),
        made_at_(graph.tensors.size(), nowhere),
        read_at_(graph.tensors.size(), nowhere) {
    for (std::size_t at = 0; at < order_.ops.size(); ++at) {
      const auto op = index(order_.ops[at]);
      for (const TensorId id : order_.reads[op]) read_at_[index(id)] = static_cast<int>(at);
      for (const TensorId id : graph.ops[op].outputs)
        if (id != no_tensor) made_at_[index(id)] = static_cast<int>(at);
    }
    // What comes in and goes out untouched is handed on behind the last operator.
    for (const TensorId id : graph.outputs)
      if (made_at_[index(id)] == nowhere) read_at_[index(id)] = static_cast<int>(order_.ops.size());
  }

  std::vector<Cut> find() {
    std::vector<Cut> cuts;
    SummedCost before;
    bool is_fed = false;
    for (std::size_t at = 0; at < order_.ops.size(); ++at) {
      if (is_fed && order_.from_input[at - 1])
        if (auto cut = cut_at(at)) {
          cut->before = before;
          cuts.push_back(std::move(*cut));
        }
      is_fed = is_fed || order_.from_input[at];
      pass(static_cast<int>(at));
      add_cost(graph_, graph_.ops[index(order_.ops[at])], before);
    }
    return cuts;
  }

 private:
  static constexpr int nowhere = -1;

  void pass(int at) {
    const auto op = index(order_.ops[index(at)]);
    for (const TensorId id : graph_.ops[op].outputs)
      if (id != no_tensor && read_at_[index(id)] > at) alive_.insert(id);
    for (const TensorId id : order_.reads[op])
      if (read_at_[index(id)] == at) alive_.erase(id);
  }

  std::optional<Cut> cut_at(std::size_t at) const {
    if (alive_.size() > max_tensors_) return std::nullopt;
    Cut cut;
    cut.place = at;
    cut.bytes = 0;
    for (const TensorId id : alive_) {
      const Tensor& tensor = graph_.tensor(id);
      if (tensor.type == ElementType::undefined) return std::nullopt;
      cut.tensors.push_back(id);
      std::int64_t sum = 0;
      if (!cut.bytes || !tensor.bytes || __builtin_add_overflow(*cut.bytes, *tensor.bytes, &sum))
        cut.bytes.reset();
      else
        cut.bytes = sum;
    }
    const int place = static_cast<int>(at);
    for (const TensorId id : graph_.inputs)
      if (read_at_[index(id)] >= place) cut.late_inputs.push_back(id);
    for (const TensorId id : graph_.outputs)
      if (made_at_[index(id)] != nowhere && made_at_[index(id)] < place) cut.early_outputs.push_back(id);
    return cut;
  }

  const Graph& graph_;
  const std::size_t max_tensors_;
  const RunOrder order_;
  std::vector<int> made_at_, read_at_;  // by TensorId: place in the order; of the last reader
  std::set<TensorId> alive_;            // computed already and still to be read
};

}  // namespace

SummedCost cost_of_run(const Graph& graph) {
  SummedCost sum;
  for (const int op : run_order(graph).ops) add_cost(graph, graph.ops[index(op)], sum);
  return sum;
}

std::vector<Cut> find_cuts(const Graph& graph, std::size_t max_tensors) { return CutSearch(graph, max_tensors).find(); }

}  // namespace takt
