#include "measure/open/deciding_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/basics/text.h"
#include "model/graph/expected_values.h"
#include "model/graph/limits.h"
#include "model/graph/shapes.h"
#include "model/graph/steering.h"

namespace takt {
namespace {

constexpr std::int64_t most_sizes = 8;  ///< numbers that say how large something is; more are data
constexpr std::int64_t usual_length = 16;

std::string sentence(const std::string& input, const std::string& type, const std::string& op, std::string_view what) {
  return fmt::format("the generated values of input '{}' decide {} ({} '{}'); give your own with --input '{}:VALUES'",
                     printable(input), what, type, printable(op), printable(escape_input_name(input)));
}

/// The input names a shape: generated numbers would be one that nothing fits, {1,…,-1} fits everything.
bool is_shape_of_reshape(const Graph& graph, const std::string& input) {
  for (const auto& op : graph.ops)
    if (op.type == "Reshape" && op.inputs.size() > 1 && op.inputs[1] != no_tensor &&
        graph.tensor(op.inputs[1]).name == input)
      return true;
  return false;
}

template <typename Number>
void fill_with(HostTensor& tensor, std::int64_t first, std::int64_t step) {
  std::vector<Number> values(tensor.bytes.size() / sizeof(Number));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<Number>(first + static_cast<std::int64_t>(i) * step);
  tensor.bytes = to_bytes(values);
}

void fill_with(HostTensor& tensor, std::int64_t first, std::int64_t step = 0) {
  switch (tensor.type) {
    case ElementType::f32:
      return fill_with<float>(tensor, first, step);
    case ElementType::f64:
      return fill_with<double>(tensor, first, step);
    case ElementType::i64:
    case ElementType::u64:
      return fill_with<std::int64_t>(tensor, first, step);
    case ElementType::i32:
    case ElementType::u32:
      return fill_with<std::int32_t>(tensor, first, step);
    case ElementType::i16:
    case ElementType::u16:
      return fill_with<std::int16_t>(tensor, first, step);
    case ElementType::i8:
    case ElementType::u8:
      return fill_with<std::int8_t>(tensor, first, step);
    case ElementType::boolean:
      return fill_with<std::uint8_t>(tensor, first != 0, 0);
    default:
      return;
  }
}

bool is_whole(ElementType type) {
  return type == ElementType::i64 || type == ElementType::i32 || type == ElementType::boolean;
}

/// What tokenizers give beside the words: 1 where there is one, everywhere if nothing was filled up.
bool is_mask_of_words(const HostTensor& tensor) {
  return is_whole(tensor.type) && lower_case(tensor.name).find("attention_mask") != std::string::npos;
}

/// The graph with the sizes of the inputs, also where other tensors have dimensions of the same names.
Graph with_inputs(const Graph& graph, const std::vector<HostTensor>& inputs) {
  std::map<std::string, PartialShape> shapes;
  std::map<std::string, std::int64_t> sizes;
  for (const HostTensor& input : inputs) {
    const auto id = graph.find_tensor(input.name);
    const auto declared = id ? graph.tensor(*id).shape.value_or(PartialShape()) : PartialShape();
    for (std::size_t i = 0; i < input.shape.size(); ++i) {
      shapes[input.name].push_back({input.shape[i], ""});
      if (i < declared.size() && is_named(declared[i])) sizes.emplace(declared[i].symbol, input.shape[i]);
    }
  }
  Graph known = with_shapes(graph, shapes);
  for (Tensor& tensor : known.tensors)
    if (tensor.shape)
      for (Dim& dim : *tensor.shape)
        if (const auto size = sizes.find(dim.symbol); !dim.value && size != sizes.end()) dim.value = size->second;
  return known;
}

/// How often a loop turns.
bool is_trip_count(const Steering& steering, const HostTensor& tensor) {
  return steering.type == "Loop" && steering.operand == 0 && is_whole(tensor.type) &&
         tensor.type != ElementType::boolean && element_count(tensor.shape) == 1;
}

void make_shape(HostTensor& tensor) {
  std::vector<std::int64_t> sizes(tensor.bytes.size() / sizeof(std::int64_t), 1);
  if (!sizes.empty()) sizes.back() = -1;
  tensor.bytes = to_bytes(sizes);
}

/// The sizes that the result of a Resize or a CenterCropPad is to have are those of what it is given; empty: not known,
/// or others.
std::vector<std::int64_t> sizes_as_they_are(const Graph& graph, const Steering& steering) {
  constexpr std::size_t sizes = 3;
  if (steering.type != "CenterCropPad" && (steering.type != "Resize" || steering.operand != sizes)) return {};
  for (const auto& op : graph.ops)
    if (op.name == steering.op && op.inputs[0] != no_tensor)
      if (const auto& shape = graph.tensor(op.inputs[0]).shape) return concrete(*shape).value_or(Shape());
  return {};
}

/// Of the start, the end and the step of a Range; of anything else what leaves sizes as they are.
std::int64_t size_for(const Steering& steering) {
  if (steering.type.ends_with("Window")) return usual_length;
  if (steering.type == "Pad" || (steering.type == "Slice" && steering.operand == 1)) return 0;
  if (steering.type != "Range" || steering.operand > 1) return 1;
  return steering.operand == 0 ? 0 : usual_length;
}

void make_sizes(const Graph& graph, const Steering& steering, HostTensor& tensor) {
  const auto sizes = sizes_as_they_are(graph, steering);
  if (tensor.type == ElementType::i64 && tensor.shape == Shape{static_cast<std::int64_t>(sizes.size())})
    tensor.bytes = to_bytes(sizes);
  else
    fill_with(tensor, size_for(steering));
}

}  // namespace

std::vector<std::string> deciding_inputs(const Graph& graph, const InputChoice& choice) {
  std::vector<std::string> sentences;
  std::set<TensorId> said;
  const auto add = [&](const auto& steering, std::string_view what) {
    const auto& input = graph.tensor(steering.input).name;
    if (!choice.given.contains(input) && said.insert(steering.input).second)
      sentences.push_back(sentence(input, steering.type, steering.op, what));
  };
  for (const auto& steering : find_steering(graph))
    add(steering, steering.type == "Loop" ? "how often a loop runs" : "which branch runs");
  for (const auto& steering : find_sizing(graph)) add(steering, "the sizes");
  for (const auto& expected : find_expected_values(graph))
    if (expected.is_length) add(expected, "how long the sequences are");
  return sentences;
}

std::vector<std::string> particular_inputs(const Graph& graph, const InputChoice& choice) {
  std::vector<std::string> names, particular;
  for (const TensorId id : graph.inputs) {
    const Tensor& input = graph.tensor(id);
    if (choice.given.contains(input.name)) continue;
    names.push_back(input.name);
    const bool is_number = input.type == ElementType::f32 || input.type == ElementType::f64 ||
                           input.type == ElementType::f16 || input.type == ElementType::bf16;
    if (!is_number) particular.push_back(input.name);
  }
  if (particular.empty()) particular = names;
  if (particular.empty()) return {};
  const std::string others = particular.size() == 1 ? "" : fmt::format(" and {} other", particular.size() - 1);
  return {
      fmt::format("the values of input '{}'{} are generated, and the model may expect others: give your own with "
                  "--input '{}:VALUES'",
                  printable(particular.front()), particular.size() > 2 ? others + "s" : others,
                  printable(escape_input_name(particular.front())))};
}

void make_deciding_values(const Graph& graph, const InputChoice& choice, std::vector<HostTensor>& inputs) {
  const Graph known = with_inputs(graph, inputs);
  const auto sizing = find_sizing(known);
  const auto expected = find_expected_values(known);
  const auto steering = find_steering(known);
  for (HostTensor& tensor : inputs) {
    if (choice.given.contains(tensor.name)) continue;
    const auto is_this = [&](const auto& one) { return graph.tensor(one.input).name == tensor.name; };
    const auto size = std::find_if(sizing.begin(), sizing.end(), is_this);
    const auto wanted = std::find_if(expected.begin(), expected.end(), is_this);
    const auto steers = std::find_if(steering.begin(), steering.end(), is_this);
    if (tensor.type == ElementType::i64 && is_shape_of_reshape(graph, tensor.name))
      make_shape(tensor);
    else if (wanted != expected.end() && tensor.type == ElementType::string)
      std::fill(tensor.strings.begin(), tensor.strings.end(), wanted->text);
    else if (wanted != expected.end())
      fill_with(tensor, wanted->first, wanted->step);
    else if (steers != steering.end() && is_trip_count(*steers, tensor))
      fill_with(tensor, usual_length);
    else if (size != sizing.end() && element_count(tensor.shape).value_or(most_sizes + 1) <= most_sizes)
      make_sizes(known, *size, tensor);
    else if (is_mask_of_words(tensor))
      fill_with(tensor, 1);
  }
}

}  // namespace takt
