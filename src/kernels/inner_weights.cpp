#include "kernels/inner_weights.h"

#include <onnx-ml.pb.h>

#include "graph/onnx_weights.h"

namespace takt {

void bring_weights_inside(onnx::ModelProto& proto, const std::filesystem::path& model) {
  WeightFiles files(model);
  for (auto& tensor : *proto.mutable_graph()->mutable_initializer()) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) continue;
    tensor.set_raw_data(std::string(files.values_of(tensor)));
    tensor.clear_external_data();
    tensor.clear_data_location();
  }
}

}  // namespace takt
