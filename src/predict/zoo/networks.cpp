// Families of pictures whose blocks are plain convolutions.
#include <array>

#include "predict/zoo/writer.h"

namespace takt {
namespace {

constexpr std::int64_t classes = 1000;

void classify(ZooWriter& w, const ZooTensor& x) { w.finish(w.linear(w.flat(w.global_pool(x), x.channels), classes)); }

/// The way around a block where it changes the shape; else the block's input.
ZooTensor shortcut(ZooWriter& w, const ZooTensor& x, std::int64_t out, std::int64_t stride) {
  return stride == 1 && x.channels == out ? x : w.conv_norm(x, {.out = out, .stride = stride}, 1);
}

ZooTensor basic_block(ZooWriter& w, const ZooTensor& x, std::int64_t out, std::int64_t stride) {
  auto y = w.act("Relu", w.conv_norm(x, {.out = out, .kernel = 3, .stride = stride}));
  y = w.conv_norm(y, {.out = out, .kernel = 3}, 0.5f);
  return w.act("Relu", w.binary("Add", y, shortcut(w, x, out, stride)));
}

ZooTensor bottleneck(ZooWriter& w, const ZooTensor& x, std::int64_t inner, std::int64_t stride) {
  auto y = w.act("Relu", w.conv_norm(x, {.out = inner}));
  y = w.act("Relu", w.conv_norm(y, {.out = inner, .kernel = 3, .stride = stride}));
  y = w.conv_norm(y, {.out = inner * 4}, 0.5f);
  return w.act("Relu", w.binary("Add", y, shortcut(w, x, inner * 4, stride)));
}

std::array<int, 4> resnet_blocks(int depth) {
  switch (depth) {
    case 10:
      return {1, 1, 1, 1};
    case 18:
    case 26:
      return {2, 2, 2, 2};
    default:
      return {3, 4, 6, 3};
  }
}

ZooTensor fire(ZooWriter& w, const ZooTensor& x, double squeeze, double expand) {
  const auto s = w.act("Relu", w.conv(x, {.out = w.scaled(squeeze)}));
  return w.concat({w.act("Relu", w.conv(s, {.out = w.scaled(expand)})),
                   w.act("Relu", w.conv(s, {.out = w.scaled(expand), .kernel = 3}))});
}

ZooTensor dense_layer(ZooWriter& w, const ZooTensor& x, std::int64_t growth) {
  auto y = w.conv_norm(w.act("Relu", w.norm(x)), {.out = growth * 4});
  y = w.conv(w.act("Relu", y), {.out = growth, .kernel = 3, .bias = false});
  return w.concat({x, y});
}

/// Channels of the branches: 1×1; 1×1 then 3×3; 1×1 then 5×5; pooled, then 1×1.
struct Branches {
  double one, three_in, three, five_in, five, pooled;
};

ZooTensor inception_module(ZooWriter& w, const ZooTensor& x, const Branches& m) {
  const auto conv = [&](const ZooTensor& from, double out, std::int64_t kernel) {
    return w.act("Relu", w.conv_norm(from, {.out = w.scaled(out), .kernel = kernel}));
  };
  return w.concat({conv(x, m.one, 1), conv(conv(x, m.three_in, 1), m.three, 3), conv(conv(x, m.five_in, 1), m.five, 5),
                   conv(w.pool("MaxPool", x, 3, 1, 1), m.pooled, 1)});
}

}  // namespace

void write_resnet(ZooWriter& w) {
  const int depth = w.model().depth;
  const bool is_basic = depth != 26 && depth != 50;
  auto x = w.act("Relu", w.conv_norm(w.picture(), {.out = w.scaled(64), .kernel = 7, .stride = 2}));
  x = w.pool("MaxPool", x, 3, 2, 1);
  double channels = 64;
  for (const int blocks : resnet_blocks(depth)) {
    for (int block = 0; block < blocks; ++block) {
      const std::int64_t stride = block == 0 && channels > 64 ? 2 : 1;
      x = is_basic ? basic_block(w, x, w.scaled(channels), stride) : bottleneck(w, x, w.scaled(channels), stride);
    }
    channels *= 2;
  }
  classify(w, x);
}

void write_vgg(ZooWriter& w) {
  const int depth = w.model().depth;
  constexpr std::array<double, 5> channels{64, 128, 256, 512, 512};
  const std::array<int, 5> layers = depth == 11   ? std::array<int, 5>{1, 1, 2, 2, 2}
                                    : depth == 13 ? std::array<int, 5>{2, 2, 2, 2, 2}
                                                  : std::array<int, 5>{2, 2, 3, 3, 3};
  auto x = w.picture();
  for (std::size_t stage = 0; stage < channels.size(); ++stage) {
    for (int layer = 0; layer < layers[stage]; ++layer)
      x = w.act("Relu", w.conv(x, {.out = w.scaled(channels[stage]), .kernel = 3}));
    x = w.pool("MaxPool", x, 2, 2);
  }
  const std::int64_t side = w.model().input / 32;
  x = w.flat(x, x.channels * side * side);
  x = w.act("Relu", w.linear(x, w.scaled(1024)));  // a quarter of the paper's, whose weights would outgrow the zoo's
  w.finish(w.linear(w.act("Relu", w.linear(x, w.scaled(1024))), classes));
}

void write_squeezenet(ZooWriter& w) {
  const bool is_first = w.model().depth == 10;
  auto x = w.picture();
  x = w.act("Relu", w.conv(x, {.out = w.scaled(is_first ? 96 : 64), .kernel = is_first ? 7 : 3, .stride = 2}));
  x = w.pool("MaxPool", x, 3, 2, 1);
  x = fire(w, fire(w, x, 16, 64), 16, 64);
  if (is_first) x = fire(w, x, 32, 128);
  x = w.pool("MaxPool", x, 3, 2, 1);
  if (!is_first) x = fire(w, x, 32, 128);
  x = fire(w, x, 32, 128);
  if (!is_first) x = w.pool("MaxPool", x, 3, 2, 1);
  x = fire(w, fire(w, fire(w, x, 48, 192), 48, 192), 64, 256);
  if (is_first) x = w.pool("MaxPool", x, 3, 2, 1);
  x = fire(w, x, 64, 256);
  x = w.act("Relu", w.conv(x, {.out = classes}));
  w.finish(w.flat(w.global_pool(x), classes));
}

void write_densenet(ZooWriter& w) {
  const std::array<int, 4> layers =
      w.model().depth == 121 ? std::array<int, 4>{6, 12, 24, 16} : std::array<int, 4>{4, 6, 10, 7};
  const std::int64_t growth = w.scaled(32);
  auto x = w.act("Relu", w.conv_norm(w.picture(), {.out = growth * 2, .kernel = 7, .stride = 2}));
  x = w.pool("MaxPool", x, 3, 2, 1);
  for (std::size_t block = 0; block < layers.size(); ++block) {
    for (int layer = 0; layer < layers[block]; ++layer) x = dense_layer(w, x, growth);
    if (block + 1 == layers.size()) continue;
    x = w.conv(w.act("Relu", w.norm(x)), {.out = x.channels / 16 * 8, .bias = false});
    x = w.pool("AveragePool", x, 2, 2);
  }
  classify(w, w.act("Relu", w.norm(x)));
}

void write_inception(ZooWriter& w) {
  constexpr std::array<Branches, 9> modules{{{64, 96, 128, 16, 32, 32},
                                             {128, 128, 192, 32, 96, 64},
                                             {192, 96, 208, 16, 48, 64},
                                             {160, 112, 224, 24, 64, 64},
                                             {128, 128, 256, 24, 64, 64},
                                             {112, 144, 288, 32, 64, 64},
                                             {256, 160, 320, 32, 128, 128},
                                             {256, 160, 320, 32, 128, 128},
                                             {384, 192, 384, 48, 128, 128}}};
  auto x = w.act("Relu", w.conv_norm(w.picture(), {.out = w.scaled(64), .kernel = 7, .stride = 2}));
  x = w.pool("MaxPool", x, 3, 2, 1);
  x = w.act("Relu", w.conv_norm(x, {.out = w.scaled(64)}));
  x = w.act("Relu", w.conv_norm(x, {.out = w.scaled(192), .kernel = 3}));
  x = w.pool("MaxPool", x, 3, 2, 1);
  for (std::size_t i = 0; i < modules.size(); ++i) {
    // Of the shorter one every second module is left out.
    const bool is_short = w.model().depth == 5;
    if (is_short && i % 2 == 1) continue;
    x = inception_module(w, x, modules[i]);
    if (i == (is_short ? 0u : 1u) || i == 6) x = w.pool("MaxPool", x, 3, 2, 1);
  }
  classify(w, x);
}

}  // namespace takt
