#include "model/graph/run_order.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/basics/index.h"
#include "model/graph/dag.h"

namespace takt {
namespace {

bool is_constant_op(const Op& op) { return op.type == "Constant" && op.domain.empty(); }

/// Given the same. Operators of other domains, a model's own functions too, may draw random numbers or keep a state.
bool surely_makes_the_same(const Op& op) {
  return (op.domain.empty() || op.domain == "com.microsoft") && op.subgraphs.empty() && !draws_random_numbers(op);
}

class OrderOfRun {
 public:
  explicit OrderOfRun(const Graph& graph) : graph_(graph) {
    order_.reads = read_tensors(graph);
    order_.producers.assign(graph.tensors.size(), -1);
    for (std::size_t op = 0; op < graph.ops.size(); ++op)
      for (const TensorId id : graph.ops[op].outputs)
        if (id != no_tensor) order_.producers[index(id)] = static_cast<int>(op);
  }

  RunOrder make() {
    find_at_load();
    find_live();
    find_from_input();
    place();
    return std::move(order_);
  }

 private:
  int producer(TensorId id) const { return order_.producers[index(id)]; }

  void find_at_load() {
    order_.at_load.assign(graph_.ops.size(), false);
    for (std::size_t op = 0; op < graph_.ops.size(); ++op) {
      const auto& read = order_.reads[op];
      const bool reads_something = !read.empty() || is_constant_op(graph_.ops[op]);
      const bool of_constants =
          reads_something && std::all_of(read.begin(), read.end(), [&](TensorId id) {
            const int from = producer(id);
            return from < 0 ? graph_.tensor(id).is_constant : static_cast<bool>(order_.at_load[index(from)]);
          });
      order_.at_load[op] = is_folded(graph_, graph_.ops[op]) || (of_constants && surely_makes_the_same(graph_.ops[op]));
    }
  }

  void find_live() {
    std::vector<bool> wanted(graph_.tensors.size(), false);
    for (const TensorId id : graph_.outputs) wanted[index(id)] = true;
    live_.assign(graph_.ops.size(), false);
    for (std::size_t op = graph_.ops.size(); op-- > 0;) {
      const auto& made = graph_.ops[op].outputs;
      live_[op] =
          std::any_of(made.begin(), made.end(), [&](TensorId id) { return id != no_tensor && wanted[index(id)]; });
      if (live_[op])
        for (const TensorId id : order_.reads[op]) wanted[index(id)] = true;
    }
  }

  void find_from_input() {
    std::vector<bool> reached(graph_.tensors.size(), false);
    for (const TensorId id : graph_.inputs) reached[index(id)] = true;
    from_input_.assign(graph_.ops.size(), false);
    for (std::size_t op = 0; op < graph_.ops.size(); ++op) {
      const auto& read = order_.reads[op];
      from_input_[op] = std::any_of(read.begin(), read.end(), [&](TensorId id) { return reached[index(id)]; });
      if (!from_input_[op]) continue;
      for (const TensorId id : graph_.ops[op].outputs)
        if (id != no_tensor) reached[index(id)] = true;
    }
  }

  bool runs(std::size_t op) const { return live_[op] && !order_.at_load[op]; }

  /// What no input reaches takes the place of its first reader, before it; read by nobody, the very first place.
  std::vector<int> places() const {
    constexpr int nobody = std::numeric_limits<int>::max();
    std::vector<int> place(graph_.ops.size(), nobody);
    for (std::size_t op = graph_.ops.size(); op-- > 0;) {
      if (!runs(op)) continue;
      if (from_input_[op]) place[op] = static_cast<int>(op);
      if (place[op] == nobody) place[op] = -1;
      for (const TensorId id : order_.reads[op])
        if (const int from = producer(id); from >= 0) place[index(from)] = std::min(place[index(from)], place[op]);
    }
    return place;
  }

  void place() {
    const std::vector<int> place = places();
    for (std::size_t op = 0; op < graph_.ops.size(); ++op)
      if (runs(op)) order_.ops.push_back(static_cast<int>(op));
    std::sort(order_.ops.begin(), order_.ops.end(), [&](int a, int b) {
      const auto key = [&](int op) {
        const bool reached = from_input_[index(op)];
        return std::tuple(reached ? op : place[index(op)], reached, op);
      };
      return key(a) < key(b);
    });
    for (const int op : order_.ops) order_.from_input.push_back(from_input_[index(op)]);
  }

  const Graph& graph_;
  RunOrder order_;
  std::vector<bool> live_, from_input_;
};

}  // namespace

bool draws_random_numbers(const Op& op) {
  return op.type.starts_with("Random") || op.type == "Bernoulli" || op.type == "Multinomial" || op.type == "Dropout";
}

RunOrder run_order(const Graph& graph) { return OrderOfRun(graph).make(); }

}  // namespace takt
