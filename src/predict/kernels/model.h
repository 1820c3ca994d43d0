// Models of one kernel: any record, fused and blocked ones too, as a model that stands alone.
//
// The node is written as the runtime's own graph has it, domain and layout included, and is to be opened as it is
// written (as_written()): its tensors then are those that it had inside the model. Blocked tensors (nchwc) keep their
// shapes, since the runtime permutes only how they lie.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/onnx/onnx.h"
#include "predict/kernels/optimised_kernels.h"

namespace onnx {
class TensorProto;
}

namespace takt {

/// The constant that is input number `place` in the model that a kernel is from; nullptr: draw one.
using WeightSource = std::function<const onnx::TensorProto*(std::size_t place)>;

/// Inputs are called x0, x1, …, constants w1, …, outputs y0, …, by their places. Weights are those of `weights`;
/// without it values that are in the record stand as they are and the others are drawn from `seed`: floats uniform in
/// ±sqrt(3 / fan-in), vectors in [0.5, 1.5) so that they can be scales and variances, integers within their range.
/// Equal calls give equal bytes. Throws Error(unsupported) for a record with an obstacle, and where the weights take
/// more than 2 GiB.
OnnxModel kernel_model(const KernelRecord& record, const WeightSource& weights = {}, std::uint64_t seed = 1);

/// Of a kernel of a model, with the weights that it has there. Of a group of operators (OpenVINO) those operators, by
/// the names that they have in the model.
OnnxModel kernel_model(const OptimisedKernels& kernels, std::size_t kernel);

/// "ID.onnx" in the folder.
std::filesystem::path kernel_model_path(const std::filesystem::path& folder, const std::string& id);

}  // namespace takt
