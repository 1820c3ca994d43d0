// Random chains of blocks that a predictor learns from and no one would use.
//
// Problem: a family of architectures that was not trained on is predicted badly, not because trees are bad but because
// some of its kernels are seen in no other family: squeeze-and-excitation on odd sizes, a product with one row, a swish
// behind a depthwise convolution.
//
// Idea: chains that combine every operator, activation and layout at sizes drawn over the whole range, each small
// enough to run in a few milliseconds. Chain number `depth` is the same on every machine.
#include <algorithm>
#include <array>

#include "predict/zoo/chain.h"

namespace takt {
namespace {

constexpr int most_blocks = 24;

class RandomChain : ZooChain {
 public:
  explicit RandomChain(ZooWriter& w) : ZooChain(w) {}

  /// Half of the chains are pictures that end as vectors, the others sequences of words and vectors.
  void write() {
    switch (w_.model().depth % 4) {
      case 0:
        return w_.finish(vectors(drawn_rows()));
      case 1:
        return w_.finish(words());
      default:
        return w_.finish(vectors(pictures()));
    }
  }

 private:
  /// Most networks count in eights.
  std::int64_t draw_channels(std::int64_t most = 640) {
    const std::int64_t count = log_uniform(8, most);
    return one_to(7) ? count : std::max<std::int64_t>(8, count / 8 * 8);
  }

  // Pictures, {batch, channels, side_, side_}.

  ZooTensor pictures() {
    side_ = log_uniform(5, 112);
    // As many numbers as in a network: large pictures have few channels.
    const std::int64_t most = std::max<std::int64_t>(8, 1'000'000 / (side_ * side_));
    const std::int64_t channels = one_to(5) ? 3 : draw_channels(std::min<std::int64_t>(640, most));
    ZooTensor x{w_.input({w_.model().batch, channels, side_, side_}).name, channels};
    const auto blocks = log_uniform(4, most_blocks);
    for (std::int64_t i = 0; i < blocks && work_ < most_work; ++i) x = picture_block(x);
    if (one_to(3)) return rows_of(w_.flat(x, x.channels * side_ * side_));
    return rows_of(w_.flat(w_.global_pool(x), x.channels));
  }

  ZooTensor picture_block(const ZooTensor& x) {
    switch (random_() % 14) {
      case 0:
        return residual(x);
      case 1:
        return inverted_residual(x);
      case 2:
        return w_.binary("Mul", x, squeezed(x));
      case 3:
        return branches(x);
      case 4:
        return pooled(x);
      case 5:
        return activated(w_.norm(x, 1));
      case 6:
        return one_to(1) ? shuffled(x) : halves(x);
      case 7:
        return depthwise(x);
      case 8:
        return grouped(x);
      case 9:
        return side_ <= 28 && x.channels <= 128 ? upsampled(x) : activated(w_.binary("Mul", x, w_.act("Sigmoid", x)));
      default:
        return activated(conv(x, drawn_conv()));
    }
  }

  ConvShape drawn_conv() {
    static constexpr std::array<std::int64_t, 10> kernels{1, 1, 1, 1, 3, 3, 3, 3, 5, 7};
    return {.out = draw_channels(), .kernel = one_of(kernels), .stride = side_ >= 8 && one_to(4) ? 2 : 1};
  }

  /// With normalisation or with a bias; fewer channels where it would be too much work.
  ZooTensor conv(const ZooTensor& x, ConvShape shape) {
    const std::int64_t side = (side_ - 1) / shape.stride + 1;
    const double each = static_cast<double>(w_.model().batch * side * side * shape.kernel * shape.kernel) *
                        static_cast<double>(x.channels) / static_cast<double>(shape.groups);
    if (shape.groups == 1)
      while (shape.out > 8 && each * static_cast<double>(shape.out) > most_work / 4)
        shape.out = std::max<std::int64_t>(8, shape.out / 16 * 8);
    work_ += each * static_cast<double>(shape.out);
    side_ = side;
    return one_to(1) ? w_.conv(x, shape) : w_.conv_norm(x, shape);
  }

  ZooTensor grouped(const ZooTensor& x) {
    const bool is_small = static_cast<double>(side_ * side_ * x.channels * x.channels) < most_work / 9;
    if (x.channels % 4 != 0 || !is_small) return depthwise(x);
    return activated(conv(x, {.out = x.channels, .kernel = 3, .groups = 4}));
  }

  ZooTensor depthwise(const ZooTensor& x) {
    static constexpr std::array<std::int64_t, 5> kernels{3, 3, 3, 5, 7};
    return activated(conv(x, {.out = x.channels,
                              .kernel = one_of(kernels),
                              .stride = side_ >= 8 && one_to(3) ? 2 : 1,
                              .groups = x.channels}));
  }

  ZooTensor residual(const ZooTensor& x) {
    const bool is_bottleneck = one_to(1);
    const std::int64_t inner = is_bottleneck ? std::max<std::int64_t>(8, x.channels / 4) : x.channels;
    auto y = activated(conv(x, {.out = inner, .kernel = is_bottleneck ? 1 : 3}));
    if (is_bottleneck) y = activated(conv(y, {.out = y.channels, .kernel = 3}));
    // The second convolution may not shrink: both sides of the sum are alike.
    work_ += static_cast<double>(w_.model().batch * side_ * side_ * y.channels) * static_cast<double>(x.channels);
    return activated(w_.binary("Add", w_.conv_norm(y, {.out = x.channels}, 0.5f), x));
  }

  ZooTensor inverted_residual(const ZooTensor& x) {
    auto y = activated(conv(x, {.out = x.channels * one_of(std::array<std::int64_t, 3>{2, 4, 6})}));
    y = depthwise_of_side(y);
    if (one_to(1)) y = w_.binary("Mul", y, squeezed(y));
    work_ += static_cast<double>(w_.model().batch * side_ * side_ * y.channels) * static_cast<double>(x.channels);
    return w_.binary("Add", w_.conv_norm(y, {.out = x.channels}, 0.5f), x);
  }

  ZooTensor depthwise_of_side(const ZooTensor& x) {
    return activated(conv(x, {.out = x.channels, .kernel = one_to(2) ? 5 : 3, .groups = x.channels}));
  }

  /// {batch, channels, 1, 1}: a factor for each channel.
  ZooTensor squeezed(const ZooTensor& x) {
    const auto inner = std::max<std::int64_t>(8, x.channels / one_of(std::array<std::int64_t, 3>{4, 8, 16}));
    const auto y = w_.conv(activated(w_.conv(w_.global_pool(x), {.out = inner})), {.out = x.channels});
    return w_.act(one_to(2) ? "HardSigmoid" : "Sigmoid", y);
  }

  ZooTensor branches(const ZooTensor& x) {
    std::vector<ZooTensor> parts;
    if (one_to(2)) parts.push_back(x);
    const auto count = 2 + random_() % 3;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto from = one_to(4) ? w_.pool(one_to(1) ? "MaxPool" : "AveragePool", x, 3, 1, 1) : x;
      parts.push_back(activated(conv(from, {.out = draw_channels(128), .kernel = one_to(1) ? 3 : 1})));
    }
    return w_.concat(parts);
  }

  ZooTensor pooled(const ZooTensor& x) {
    const char* type = one_to(2) ? "AveragePool" : "MaxPool";
    if (side_ < 8 || one_to(3)) return w_.pool(type, x, 3, 1, 1);
    const bool overlaps = one_to(1);
    side_ = overlaps ? (side_ - 1) / 2 + 1 : side_ / 2;
    return overlaps ? w_.pool(type, x, 3, 2, 1) : w_.pool(type, x, 2, 2);
  }

  ZooTensor upsampled(const ZooTensor& x) {
    side_ *= 2;
    return w_.resized(x, 2);
  }

  ZooTensor shuffled(const ZooTensor& x) {
    return w_.shuffled(x, x.channels % 4 == 0 ? 4 : x.channels % 2 == 0 ? 2 : 1, side_);
  }

  ZooTensor halves(const ZooTensor& x) {
    if (x.channels < 16) return depthwise_of_side(x);
    const std::int64_t half = x.channels / 2;
    const auto right = w_.slice(x, 1, half, x.channels);
    return w_.concat({w_.slice(x, 1, 0, half), depthwise_of_side({right.name, x.channels - half})});
  }

  // Words, {batch, words_, numbers}.

  ZooTensor words() {
    words_ = log_uniform(1, 384);
    const std::int64_t numbers = 32 * log_uniform(2, std::clamp<std::int64_t>(2048 / words_, 2, 24));
    auto x = w_.input({w_.model().batch, words_, numbers});
    const auto blocks = log_uniform(2, 12);
    for (std::int64_t i = 0; i < blocks && work_ < most_work; ++i) x = word_block(x);
    return one_to(1) ? x : vectors(rows_of(w_.mean(x, 1)));
  }

  ZooTensor word_block(const ZooTensor& x) {
    switch (random_() % 8) {
      case 0:
      case 1:
        return w_.layer_norm(w_.binary("Add", x, attention(x)));
      case 2:
      case 3: {
        const auto inner = activated(dense(x, x.channels * one_of(std::array<std::int64_t, 3>{2, 3, 4})));
        const auto y = w_.binary("Add", x, dense(inner, x.channels));
        return one_to(2) ? y : w_.layer_norm(y);
      }
      case 4: {
        const auto gate = w_.act("Sigmoid", dense(x, x.channels));
        return w_.binary("Mul", dense(x, x.channels), gate);
      }
      case 5:
        return w_.layer_norm(x);
      case 6: {  // words mixed, as in a mixer
        const auto mixed = activated(w_.dense(w_.transpose(x, {0, 2, 1}, words_), words_));
        return w_.binary("Add", x, w_.transpose(mixed, {0, 2, 1}, x.channels));
      }
      default:
        return activated(dense(x, 32 * log_uniform(2, 32)));
    }
  }

  ZooTensor dense(const ZooTensor& x, std::int64_t out) {
    work_ += static_cast<double>(w_.model().batch * words_) * static_cast<double>(x.channels * out);
    return w_.dense(x, out);
  }

  ZooTensor attention(const ZooTensor& x) {
    const std::int64_t head = x.channels % 64 == 0 && one_to(1) ? 64 : 32;
    const auto rows = static_cast<double>(w_.model().batch * words_), numbers = static_cast<double>(x.channels);
    work_ += rows * numbers * (4 * numbers + 2 * static_cast<double>(words_));
    return write_attention(w_, x, words_, x.channels / head);
  }

  // Vectors, {rows_, numbers}.

  ZooTensor drawn_rows() {
    rows_ = (one_to(2) ? log_uniform(2, 64) : 1) * w_.model().batch;
    return w_.input({rows_, log_uniform(16, 4096)});
  }

  ZooTensor rows_of(const ZooTensor& x) {
    rows_ = w_.model().batch;
    return x;
  }

  ZooTensor vectors(ZooTensor x) {
    const auto layers = log_uniform(1, 6);
    for (std::int64_t i = 0; i < layers; ++i) {
      const std::int64_t most = std::min(most_weights, static_cast<std::int64_t>(most_work / 4) / rows_) / x.channels;
      const std::int64_t out = std::min(log_uniform(8, 4096), std::max<std::int64_t>(8, most));
      x = one_to(4) ? w_.dense(x, out) : w_.linear(x, out);
      x = one_to(5) ? w_.layer_norm(x) : activated(x);
    }
    return one_to(2) ? w_.act("Softmax", x) : x;
  }

  std::int64_t side_ = 0, words_ = 0, rows_ = 0;
};

}  // namespace

void write_random_chain(ZooWriter& w) {
  if (w.model().depth > last_classic_chain) return write_wide_chain(w);
  if (w.model().depth > last_graph_chain) return write_classic_chain(w);
  if (w.model().depth > last_plain_chain) return write_graph_chain(w);
  RandomChain(w).write();
}

}  // namespace takt
