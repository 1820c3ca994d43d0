// Recurrent layers and attention.
#include "model/cost/rules.h"

namespace takt {
namespace {

double at(const Shape& shape, std::size_t index) { return static_cast<double>(shape[index]); }

// Scores and their use: products Q·Kᵀ and P·V, Softmax (5 and 1 sfu) on each score.
Work attention_core(double batch_heads, double queries, double keys, double query_depth, double value_depth) {
  const double scores = batch_heads * queries * keys;
  return {2 * scores * (query_depth + value_depth) + 5 * scores, scores};
}

}  // namespace

// X {T, B, I} (or batch first: the product is the same), W {D, G·H, I}, R {D, G·H, H}. For each direction, step and
// sample 2·G·H·(I + H), and on each of the H cells: LSTM 3 sigmoids (9 and 3 sfu), 2 tanh, 4 operations; GRU 2
// sigmoids, 1 tanh, 5 operations; RNN 1 tanh. Default activations are assumed; sequence_lens, which only runs know, is
// not.
std::optional<Work> recurrent(const OpView& op, const CostRule& rule) {
  const auto x = op.input_shape(0), w = op.input_shape(1), r = op.input_shape(2);
  if (!x || !w || !r || x->size() != 3 || w->size() != 3 || r->size() != 3) return std::nullopt;
  const double steps = at(*x, 0) * at(*x, 1) * at(*w, 0);
  const double hidden = at(*r, 2);
  return Work{steps * (2 * at(*w, 1) * (at(*w, 2) + hidden) + rule.flops * hidden), steps * rule.sfu_ops * hidden};
}

// ai.onnx Attention: Q, K, V of {B, heads, S, depth}, or {B, S, heads·depth} with the heads as attributes. K and V may
// be preceded by past ones, whose length adds to theirs.
std::optional<Work> attention(const OpView& op, const CostRule&) {
  const auto q = op.input_shape(0), k = op.input_shape(1), v = op.input_shape(2);
  if (!q || !k || !v || q->size() != k->size() || q->size() != v->size()) return std::nullopt;
  double past = 0;
  if (op.has_input(4)) {
    const auto past_key = op.input_shape(4);
    if (!past_key || past_key->size() != 4) return std::nullopt;
    past = at(*past_key, 2);
  }
  if (q->size() == 4) {
    return attention_core(at(*q, 0) * at(*q, 1), at(*q, 2), at(*k, 2) + past, at(*q, 3), at(*v, 3));
  }
  const auto heads = static_cast<double>(op.integer("q_num_heads", 0));
  const auto value_heads = static_cast<double>(op.integer("kv_num_heads", 0));
  if (q->size() != 3 || heads < 1 || value_heads < 1) return std::nullopt;
  return attention_core(at(*q, 0) * heads, at(*q, 1), at(*k, 1) + past, at(*q, 2) / heads, at(*v, 2) / value_heads);
}

// com.microsoft Attention: X {B, S, C} times W {C, 3·H} makes Q, K and V, then the core. Past keys and values {2, B,
// heads, P, depth} come before the new ones (`rule.flops`: which input they are). No rule with Q, K and V of different
// sizes.
std::optional<Work> packed_attention(const OpView& op, const CostRule& rule) {
  const auto past = static_cast<std::size_t>(rule.flops);
  const auto x = op.input_shape(0), w = op.input_shape(1), before = op.input_shape(past);
  const auto heads = static_cast<double>(op.integer("num_heads", 0));
  if (!x || !w || x->size() != 3 || w->size() != 2 || heads < 1) return std::nullopt;
  if (op.integers("qkv_hidden_sizes") || (op.has_input(past) && (!before || before->size() != 5))) return std::nullopt;
  const double batch = at(*x, 0), length = at(*x, 1), depth = at(*w, 1) / 3 / heads;
  Work work = attention_core(batch * heads, length, length + (before ? at(*before, 3) : 0), depth, depth);
  work.flops += 2 * batch * length * at(*x, 2) * at(*w, 1);
  return work;
}

// com.microsoft MultiHeadAttention: Q {B, S, H}, K {B, L, H}, V {B, L, Hv}, or K and V of {B, heads, L, depth}; past
// keys {B, heads, P, depth} come before. No rule for packed forms.
std::optional<Work> multi_head_attention(const OpView& op, const CostRule&) {
  const auto q = op.input_shape(0), k = op.input_shape(1), v = op.input_shape(2), before = op.input_shape(6);
  const auto heads = static_cast<double>(op.integer("num_heads", 0));
  if (!q || !k || !v || q->size() != 3 || k->size() != v->size() || heads < 1) return std::nullopt;
  if (op.has_input(6) && (!before || before->size() != 4)) return std::nullopt;
  const double past = before ? at(*before, 2) : 0, batch_heads = at(*q, 0) * heads, depth = at(*q, 2) / heads;
  if (k->size() == 3) return attention_core(batch_heads, at(*q, 1), at(*k, 1) + past, depth, at(*v, 2) / heads);
  if (k->size() != 4) return std::nullopt;
  return attention_core(batch_heads, at(*q, 1), at(*k, 2) + past, depth, at(*v, 3));
}

// com.microsoft GroupQueryAttention: Q {B, S, heads·depth}, or Q, K and V side by side; K and V of fewer heads. Its keys
// are the past ones {B, heads, P, depth} and the new ones. Where the past is a buffer for all that may come, only runs
// know how much of it is used. With rotation 3 for each number of Q and K.
std::optional<Work> grouped_attention(const OpView& op, const CostRule&) {
  const auto q = op.input_shape(0), past = op.input_shape(3), kept = op.output_shape(1);
  const auto heads = static_cast<double>(op.integer("num_heads", 0));
  const auto key_heads = static_cast<double>(op.integer("kv_num_heads", 0));
  if (!q || q->size() != 3 || heads < 1 || key_heads < 1) return std::nullopt;
  const bool is_packed = !op.has_input(1);
  const double rows = at(*q, 0) * at(*q, 1), depth = at(*q, 2) / (is_packed ? heads + 2 * key_heads : heads);
  double keys = at(*q, 1);
  if (op.has_input(3)) {
    if (!past || past->size() != 4) return std::nullopt;
    keys += at(*past, 2);
    if (op.output(1) && (!kept || kept->size() != 4 || at(*kept, 2) != keys)) return std::nullopt;
  }
  Work work = attention_core(at(*q, 0) * heads, at(*q, 1), keys, depth, depth);
  if (op.integer("do_rotary", 0) != 0) work.flops += 3 * rows * (heads + key_heads) * depth;
  return work;
}

}  // namespace takt
