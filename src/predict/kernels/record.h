// One kernel as data: what it computes, on which shapes, types and layout, and what that costs.
//
// A record is what a predictor learns from and what a model can be made of again (src/predict/kernels/model.h), so it
// holds all that the node says but no weights: their values change results, not time. Those that do decide what happens
// stay in it: shapes, axes and pads (integers), and single numbers such as the bounds of Clip.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/cost/cost.h"
#include "model/graph/graph.h"
#include "takt/tensor.h"

namespace takt {

enum class KernelInput {
  activation,  ///< other kernels make it, or it is an input of the model
  weight,      ///< a constant
  left_out,    ///< optional, and not there
};

struct KernelTensor {
  KernelInput kind = KernelInput::activation;
  ElementType type = ElementType::undefined;
  Shape shape;
  std::optional<int> same_as;   ///< an input that is the input of this number again: Mul(x, x)
  std::optional<Bytes> values;  ///< of constants that matter; their bytes as in HostTensor
  /// Of integer constants without `values`: in between are all of them, so that an index stays valid.
  std::optional<std::int64_t> low, high;
};

struct KernelRecord {
  std::string name;                             ///< canonical: "Conv_Add_Relu" (src/predict/kernels/name.h)
  std::string layout;                           ///< "nchwc", "nhwc"; empty: as the model has it
  std::string type, domain;                     ///< of the runtime's node: "FusedConv", "com.microsoft"
  std::map<std::string, Attribute> attributes;  ///< as the runtime's node has them
  std::vector<KernelTensor> inputs;
  std::vector<KernelTensor> outputs;  ///< without one: kind left_out
  Cost cost;
  std::map<std::string, std::int64_t> opsets;  ///< of the model it is from, the node's domain and ONNX's own
  std::int64_t ir_version = 0;
  std::string obstacle;  ///< why no model can be made of the record; empty: one can
};

/// The kernel's identity in one canonical spelling: name, layout, type, domain, attributes, types and shapes, and the
/// integers among the constants. Two kernels with one key take the same time in the same place.
std::string key_of(const KernelRecord& record);

/// "Conv_Add_Relu_1x64x56x56_1f0c…": name, shape of the first output and a fingerprint of the key; fit for a file.
std::string id_of(const KernelRecord& record);

/// Of the first tensor with a shape, input or output: "1x64x56x56"; empty: there is none.
std::string shape_text(const std::vector<KernelTensor>& tensors);

}  // namespace takt
