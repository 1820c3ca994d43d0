#include "model/openvino/ir_types.h"

#include <algorithm>
#include <openvino/core/attribute_visitor.hpp>
#include <unordered_map>

#include "model/graph/attributes.h"

namespace takt::openvino {
namespace {

using Names = std::unordered_map<std::string_view, std::string_view>;

const Names& renamed() {
  static const Names names{
      {"Convolution", "Conv"},
      {"GroupConvolution", "Conv"},
      {"ConvolutionBackpropData", "ConvTranspose"},
      {"GroupConvolutionBackpropData", "ConvTranspose"},
      {"AvgPool", "AveragePool"},
      {"BatchNormInference", "BatchNormalization"},
      {"NormalizeL2", "LpNormalization"},
      {"ScaledDotProductAttention", "Attention"},
      {"LSTMSequence", "LSTM"},
      {"GRUSequence", "GRU"},
      {"RNNSequence", "RNN"},
      {"Interpolate", "Resize"},
      {"Subtract", "Sub"},
      {"Multiply", "Mul"},
      {"Divide", "Div"},
      {"FloorMod", "Mod"},
      {"Power", "Pow"},
      {"Maximum", "Max"},
      {"Minimum", "Min"},
      {"Negative", "Neg"},
      {"Ceiling", "Ceil"},
      {"Select", "Where"},
      {"GreaterEqual", "GreaterOrEqual"},
      {"LessEqual", "LessOrEqual"},
      {"LogicalAnd", "And"},
      {"LogicalOr", "Or"},
      {"LogicalXor", "Xor"},
      {"LogicalNot", "Not"},
      {"Convert", "Cast"},
      {"ConvertLike", "CastLike"},
      {"Clamp", "Clip"},
      {"PReLU", "PRelu"},
      {"HSwish", "HardSwish"},
      {"SoftMax", "Softmax"},
      {"SoftPlus", "Softplus"},
      {"SoftSign", "Softsign"},
      {"VariadicSplit", "Split"},
      {"Broadcast", "Expand"},
      {"ScatterElementsUpdate", "ScatterElements"},
      {"ScatterNDUpdate", "ScatterND"},
      {"StridedSlice", "Slice"},
      {"ShapeOf", "Shape"},
      {"Eye", "EyeLike"},
  };
  return names;
}

constexpr std::string_view same_names[] = {
    "Abs",          "Acos",
    "Acosh",        "Add",
    "Asin",         "Asinh",
    "Atan",         "Atanh",
    "BitwiseAnd",   "BitwiseNot",
    "BitwiseOr",    "BitwiseXor",
    "Concat",       "Cos",
    "Cosh",         "CumSum",
    "DepthToSpace", "Einsum",
    "Elu",          "Equal",
    "Erf",          "Exp",
    "FakeQuantize", "Floor",
    "Gather",       "GatherElements",
    "GatherND",     "Gelu",
    "Greater",      "GroupNormalization",
    "HardSigmoid",  "Identity",
    "IsInf",        "IsNaN",
    "LRN",          "Less",
    "Log",          "LogSoftmax",
    "MVN",          "MatMul",
    "MaxPool",      "Mish",
    "Mod",          "NonZero",
    "OneHot",       "PRelu",
    "Pad",          "Range",
    "ReduceL1",     "ReduceL2",
    "ReduceMax",    "ReduceMean",
    "ReduceMin",    "ReduceProd",
    "ReduceSum",    "Relu",
    "Reshape",      "Round",
    "Selu",         "ReverseSequence",
    "Sigmoid",      "Sign",
    "Sin",          "Sinh",
    "Slice",        "Softmax",
    "Softplus",     "SpaceToDepth",
    "Split",        "Sqrt",
    "Squeeze",      "Swish",
    "Tan",          "Tanh",
    "Tile",         "TopK",
    "Transpose",    "Unsqueeze",
};

/// Keeps what an Attribute can hold; weights, bodies and variables are not attributes here.
class Collector : public ov::AttributeVisitor {
 public:
  using ov::AttributeVisitor::on_adapter;
  void on_adapter(const std::string&, ov::ValueAccessor<void>&) override {}
  void on_adapter(const std::string&, ov::ValueAccessor<std::shared_ptr<ov::Model>>&) override {}
  void on_adapter(const std::string& name, ov::ValueAccessor<std::string>& value) override { keep(name, value.get()); }
  void on_adapter(const std::string& name, ov::ValueAccessor<bool>& value) override {
    keep(name, std::int64_t{value.get()});
  }
  void on_adapter(const std::string& name, ov::ValueAccessor<std::int64_t>& value) override { keep(name, value.get()); }
  void on_adapter(const std::string& name, ov::ValueAccessor<std::uint64_t>& value) override {
    keep(name, static_cast<std::int64_t>(value.get()));
  }
  void on_adapter(const std::string& name, ov::ValueAccessor<double>& value) override {
    keep(name, static_cast<float>(value.get()));
  }
  void on_adapter(const std::string& name, ov::ValueAccessor<float>& value) override { keep(name, value.get()); }
  void on_adapter(const std::string& name, ov::ValueAccessor<std::vector<std::int64_t>>& value) override {
    keep(name, value.get());
  }
  void on_adapter(const std::string& name, ov::ValueAccessor<std::vector<std::uint64_t>>& value) override {
    keep(name, std::vector<std::int64_t>(value.get().begin(), value.get().end()));
  }

  std::map<std::string, Attribute> attributes;

 private:
  template <typename Value>
  void keep(const std::string& name, Value value) {
    attributes.insert_or_assign(name, Attribute(std::move(value)));
  }
};

void rename(Op& op, const std::string& from, const std::string& to) {
  if (auto node = op.attributes.extract(from)) {
    node.key() = to;
    op.attributes.insert(std::move(node));
  }
}

Tensor* tensor_at(Graph& graph, const Op& op, std::size_t index) {
  if (index >= op.inputs.size() || op.inputs[index] == no_tensor) return nullptr;
  return &graph.tensor(op.inputs[index]);
}

/// Weights {G, O/G, I/G, k…} are {O, I/G, k…} in ONNX; transposed, {G, I/G, O/G, k…} are {I, O/G, k…}: the same memory.
void merge_groups(Graph& graph, Op& op) {
  const Tensor* x = tensor_at(graph, op, 0);
  Tensor* weights = tensor_at(graph, op, 1);
  if (!x || !weights || !x->shape || !weights->shape || weights->shape->size() < 4) return;
  PartialShape& shape = *weights->shape;
  if (shape.size() != x->shape->size() + 1 || !shape[0].value) return;  // another operator shares and merged them
  op.attributes["group"] = *shape[0].value;
  std::int64_t merged = 0;
  if (!shape[1].value || __builtin_mul_overflow(*shape[0].value, *shape[1].value, &merged)) return;
  shape.erase(shape.begin());
  shape[0].value = merged;
}

void add_window(Graph& graph, Op& op) {
  const Tensor* weights = tensor_at(graph, op, 1);
  const auto shape = weights && weights->shape ? concrete(*weights->shape) : std::nullopt;
  if (shape && shape->size() > 2) op.attributes["kernel_shape"] = std::vector(shape->begin() + 2, shape->end());
}

/// The axes that input 1 names, from the front and in order; nullopt if they or the rank are not known.
std::optional<std::vector<std::int64_t>> axes_of(Graph& graph, const Op& op) {
  const Tensor* x = tensor_at(graph, op, 0);
  const Tensor* axes = tensor_at(graph, op, 1);
  if (!x || !axes || !x->shape || !axes->integers) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(x->shape->size());
  auto result = *axes->integers;
  for (auto& axis : result) axis += axis < 0 ? rank : 0;
  std::sort(result.begin(), result.end());
  return result;
}

/// True if `axes` are first, first+1, …, rank−1.
bool are_trailing(const std::vector<std::int64_t>& axes, std::int64_t first, std::int64_t rank) {
  if (first >= rank || static_cast<std::int64_t>(axes.size()) != rank - first) return false;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (axes[i] != first + static_cast<std::int64_t>(i)) return false;
  return true;
}

/// A mean over the whole plane is what ONNX calls a global pool; importers compute its axes, so the shapes tell.
void find_global_pool(Graph& graph, Op& op) {
  const Tensor* x = tensor_at(graph, op, 0);
  const Tensor& y = graph.tensor(op.outputs.at(0));
  const auto from = x && x->shape ? concrete(*x->shape) : std::nullopt;
  const auto to = y.shape ? concrete(*y.shape) : std::nullopt;
  if (!from || !to || from->size() != to->size() || from->size() < 3) return;
  const bool same_planes = std::equal(from->begin(), from->begin() + 2, to->begin());
  if (!same_planes || std::any_of(to->begin() + 2, to->end(), [](auto dim) { return dim != 1; })) return;
  op.type = op.type == "ReduceMax" ? "GlobalMaxPool" : "GlobalAveragePool";
  op.inputs.resize(1);
}

void adapt_mvn(Graph& graph, Op& op) {
  const Tensor* x = tensor_at(graph, op, 0);
  if (!x || !x->shape) return unmap(op, "MVN");
  const auto rank = static_cast<std::int64_t>(x->shape->size());
  if (op.inputs.size() == 1) {  // the first MVN: planes, or whole samples
    op.attributes["axis"] = std::int64_t{integer_attribute(op, "across_channels") != 0 ? 1 : 2};
    return;
  }
  const auto axes = axes_of(graph, op);
  if (!axes || axes->empty() || !are_trailing(*axes, axes->front(), rank)) return unmap(op, "MVN");
  op.attributes["axis"] = axes->front();
}

void adapt_resize(Op& op) {
  const std::string mode = text_attribute(op, "mode");
  if (mode == "linear_onnx") op.attributes["mode"] = std::string("linear");
  if (mode.empty()) unmap(op, "Interpolate");
}

/// OpenVINO: X, states (2 of an LSTM), lengths, W, R, B, with the batch first. ONNX: X, W, R, B, lengths, states.
void reorder_recurrent(Op& op) {
  const std::size_t states = op.type == "LSTM" ? 2 : 1;
  const auto old = op.inputs;
  if (old.size() < states + 5) return unmap(op, op.type + "Sequence");
  op.attributes["layout"] = std::int64_t{1};
  op.inputs = {old[0], old[states + 2], old[states + 3], old[states + 4], old[states + 1]};
  op.inputs.insert(op.inputs.end(), old.begin() + 1, old.begin() + 1 + static_cast<std::ptrdiff_t>(states));
}

}  // namespace

std::string_view onnx_type(std::string_view openvino_type) {
  const auto found = renamed().find(openvino_type);
  if (found != renamed().end()) return found->second;
  const auto* same = std::find(std::begin(same_names), std::end(same_names), openvino_type);
  return same == std::end(same_names) ? std::string_view() : *same;
}

std::map<std::string, Attribute> attributes_of(ov::Node& node) {
  Collector collector;
  node.visit_attributes(collector);
  return std::move(collector.attributes);
}

void unmap(Op& op, std::string_view openvino_type) {
  op.type = openvino_type;
  op.domain = "openvino";
}

void adapt(Graph& graph, Op& op, std::string_view from) {
  if (op.type == "Conv" || op.type == "ConvTranspose") {
    if (from.starts_with("Group")) merge_groups(graph, op);
    if (op.type == "ConvTranspose" && op.inputs.size() > 2) op.inputs.resize(2);  // the third is the output's shape
    add_window(graph, op);
  }
  if (op.type == "MatMul") {
    rename(op, "transpose_a", "transA");
    rename(op, "transpose_b", "transB");
  }
  if (op.type == "MaxPool" || op.type == "AveragePool") rename(op, "kernel", "kernel_shape");
  if (op.type == "ReduceMean" || op.type == "ReduceMax") find_global_pool(graph, op);
  if (op.type == "Gelu" && text_attribute(op, "approximation_mode") == "TANH")
    op.attributes["approximate"] = std::string("tanh");
  if (op.type == "MVN") adapt_mvn(graph, op);
  if (op.type == "Resize") adapt_resize(op);
  if (op.type == "LSTM" || op.type == "GRU" || op.type == "RNN") reorder_recurrent(op);
  if (op.type == "Attention" && op.inputs.size() > 4)
    op.inputs.resize(4);  // the fifth is the scale, a past key in ONNX
}

}  // namespace takt::openvino
