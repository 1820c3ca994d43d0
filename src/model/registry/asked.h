// What runtimes that nobody chose know of a model. What an SDK does to a file that it was not asked for must not end
// the program, and some readers die on models that others run: so they are asked in a copy of this process, with a
// limit, and tell nothing where they crash, hang or fail. Where a runtime hung, it is not asked again in this process;
// where it crashed at a model, not about that model.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/runtime/runtime.h"

namespace takt {

/// By tensor name; dimensions may be open.
using TensorShapes = std::map<std::string, PartialShape>;

/// Runtimes of this binary that tell shapes of ONNX models, ONNX Runtime first: it infers as ONNX itself says.
std::vector<std::string> runtimes_that_tell();

/// Runtime::infer_shapes().
TensorShapes shapes_told_apart(std::string_view runtime, const std::filesystem::path& model,
                               const std::map<std::string, Shape>& input_shapes);
/// The types of the model's tensors, as far as a session on the CPU shows them. `graph`: takt's reading of the model.
std::map<std::string, ElementType> types_told_apart(std::string_view runtime, const std::filesystem::path& model,
                                                    const Graph& graph);
/// Runtime::with_executed_shapes().
std::optional<Graph> executed_shapes_told_apart(std::string_view runtime, const std::filesystem::path& model,
                                                const Graph& graph, const SessionSettings& settings,
                                                const std::vector<HostTensor>& inputs);

/// What a runtime says of itself, or why it says nothing.
struct ToldDevices {
  std::string version;
  std::vector<DeviceStatus> devices;
  std::string reason;  ///< empty: it told
};
ToldDevices devices_told_apart(std::string_view runtime);

/// The runtime for a model on a real device where nobody asked for a runtime: that of runtime_for() on a CPU and where
/// it has the device, else another one that reads the file and has it. `told`: what a runtime says of itself. Throws
/// Error(unsupported) with the reasons of all where none has the device.
RuntimeChoice runtime_for_device(const std::filesystem::path& model, std::string_view device,
                                 const std::function<ToldDevices(const std::string&)>& told);
/// The same, of what the runtimes of this binary say here; each is asked once in a process.
RuntimeChoice runtime_for_device(const std::filesystem::path& model, std::string_view device);

}  // namespace takt
