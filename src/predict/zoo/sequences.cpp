// Families that are products of matrices: encoders of text, plain layers.
#include <cmath>

#include "predict/zoo/writer.h"

namespace takt {
namespace {

/// {batch, words, numbers} as {batch, heads, words, numbers / heads}.
ZooTensor heads_of(ZooWriter& w, const ZooTensor& x, std::int64_t words, std::int64_t heads) {
  const auto parted = w.reshape(x, {w.model().batch, words, heads, x.channels / heads}, x.channels / heads);
  return w.transpose(parted, {0, 2, 1, 3}, parted.channels);
}

}  // namespace

ZooTensor write_attention(ZooWriter& w, const ZooTensor& x, std::int64_t words, std::int64_t heads) {
  const auto query = heads_of(w, w.dense(x, x.channels), words, heads);
  const auto key = heads_of(w, w.dense(x, x.channels), words, heads);
  const auto value = heads_of(w, w.dense(x, x.channels), words, heads);
  auto scores = w.binary("MatMul", query, w.transpose(key, {0, 1, 3, 2}, words));
  scores =
      w.act("Softmax", w.scaled_by(scores, static_cast<float>(1 / std::sqrt(static_cast<double>(query.channels)))));
  const auto seen = w.transpose(w.binary("MatMul", scores, value), {0, 2, 1, 3}, query.channels);
  return w.dense(w.reshape(seen, {w.model().batch, words, x.channels}, x.channels), x.channels);
}

void write_transformer(ZooWriter& w) {
  constexpr std::int64_t head = 32;  // numbers of a head; widths are multiples of 8
  const std::int64_t numbers = std::max(head, w.scaled(256) / head * head);
  auto x = w.input({w.model().batch, w.model().input, numbers});
  for (int layer = 0; layer < w.model().depth; ++layer) {
    x = w.layer_norm(w.binary("Add", x, write_attention(w, x, w.model().input, numbers / head)));
    const auto inner = w.gelu(w.dense(x, numbers * 4));
    x = w.layer_norm(w.binary("Add", x, w.dense(inner, numbers)));
  }
  w.finish(x);
}

void write_mlp(ZooWriter& w) {
  auto x = w.input({w.model().batch, w.model().input});
  for (int layer = 1; layer < w.model().depth; ++layer) x = w.act("Relu", w.linear(x, w.scaled(1024)));
  w.finish(w.linear(x, 10));
}

}  // namespace takt
