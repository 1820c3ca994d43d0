// What a runtime really executes of a model, kernel by kernel.
//
// ONNX Runtime saves its optimised graph as a model: its nodes are the kernels, in the order in which they run. The
// file has no shapes, so every tensor of it becomes an output once, and the runtime says what each is. OpenVINO tells
// of each node of its execution graph which operators of the model it stands for; a kernel there is such a group.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "measure/open/run_settings.h"
#include "model/onnx/onnx.h"
#include "model/runtime/runtime.h"
#include "predict/kernels/graph.h"

namespace takt {

struct KernelBody;

/// Calls; what fails at `made`, a file of takt's own, is said of the `model` that it was made from.
template <typename Call>
auto saying_of(const std::filesystem::path& model, const std::filesystem::path& made, Call call) {
  try {
    return call();
  } catch (const Error& error) {
    const std::string own = printable(made.string()), message = error.what();
    throw Error(error.kind(),
                message.starts_with(own) ? printable(model.string()) + message.substr(own.size()) : message);
  }
}

struct OptimisedKernels {
  KernelGraph graph;
  std::map<std::string, KernelRecord> records;  ///< by id, those of `graph`
  /// The graph that is executed, with a node per kernel, called as the kernel, in the order of `graph.kernels`. Where
  /// the runtime cannot save one (OpenVINO), the model itself: then kernels are groups of its operators.
  OnnxModel model;
  bool is_saved = false;  ///< `model` is the executed graph
  std::map<std::string, Shape> input_shapes;
  std::vector<HostTensor> input_values;  ///< that nobody has to give
  std::vector<std::string> notes;        ///< what a reader has to know, one sentence each
  std::vector<KernelBody> bodies;        ///< of kernel_structure_of() alone
};

/// A graph that a kernel runs: a branch of If, a turn of Loop or Scan.
struct KernelBody {
  std::size_t owner = 0;        ///< place of the kernel in OptimisedKernels::graph
  std::string name;             ///< of the attribute: "then_branch", "body"
  std::optional<double> turns;  ///< of one execution of the kernel, at most; nullopt: not known before it runs
  OptimisedKernels kernels;
};

/// `settings` say runtime, device, and the sizes of open inputs. Throws Error as run_model() does, and
/// Error(unsupported) for a simulated device, which has no kernels, and where the runtime cannot save its graph.
OptimisedKernels kernels_of(const std::filesystem::path& model, const RunSettings& settings);

/// The same for who only wants to know the kernels: `model` lacks the values of large weights, so that it cannot be run,
/// and there are no input_values. Bodies come along. A tenth of the time, where the runtime can tell all shapes without
/// a session; else, and for what it refuses, as kernels_of(). Throws as that.
OptimisedKernels kernel_structure_of(const std::filesystem::path& model, const RunSettings& settings);

/// The graph that a runtime saved of `model` when it opened its file, with the weights that it left where the model has
/// them and no inputs but the model's. Throws Error(runtime) where it is none, and as bring_weights_inside().
OnnxModel read_saved_graph(const std::filesystem::path& saved, const Graph& model);

/// Settings of sessions that run a model exactly as it is written, on the device that `kernels` are of.
SessionSettings as_written(const OptimisedKernels& kernels);

/// A runtime of kernels that stand alone, outside of any model, and settings with which it runs them as written.
struct LoneKernels {
  std::string runtime;
  SessionSettings settings;
};
/// Throws Error(unsupported): no runtime of this binary saves its graph, and records of kernels come from those.
LoneKernels lone_kernels(const std::string& device);

}  // namespace takt
