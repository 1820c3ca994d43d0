#include "model/graph/footprint.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace takt {
namespace {

/// A sum of which no part may be unknown, nor the whole be more than a number holds.
class ByteSum {
 public:
  void add(const std::optional<std::int64_t>& bytes) {
    if (!bytes || (sum_ && __builtin_add_overflow(*sum_, *bytes, &*sum_))) sum_.reset();
  }
  const std::optional<std::int64_t>& value() const { return sum_; }

 private:
  std::optional<std::int64_t> sum_ = 0;
};

void add_weights(const Graph& graph, ByteSum& sum) {
  std::set<TensorId> computed;  // a constant that a run-time operator makes of other constants is not in the file
  for (const Op& op : graph.ops)
    if (op.type != "Constant") computed.insert(op.outputs.begin(), op.outputs.end());
  for (std::size_t i = 0; i < graph.tensors.size(); ++i)
    if (const Tensor& tensor = graph.tensors[i];
        tensor.is_constant && !tensor.is_captured && !computed.contains(static_cast<TensorId>(i)))
      sum.add(tensor.bytes);
  for (const Op& op : graph.ops)
    for (const auto& [name, body] : op.subgraphs) add_weights(*body, sum);
}

/// Tensors of `graph` that a body, or one inside of it, reads.
void add_captured(const Graph& graph, const Graph& body, std::vector<TensorId>& ids) {
  for (const Tensor& tensor : body.tensors)
    if (tensor.is_captured)
      if (const auto id = graph.find_tensor(tensor.name)) ids.push_back(*id);
  for (const Op& op : body.ops)
    for (const auto& [name, inner] : op.subgraphs) add_captured(graph, *inner, ids);
}

/// From which operator to which each tensor of one graph lives.
class Lifetimes {
 public:
  explicit Lifetimes(const Graph& graph)
      : graph_(graph), born_(graph.tensors.size(), never), dies_(graph.tensors.size(), never) {
    const auto end = static_cast<int>(graph.ops.size());
    for (const TensorId id : graph.inputs) live(id, 0), live(id, end);
    for (int i = 0; i < end; ++i) {
      const Op& op = graph.ops[static_cast<std::size_t>(i)];
      std::vector<TensorId> touched = op.inputs;
      touched.insert(touched.end(), op.outputs.begin(), op.outputs.end());
      for (const auto& [name, body] : op.subgraphs) add_captured(graph, *body, touched);
      for (const TensorId id : touched) live(id, i);
    }
    for (const TensorId id : graph.outputs) live(id, end);
  }

  std::optional<std::int64_t> peak() const {
    std::vector<std::vector<TensorId>> born(graph_.ops.size() + 1), dying(graph_.ops.size() + 1);
    for (std::size_t i = 0; i < born_.size(); ++i) {
      if (born_[i] == never) continue;
      born[static_cast<std::size_t>(born_[i])].push_back(static_cast<TensorId>(i));
      dying[static_cast<std::size_t>(dies_[i])].push_back(static_cast<TensorId>(i));
    }
    std::int64_t most = 0;
    ByteSum now;
    for (std::size_t i = 0; i <= graph_.ops.size(); ++i) {
      for (const TensorId id : born[i]) now.add(graph_.tensor(id).bytes);
      ByteSum with_bodies = now;
      if (i < graph_.ops.size()) with_bodies.add(largest_body(graph_.ops[i]));
      if (!with_bodies.value()) return std::nullopt;
      most = std::max(most, *with_bodies.value());
      for (const TensorId id : dying[i]) now.add(-*graph_.tensor(id).bytes);
    }
    return most;
  }

 private:
  static constexpr int never = -1;

  /// Weights are counted apart; what an enclosing graph owns lives there.
  void live(TensorId id, int at) {
    if (id == no_tensor || graph_.tensor(id).is_constant || graph_.tensor(id).is_captured) return;
    const auto place = static_cast<std::size_t>(id);
    if (born_[place] == never) born_[place] = at;
    dies_[place] = std::max(dies_[place], at);
  }

  static std::optional<std::int64_t> largest_body(const Op& op) {
    std::int64_t most = 0;
    for (const auto& [name, body] : op.subgraphs) {
      const auto peak = Lifetimes(*body).peak();
      if (!peak) return std::nullopt;
      most = std::max(most, *peak);
    }
    return most;
  }

  const Graph& graph_;
  std::vector<int> born_, dies_;
};

}  // namespace

std::optional<std::int64_t> weight_bytes(const Graph& graph) {
  ByteSum sum;
  add_weights(graph, sum);
  return sum.value();
}

std::optional<std::int64_t> activation_peak_bytes(const Graph& graph) { return Lifetimes(graph).peak(); }

}  // namespace takt
