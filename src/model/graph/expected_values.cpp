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
  std::string text = {};  ///< of texts
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
    if (op.domain == microsoft) {
      if (op.type == "CropAndResize") return {{2, 0}};
      return op.type == "GroupQueryAttention" ? key_lengths(op) : std::vector<Expected>();
    }
    if (op.domain == "ai.onnx.ml") return known_category(op);
    if (op.type == "Cast") return {{.text = "1"}};  // of a text; a number is as good as any other
    if (op.type == "TfIdfVectorizer") return {{.text = first_of<std::string>(op, "pool_strings").value_or("a")}};
    if (!op.domain.empty() && op.domain != "openvino") return {};
    if (op.type == "LSTM" || op.type == "GRU" || op.type == "RNN")
      return {length(4, size(op, 0, integer_attribute(op, "layout") != 0 ? 1 : 0))};
    if (op.type == "ReverseSequence")
      return {length(1, size(op, 0, integer_attribute(op, "time_axis", integer_attribute(op, "seq_axis"))))};
    if (const auto fixed = fixed_parameters().find(op.type); fixed != fixed_parameters().end()) return fixed->second;
    if (op.type.starts_with("Reduce")) return {{1, 0, 1}};
    if (op.type == "Slice") return axes_and_steps();
    if (op.type == "Squeeze") return axis_of_one(op);
    if (op.type == "DFT") return {length(1, size(op, 0, integer_attribute(op, "axis", 1)))};
    if (op.type == "STFT") return {length(1, step_of_frames(op))};
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
        found.insert(id);
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
  /// Of operators of which no shape or attribute matters: divisors, axes, each once, the first picture, no dropout.
  static const std::map<std::string_view, std::vector<Expected>>& fixed_parameters() {
    static const std::map<std::string_view, std::vector<Expected>> parameters{
        {"Div", {{1, 1}}},        {"Mod", {{1, 1}}},     {"RoiAlign", {{2, 0}}},
        {"ROIAlign", {{2, 0}}},   {"CumSum", {{1, 0}}},  {"Unsqueeze", {{1, 0, 1}}},
        {"SequenceAt", {{1, 0}}}, {"Dropout", {{1, 0}}}, {"BitShift", {{1, 1}}}};
    return parameters;
  }

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

  /// OpenVINO's have the steps before the axes.
  std::vector<Expected> axes_and_steps() const {
    return graph_.opsets.contains("") ? std::vector<Expected>{{3, 0, 1}, {4, 1}}
                                      : std::vector<Expected>{{3, 1}, {4, 0, 1}};
  }

  template <typename Item>
  static std::optional<Item> first_of(const Op& op, const std::string& name) {
    const auto found = op.attributes.find(name);
    const auto* list = found == op.attributes.end() ? nullptr : std::get_if<std::vector<Item>>(&found->second);
    return list && !list->empty() ? std::optional(list->front()) : std::nullopt;
  }

  /// Encoders may refuse what they do not know.
  static std::vector<Expected> known_category(const Op& op) {
    for (const char* kind : {"cats_", "keys_"}) {
      const auto text = first_of<std::string>(op, kind + std::string("strings"));
      const auto number = first_of<std::int64_t>(op, kind + std::string("int64s"));
      if (text || number) return {{.first = number.value_or(0), .text = text.value_or("a")}};
    }
    return {};
  }

  /// The first that can be left out.
  std::vector<Expected> axis_of_one(const Op& op) const {
    const auto* known = shape(op, 0);
    for (std::int64_t i = 0; known && i < static_cast<std::int64_t>(known->size()); ++i)
      if ((*known)[static_cast<std::size_t>(i)].value == 1) return {{1, i, 1}};
    return {};
  }

  /// A quarter of a frame, as usual.
  std::optional<std::int64_t> step_of_frames(const Op& op) const {
    auto frame = size(op, 2, 0);
    if (!frame && op.inputs.size() > 3 && op.inputs[3] != no_tensor)
      if (const auto& given = graph_.tensor(op.inputs[3]).integers; given && given->size() == 1) frame = given->front();
    return frame ? std::optional(std::max<std::int64_t>(*frame / 4, 1)) : std::nullopt;
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

/// Whether an input of `type` can be what the operator expects.
bool suits(const Op& op, const Expected& expected, ElementType type) {
  if (type == ElementType::string) return !expected.text.empty();
  return op.type == "Dropout" || (is_whole(type) && op.type != "Cast" && op.type != "TfIdfVectorizer");
}

}  // namespace

std::vector<ExpectedValues> find_expected_values(const Graph& graph) {
  const Reader reader(graph);
  std::map<TensorId, ExpectedValues> found;
  for (const auto& op : graph.ops)
    for (const Expected& expected : reader.expected_by(op)) {
      if (expected.operand >= op.inputs.size() || op.inputs[expected.operand] == no_tensor) continue;
      bool unchanged = true;
      for (const TensorId input : reader.inputs_of(op.inputs[expected.operand], unchanged)) {
        if (!suits(op, expected, graph.tensor(input).type)) continue;
        if (!unchanged && !expected.is_length) continue;  // what comes of arithmetic is nobody's index
        const std::int64_t first = unchanged ? expected.first : 1;
        found.emplace(input, ExpectedValues{input, first, unchanged ? expected.step : 0, expected.is_length, op.name,
                                            op.type, expected.text});
      }
    }
  std::vector<ExpectedValues> result;
  for (const TensorId input : graph.inputs)
    if (const auto one = found.find(input); one != found.end()) result.push_back(one->second);
  return result;
}

}  // namespace takt
