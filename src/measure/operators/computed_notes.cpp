#include "measure/operators/computed_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/basics/text.h"
#include "model/graph/placed_ops.h"
#include "model/runtime/runtime.h"

namespace takt {
namespace {

/// What chooses, compares or converts numbers says nothing of those that a model computes with: a mask is one of bytes.
bool computes(const std::string& type) {
  static const std::set<std::string_view> none{
      "CastLike", "Where",          "Not",     "And",      "Or",       "Xor",   "Equal", "Less", "LessOrEqual",
      "Greater",  "GreaterOrEqual", "NonZero", "Compress", "BitShift", "OneHot"};
  return !moves_data(type) && !none.contains(type);
}

using NodeTimes = std::unordered_map<const ExecutedNode*, Nanoseconds>;

NodeTimes times_of(const RunPass& pass) {
  NodeTimes times;
  for (const auto& run : pass.ops)
    for (const OpSample& sample : run)
      if (computes(sample.node->type) && sample.node->computed_in) times[sample.node.get()] += sample.self();
  return times;
}

double share(Nanoseconds part, Nanoseconds whole) {
  return whole.count() > 0 ? static_cast<double>(part.count()) / static_cast<double>(whole.count()) : 0;
}

bool is_float(ElementType type) { return type != ElementType::i8 && type != ElementType::u8; }

/// "int8", whether the numbers have a sign or not.
std::string words(ElementType type) { return is_float(type) ? std::string(type_name(type)) : "int8"; }

Nanoseconds sum(const NodeTimes& times) {
  Nanoseconds all{};
  for (const auto& [node, time] : times) all += time;
  return all;
}

/// "computed in int8 (62 % of the time of operators) and float32 (38 %)"; empty: all in the type of a usual model.
std::string by_type(const NodeTimes& times) {
  constexpr double least = 0.01;
  std::map<std::string, Nanoseconds> types;
  for (const auto& [node, time] : times) types[words(*node->computed_in)] += time;
  std::vector<std::pair<double, std::string>> shares;
  for (const auto& [type, time] : types)
    if (const double part = share(time, sum(times)); part >= least) shares.emplace_back(-part, type);
  std::sort(shares.begin(), shares.end());
  if (shares.empty() || (shares.size() == 1 && shares[0].second == type_name(ElementType::f32))) return "";
  std::string text = "computed in ";
  for (std::size_t i = 0; i < shares.size(); ++i)
    text += fmt::format("{}{} ({:.0f} %{})",
                        i == 0                   ? ""
                        : i + 1 == shares.size() ? " and "
                                                 : ", ",
                        shares[i].second, -100 * shares[i].first, i == 0 ? " of the time of operators" : "");
  return text;
}

/// Convolutions and products whose operands are quantised numbers already.
bool is_of_integers(std::string_view type) {
  static const std::set<std::string_view> types{"ConvInteger",   "MatMulInteger", "QLinearConv",
                                                "QLinearMatMul", "QGemm",         "DynamicQuantizeMatMul"};
  return types.contains(type);
}

bool is_heavy(std::string_view type) {
  static const std::set<std::string_view> types{"Conv", "ConvTranspose", "MatMul", "Gemm", "LSTM", "GRU", "RNN"};
  return types.contains(type) || is_of_integers(type);
}

/// What makes each tensor of a graph, and whether it computes with quantised numbers.
struct QuantisedModel {
  explicit QuantisedModel(const Graph& graph) : placed(placed_ops(graph)) {
    for (const PlacedOp& one : placed) {
      by_path.emplace(one.path, &one);
      for (const TensorId id : one.op->outputs)
        if (id != no_tensor) makers.emplace(std::pair(one.graph, id), one.op);
      const std::string& type = one.op->type;
      has_quantised_activations = has_quantised_activations || type == "QuantizeLinear" ||
                                  type == "DynamicQuantizeLinear" || type.starts_with("QLinear") ||
                                  type.ends_with("Integer");
    }
  }

  /// Both operands come out of a DequantizeLinear.
  bool has_pairs(const PlacedOp& one) const {
    int dequantised = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, one.op->inputs.size()); ++i) {
      const auto maker = makers.find(std::pair(one.graph, one.op->inputs[i]));
      dequantised += maker != makers.end() && maker->second->type == "DequantizeLinear";
    }
    return dequantised == 2;
  }

  std::vector<PlacedOp> placed;
  std::map<std::string, const PlacedOp*> by_path;
  std::map<std::pair<const Graph*, TensorId>, const Op*> makers;
  bool has_quantised_activations = false;
};

/// Heavy operators of the model by what they ran in.
struct HeavyOps {
  std::set<std::string> all, unfolded, unquantised, integers;  ///< of all but the first: in floating point
  std::set<std::string> types;                                 ///< that they ran in
  Nanoseconds in_float{};
};

HeavyOps heavy_ops(const NodeTimes& times, const QuantisedModel& model) {
  HeavyOps heavy;
  for (const auto& [node, time] : times) {
    bool is_counted = false;
    for (const std::string& path : node->model_ops) {
      const auto found = model.by_path.find(path);
      if (found == model.by_path.end() || !is_heavy(found->second->op->type)) continue;
      heavy.all.insert(path);
      if (!is_float(*node->computed_in)) continue;
      auto& kind = is_of_integers(found->second->op->type) ? heavy.integers
                   : model.has_pairs(*found->second)       ? heavy.unfolded
                                                           : heavy.unquantised;
      kind.insert(path);
      heavy.types.emplace(type_name(*node->computed_in));
      if (!std::exchange(is_counted, true)) heavy.in_float += time;
    }
  }
  return heavy;
}

std::string some_of(const std::set<std::string>& names) {
  constexpr std::size_t most = 4;
  std::vector<std::string> shown;
  for (const std::string& name : names)
    if (shown.size() < most) shown.push_back(printable(name));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

std::string in_float(const NodeTimes& times, const Graph& graph) {
  const QuantisedModel model(graph);
  if (!model.has_quantised_activations) return "";
  const HeavyOps heavy = heavy_ops(times, model);
  const std::size_t count = heavy.unfolded.size() + heavy.unquantised.size() + heavy.integers.size();
  if (count == 0) return "";
  const std::string text = fmt::format(
      "the model is quantised, but {} of {} convolutions, products and recurrences ran in {}, {:.0f} % of the time of "
      "operators:",
      count, heavy.all.size(), fmt::join(heavy.types, "+"), 100 * share(heavy.in_float, sum(times)));
  std::vector<std::string> reasons;
  const auto add = [&](const std::set<std::string>& names, std::string_view why) {
    if (!names.empty()) reasons.push_back(fmt::format("{} ({})", some_of(names), why));
  };
  add(heavy.unfolded, "the runtime has no int8 kernel for their QuantizeLinear and DequantizeLinear pairs as they are");
  add(heavy.integers, "the runtime has no int8 kernel for them");
  add(heavy.unquantised, "the model does not quantise both of their inputs");
  return fmt::format("{} {}", text, fmt::join(reasons, "; "));
}

/// Where another runtime of this binary opens the file, too.
std::string other_runtimes(const RunResult& result) {
  const std::vector<std::string> readers = runtimes_reading(result.model);
  if (readers.size() < 2) return "";
  return fmt::format("; --vary runtime={} shows what another runtime makes of it", fmt::join(readers, ","));
}

}  // namespace

std::vector<std::string> computed_notes(const RunResult& result) {
  if (!result.profiled) return {};
  const NodeTimes times = times_of(*result.profiled);
  std::vector<std::string> notes;
  if (auto text = by_type(times); !text.empty()) notes.push_back(std::move(text));
  if (auto text = result.graph ? in_float(times, *result.graph) : ""; !text.empty())
    notes.push_back(text + other_runtimes(result));
  return notes;
}

}  // namespace takt
