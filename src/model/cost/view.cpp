#include "model/cost/rules.h"

#include "model/graph/attributes.h"

namespace takt {
namespace {

const Tensor* tensor_at(const Graph& graph, const std::vector<TensorId>& ids, std::size_t index) {
  if (index >= ids.size() || ids[index] == no_tensor) return nullptr;
  return &graph.tensor(ids[index]);
}

std::optional<Shape> shape_of(const Tensor* tensor) {
  return tensor == nullptr || !tensor->shape ? std::nullopt : concrete(*tensor->shape);
}

std::optional<double> elements_of(const Tensor* tensor) {
  const auto shape = shape_of(tensor);
  const auto count = shape ? element_count(*shape) : std::nullopt;
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

}  // namespace

bool OpView::has_input(std::size_t index) const { return input(index) != nullptr; }
const Tensor* OpView::input(std::size_t index) const { return tensor_at(graph_, op_.inputs, index); }
const Tensor* OpView::output(std::size_t index) const { return tensor_at(graph_, op_.outputs, index); }
std::optional<Shape> OpView::input_shape(std::size_t index) const { return shape_of(input(index)); }
std::optional<Shape> OpView::output_shape(std::size_t index) const { return shape_of(output(index)); }
std::optional<double> OpView::input_elements(std::size_t index) const { return elements_of(input(index)); }
std::optional<double> OpView::output_elements(std::size_t index) const { return elements_of(output(index)); }

std::optional<std::int64_t> OpView::first_integer(std::size_t index) const {
  const Tensor* tensor = input(index);
  if (!tensor || !tensor->integers || tensor->integers->empty()) return std::nullopt;
  return tensor->integers->front();
}

std::int64_t OpView::integer(const std::string& name, std::int64_t otherwise) const {
  const auto* value = attribute_of<std::int64_t>(op_, name);
  return value == nullptr ? otherwise : *value;
}

std::string OpView::text(const std::string& name, const std::string& otherwise) const {
  const auto* value = attribute_of<std::string>(op_, name);
  return value == nullptr ? otherwise : *value;
}

std::optional<std::vector<std::int64_t>> OpView::integers(const std::string& name) const {
  const auto* value = attribute_of<std::vector<std::int64_t>>(op_, name);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

}  // namespace takt
