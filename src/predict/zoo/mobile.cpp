// Families whose blocks widen, filter each channel alone, and narrow again.
#include <algorithm>
#include <vector>

#include "predict/zoo/writer.h"

namespace takt {
namespace {

/// Blocks of one shape: how much they widen, their channels, how many, the stride of the first, the filter.
struct MobileStage {
  std::int64_t expand;
  double channels;
  int blocks;
  std::int64_t stride, kernel = 3;
};

/// Of a shorter network half of the blocks, at least one.
int blocks_of(const MobileStage& stage, bool is_short) { return is_short ? (stage.blocks + 1) / 2 : stage.blocks; }

ZooTensor inverted_residual(ZooWriter& w, const ZooTensor& x, const MobileStage& s, std::int64_t stride) {
  const std::int64_t out = w.scaled(s.channels), inner = x.channels * s.expand;
  auto y = s.expand == 1 ? x : w.relu6(w.conv_norm(x, {.out = inner}));
  y = w.relu6(w.conv_norm(y, {.out = inner, .kernel = s.kernel, .stride = stride, .groups = inner}));
  y = w.conv_norm(y, {.out = out}, 0.7f);
  return stride == 1 && x.channels == out ? w.binary("Add", x, y) : y;
}

/// Weighs the channels by what the whole picture says.
ZooTensor squeeze_and_excite(ZooWriter& w, const ZooTensor& x, std::int64_t squeezed) {
  const auto s = w.swish(w.conv(w.global_pool(x), {.out = squeezed}));
  return w.binary("Mul", x, w.act("Sigmoid", w.conv(s, {.out = x.channels})));
}

ZooTensor efficient_block(ZooWriter& w, const ZooTensor& x, const MobileStage& s, std::int64_t stride) {
  const std::int64_t out = w.scaled(s.channels), inner = x.channels * s.expand;
  auto y = s.expand == 1 ? x : w.swish(w.conv_norm(x, {.out = inner}));
  y = w.swish(w.conv_norm(y, {.out = inner, .kernel = s.kernel, .stride = stride, .groups = inner}));
  y = squeeze_and_excite(w, y, std::max<std::int64_t>(8, x.channels / 4));
  y = w.conv_norm(y, {.out = out}, 0.7f);
  return stride == 1 && x.channels == out ? w.binary("Add", x, y) : y;
}

template <typename Block>
ZooTensor add_stages(ZooWriter& w, ZooTensor x, const std::vector<MobileStage>& stages, bool is_short,
                     const Block& block) {
  for (const MobileStage& stage : stages)
    for (int i = 0; i < blocks_of(stage, is_short); ++i) x = block(w, x, stage, i == 0 ? stage.stride : 1);
  return x;
}

}  // namespace

void write_mobilenet(ZooWriter& w) {
  const std::vector<MobileStage> stages{{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                                        {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  auto x = w.relu6(w.conv_norm(w.picture(), {.out = w.scaled(32), .kernel = 3, .stride = 2}));
  x = add_stages(w, x, stages, w.model().depth == 10, inverted_residual);
  x = w.relu6(w.conv_norm(x, {.out = std::max<std::int64_t>(1280, w.scaled(1280))}));
  w.finish(w.linear(w.flat(w.global_pool(x), x.channels), 1000));
}

void write_efficientnet(ZooWriter& w) {
  const std::vector<MobileStage> stages{{1, 16, 1, 1},     {6, 24, 2, 2},     {6, 40, 2, 2, 5}, {6, 80, 3, 2},
                                        {6, 112, 3, 1, 5}, {6, 192, 4, 2, 5}, {6, 320, 1, 1}};
  auto x = w.swish(w.conv_norm(w.picture(), {.out = w.scaled(32), .kernel = 3, .stride = 2}));
  x = add_stages(w, x, stages, w.model().depth == 9, efficient_block);
  x = w.swish(w.conv_norm(x, {.out = w.scaled(1280)}));
  w.finish(w.linear(w.flat(w.global_pool(x), x.channels), 1000));
}

}  // namespace takt
