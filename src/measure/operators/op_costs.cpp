#include "measure/operators/op_costs.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "measure/operators/op_profile.h"
#include "measure/profiles/foreign_profile.h"
#include "model/cost/cost.h"
#include "model/graph/placed_ops.h"

namespace takt {
namespace {

using Consumers = std::unordered_map<TensorId, std::vector<const Op*>>;

/// Operators of one graph that a kernel stands for.
struct Group {
  const Graph* graph = nullptr;
  std::vector<const Op*> ops;
};

/// What enters and leaves a group of operators.
struct Border {
  std::vector<TensorId> in, out;
};

Border find_border(const Group& group, const Consumers& consumers) {
  const std::set<const Op*> members(group.ops.begin(), group.ops.end());
  const std::set<TensorId> graph_outputs(group.graph->outputs.begin(), group.graph->outputs.end());
  std::set<TensorId> produced, seen;
  for (const Op* op : group.ops) produced.insert(op->outputs.begin(), op->outputs.end());
  const auto leaves = [&](TensorId id) {
    const auto users = consumers.find(id);
    return graph_outputs.contains(id) ||
           (users != consumers.end() && std::any_of(users->second.begin(), users->second.end(),
                                                    [&](const Op* user) { return !members.contains(user); }));
  };
  Border border;
  for (const Op* op : group.ops) {
    for (const TensorId id : op->inputs)
      if (id != no_tensor && !produced.contains(id) && seen.insert(id).second) border.in.push_back(id);
    for (const TensorId id : op->outputs)
      if (id != no_tensor && leaves(id)) border.out.push_back(id);
  }
  return border;
}

std::optional<Shape> shape_of(const Tensor& tensor) { return tensor.shape ? concrete(*tensor.shape) : std::nullopt; }

/// A shape that is not known leaves the list empty: a reader zips it with the tensors.
void describe(const Graph& graph, const std::vector<TensorId>& ids, std::vector<std::string>& names,
              std::vector<Shape>& shapes) {
  names.clear(), shapes.clear();
  bool known = true;
  for (const TensorId id : ids) {
    const Tensor& tensor = graph.tensor(id);
    names.push_back(tensor.name);
    auto shape = shape_of(tensor);
    known = known && shape;
    if (shape) shapes.push_back(std::move(*shape));
  }
  if (!known) shapes.clear();
}

std::optional<std::int64_t> sum_bytes(const Graph& graph, std::initializer_list<const std::vector<TensorId>*> sides) {
  std::int64_t sum = 0;
  for (const auto* side : sides)
    for (const TensorId id : *side) {
      const auto bytes = graph.tensor(id).bytes;
      if (!bytes || __builtin_add_overflow(sum, *bytes, &sum)) return std::nullopt;
    }
  return sum;
}

class CostJoin {
 public:
  CostJoin(const Graph& graph, std::int64_t runs, const std::vector<OpRow>& rows) : graph_(graph), runs_(runs) {
    for (PlacedOp& placed : placed_ops(graph)) {
      Consumers& consumers = consumers_[placed.graph];  // also of a graph whose operators read nothing
      for (const TensorId id : placed.op->inputs) consumers[id].push_back(placed.op);
      index_.emplace(placed.path, std::move(placed));
    }
    for (const OpRow& row : rows)
      if (const Group group = group_of(row); group.graph && group.graph != &graph_) have_rows_.insert(group.graph);
  }

  void apply(OpRow& row) const {
    const Group group = group_of(row);
    if (group.ops.empty()) return apply_without_model(row);
    add_flops(row, group);
    name_row(row, group);
    const Border border = find_border(group, consumers_.at(group.graph));
    describe(*group.graph, border.in, row.inputs, row.input_shapes);
    describe(*group.graph, border.out, row.outputs, row.output_shapes);
    add_bytes(row, group, border);
    if (group.graph != &graph_) multiply_by_calls(row);
  }

 private:
  Group group_of(const OpRow& row) const {
    Group group;
    for (const auto& path : row.model_ops) {
      const auto found = index_.find(path);
      if (found == index_.end()) continue;
      if (!group.graph) group.graph = found->second.graph;
      if (found->second.graph == group.graph) group.ops.push_back(found->second.op);
    }
    return group;
  }

  /// What the bodies did is then told there, and the row is the operator's own work.
  bool body_has_rows(const Op& op) const {
    return std::any_of(op.subgraphs.begin(), op.subgraphs.end(), [&](const auto& named) {
      const auto& ops = named.second->ops;
      return have_rows_.contains(named.second.get()) ||
             std::any_of(ops.begin(), ops.end(), [&](const Op& inner) { return body_has_rows(inner); });
    });
  }

  void add_bytes(OpRow& row, const Group& group, const Border& border) const {
    if (std::all_of(group.ops.begin(), group.ops.end(), [&](const Op* op) { return body_has_rows(*op); })) {
      row.bytes = row.constant_bytes = 0;
      return;
    }
    if (group.ops.size() == 1) {
      const Cost alone = cost(*group.graph, *group.ops[0]);  // knows operators that only rename memory
      row.bytes = alone.bytes, row.constant_bytes = alone.weight_bytes;
      return;
    }
    row.bytes = sum_bytes(*group.graph, {&border.in, &border.out});
    std::vector<TensorId> constants;
    std::copy_if(border.in.begin(), border.in.end(), std::back_inserter(constants),
                 [&](TensorId id) { return group.graph->tensor(id).is_constant; });
    row.constant_bytes = sum_bytes(*group.graph, {&constants});
  }

  void add_flops(OpRow& row, const Group& group) const {
    row.flops = 0, row.sfu_ops = 0;
    for (const Op* op : group.ops) {
      if (body_has_rows(*op)) continue;
      const Cost one = cost(*group.graph, *op);
      row.flops = row.flops && one.flops ? std::optional(*row.flops + *one.flops) : std::nullopt;
      row.sfu_ops = row.sfu_ops && one.sfu_ops ? std::optional(*row.sfu_ops + *one.sfu_ops) : std::nullopt;
    }
  }

  /// A kernel carries the name and type of the operator that the runtime says it is, or else of that which does most of
  /// its work (the first, where none does). Numbers are made others for what computes with them: however many weights
  /// there are for one row, it is a product.
  void name_row(OpRow& row, const Group& group) const {
    if (!row.leader.empty()) {
      row.name = row.leader;
      return;
    }
    static const std::set<std::string_view> converters{"Cast", "CastLike", "QuantizeLinear", "DequantizeLinear",
                                                       "DynamicQuantizeLinear"};
    const Op* leader = nullptr;
    std::pair<bool, double> most;
    for (const Op* op : group.ops) {
      const double flops = cost(*group.graph, *op).flops.value_or(0);
      const std::pair claim(flops > 0 && !converters.contains(op->type), flops);
      if (!leader || claim > most) most = claim, leader = op;
    }
    row.name = leader->name, row.type = leader->type;
  }

  void multiply_by_calls(OpRow& row) const {
    const double calls = static_cast<double>(row.calls) / static_cast<double>(std::max<std::int64_t>(runs_, 1));
    if (row.flops) *row.flops *= calls;
    if (row.sfu_ops) *row.sfu_ops *= calls;
    if (row.bytes) row.bytes = std::llround(static_cast<double>(*row.bytes) * calls);
  }

  /// A node that the runtime added (a change of layout or type): it computes nothing and moves what it reads and
  /// writes. A tensor of the model is on one of its sides; the other side has the same elements in another order.
  void apply_without_model(OpRow& row) const {
    static const std::set<std::string> movers{"Reorder",   "ReorderInput", "ReorderOutput", "Transpose", "Reshape",
                                              "Unsqueeze", "Squeeze",      "Cast",          "Identity"};
    if (!movers.contains(row.type)) return apply_shapes(row);
    row.flops = 0, row.sfu_ops = 0;
    const Tensor* tensor = known_side(row);
    if (tensor) row.input_shapes = row.output_shapes = {*shape_of(*tensor)};
    if (row.input_shapes.empty() || row.output_shapes.empty()) return;
    std::int64_t elements = 0;
    for (const auto* shapes : {&row.input_shapes, &row.output_shapes})
      for (const Shape& shape : *shapes) elements += element_count(shape).value_or(0);
    row.bytes = tensor && tensor->bytes ? *tensor->bytes * 2 : elements * 4;  // float, where the runtime tells no type
  }

  /// A part of an operator that the runtime has no kernel for: what it does follows from the shapes that it had.
  void apply_shapes(OpRow& row) const {
    if (row.input_shapes.empty() || row.output_shapes.empty()) return;
    row.flops = flops_from_shapes(row.type, row.input_shapes, row.output_shapes);
    double bytes = 0;
    for (const auto* shapes : {&row.input_shapes, &row.output_shapes})
      for (const Shape& shape : *shapes) bytes += 4 * static_cast<double>(element_count(shape).value_or(0));
    if (row.flops && bytes < 1e17) row.bytes = static_cast<std::int64_t>(bytes);  // float: parts compute in no other
    multiply_by_calls(row);
  }

  const Tensor* known_side(const OpRow& row) const {
    for (const auto* names : {&row.inputs, &row.outputs})
      if (names->size() == 1)
        if (const auto id = graph_.find_tensor(names->front()); id)
          if (const Tensor& tensor = graph_.tensor(*id); shape_of(tensor)) return &tensor;
    return nullptr;
  }

  const Graph& graph_;
  std::int64_t runs_;
  std::unordered_map<std::string, PlacedOp> index_;
  std::unordered_map<const Graph*, Consumers> consumers_;
  std::set<const Graph*> have_rows_;  ///< bodies of whose operators there are rows
};

}  // namespace

void add_costs(const Graph& graph, std::int64_t runs, std::vector<OpRow>& rows) {
  const CostJoin join(graph, runs, rows);
  for (OpRow& row : rows) join.apply(row);
}

}  // namespace takt
