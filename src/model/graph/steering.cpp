#include "model/graph/steering.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "model/graph/makers.h"

namespace takt {
namespace {

/// What is asked of a tensor: what it holds, or only how large it is.
enum class Of { values, shape };

/// Operators whose results are as large as the values of an input say.
bool has_shape_of_values(const Op& op) {
  static const std::set<std::string_view> types{"NonZero",   "NonMaxSuppression",
                                                "Unique",    "Compress",
                                                "TopK",      "Reshape",
                                                "Range",     "ConstantOfShape",
                                                "Expand",    "Tile",
                                                "Slice",     "Resize",
                                                "Upsample",  "OneHot",
                                                "Pad",       "Split",
                                                "If",        "Loop",
                                                "Scan",      "SequenceAt",
                                                "Squeeze",   "Unsqueeze",
                                                "ReduceSum", "CenterCropPad",
                                                "Col2Im",    "DFT",
                                                "STFT"};
  return types.contains(op.type);
}

class Walk {
 public:
  explicit Walk(const Graph& graph) : graph_(graph), makers_(makers_of(graph)) {}

  /// Graph inputs whose values reach the tensor `id` of this graph.
  std::set<TensorId> sources(TensorId id) {
    seen_.clear();
    sources_.clear();
    ask(id, Of::values);
    while (!open_.empty()) {
      const auto [tensor, what] = open_.back();
      open_.pop_back();
      follow(tensor, what);
    }
    return std::move(sources_);
  }

  /// Tensors of this graph that a body, or one inside of it, reads.
  std::vector<TensorId> captured(const Graph& body) const {
    std::vector<TensorId> ids;
    for (const auto& tensor : body.tensors)
      if (tensor.is_captured)
        if (const auto id = graph_.find_tensor(tensor.name)) ids.push_back(*id);
    for (const auto& op : body.ops)
      for (const auto& [name, inner] : op.subgraphs) {
        const auto more = captured(*inner);
        ids.insert(ids.end(), more.begin(), more.end());
      }
    return ids;
  }

 private:
  void ask(TensorId id, Of what) {
    if (id != no_tensor && !graph_.tensor(id).is_constant && seen_.emplace(id, what).second)
      open_.emplace_back(id, what);
  }

  void follow(TensorId id, Of what) {
    const auto maker = makers_.find(id);
    if (maker == makers_.end()) {
      if (what == Of::values) sources_.insert(id);
      return;
    }
    const Op& op = *maker->second;
    const bool asks_shape = op.type == "Shape" || op.type == "Size" || op.type == "ShapeOf";
    for (std::size_t i = 0; i < op.inputs.size(); ++i)
      ask(op.inputs[i], asks_shape ? Of::shape : asked_of(op, i, what));
    for (const auto& [name, body] : op.subgraphs)
      for (const auto outside : captured(*body)) ask(outside, what);
  }

  /// To know how large a result is, most inputs need only be as large; some have to be read.
  static Of asked_of(const Op& op, std::size_t index, Of what) {
    if (what == Of::values || !has_shape_of_values(op)) return what;
    const bool first_is_data = op.type != "NonZero" && op.type != "NonMaxSuppression" && op.type != "Unique" &&
                               op.type != "Range" && op.type != "ConstantOfShape" && op.type != "If";
    return index == 0 && first_is_data ? Of::shape : Of::values;
  }

  const Graph& graph_;
  Makers makers_;
  std::vector<std::pair<TensorId, Of>> open_;
  std::set<std::pair<TensorId, Of>> seen_;
  std::set<TensorId> sources_;
};

/// The body says itself when it ends, instead of handing on the condition that it was given or a constant.
bool has_own_condition(const Graph& body) {
  if (body.outputs.empty() || body.inputs.size() < 2) return false;
  TensorId id = body.outputs[0];
  for (auto op = body.ops.rbegin(); op != body.ops.rend(); ++op)
    if (op->type == "Identity" && !op->outputs.empty() && op->outputs[0] == id) id = op->inputs.at(0);
  return id != body.inputs[1] && !body.tensor(id).is_constant;
}

/// A tensor that an operator reads to know what to do, and its number among the operands.
struct Deciding {
  TensorId id = no_tensor;
  std::size_t operand = 0;
};

std::vector<Deciding> first_operands(const Op& op, std::size_t most) {
  std::vector<Deciding> operands;
  for (std::size_t i = 0; i < std::min(op.inputs.size(), most); ++i) operands.push_back({op.inputs[i], i});
  return operands;
}

std::vector<Deciding> conditions_of(const Op& op) {
  if (op.type == "If") return first_operands(op, 1);
  if (op.type != "Loop") return {};
  const bool by_body = std::any_of(op.subgraphs.begin(), op.subgraphs.end(),
                                   [](const auto& named) { return has_own_condition(*named.second); });
  return first_operands(op, by_body ? op.inputs.size() : 2);
}

/// Operands by number that say how large a result is; `from` on to `to`.
struct SizeOperands {
  std::size_t from, to;
};

std::vector<Deciding> sizes_of(const Op& op) {
  constexpr std::size_t all = 8;
  static const std::map<std::string_view, SizeOperands> types{{"Range", {0, all}},
                                                              {"ConstantOfShape", {0, all}},
                                                              {"Resize", {1, all}},
                                                              {"Upsample", {1, all}},
                                                              {"TopK", {1, 2}},
                                                              {"Expand", {1, 2}},
                                                              {"Tile", {1, all}},
                                                              {"OneHot", {1, 2}},
                                                              {"Pad", {1, 2}},
                                                              {"CenterCropPad", {1, 2}},
                                                              {"Slice", {1, 3}},
                                                              {"NonMaxSuppression", {2, 3}},
                                                              {"AffineGrid", {1, 2}},
                                                              {"Col2Im", {1, 3}},
                                                              {"HannWindow", {0, 1}},
                                                              {"HammingWindow", {0, 1}},
                                                              {"BlackmanWindow", {0, 1}},
                                                              {"MelWeightMatrix", {0, all}}};
  const auto known = op.domain.empty() ? types.find(op.type) : types.end();
  if (known == types.end()) return {};
  std::vector<Deciding> operands = first_operands(op, known->second.to);
  operands.erase(operands.begin(),
                 operands.begin() + static_cast<std::ptrdiff_t>(std::min(known->second.from, operands.size())));
  return operands;
}

class Finder {
 public:
  using Decides = std::vector<Deciding> (*)(const Op&);

  /// `by_turns`: what the turns of a body hand on counts as all inputs of the operator that has the body.
  Finder(const Graph& graph, Decides decides, bool by_turns)
      : graph_(graph), walk_(graph), decides_(decides), by_turns_(by_turns) {}

  std::vector<Steering> find() {
    for (const auto& op : graph_.ops) {
      for (const auto& deciding : decides_(op)) note(deciding.id, op, deciding.operand);
      for (const auto& [name, body] : op.subgraphs) look_inside(op, *body);
    }
    std::vector<Steering> result;
    for (const auto input : graph_.inputs)
      if (const auto steering = found_.find(input); steering != found_.end()) result.push_back(steering->second);
    return result;
  }

 private:
  /// Of what is inside of a body: what it reads from outside, or, where it goes by what the body is given, all of the
  /// operator's inputs.
  void look_inside(const Op& parent, const Graph& body) {
    Walk inside(body);
    for (const auto& op : body.ops) {
      for (const auto& deciding : decides_(op))
        for (const auto id : inside.sources(deciding.id)) {
          const auto& tensor = body.tensor(id);
          if (const auto outside = tensor.is_captured ? graph_.find_tensor(tensor.name) : std::nullopt)
            note(*outside, op, deciding.operand);
          else if (by_turns_)
            for (const auto input : parent.inputs) note(input, op, deciding.operand);
        }
      for (const auto& [name, inner] : op.subgraphs) look_inside(parent, *inner);
    }
  }

  void note(TensorId id, const Op& op, std::size_t operand) {
    for (const auto input : walk_.sources(id)) found_.emplace(input, Steering{input, op.name, op.type, operand});
  }

  const Graph& graph_;
  Walk walk_;
  Decides decides_;
  bool by_turns_;
  std::map<TensorId, Steering> found_;
};

}  // namespace

std::vector<Steering> find_steering(const Graph& graph) { return Finder(graph, conditions_of, true).find(); }

std::vector<Steering> find_sizing(const Graph& graph) { return Finder(graph, sizes_of, false).find(); }

}  // namespace takt
