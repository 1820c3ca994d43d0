#include "model/onnx/open.h"

#include <onnx-ml.pb.h>

#include <algorithm>

#include "model/onnx/onnx.h"
#include "model/onnx/pieces.h"
#include "model/onnx/weights.h"

namespace takt {
namespace {

void forget_shape(onnx::ValueInfoProto& value) {
  if (value.type().has_tensor_type()) value.mutable_type()->mutable_tensor_type()->clear_shape();
}

void open_dimension(onnx::ValueInfoProto& input, int axis) {
  if (!input.type().has_tensor_type() || axis >= input.type().tensor_type().shape().dim_size()) return;
  input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(axis)->set_dim_param("takt_rows");
}

void read_open_dimensions(onnx::ValueInfoProto& value) {
  if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return;
  for (auto& dim : *value.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
    if (dim.dim_value() == -1 || dim.dim_param() == "-1" || dim.dim_param() == "?") dim.clear_value();
}

}  // namespace

void read_open_dimensions(onnx::GraphProto& graph) {
  for (auto& input : *graph.mutable_input()) read_open_dimensions(input);
  for (auto& output : *graph.mutable_output()) read_open_dimensions(output);
  for (auto& value : *graph.mutable_value_info()) read_open_dimensions(value);
  for (auto& node : *graph.mutable_node())
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) read_open_dimensions(*attribute.mutable_g());
      for (auto& body : *attribute.mutable_graphs()) read_open_dimensions(body);
    }
}

void write_with_open_dimension(const std::filesystem::path& model, const std::vector<std::string>& inputs, int axis,
                               const std::filesystem::path& to) {
  const OnnxModel read = read_onnx_structure(model);
  auto& graph = *read.proto->mutable_graph();
  for (auto& input : *graph.mutable_input())
    if (std::find(inputs.begin(), inputs.end(), input.name()) != inputs.end()) open_dimension(input, axis);
  for (auto& output : *graph.mutable_output()) forget_shape(output);
  graph.clear_value_info();
  WeightFiles files(model);
  write_with_weights(*read.proto, files, to, usual_weights_inside);
}

}  // namespace takt
