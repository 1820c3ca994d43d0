#include "model/inputs/usual_sizes.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/text.h"
#include "model/graph/attributes.h"

namespace takt {
namespace {

// One is late: a table of positions, say, spreads over one word without complaint, which is no run worth measuring.
constexpr std::array<std::int64_t, 17> others{64,   224, 32, 8, 128,  256, 512,  100,  640,
                                              3000, 1,   3,  2, 1536, 480, 4096, 16000};

bool mentions(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](auto word) { return name.find(word) != std::string_view::npos; });
}

std::optional<std::int64_t> by_name(const std::string& symbol, std::size_t index) {
  const std::string name = lower_case(symbol);
  if (mentions(name, {"batch"}) || name == "n" || name == "b" || name == "bs") return 1;
  if (mentions(name, {"height", "width"}) || name == "h" || name == "w") return 224;
  if (mentions(name, {"channel"}) || name == "c") return 3;
  if (mentions(name, {"sample", "signal", "wave"})) return index == 0 ? 1 : 16000;
  if (mentions(name, {"seq", "len", "token"}) || name == "s" || name == "t") return 16;
  if (mentions(name, {"time", "frame"})) return 100;
  return std::nullopt;
}

bool is_floating(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f16 || type == ElementType::bf16 || type == ElementType::f64;
}

bool is_fixed(const Port& input, std::size_t index) { return input.shape[index].value.has_value(); }

/// A wave form: {length}, {batch, length} or {batch, 1, length} of an input that is called like sound, or as the most
/// used library of such models calls it (input_values).
bool is_sound(const Port& input) {
  const std::string name = lower_case(input.name);
  const auto rank = input.shape.size();
  if (!is_floating(input.type) || !mentions(name, {"audio", "wav", "signal", "speech", "sound", "pcm", "input_values"}))
    return false;
  return rank == 1 || rank == 2 || (rank == 3 && input.shape[1].value.value_or(1) <= 2);
}

/// What a recurrent model carries from call to call, {layers, batch, width}: the middle is the batch, not a length.
bool is_state(const Port& input) {
  if (input.shape.size() != 3 || !is_fixed(input, 0) || !is_fixed(input, 2)) return false;
  const std::string name = lower_case(input.name);
  return *input.shape[0].value > 1 || mentions(name, {"state", "hidden", "cell"}) || name == "h" || name == "c" ||
         name.starts_with("h0") || name.starts_with("c0") || name.starts_with("h_") || name.starts_with("c_");
}

/// What a decoder keeps of earlier words, {batch, heads, words, width}.
bool is_kept(const Port& input) {
  return input.shape.size() == 4 && is_fixed(input, 1) && is_fixed(input, 3) && !is_fixed(input, 2);
}

std::int64_t by_place(const Port& input, std::size_t index, bool channels_last) {
  const auto rank = input.shape.size();
  if (is_sound(input) && index + 1 == rank) return 16000;
  if (index == 0) return 1;
  if (is_state(input)) return 1;
  if (rank != 4 || is_kept(input)) return 16;
  return index == (channels_last ? 3U : 1U) ? 3 : 224;
}

/// Operators that leave every dimension where it is.
bool keeps_places(const Op& op) {
  static const std::set<std::string_view> keeping{
      "Cast", "Sub", "Add", "Mul", "Div", "Identity", "QuantizeLinear", "DequantizeLinear", "Clip"};
  return keeping.contains(op.type);
}

bool brings_channels_to_front(const Op& op) {
  const auto* perm = integers_attribute(op, "perm");
  return op.type == "Transpose" && perm && *perm == std::vector<std::int64_t>{0, 3, 1, 2};
}

/// Whether what reads the input, after steps that keep the places, is such a Transpose; nullopt: something else.
std::optional<bool> is_turned_at_once(const Graph& graph, const std::string& input) {
  const auto id = graph.find_tensor(input);
  if (!id) return std::nullopt;
  std::set<TensorId> same_places{*id};
  for (const auto& op : graph.ops) {  // in order of execution
    if (op.inputs.empty() || !same_places.contains(op.inputs[0])) continue;
    if (brings_channels_to_front(op)) return true;
    if (op.type == "Conv") return false;
    if (keeps_places(op)) same_places.insert(op.outputs.begin(), op.outputs.end());
  }
  return std::nullopt;
}

}  // namespace

std::int64_t usual_size(const Port& input, std::size_t index, bool channels_last) {
  const auto& symbol = input.shape[index].symbol;
  const auto named = symbol.empty() ? std::nullopt : by_name(symbol, index);
  // "length" and "time" of sound are its samples.
  if (named && !(is_sound(input) && index + 1 == input.shape.size() && *named != 1)) return *named;
  return by_place(input, index, channels_last);
}

std::span<const std::int64_t> other_sizes() { return others; }

bool has_channels_last(const Graph* graph, const Port& input) {
  if (input.shape.size() != 4) return false;
  const auto few = [&](std::size_t index) { return input.shape[index].value && *input.shape[index].value <= 4; };
  if (is_fixed(input, 1)) return false;
  if (is_fixed(input, 3)) return few(3);
  const auto turned = graph ? is_turned_at_once(*graph, input.name) : std::nullopt;
  return turned.value_or(input.type == ElementType::u8);
}

}  // namespace takt
