#include "model/onnx/pieces.h"

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/basics/index.h"
#include "model/graph/dag.h"
#include "model/onnx/weights.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

/// What the file says of the whole model; its graph left out.
onnx::ModelProto without_graph(const onnx::ModelProto& model) {
  onnx::ModelProto copy;
  copy.set_ir_version(model.ir_version());
  *copy.mutable_opset_import() = model.opset_import();
  if (model.has_producer_name()) copy.set_producer_name(model.producer_name());
  if (model.has_producer_version()) copy.set_producer_version(model.producer_version());
  if (model.has_domain()) copy.set_domain(model.domain());
  if (model.has_model_version()) copy.set_model_version(model.model_version());
  if (model.has_doc_string()) copy.set_doc_string(model.doc_string());
  *copy.mutable_metadata_props() = model.metadata_props();
  *copy.mutable_functions() = model.functions();
  *copy.mutable_configuration() = model.configuration();
  return copy;
}

void declare_type(onnx::ValueInfoProto& value, const Tensor& tensor) {
  if (value.type().value_case() != onnx::TypeProto::VALUE_NOT_SET && !value.type().has_tensor_type()) return;
  if (tensor.type == ElementType::undefined) return;
  auto& type = *value.mutable_type()->mutable_tensor_type();
  if (type.elem_type() == 0) type.set_elem_type(static_cast<int>(tensor.type));
  if (type.has_shape() || !tensor.shape) return;
  auto& shape = *type.mutable_shape();
  for (const Dim& dim : *tensor.shape) {
    auto& added = *shape.add_dim();
    if (dim.value)
      added.set_dim_value(*dim.value);
    else if (!dim.symbol.empty())
      added.set_dim_param(dim.symbol);
  }
}

class PieceWriter {
 public:
  PieceWriter(const onnx::GraphProto& from, const Graph& graph, const Piece& piece)
      : from_(from), graph_(graph), piece_(piece) {
    for (const auto* list : {&from.input(), &from.output(), &from.value_info()})
      for (const auto& value : *list) declared_.emplace(value.name(), &value);
    const auto reads = read_tensors(graph);
    for (const int op : piece.ops) {
      for (const TensorId id : reads[index(op)]) used_.insert(graph.tensor(id).name);
      for (const TensorId id : graph.ops[index(op)].outputs)
        if (id != no_tensor) made_.insert(graph.tensor(id).name);
    }
    for (const TensorId id : piece.inputs) border_.insert(graph.tensor(id).name);
    for (const TensorId id : piece.outputs) border_.insert(graph.tensor(id).name);
    used_.insert(border_.begin(), border_.end());
  }

  void write(onnx::GraphProto& to) {
    if (from_.has_doc_string()) to.set_doc_string(from_.doc_string());
    *to.mutable_metadata_props() = from_.metadata_props();
    for (const int op : piece_.ops) *to.add_node() = from_.node(graph_.ops[index(op)].node_index);
    add_annotations(to);
    add_constants(to);
    for (const TensorId id : piece_.inputs) declare(*to.add_input(), id);
    add_replaceable_constants(to);
    for (const TensorId id : piece_.outputs) declare(*to.add_output(), id);
    for (const auto& value : from_.value_info())
      if (made_.contains(value.name()) && !border_.contains(value.name())) *to.add_value_info() = value;
  }

 private:
  void declare(onnx::ValueInfoProto& value, TensorId id) const {
    const Tensor& tensor = graph_.tensor(id);
    if (const auto found = declared_.find(tensor.name); found != declared_.end()) value = *found->second;
    value.set_name(tensor.name);
    declare_type(value, tensor);
  }

  /// How quantised tensors are to be read, and the constants that say so.
  void add_annotations(onnx::GraphProto& to) {
    for (const auto& annotation : from_.quantization_annotation()) {
      if (!used_.contains(annotation.tensor_name()) && !made_.contains(annotation.tensor_name())) continue;
      *to.add_quantization_annotation() = annotation;
      for (const auto& entry : annotation.quant_parameter_tensor_names()) used_.insert(entry.value());
    }
  }

  void add_constants(onnx::GraphProto& to) {
    for (const auto& constant : from_.initializer())
      if (used_.contains(constant.name())) {
        *to.add_initializer() = constant;
        constants_.insert(constant.name());
      }
    for (const auto& constant : from_.sparse_initializer())
      if (used_.contains(constant.values().name())) {
        *to.add_sparse_initializer() = constant;
        constants_.insert(constant.values().name());
      }
  }

  /// Before IR 4 every constant is declared as an input as well; since then, those that a caller may replace.
  void add_replaceable_constants(onnx::GraphProto& to) const {
    for (const auto& input : from_.input())
      if (constants_.contains(input.name())) *to.add_input() = input;
  }

  const onnx::GraphProto& from_;
  const Graph& graph_;
  const Piece& piece_;
  std::unordered_map<std::string, const onnx::ValueInfoProto*> declared_;
  std::unordered_set<std::string> used_, made_, border_, constants_;
};

}  // namespace

onnx::ModelProto piece_model(const OnnxModel& model, const Graph& graph, const Piece& piece, const std::string& name) {
  onnx::ModelProto made = without_graph(*model.proto);
  onnx::GraphProto& to = *made.mutable_graph();
  to.set_name(model.proto->graph().name() + "_" + name);
  PieceWriter(model.proto->graph(), graph, piece).write(to);
  return made;
}

std::vector<std::filesystem::path> write_piece_models(const OnnxModel& model, const Graph& graph,
                                                      const std::vector<Piece>& pieces,
                                                      const std::filesystem::path& folder, std::int64_t most_inside) {
  WeightFiles files(model.graph.path);
  std::vector<std::filesystem::path> paths;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string name = "piece" + std::to_string(i + 1);
    onnx::ModelProto piece = piece_model(model, graph, pieces[i], name);
    const std::string stem = model.graph.path.stem().string();
    paths.push_back(folder / ((stem.empty() ? "model" : stem) + "_" + name + ".onnx"));
    write_with_weights(piece, files, paths.back(), most_inside);
  }
  return paths;
}

}  // namespace takt
