#include "measure/open/deciding_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/basics/text.h"
#include "model/graph/steering.h"

namespace takt {
namespace {

constexpr std::int64_t most_sizes = 8;  ///< numbers that say how large something is; more are data
constexpr std::int64_t usual_length = 16;

std::string sentence(const std::string& input, const Steering& steering, std::string_view what) {
  return fmt::format("the generated values of input '{}' decide {} ({} '{}'); give your own with --input '{}:VALUES'",
                     printable(input), what, steering.type, printable(steering.op),
                     printable(escape_input_name(input)));
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
void fill_with(HostTensor& tensor, std::int64_t value) {
  tensor.bytes = to_bytes(std::vector<Number>(tensor.bytes.size() / sizeof(Number), static_cast<Number>(value)));
}

void fill_with(HostTensor& tensor, std::int64_t value) {
  if (tensor.type == ElementType::f32) fill_with<float>(tensor, value);
  if (tensor.type == ElementType::f64) fill_with<double>(tensor, value);
  if (tensor.type == ElementType::i32) fill_with<std::int32_t>(tensor, value);
  if (tensor.type == ElementType::i64) fill_with<std::int64_t>(tensor, value);
}

void make_shape(HostTensor& tensor) {
  std::vector<std::int64_t> sizes(tensor.bytes.size() / sizeof(std::int64_t), 1);
  if (!sizes.empty()) sizes.back() = -1;
  tensor.bytes = to_bytes(sizes);
}

/// Of the start, the end and the step of a Range; of anything else what leaves sizes as they are.
std::int64_t size_for(const Steering& steering) {
  if (steering.type == "Pad") return 0;
  if (steering.type != "Range" || steering.operand > 1) return 1;
  return steering.operand == 0 ? 0 : usual_length;
}

}  // namespace

std::vector<std::string> deciding_inputs(const Graph& graph, const InputChoice& choice) {
  std::vector<std::string> sentences;
  std::set<TensorId> said;
  const auto add = [&](const Steering& steering, std::string_view what) {
    const auto& input = graph.tensor(steering.input).name;
    if (!choice.given.contains(input) && said.insert(steering.input).second)
      sentences.push_back(sentence(input, steering, what));
  };
  for (const auto& steering : find_steering(graph))
    add(steering, steering.type == "Loop" ? "how often a loop runs" : "which branch runs");
  for (const auto& steering : find_sizing(graph)) add(steering, "the sizes");
  return sentences;
}

void make_deciding_values(const Graph& graph, const InputChoice& choice, std::vector<HostTensor>& inputs) {
  const auto sizing = find_sizing(graph);
  for (HostTensor& tensor : inputs) {
    if (choice.given.contains(tensor.name)) continue;
    if (tensor.type == ElementType::i64 && is_shape_of_reshape(graph, tensor.name)) {
      make_shape(tensor);
      continue;
    }
    const auto found = std::find_if(sizing.begin(), sizing.end(),
                                    [&](auto& one) { return graph.tensor(one.input).name == tensor.name; });
    if (found != sizing.end() && element_count(tensor.shape).value_or(most_sizes + 1) <= most_sizes)
      fill_with(tensor, size_for(*found));
  }
}

}  // namespace takt
