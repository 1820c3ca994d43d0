#include "model/onnx/builder.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/onnx/attributes.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

static_assert(std::endian::native == std::endian::little, "raw_data of ONNX is little-endian");

void declare(onnx::ValueInfoProto& value, const std::string& name, ElementType type, const Shape& shape) {
  value.set_name(name);
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(static_cast<int>(type));
  auto& dims = *tensor.mutable_shape();
  for (const std::int64_t dim : shape) dims.add_dim()->set_dim_value(dim);
}

void declare_symbolic(onnx::ValueInfoProto& value, const std::string& name, ElementType type, const std::string& dims) {
  declare(value, name, type, {});
  for (const std::string& part : split(dims, ',')) {
    auto& dim = *value.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim();
    if (part == "?") continue;
    if (const auto size = number_in<std::int64_t>(part); size && *size >= 0) {
      dim.set_dim_value(*size);
    } else {
      dim.set_dim_param(part);
    }
  }
}

template <typename Value>
std::string bytes_of(const std::vector<Value>& values) {
  std::string bytes(values.size() * sizeof(Value), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::int64_t fan_in(const Shape& shape) {
  if (shape.size() == 2) return shape[0];
  std::int64_t product = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) product *= shape[i];
  return product;
}

}  // namespace

ModelBuilder::ModelBuilder(std::string graph_name, std::uint64_t seed)
    : graph_(std::make_shared<onnx::GraphProto>()), random_(seed) {
  graph_->set_name(std::move(graph_name));
}

std::string ModelBuilder::fresh(const std::string& wanted, const std::string& prefix) {
  return wanted.empty() ? prefix + '_' + std::to_string(++made_) : wanted;
}

std::string ModelBuilder::input(const std::string& name, ElementType type, const Shape& shape) {
  declare(*graph_->add_input(), name, type, shape);
  return name;
}

std::string ModelBuilder::symbolic_input(const std::string& name, ElementType type, const std::string& dims) {
  declare_symbolic(*graph_->add_input(), name, type, dims);
  return name;
}

std::string ModelBuilder::raw(ElementType type, const Shape& shape, const std::string& bytes, const std::string& name) {
  auto& tensor = *graph_->add_initializer();
  tensor.set_name(fresh(name, "constant"));
  tensor.set_data_type(static_cast<int>(type));
  for (const std::int64_t dim : shape) tensor.add_dims(dim);
  tensor.set_raw_data(bytes);
  return tensor.name();
}

std::string ModelBuilder::weight(const Shape& shape, const std::string& name) {
  const auto count = element_count(shape);
  if (!count) throw Error(ErrorKind::bad_input, "weight: the shape " + to_string(shape) + " has no number of elements");
  const double bound = std::sqrt(3.0 / static_cast<double>(std::max<std::int64_t>(1, fan_in(shape))));
  std::vector<float> values(static_cast<std::size_t>(*count));
  for (float& value : values) {
    value = static_cast<float>(bound * (std::ldexp(static_cast<double>(random_() >> 11), -52) - 1.0));
  }
  return raw(ElementType::f32, shape, bytes_of(values), fresh(name, "weight"));
}

std::string ModelBuilder::floats(const std::vector<float>& values, const Shape& shape, const std::string& name) {
  return raw(ElementType::f32, shape, bytes_of(values), name);
}

std::string ModelBuilder::integers(const std::vector<std::int64_t>& values, const Shape& shape,
                                   const std::string& name) {
  return raw(ElementType::i64, shape, bytes_of(values), name);
}

std::string ModelBuilder::integers(const std::vector<std::int64_t>& values) {
  return integers(values, {static_cast<std::int64_t>(values.size())});
}

std::string ModelBuilder::node(const std::string& type, const std::vector<std::string>& inputs,
                               const std::vector<NamedAttribute>& attributes, const NodeOptions& options) {
  auto& node = *graph_->add_node();
  node.set_op_type(type);
  node.set_name(fresh(options.name, type));
  if (!options.domain.empty()) {
    node.set_domain(options.domain);
    domains_[options.domain] = 1;
  }
  for (const auto& input : inputs) node.add_input(input);
  for (const auto& output : options.outputs) node.add_output(output);
  if (options.outputs.empty()) node.add_output(node.name() + "_out");
  for (const auto& [attribute, value] : attributes) {
    auto& made = *node.add_attribute();
    made.set_name(attribute);
    write_attribute(made, value);
  }
  for (const auto& [name, builder] : options.subgraphs) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = *builder->graph_;
    domains_.insert(builder->domains_.begin(), builder->domains_.end());
  }
  return node.output(0);
}

void ModelBuilder::output(const std::string& name) { graph_->add_output()->set_name(name); }

void ModelBuilder::output(const std::string& name, ElementType type, const Shape& shape) {
  declare(*graph_->add_output(), name, type, shape);
}

void ModelBuilder::symbolic_output(const std::string& name, ElementType type, const std::string& dims) {
  declare_symbolic(*graph_->add_output(), name, type, dims);
}

void ModelBuilder::value_info(const std::string& name, ElementType type, const Shape& shape) {
  declare(*graph_->add_value_info(), name, type, shape);
}

std::string ModelBuilder::serialize(int opset, int ir) const {
  onnx::ModelProto model;
  model.set_ir_version(ir);
  model.set_producer_name("takt");
  *model.mutable_graph() = *graph_;
  auto& standard = *model.add_opset_import();
  standard.set_domain("");
  standard.set_version(opset);
  for (const auto& [domain, version] : domains_) {
    auto& import = *model.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
  return serialize_onnx(model);
}

OnnxModel ModelBuilder::build(int opset, int ir, const std::filesystem::path& path) const {
  return parse_onnx(serialize(opset, ir), path);
}

}  // namespace takt
