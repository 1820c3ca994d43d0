// Random chains of what the others have too little of. Odd ones: convolutions whose groups are wide and no
// multiple of eight, which runtimes keep in the plain layout. Even ones: products of one row by some megabytes of
// weights, in models whose weights fit the last cache of most processors, of few, or of none: where they no longer fit,
// the same product takes half as long again.
#include "predict/zoo/chain.h"

namespace takt {
namespace {

class WideChain : ZooChain {
 public:
  explicit WideChain(ZooWriter& w) : ZooChain(w) {}

  void write() { w_.finish(w_.model().depth % 2 == 0 ? products() : wide_groups()); }

 private:
  ZooTensor wide_groups() {
    side_ = log_uniform(7, 56);
    groups_ = one_of(std::array<std::int64_t, 5>{2, 3, 4, 4, 8});
    const std::int64_t channels = groups_ * 4 * log_uniform(5, 16);
    ZooTensor x{w_.input({w_.model().batch, channels, side_, side_}).name, channels};
    const auto blocks = log_uniform(4, 10);
    for (std::int64_t i = 0; i < blocks && work_ < most_work; ++i) x = block(x);
    return w_.linear(w_.flat(w_.global_pool(x), x.channels), 8 * log_uniform(2, 125));
  }

  ZooTensor block(const ZooTensor& x) {
    switch (random_() % 4) {
      case 0:
        return w_.act("Relu", grouped(x, groups_ * 4 * log_uniform(5, 34), 3));
      case 1:
        return activated(grouped(x, groups_ * 4 * log_uniform(5, 34), 1));
      default:
        return unit(x);
    }
  }

  /// Grouped, shuffled, one channel at a time, grouped, and added to what it came from.
  ZooTensor unit(const ZooTensor& x) {
    auto y = w_.shuffled(w_.act("Relu", grouped(x, groups_ * 4 * log_uniform(5, 34), 1)), groups_, side_);
    y = w_.conv_norm(y, {.out = y.channels, .kernel = 3, .groups = y.channels});
    return w_.act("Relu", w_.binary("Add", x, grouped(y, x.channels, 1)));
  }

  ZooTensor grouped(const ZooTensor& x, std::int64_t out, std::int64_t kernel) {
    const std::int64_t each = side_ * side_ * kernel * kernel * x.channels / groups_, step = 4 * groups_;
    while (out > step && static_cast<double>(each * out) > most_work / 3) out = std::max(step, out / 2 / step * step);
    work_ += static_cast<double>(w_.model().batch * each) * static_cast<double>(out);
    return w_.conv(x, {.out = out, .kernel = kernel, .groups = groups_});
  }

  ZooTensor products() {
    const std::int64_t width = 8 * log_uniform(128, 384), all = log_uniform(most_weights / 6, most_weights * 2);
    ZooTensor x = w_.input({w_.model().batch, width});
    for (std::int64_t weights = 0; weights < all;) {
      const std::int64_t out = one_to(2) ? 8 * log_uniform(64, 512) : width;
      weights += x.channels * out;
      x = activated(one_to(3) ? w_.dense(x, out) : w_.linear(x, out));
    }
    return w_.linear(x, 8 * log_uniform(2, 125));
  }

  std::int64_t side_ = 0, groups_ = 0;  // pictures are {batch, channels, side_, side_}
};

}  // namespace

void write_wide_chain(ZooWriter& w) { WideChain(w).write(); }

}  // namespace takt
