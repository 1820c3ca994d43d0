#include "plan/gnn/stage_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/basics/half.h"
#include "base/basics/text.h"
#include "base/statistics/random.h"

namespace takt {
namespace {

template <typename Value>
std::string little_endian(const std::vector<Value>& values) {
  std::string bytes(values.size() * sizeof(Value), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string in_halves(const std::vector<float>& values) {
  std::vector<std::uint16_t> halves;
  halves.reserve(values.size());
  for (const float value : values) halves.push_back(to_half(value));
  return little_endian(halves);
}

std::int64_t onnx_type(ElementType type) { return static_cast<std::int64_t>(type); }

}  // namespace

std::vector<float> stage_weight(std::string_view name, std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  LongRandom random(seed ^ fingerprint(name));
  const double bound = std::sqrt(3.0 / static_cast<double>(rows));
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (float& value : values) value = static_cast<float>(bound * (2.0 * uniform(random) - 1.0));
  return values;
}

StageWriter::StageWriter(const StageRange& range, const StageModelSettings& settings)
    : range_(range), settings_(settings), ports_(ports_of(range)), builder_(to_string(range)) {
  if (settings_.size) std::erase_if(ports_.inputs, [](const StageTensor& one) { return one.name == "num_nodes"; });
  declare_inputs();
}

std::string StageWriter::dims_of(const StageTensor& tensor) const {
  std::string text;
  for (const std::string& dim : split(tensor.dims, ',')) {
    const auto& size = settings_.size;
    text += text.empty() ? "" : ",";
    if (dim == "N" && settings_.table_rows && tensor.name == table_of(range_))
      text += std::to_string(*settings_.table_rows);
    else if (dim == "N")
      text += size ? std::to_string(size->nodes) : "num_nodes";
    else if (dim == "E")
      text += size ? std::to_string(size->edges) : "num_edges";
    else if (dim == "F")
      text += std::to_string(settings_.features);
    else
      text += dim == "H" ? std::to_string(settings_.hidden) : dim;
  }
  return text;
}

ElementType StageWriter::type_of(const StageTensor& tensor) const {
  if (tensor.holds == Holds::indices) return ElementType::i64;
  return tensor.holds == Holds::counts ? ElementType::f32 : settings_.precision;
}

void StageWriter::declare_inputs() {
  for (const StageTensor& tensor : ports_.inputs)
    builder_.symbolic_input(std::string(tensor.name), type_of(tensor), dims_of(tensor));
}

OnnxModel StageWriter::finish(int opset) {
  for (const StageTensor& tensor : ports_.outputs)
    builder_.symbolic_output(std::string(tensor.name), type_of(tensor), dims_of(tensor));
  return builder_.build(opset);
}

std::string StageWriter::make(const std::string& name, const std::string& type, const std::vector<std::string>& inputs,
                              const std::vector<NamedAttribute>& attributes) {
  return builder_.node(type, inputs, attributes, {.name = name + "_node", .outputs = {name}});
}

std::string StageWriter::node(const std::string& type, const std::vector<std::string>& inputs,
                              const std::vector<NamedAttribute>& attributes) {
  return builder_.node(type, inputs, attributes);
}

std::string StageWriter::weight(const std::string& name, std::int64_t rows, std::int64_t columns) {
  const auto values = stage_weight(name, rows, columns == 0 ? 1 : columns, settings_.seed);
  const Shape shape = columns == 0 ? Shape{rows} : Shape{rows, columns};
  return builder_.raw(settings_.precision, shape,
                      settings_.precision == ElementType::f16 ? in_halves(values) : little_endian(values), name);
}

std::string StageWriter::number(float value) { return builder_.floats({value}, {1}); }

std::string StageWriter::zero(const Shape& shape) {
  return builder_.raw(settings_.precision, shape,
                      settings_.precision == ElementType::f16 ? in_halves({0.0f}) : little_endian(std::vector{0.0f}));
}

std::string StageWriter::constant(std::int64_t value) {
  const std::string key = fmt::format("integer_{}", value);
  const auto [made, is_new] = made_once_.try_emplace(key, key);
  if (is_new) builder_.integers({value}, {1}, key);
  return made->second;
}

std::string StageWriter::to_precision(const std::string& float32) {
  if (settings_.precision == ElementType::f32) return float32;
  return node("Cast", {float32}, {{"to", onnx_type(settings_.precision)}});
}

std::string StageWriter::to_float32(const std::string& features) {
  if (settings_.precision == ElementType::f32) return features;
  return node("Cast", {features}, {{"to", onnx_type(ElementType::f32)}});
}

std::string StageWriter::column(const std::string& vector) { return node("Unsqueeze", {vector, constant(1)}); }

void StageWriter::make_vector(const std::string& name, const std::string& column) {
  make(name, "Squeeze", {column, constant(1)});
}

std::string StageWriter::target_rows(const std::string& table) {
  if (!settings_.table_rows || table != table_of(range_)) return table;
  return node("Slice", {table, constant(0), node_count(), constant(0)});
}

std::string StageWriter::sources() {
  auto& name = made_once_["sources"];
  // The index is a number and no vector, so that the row comes without a dimension of its own.
  if (name.empty())
    name = make("sources", "Gather", {"edge_index", builder_.integers({0}, {}, "row_0")}, {{"axis", std::int64_t{0}}});
  return name;
}

std::string StageWriter::targets() {
  auto& name = made_once_["targets"];
  if (name.empty())
    name = make("targets", "Gather", {"edge_index", builder_.integers({1}, {}, "row_1")}, {{"axis", std::int64_t{0}}});
  return name;
}

std::string StageWriter::node_count() {
  if (settings_.size) return constant(settings_.size->nodes);
  auto& name = made_once_["node_count"];
  if (!name.empty()) return name;
  for (const StageTensor& tensor : ports_.inputs)
    if (tensor.is_per_node())
      return name =
                 node("Gather", {node("Shape", {std::string(tensor.name)}), constant(0)}, {{"axis", std::int64_t{0}}});
  return name = "num_nodes";
}

std::string StageWriter::per_node(const std::string& value) { return node("Expand", {value, node_count()}); }

std::string StageWriter::sum_of(const std::string& messages, std::int64_t columns, const std::string& name) {
  const std::string shape = node("Concat", {node_count(), constant(columns)}, {{"axis", std::int64_t{0}}});
  const std::string narrow = node("Cast", {targets()}, {{"to", onnx_type(ElementType::i32)}});
  const std::string indices = node("Expand", {column(narrow), node("Shape", {messages})});
  return make(name, "ScatterElements", {node("Expand", {zero({1, 1}), shape}), indices, messages},
              {{"axis", std::int64_t{0}}, {"reduction", std::string("add")}});
}

std::string StageWriter::bag_of(const std::string& table, const std::string& weights, const std::string& name) {
  // Where each node's edges begin: how many there are before them. In integers, as places must be exact.
  const std::string ones = node("Expand", {constant(1), node("Shape", {targets()})});
  const std::string counts = node("ScatterElements", {per_node(constant(0)), targets(), ones},
                                  {{"axis", std::int64_t{0}}, {"reduction", std::string("add")}});
  const std::string axis = builder_.integers({0}, {});
  const std::string begins = node("CumSum", {counts, axis}, {{"exclusive", std::int64_t{1}}});
  // OpenVINO refuses bags that begin behind the last edge, as those of the last nodes do where no edge leads to them.
  // So there is one edge more, in a bag of its own that is cut off again.
  const std::vector<NamedAttribute> behind{{"axis", std::int64_t{0}}};
  std::vector<std::string> inputs{table, node("Concat", {sources(), constant(0)}, behind),
                                  node("Concat", {begins, node("Shape", {sources()})}, behind)};
  if (!weights.empty()) inputs.push_back(node("Concat", {weights, zero({1})}, behind));
  const std::string bags =
      node("ATen", inputs, {{"operator", std::string("embedding_bag")}, {"mode", std::int64_t{0}}});
  return make(name, "Slice", {bags, constant(0), node_count(), constant(0)});
}

std::string StageWriter::reduced(const std::string& values, const std::string& reduction, float initial,
                                 const std::string& name) {
  const std::vector<std::string> inputs{per_node(number(initial)), targets(), values};
  const std::vector<NamedAttribute> attributes{{"axis", std::int64_t{0}}, {"reduction", reduction}};
  return name.empty() ? node("ScatterElements", inputs, attributes) : make(name, "ScatterElements", inputs, attributes);
}

std::string StageWriter::edge_counts(const std::string& name) {
  return reduced(node("Expand", {number(1.0f), node("Shape", {targets()})}), "add", 0.0f, name);
}

}  // namespace takt
