#include "model/openvino/ir_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <openvino/op/constant.hpp>
#include <openvino/op/util/multi_subgraph_base.hpp>
#include <set>

#include "model/openvino/ir_types.h"
#include "model/openvino/tensors.h"

namespace takt::openvino {
namespace {

constexpr std::size_t most_integers = 1024;  // shapes, axes and pads are far shorter

class Translator {
 public:
  explicit Translator(const ov::Model& model) : model_(model) { graph_.name = model.get_friendly_name(); }

  Graph translate() {
    for (const auto& node : model_.get_ordered_ops())
      if (folds(*node)) constants_.insert(node.get());
    for (const auto& node : model_.get_ordered_ops()) find_bias(*node);
    const auto& parameters = model_.get_parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const ov::Output<ov::Node> port = parameters[i]->output(0);
      const auto fallback = fmt::format("{}_{}", parameters[i]->get_friendly_name(), i);
      graph_.inputs.push_back(add_tensor(port, fallback, false));
    }
    for (const auto& node : model_.get_ordered_ops()) add(*node);
    for (const auto& result : model_.get_results()) graph_.outputs.push_back(tensor_of(result->input_value(0)));
    return std::move(graph_);
  }

 private:
  using Key = std::pair<const ov::Node*, std::size_t>;
  static Key key(const ov::Output<ov::Node>& port) { return {port.get_node(), port.get_index()}; }

  TensorId add_tensor(const ov::Output<ov::Node>& port, const std::string& fallback, bool is_constant) {
    Tensor tensor;
    const auto& names = port.get_names();
    tensor.name = names.empty() ? fallback : *std::min_element(names.begin(), names.end());
    tensor.type = element_type(port.get_element_type());
    if (port.get_partial_shape().rank().is_static()) tensor.shape = partial_shape(port.get_partial_shape());
    tensor.bytes = byte_count(tensor.type, tensor.shape);
    tensor.is_constant = is_constant;
    graph_.tensors.push_back(std::move(tensor));
    const auto id = static_cast<TensorId>(graph_.tensors.size() - 1);
    tensors_.insert_or_assign(key(port), id);
    return id;
  }

  TensorId tensor_of(const ov::Output<ov::Node>& port) const {
    const auto found = tensors_.find(key(port));
    return found == tensors_.end() ? no_tensor : found->second;
  }

  /// Nodes whose result is fixed when the model is compiled.
  bool folds(const ov::Node& node) const {
    if (ov::is_type<ov::op::v0::Constant>(&node)) return true;
    static const std::set<std::string_view> changing{"RandomUniform", "Multinomial", "ReadValue", "Assign"};
    if (node.get_input_size() == 0 || changing.contains(node.get_type_name())) return false;
    if (dynamic_cast<const ov::op::util::MultiSubGraphOp*>(&node)) return false;
    if (std::string_view(node.get_type_name()) == "ShapeOf") return node.get_input_partial_shape(0).is_static();
    const auto inputs = node.input_values();
    return std::all_of(inputs.begin(), inputs.end(),
                       [&](const auto& port) { return constants_.contains(port.get_node()); });
  }

  /// Importers write a convolution or product with a bias as two nodes.
  void find_bias(const ov::Node& node) {
    if (std::string_view(node.get_type_name()) != "Add") return;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const auto product = node.input_value(side);
      const auto type = onnx_type(product.get_node()->get_type_name());
      const bool is_matrix = type == "MatMul";
      if (!is_matrix && type != "Conv" && type != "ConvTranspose") continue;
      const auto& shape = product.get_partial_shape();
      if (!is_only_for(product, node) || shape.rank().is_dynamic() || shape.size() < 2) continue;
      if (is_matrix && shape.size() != 2) continue;  // ONNX's Gemm
      if (!is_bias(node.input_value(1 - side), shape, is_matrix ? shape.size() - 1 : 1)) continue;
      biased_.emplace(&node, side);
      absorbed_.insert(product.get_node());
      return;
    }
  }

  /// Nothing else that runs reads `port`; importers ask for its shape, to spread the bias.
  bool is_only_for(const ov::Output<ov::Node>& port, const ov::Node& reader) const {
    const auto inputs = port.get_target_inputs();
    return std::all_of(inputs.begin(), inputs.end(), [&](const auto& input) {
      return input.get_node() == &reader || constants_.contains(input.get_node());
    });
  }

  /// A constant with one number for each channel.
  bool is_bias(const ov::Output<ov::Node>& port, const ov::PartialShape& product, std::size_t channel) const {
    const auto& shape = port.get_partial_shape();
    if (!constants_.contains(port.get_node()) || shape.is_dynamic() || shape.size() > product.size()) return false;
    const std::size_t shift = product.size() - shape.size();  // broadcasting aligns the last dimensions
    if (channel < shift || product[channel].is_dynamic()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (shape[i].get_length() != (i + shift == channel ? product[channel].get_length() : 1)) return false;
    return true;
  }

  void add(ov::Node& node) {
    const std::string_view type = node.get_type_name();
    if (type == "Parameter" || type == "Result" || absorbed_.contains(&node)) return;
    const bool folded = constants_.contains(&node);
    const auto outputs = add_outputs(node, folded);
    if (!folded) add_op(node, outputs);
  }

  /// Shapes and axes, where the model has them as they are.
  void keep_integers(const ov::Output<ov::Node>& port, TensorId id) {
    const auto& shape = port.get_partial_shape();
    if (!port.get_element_type().is_integral_number() || shape.is_dynamic()) return;
    if (ov::shape_size(shape.to_shape()) > most_integers) return;
    if (const auto* constant = dynamic_cast<const ov::op::v0::Constant*>(port.get_node()))
      graph_.tensor(id).integers = constant->cast_vector<std::int64_t>();
  }

  std::vector<TensorId> add_outputs(ov::Node& node, bool folded) {
    std::vector<TensorId> ids;
    for (const auto& port : node.outputs()) {
      const bool unused = port.get_index() > 0 && port.get_target_inputs().empty();
      ids.push_back(unused ? no_tensor : add_tensor(port, *tensor_names(port).begin(), folded));
      if (folded && !unused) keep_integers(port, ids.back());
    }
    return ids;
  }

  void add_op(ov::Node& node, const std::vector<TensorId>& outputs) {
    const auto biased = biased_.find(&node);
    ov::Node& main = biased == biased_.end() ? node : *node.input_value(biased->second).get_node();
    Op op;
    op.node_index = static_cast<int>(graph_.ops.size());
    op.name = node.get_friendly_name();
    if (!names_.insert(op.name).second) {
      op.name = fmt::format("{}_{}", main.get_type_name(), op.node_index);
      names_.insert(op.name);
    }
    op.outputs = outputs;
    for (const auto& port : main.input_values()) op.inputs.push_back(tensor_of(port));
    op.attributes = attributes_of(main);
    add_bodies(main, op);
    const std::string_view type = main.get_type_name();
    op.type = onnx_type(type);
    if (op.type.empty()) unmap(op, type);
    adapt(graph_, op, type);
    if (biased != biased_.end()) {
      op.inputs.push_back(tensor_of(node.input_value(1 - biased->second)));
      if (op.type == "MatMul") op.type = "Gemm";
    }
    graph_.ops.push_back(std::move(op));
  }

  /// How often a body runs depends on data: a Graph of it says that the cost of the whole is not known.
  static void add_bodies(const ov::Node& node, Op& op) {
    const auto* parent = dynamic_cast<const ov::op::util::MultiSubGraphOp*>(&node);
    if (!parent) return;
    std::size_t index = 0;
    for (const auto& body : parent->get_functions())
      op.subgraphs.emplace(fmt::format("body_{}", index++), std::make_shared<Graph>(Translator(*body).translate()));
  }

  const ov::Model& model_;
  Graph graph_;
  std::map<Key, TensorId> tensors_;
  std::set<const ov::Node*> constants_;            ///< Constant, and what is computed from nothing else
  std::map<const ov::Node*, std::size_t> biased_;  ///< an Add, and which of its inputs is the product
  std::set<const ov::Node*> absorbed_;             ///< products that are told with their Add
  std::set<std::string> names_;
};

}  // namespace

Graph graph_of(const ov::Model& model) { return Translator(model).translate(); }

}  // namespace takt::openvino
