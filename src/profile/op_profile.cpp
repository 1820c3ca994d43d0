#include "profile/op_profile.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "core/check.h"
#include "graph/cost.h"
#include "profile/fusion.h"

namespace takt {
namespace {

using OpIndex = std::unordered_map<std::string, const Op*>;

OpIndex index_ops(const Graph& graph) {
  OpIndex index;
  for (const Op& op : graph.ops) index.emplace(op.name, &op);
  return index;
}

/// Adds the samples of every run to one row per (name, kernel).
std::vector<OpRow> gather_rows(const RunResult& result) {
  const RunPass& pass = *result.profiled;
  std::vector<OpRow> rows;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (std::size_t run = 0; run < pass.ops.size(); ++run) {
    for (const OpSample& sample : pass.ops[run]) {
      auto [place, is_new] = places.emplace(std::pair(sample.name, sample.kernel), rows.size());
      if (is_new) {
        OpRow row;
        row.name = row.node = sample.name, row.type = sample.type, row.kernel = sample.kernel,
        row.model_ops = sample.model_ops;
        row.inputs = sample.inputs, row.outputs = sample.outputs;
        row.input_shapes = sample.input_shapes, row.output_shapes = sample.output_shapes;
        row.runtime = result.runtime, row.device = result.device;
        row.samples.resize(pass.ops.size());
        rows.push_back(std::move(row));
      }
      OpRow& row = rows[place->second];
      ++row.calls;
      row.total += sample.duration;
      row.samples[run] += sample.duration;
    }
  }
  return rows;
}

/// What enters and leaves a group of operators.
struct Border {
  std::vector<TensorId> in, out;
};

Border find_border(const Graph& graph, const std::vector<const Op*>& group,
                   const std::unordered_map<TensorId, std::vector<const Op*>>& consumers) {
  std::set<const Op*> members(group.begin(), group.end());
  std::set<TensorId> produced, seen;
  for (const Op* op : group) produced.insert(op->outputs.begin(), op->outputs.end());
  Border border;
  for (const Op* op : group)
    for (TensorId id : op->inputs)
      if (id != no_tensor && !produced.contains(id) && seen.insert(id).second) border.in.push_back(id);
  std::set<TensorId> graph_outputs(graph.outputs.begin(), graph.outputs.end());
  for (const Op* op : group)
    for (TensorId id : op->outputs) {
      if (id == no_tensor) continue;
      auto users = consumers.find(id);
      bool leaves = graph_outputs.contains(id) ||
                    (users != consumers.end() && std::any_of(users->second.begin(), users->second.end(),
                                                             [&](const Op* user) { return !members.contains(user); }));
      if (leaves) border.out.push_back(id);
    }
  return border;
}

std::optional<Shape> shape_of(const Tensor& tensor) { return tensor.shape ? concrete(*tensor.shape) : std::nullopt; }

void describe(const Graph& graph, const std::vector<TensorId>& ids, std::vector<std::string>& names,
              std::vector<Shape>& shapes) {
  names.clear(), shapes.clear();
  bool known = true;
  for (TensorId id : ids) {
    const Tensor& tensor = graph.tensor(id);
    names.push_back(tensor.name);
    auto shape = shape_of(tensor);
    known = known && shape;
    if (shape) shapes.push_back(std::move(*shape));
  }
  if (!known) shapes.clear();
}

class CostJoin {
 public:
  explicit CostJoin(const Graph& graph) : graph_(graph), index_(index_ops(graph)) {
    for (const Op& op : graph.ops)
      for (TensorId id : op.inputs) consumers_[id].push_back(&op);
  }

  void apply(OpRow& row) const {
    std::vector<const Op*> group;
    for (const auto& name : row.model_ops)
      if (auto found = index_.find(name); found != index_.end()) group.push_back(found->second);
    if (group.empty()) return apply_without_model(row);
    add_flops(row, group);
    name_after_leader(row, group);
    Border border = find_border(graph_, group, consumers_);
    describe(graph_, border.in, row.inputs, row.input_shapes);
    describe(graph_, border.out, row.outputs, row.output_shapes);
    if (group.size() == 1) {
      const Cost alone = cost(graph_, *group.front());  // knows operators that only rename memory
      row.bytes = alone.bytes, row.constant_bytes = alone.weight_bytes;
      return;
    }
    row.bytes = sum_bytes({&border.in, &border.out});
    std::vector<TensorId> constants;
    std::copy_if(border.in.begin(), border.in.end(), std::back_inserter(constants),
                 [&](TensorId id) { return graph_.tensor(id).is_constant; });
    row.constant_bytes = sum_bytes({&constants});
  }

 private:
  void add_flops(OpRow& row, const std::vector<const Op*>& group) const {
    row.flops = 0, row.sfu_ops = 0;
    for (const Op* op : group) {
      Cost one = cost(graph_, *op);
      row.flops = row.flops && one.flops ? std::optional(*row.flops + *one.flops) : std::nullopt;
      row.sfu_ops = row.sfu_ops && one.sfu_ops ? std::optional(*row.sfu_ops + *one.sfu_ops) : std::nullopt;
    }
  }

  /// A kernel carries the name and type of the operator that does most of its work (the first, where none does).
  void name_after_leader(OpRow& row, const std::vector<const Op*>& group) const {
    const Op* leader = group.front();
    double most = -1;
    for (const Op* op : group)
      if (double flops = cost(graph_, *op).flops.value_or(0); flops > most) most = flops, leader = op;
    row.name = leader->name, row.type = leader->type;
  }

  std::optional<std::int64_t> sum_bytes(std::initializer_list<const std::vector<TensorId>*> sides) const {
    std::int64_t sum = 0;
    for (const auto* side : sides)
      for (TensorId id : *side) {
        auto bytes = graph_.tensor(id).bytes;
        if (!bytes || __builtin_add_overflow(sum, *bytes, &sum)) return std::nullopt;
      }
    return sum;
  }

  /// A node that the runtime added (a change of layout or type): it computes nothing and moves what it reads and
  /// writes. A tensor of the model is on one of its sides; the other side has the same elements in another order.
  void apply_without_model(OpRow& row) const {
    static const std::set<std::string> movers{"Reorder", "ReorderInput", "ReorderOutput", "Transpose", "Reshape"};
    if (!movers.contains(row.type)) return;
    row.flops = 0, row.sfu_ops = 0;
    const Tensor* tensor = known_side(row);
    if (tensor) row.input_shapes = row.output_shapes = {*shape_of(*tensor)};
    if (row.input_shapes.empty() || row.output_shapes.empty()) return;
    std::int64_t elements = 0;
    for (const auto* shapes : {&row.input_shapes, &row.output_shapes})
      for (const Shape& shape : *shapes) elements += element_count(shape).value_or(0);
    row.bytes = tensor && tensor->bytes ? *tensor->bytes * 2 : elements * 4;  // float, where the runtime tells no type
  }

  const Tensor* known_side(const OpRow& row) const {
    for (const auto* names : {&row.inputs, &row.outputs})
      if (names->size() == 1)
        if (auto id = graph_.find_tensor(names->front()); id)
          if (const Tensor& tensor = graph_.tensor(*id); shape_of(tensor)) return &tensor;
    return nullptr;
  }

  const Graph& graph_;
  OpIndex index_;
  std::unordered_map<TensorId, std::vector<const Op*>> consumers_;
};

double share_of_known(const std::vector<OpRow>& rows) {
  Nanoseconds known{}, total{};
  for (const OpRow& row : rows) {
    total += row.total;
    if (row.flops && row.bytes && (!row.output_shapes.empty() || row.outputs.empty())) known += row.total;
  }
  return total.count() == 0 ? 0 : static_cast<double>(known.count()) / static_cast<double>(total.count());
}

}  // namespace

std::size_t median_run(const std::vector<Nanoseconds>& samples) {
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return samples[a] < samples[b]; });
  return order.at((order.size() - 1) / 2);
}

OpProfile profile_ops(const RunResult& result) {
  OpProfile profile;
  const RunPass& pass = result.profiled.value();
  profile.ops = gather_rows(result);
  settle_ownership(profile.ops);
  if (result.graph) {
    adopt_unclaimed(*result.graph, profile.ops);
    CostJoin join(*result.graph);
    for (OpRow& row : profile.ops) join.apply(row);
  }
  profile.runs = static_cast<std::int64_t>(pass.samples.size());
  profile.unattributed_samples = pass.samples;
  Nanoseconds attributed{};
  for (const OpRow& row : profile.ops) {
    TAKT_CHECK(row.samples.size() == pass.samples.size());
    attributed += row.total;
    for (std::size_t run = 0; run < row.samples.size(); ++run) profile.unattributed_samples[run] -= row.samples[run];
  }
  for (Nanoseconds sample : pass.samples) profile.measured += sample;
  for (Nanoseconds sample : profile.unattributed_samples) profile.unattributed += sample;
  TAKT_CHECK(attributed + profile.unattributed == profile.measured);
  profile.known_share = share_of_known(profile.ops);
  return profile;
}

}  // namespace takt
