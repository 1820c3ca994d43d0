// Random chains in the manner of the convolutional networks of 2012 to 2017: a wide first convolution with a large
// stride, normalisation over neighbouring channels, convolutions in groups between which channels are shuffled,
// branches without normalisation, and layers of thousands of numbers at the end.
#include "predict/zoo/chain.h"

namespace takt {
namespace {

class ClassicChain : ZooChain {
 public:
  explicit ClassicChain(ZooWriter& w) : ZooChain(w) {}

  void write() {
    auto x = first();
    const auto blocks = log_uniform(3, 12);
    for (std::int64_t i = 0; i < blocks && work_ < most_work; ++i) x = block(x);
    w_.finish(last(x));
  }

 private:
  ZooTensor first() {
    side_ = log_uniform(64, 227);
    const auto kernel = one_of(std::array<std::int64_t, 4>{3, 5, 7, 11});
    const auto stride = kernel == 11 ? 4 : one_of(std::array<std::int64_t, 3>{1, 2, 2});
    const ZooTensor x{w_.input({w_.model().batch, 3, side_, side_}).name, 3};
    const auto pad = one_to(1) ? 0 : kernel / 2;
    auto y = relu(conv(x, {.out = 8 * log_uniform(2, 12), .kernel = kernel, .stride = stride, .pad = pad}));
    if (one_to(1)) y = local_norm(y);
    return side_ > 56 ? pooled(y) : y;
  }

  ZooTensor block(const ZooTensor& x) {
    switch (random_() % 8) {
      case 0:
        return local_norm(x);
      case 1:
        return side_ >= 8 ? pooled(x) : relu(conv(x, {.out = x.channels, .kernel = 3}));
      case 2:
        return inception(x);
      case 3:
      case 4:
        return shuffle_unit(x);
      case 5:
      case 6:
        return relu(in_groups(x, one_of(std::array<std::int64_t, 4>{1, 3, 3, 5})));
      default:
        return relu(conv(x, {.out = 8 * log_uniform(4, 64), .kernel = one_of(std::array<std::int64_t, 3>{1, 3, 5})}));
    }
  }

  ZooTensor last(const ZooTensor& x) {
    ZooTensor y = one_to(1) ? w_.flat(w_.global_pool(x), x.channels) : w_.flat(x, x.channels * side_ * side_);
    const auto layers = log_uniform(1, 3);
    for (std::int64_t i = 0; i < layers; ++i)
      y = relu(w_.linear(y, std::clamp<std::int64_t>(most_weights / y.channels / 8 * 8, 8, log_uniform(64, 4096))));
    return one_to(1) ? w_.act("Softmax", y) : y;
  }

  ZooTensor relu(const ZooTensor& x) { return one_to(5) ? activated(x) : w_.act("Relu", x); }

  ZooTensor local_norm(const ZooTensor& x) { return w_.local_norm(x, one_of(std::array<std::int64_t, 4>{3, 5, 5, 9})); }

  ZooTensor pooled(const ZooTensor& x) {
    const std::int64_t pad = one_to(1) ? 1 : 0;
    side_ = (side_ + 2 * pad - 3) / 2 + 1;
    return w_.pool(one_to(3) ? "AveragePool" : "MaxPool", x, 3, 2, pad);
  }

  /// Fewer channels where it would be too much work.
  ZooTensor conv(const ZooTensor& x, ConvShape shape) {
    const std::int64_t pad = shape.pad.value_or(shape.kernel / 2);
    side_ = (side_ + 2 * pad - shape.kernel) / shape.stride + 1;
    const std::int64_t products = shape.kernel * shape.kernel * x.channels / shape.groups;  // of one number
    const auto each = static_cast<double>(w_.model().batch * side_ * side_ * products);
    const std::int64_t step = 8 * shape.groups;
    while (shape.out > step && each * static_cast<double>(shape.out) > most_work / 3)
      shape.out = std::max(step, shape.out / 2 / step * step);
    work_ += each * static_cast<double>(shape.out);
    return w_.conv(x, shape);
  }

  /// As many groups as the channels can be divided by.
  std::int64_t drawn_groups(std::int64_t channels) {
    auto groups = one_of(std::array<std::int64_t, 5>{2, 2, 3, 4, 8});
    while (channels % groups != 0) --groups;
    return groups;
  }

  ZooTensor in_groups(const ZooTensor& x, std::int64_t kernel) {
    const std::int64_t groups = drawn_groups(x.channels);
    return conv(x, {.out = 8 * groups * log_uniform(2, std::max<std::int64_t>(2, 512 / groups / 8)),
                    .kernel = kernel,
                    .groups = groups});
  }

  /// Grouped, shuffled, one channel at a time, grouped, and added to what it came from or put beside its mean.
  ZooTensor shuffle_unit(const ZooTensor& x) {
    const std::int64_t groups = drawn_groups(x.channels), before = side_;
    auto y = conv(x, {.out = 8 * groups * log_uniform(1, 6), .groups = groups});
    if (one_to(1)) y = w_.norm(y);
    y = w_.shuffled(w_.act("Relu", y), groups, side_);
    const bool shrinks = side_ >= 8 && one_to(2);
    y = conv_alone(y, shrinks ? 2 : 1);
    y = conv(y, {.out = x.channels, .groups = y.channels % groups == 0 ? groups : 1});
    if (y.channels == x.channels && side_ == before) return relu(w_.binary("Add", x, y));
    return relu(shrinks && side_ == (before - 1) / 2 + 1 ? w_.concat({w_.pool("AveragePool", x, 3, 2, 1), y}) : y);
  }

  ZooTensor conv_alone(const ZooTensor& x, std::int64_t stride) {
    side_ = (side_ - 1) / stride + 1;
    work_ += static_cast<double>(w_.model().batch * side_ * side_ * 9 * x.channels);
    return w_.conv_norm(x, {.out = x.channels, .kernel = 3, .stride = stride, .groups = x.channels});
  }

  ZooTensor inception(const ZooTensor& x) {
    const auto narrow = [&](const ZooTensor& from, std::int64_t most) {
      return w_.act("Relu", conv(from, {.out = 8 * log_uniform(2, most)}));
    };
    const auto wide = [&](std::int64_t kernel) {
      const ZooTensor reduced = narrow(x, 16);
      return w_.act("Relu", conv(reduced, {.out = 8 * log_uniform(2, 32), .kernel = kernel}));
    };
    const ZooTensor single = narrow(x, 32), middle = wide(3), large = wide(5);
    return w_.concat({single, middle, large, narrow(w_.pool("MaxPool", x, 3, 1, 1), 16)});
  }

  std::int64_t side_ = 0;  // pictures are {batch, channels, side_, side_}
};

}  // namespace

void write_classic_chain(ZooWriter& w) { ClassicChain(w).write(); }

}  // namespace takt
