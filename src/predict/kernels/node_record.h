// Records of the nodes of an ONNX graph whose tensors are all known.
#pragma once

#include <string>
#include <unordered_map>

#include "model/onnx/onnx.h"
#include "predict/kernels/record.h"

namespace onnx {
class TensorProto;
}

namespace takt {

/// Makes records of one graph. Refers to `model` and `graph`, which must outlive it.
class NodeRecords {
 public:
  /// `graph` is model.graph with types and shapes of the tensors inside.
  NodeRecords(const OnnxModel& model, const Graph& graph);

  /// What is not known becomes an obstacle, never a guess.
  KernelRecord of(const Op& op) const;

 private:
  KernelTensor input(const Op& op, std::size_t place, KernelRecord& record) const;
  KernelTensor tensor_of(TensorId id, KernelRecord& record) const;
  void keep_values(KernelTensor& tensor, const onnx::TensorProto& constant, bool is_quantised) const;

  const OnnxModel& model_;
  const Graph& graph_;
  std::unordered_map<std::string, const onnx::TensorProto*> constants_;
};

}  // namespace takt
