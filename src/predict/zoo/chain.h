// What random chains share: draws that are the same on every machine, and activations.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/statistics/random.h"
#include "predict/zoo/writer.h"

namespace takt {

/// One chain under way; its number is the model's depth.
class ZooChain {
 protected:
  explicit ZooChain(ZooWriter& w) : w_(w), random_(0x736f7570ULL + static_cast<std::uint64_t>(w.model().depth)) {}

  bool one_to(std::uint64_t others) { return random_() % (others + 1) == 0; }
  template <typename Value, std::size_t N>
  Value one_of(const std::array<Value, N>& values) {
    return values[random_() % N];
  }
  std::int64_t log_uniform(std::int64_t low, std::int64_t high) {
    const double from = std::log(static_cast<double>(low)), to = std::log(static_cast<double>(high) + 1);
    return std::clamp(static_cast<std::int64_t>(std::exp(from + (to - from) * uniform(random_))), low, high);
  }
  /// With an activation drawn at random, or none.
  ZooTensor activated(const ZooTensor& x);

  static constexpr double most_work = 4e8;  ///< multiplications of a chain; some milliseconds of one core
  static constexpr std::int64_t most_weights = 16'000'000;  ///< of one product: 64 MB, larger than a cache

  ZooWriter& w_;
  Random random_;
  double work_ = 0;
};

/// The numbers of each kind follow each other: plain chains, graphs, classic networks, wide layers.
void write_graph_chain(ZooWriter& w);
void write_classic_chain(ZooWriter& w);
void write_wide_chain(ZooWriter& w);
inline constexpr int last_plain_chain = 160, last_graph_chain = 184, last_classic_chain = 216, last_wide_chain = 240;

}  // namespace takt
