#include "model/graph/expected_values.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "model/graph/attributes.h"
#include "model/graph/makers.h"

namespace takt {
namespace {

constexpr std::string_view microsoft = "com.microsoft";

/// What an operator expects of one of its operands.
struct Expected {
  std::size_t operand = 0;
  std::int64_t first = 0, step = 0;
  bool is_length = false;
};

bool is_whole(ElementType type) {
  static const std::set<ElementType> whole{ElementType::boolean, ElementType::i8,  ElementType::i16,
                                           ElementType::i32,     ElementType::i64, ElementType::u8,
                                           ElementType::u16,     ElementType::u32, ElementType::u64};
  return whole.contains(type);
}

class Reader {
 public:
  explicit Reader(const Graph& graph) : graph_(graph), makers_(makers_of(graph)) {}

  std::vector<Expected> expected_by(const Op& op) const {
    if (op.domain == microsoft) return op.type == "GroupQueryAttention" ? key_lengths(op) : std::vector<Expected>();
    if (!op.domain.empty() && op.domain != "openvino") return {};
    if (op.type == "LSTM" || op.type == "GRU" || op.type == "RNN")
      return {length(4, size(op, 0, integer_attribute(op, "layout") != 0 ? 1 : 0))};
    if (op.type == "ReverseSequence")
      return {length(1, size(op, 0, integer_attribute(op, "time_axis", integer_attribute(op, "seq_axis"))))};
    if (op.type == "Div" || op.type == "Mod") return {{1, 1}};
    if (op.type == "RoiAlign" || op.type == "ROIAlign") return {{2, 0}};
    if (op.type == "CumSum") return {{1, 0}};
    if (op.type == "Split") return parts_of(op);
    if (op.type == "GatherND" || op.type == "ScatterND") return places_of(op);
    return rows_of(op);
  }

  /// The inputs of the model that the operand is, and whether it is one of them unchanged.
  std::set<TensorId> inputs_of(TensorId operand, bool& unchanged) const {
    std::set<TensorId> found, seen;
    std::vector<TensorId> open{operand};
    unchanged = true;
    while (!open.empty()) {
      const TensorId id = open.back();
      open.pop_back();
      if (id == no_tensor || graph_.tensor(id).is_constant || !seen.insert(id).second) continue;
      const auto maker = makers_.find(id);
      if (maker == makers_.end()) {
        if (is_whole(graph_.tensor(id).type)) found.insert(id);
      } else if (keeps_values(*maker->second)) {
        open.push_back(maker->second->inputs.at(0));
      } else if (is_arithmetic(*maker->second)) {
        unchanged = false;
        open.insert(open.end(), maker->second->inputs.begin(), maker->second->inputs.end());
      }
    }
    return found;
  }

 private:
  static bool keeps_values(const Op& op) {
    static const std::set<std::string_view> types{"Cast",    "Identity", "Squeeze",   "Unsqueeze", "Reshape",
                                                  "Flatten", "Expand",   "Transpose", "Tile"};
    return types.contains(op.type) && !op.inputs.empty();
  }

  /// By which a length comes of a mask, or a length of rows of one of samples.
  static bool is_arithmetic(const Op& op) {
    static const std::set<std::string_view> types{"Add",       "Sub",       "Mul", "Div", "Floor", "Ceil",
                                                  "ReduceSum", "ReduceMax", "Max", "Min", "Clip",  "Round",
                                                  "CumSum",    "Mod",       "Sum", "Abs"};
    return types.contains(op.type);
  }

  static Expected length(std::size_t operand, std::optional<std::int64_t> whole) {
    return {operand, whole.value_or(1), 0, true};
  }

  const PartialShape* shape(const Op& op, std::size_t operand) const {
    if (operand >= op.inputs.size() || op.inputs[operand] == no_tensor) return nullptr;
    const auto& known = graph_.tensor(op.inputs[operand]).shape;
    return known ? &*known : nullptr;
  }

  std::optional<std::int64_t> size(const Op& op, std::size_t operand, std::int64_t axis) const {
    const auto* known = shape(op, operand);
    if (!known) return std::nullopt;
    if (axis < 0) axis += static_cast<std::int64_t>(known->size());
    if (axis < 0 || axis >= static_cast<std::int64_t>(known->size())) return std::nullopt;
    return (*known)[static_cast<std::size_t>(axis)].value;
  }

  /// Keys are those of before and the new ones; of each sequence the number of the last is asked for.
  std::vector<Expected> key_lengths(const Op& op) const {
    const auto before = shape(op, 3) ? size(op, 3, 2) : 0, fresh = size(op, 0, 1);
    if (!before || !fresh) return {length(5, 0), length(6, 1)};
    return {length(5, *before + *fresh - 1), length(6, *before + *fresh)};
  }

  /// Equal ones, where there are any.
  std::vector<Expected> parts_of(const Op& op) const {
    const auto whole = size(op, 0, integer_attribute(op, "axis"));
    const auto parts = static_cast<std::int64_t>(op.outputs.size());
    return whole && parts > 0 && *whole % parts == 0 ? std::vector<Expected>{{1, *whole / parts}}
                                                     : std::vector<Expected>();
  }

  /// Of one number for each of the first dimensions; a dimension of 1 has place 0 only.
  std::vector<Expected> places_of(const Op& op) const {
    const auto numbers = size(op, 1, -1);
    const auto first = integer_attribute(op, "batch_dims");
    for (std::int64_t i = 0; numbers && i < *numbers; ++i)
      if (size(op, 0, first + i) == 1) return {{1, 0}};
    return {};
  }

  bool is_state(TensorId id) const {
    for (auto maker = makers_.find(id); maker != makers_.end(); maker = makers_.find(id)) {
      if (maker->second->type == "ReadValue") return true;
      if (!keeps_values(*maker->second)) return false;
      id = maker->second->inputs.at(0);
    }
    return false;
  }

  /// A table of one row, as RoBERTa's of token types, has row 0 only; what was kept of each sequence stays with it.
  std::vector<Expected> rows_of(const Op& op) const {
    static const std::set<std::string_view> gathers{"Gather", "GatherElements", "ScatterElements"};
    if (!gathers.contains(op.type) || op.inputs.size() < 2 || op.inputs[0] == no_tensor) return {};
    std::int64_t axis = integer_attribute(op, "axis");
    if (op.inputs.size() == 3 && op.type == "Gather" && op.inputs[2] != no_tensor) {  // OpenVINO's
      const auto& integers = graph_.tensor(op.inputs[2]).integers;
      if (!integers || integers->empty()) return {};
      axis = integers->front();
    }
    if (op.type == "Gather" && axis == 0 && is_state(op.inputs[0])) return {{1, 0, 1}};
    if (size(op, 0, axis) == 1) return {{1, 0}};
    return {};
  }

  const Graph& graph_;
  Makers makers_;
};

}  // namespace

std::vector<ExpectedValues> find_expected_values(const Graph& graph) {
  const Reader reader(graph);
  std::map<TensorId, ExpectedValues> found;
  for (const auto& op : graph.ops)
    for (const Expected& expected : reader.expected_by(op)) {
      if (expected.operand >= op.inputs.size() || op.inputs[expected.operand] == no_tensor) continue;
      bool unchanged = true;
      for (const TensorId input : reader.inputs_of(op.inputs[expected.operand], unchanged)) {
        if (!unchanged && !expected.is_length) continue;  // what comes of arithmetic is nobody's index
        const std::int64_t first = unchanged ? expected.first : 1;
        found.emplace(
            input, ExpectedValues{input, first, unchanged ? expected.step : 0, expected.is_length, op.name, op.type});
      }
    }
  std::vector<ExpectedValues> result;
  for (const TensorId input : graph.inputs)
    if (const auto one = found.find(input); one != found.end()) result.push_back(one->second);
  return result;
}

}  // namespace takt
