// Which of a runtime's devices a user means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/runtime/runtime.h"

namespace takt {

/// Whether `wanted` is the CPU in anyone's words: "cpu", "CPU.0", "CPUExecutionProvider".
bool names_cpu(std::string_view wanted);

/// Whether `wanted` names the device of `status`, as choose_device() understands it.
bool names_device(const DeviceStatus& status, std::string_view wanted);

/// Why no device of `statuses` can be used as `wanted`; empty: one can.
std::string reason_against(const std::vector<DeviceStatus>& statuses, std::string_view wanted);

/// Returns the usable device that `wanted` names, in the runtime's spelling. Any case of letters will do; "GPU" also
/// stands for "GPU.0" and the other way round, and so do "cuda", "CUDA:0" and "CUDAExecutionProvider". `sdk` is what
/// people call the runtime: "ONNX Runtime". Throws Error(unsupported) with the reason and those that work.
std::string choose_device(const std::vector<DeviceStatus>& statuses, std::string_view wanted, std::string_view where,
                          std::string_view sdk);

}  // namespace takt
