// Records and files of kernels for tests.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "predict/kernels/file.h"

namespace takt {

inline KernelTensor activation(const Shape& shape, ElementType type = ElementType::f32) {
  KernelTensor tensor;
  tensor.type = type, tensor.shape = shape;
  return tensor;
}

inline KernelTensor constant(const Shape& shape, ElementType type = ElementType::f32) {
  KernelTensor tensor = activation(shape, type);
  tensor.kind = KernelInput::weight;
  return tensor;
}

inline KernelTensor left_out() {
  KernelTensor tensor;
  tensor.kind = KernelInput::left_out;
  return tensor;
}

/// A blocked convolution with its residual sum and activation, 3×3 on 16 channels.
inline KernelRecord blocked_conv() {
  KernelRecord record;
  record.name = "Conv_Add_Relu", record.layout = "nchwc";
  record.type = "Conv", record.domain = "com.microsoft.nchwc";
  record.attributes = {{"activation", std::string("Relu")},
                       {"kernel_shape", std::vector<std::int64_t>{3, 3}},
                       {"pads", std::vector<std::int64_t>{1, 1, 1, 1}},
                       {"activation_params", std::vector<float>{}}};
  record.inputs = {activation({1, 16, 8, 8}), constant({16, 16, 3, 3}), constant({16}), activation({1, 16, 8, 8})};
  record.outputs = {activation({1, 16, 8, 8})};
  record.cost.flops = 295936;
  record.opsets = {{"", 17}, {"com.microsoft.nchwc", 1}};
  record.ir_version = 8;
  return record;
}

inline KernelRecord clip() {
  KernelRecord record;
  record.name = record.type = "Clip";
  record.inputs = {activation({1, 16, 8, 8}), left_out(), constant({})};
  record.inputs[2].values = to_bytes(std::vector<float>{6});
  record.outputs = {activation({1, 16, 8, 8})};
  record.opsets = {{"", 17}};
  record.ir_version = 8;
  return record;
}

/// conv, then clip, twice the sum of both.
inline KernelFile small_file() {
  KernelFile file;
  KernelGraph graph;
  graph.model = "small.onnx", graph.runtime = "onnxruntime", graph.version = "1.31.1", graph.device = "CPU";
  graph.inputs = {"x"}, graph.outputs = {"z"};
  const std::string conv = id_of(blocked_conv()), clipped = id_of(clip());
  graph.kernels = {{"conv", conv, {"x", "w", "b", "x"}, {"c"}, {}, {}, {}},
                   {"clip", clipped, {"c", "", "six"}, {"d"}, {}, {}, {}},
                   {"last", conv, {"d", "w", "b", "c"}, {"z"}, {}, {}, {}}};
  connect(graph);
  add(file, graph, {{conv, blocked_conv()}, {clipped, clip()}});
  return file;
}

}  // namespace takt
