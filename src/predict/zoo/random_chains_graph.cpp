// Random chains that pass messages along the edges of a graph, as graph networks do in some operators that nothing
// else has: rows gathered by number, weighted, and reduced onto rows again.
#include "predict/zoo/chain.h"

namespace takt {
namespace {

class GraphChain : ZooChain {
 public:
  explicit GraphChain(ZooWriter& w) : ZooChain(w) {}
  void write() { w_.finish(graph()); }

 private:
  ZooTensor graph() {
    rows_ = log_uniform(64, 4096);
    edges_ = rows_ * log_uniform(2, 16);
    sources_ = w_.places("sources", edges_), targets_ = w_.places("targets", edges_);
    auto x = w_.input({rows_, 4 * log_uniform(2, 64)});
    const auto layers = log_uniform(1, 3);
    for (std::int64_t i = 0; i < layers && work_ < most_work; ++i) x = graph_layer(x);
    return x;
  }

  ZooTensor graph_layer(const ZooTensor& x) {
    static constexpr std::array<const char*, 4> reductions{"add", "add", "add", "max"};
    // Few edges have long rows, as of layers of five hundred numbers; many have short ones, as each number takes a
    // product's time many times over.
    const std::int64_t numbers = 4 * log_uniform(2, std::clamp<std::int64_t>(1'000'000 / edges_, 2, 128));
    const auto from = w_.dense(x, numbers);
    auto messages = w_.gathered(from, sources_);
    if (one_to(1)) messages = w_.binary("Mul", messages, edge_weights(from));
    if (one_to(2)) messages = activated(messages);
    const auto sums = w_.scattered(messages, targets_, edges_, rows_, one_of(reductions));
    work_ += static_cast<double>(edges_ * numbers) * 30;
    return activated(one_to(1) ? w_.binary("Add", sums, from) : sums);
  }

  /// {edges, 1}: by both ends, as attention weighs edges.
  ZooTensor edge_weights(const ZooTensor& nodes) {
    const auto scores = w_.dense(nodes, 1);
    // One after the other: compilers differ in the order of arguments, and with it nodes would have other numbers.
    const auto to = w_.gathered(scores, targets_), from = w_.gathered(scores, sources_);
    const auto both = w_.binary("Add", from, to);
    return one_to(1) ? w_.act("Exp", w_.act("LeakyRelu", both)) : w_.act("Elu", both);
  }

  std::int64_t rows_ = 0, edges_ = 0;  // a row per node
  std::string sources_, targets_;
};

}  // namespace

void write_graph_chain(ZooWriter& w) { GraphChain(w).write(); }

}  // namespace takt
