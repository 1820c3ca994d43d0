#include "model/cuts/pieces.h"

#include <algorithm>
#include <set>

#include "base/basics/check.h"
#include "base/basics/index.h"
#include "model/graph/run_order.h"

namespace takt {
namespace {

class Parting {
 public:
  Parting(const Graph& graph, const std::vector<Cut>& cuts) : graph_(graph), order_(run_order(graph)) {
    for (const Cut& cut : cuts) {
      TAKT_CHECK(cut.place > begins_.back() && cut.place < order_.ops.size());
      begins_.push_back(cut.place);
    }
    begins_.push_back(order_.ops.size());
    maker_.assign(graph.tensors.size(), nobody);
    last_reader_.assign(graph.tensors.size(), nobody);
    for (int piece = 0; piece < count(); ++piece)
      for (const int op : computed_in(piece)) {
        for (const TensorId id : order_.reads[index(op)]) last_reader_[index(id)] = piece;
        for (const TensorId id : graph.ops[index(op)].outputs)
          if (id != no_tensor) maker_[index(id)] = piece;
      }
  }

  std::vector<Piece> make() const {
    std::vector<Piece> pieces;
    for (int piece = 0; piece < count(); ++piece) pieces.push_back(make(piece));
    return pieces;
  }

 private:
  static constexpr int nobody = -1;

  int count() const { return static_cast<int>(begins_.size()) - 1; }
  bool is_last(int piece) const { return piece + 1 == count(); }

  std::vector<int> computed_in(int piece) const {
    const auto at = [&](int number) {
      return order_.ops.begin() + static_cast<std::ptrdiff_t>(begins_[index(number)]);
    };
    return {at(piece), at(piece + 1)};
  }

  Piece make(int piece) const {
    Piece made;
    const std::vector<int> computed = computed_in(piece);
    std::set<int> ops(computed.begin(), computed.end());
    std::set<TensorId> read;
    for (const int op : computed) read.insert(order_.reads[index(op)].begin(), order_.reads[index(op)].end());
    made.outputs = outputs_of(piece, ops);
    for (const TensorId id : made.outputs)
      if (maker_[index(id)] == nobody) read.insert(id);
    for (const TensorId id : read) add_makers_of_constant(id, ops);
    made.ops.assign(ops.begin(), ops.end());
    made.inputs = inputs_of(piece, read);
    return made;
  }

  /// The operators that make a constant out of others.
  void add_makers_of_constant(TensorId id, std::set<int>& ops) const {
    std::vector<TensorId> open{id};
    while (!open.empty()) {
      const int op = order_.producers[index(open.back())];
      open.pop_back();
      if (op < 0 || !order_.at_load[index(op)] || !ops.insert(op).second) continue;
      open.insert(open.end(), order_.reads[index(op)].begin(), order_.reads[index(op)].end());
    }
  }

  std::vector<TensorId> inputs_of(int piece, const std::set<TensorId>& read) const {
    std::vector<TensorId> inputs;
    const std::set<TensorId> results(graph_.outputs.begin(), graph_.outputs.end());
    for (const TensorId id : graph_.inputs) {
      const bool is_unread = last_reader_[index(id)] == nobody && !results.contains(id);
      if (read.contains(id) || (is_unread && piece == 0)) inputs.push_back(id);
    }
    for (const TensorId id : read)
      if (maker_[index(id)] != nobody && maker_[index(id)] < piece) inputs.push_back(id);
    return inputs;
  }

  std::vector<TensorId> outputs_of(int piece, const std::set<int>& ops) const {
    std::vector<TensorId> outputs;
    std::set<TensorId> there;
    for (const TensorId id : graph_.outputs) {
      const int maker = maker_[index(id)];
      if (maker == piece || (maker == nobody && is_last(piece)))
        if (there.insert(id).second) outputs.push_back(id);
    }
    std::set<TensorId> handed_on;
    for (const int op : ops)
      for (const TensorId id : graph_.ops[index(op)].outputs)
        if (id != no_tensor && last_reader_[index(id)] > piece && !there.contains(id)) handed_on.insert(id);
    outputs.insert(outputs.end(), handed_on.begin(), handed_on.end());
    return outputs;
  }

  const Graph& graph_;
  const RunOrder order_;
  std::vector<std::size_t> begins_{0};    // place in the order of the first operator of each piece, and the end
  std::vector<int> maker_, last_reader_;  // by TensorId: the piece; nobody: no operator computes it, or reads it
};

}  // namespace

std::vector<Piece> pieces_of(const Graph& graph, const std::vector<Cut>& cuts) { return Parting(graph, cuts).make(); }

}  // namespace takt
