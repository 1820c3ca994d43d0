// A model compiled by OpenVINO.
#pragma once

#include <filesystem>
#include <memory>
#include <openvino/runtime/core.hpp>

#include "model/runtime/runtime.h"

namespace takt::openvino {

/// What a session's model was read from.
struct ModelSource {
  std::filesystem::path path;
  std::vector<std::string> outputs;  ///< the model's own names of its first outputs, in order; others as OpenVINO says
  const Graph* graph = nullptr;      ///< takt's reading; null: not known
};

/// Compiles `model` for `device` (OpenVINO's spelling) and makes it ready to run with zero inputs set by the caller.
/// `read`: the time that reading it took. Its ports have the names that `model` has for them: those of what is compiled
/// are merged over operators that do nothing.
/// Throws ov::Exception; the runtime translates it.
std::unique_ptr<Session> open_session(ov::Core& core, const std::shared_ptr<ov::Model>& model,
                                      const ModelSource& source, const std::string& device,
                                      const SessionSettings& settings, Nanoseconds read);

/// What takt's own names for `threads` and `tuning` stand for.
Properties properties_of(std::optional<int> threads, const Tuning& tuning);

/// Calls the inputs, in order, by these names, where they are as many: OpenVINO's importer names an input of ONNX after
/// what a Dropout makes of it.
void name_inputs(ov::Model& model, const std::vector<std::string>& names);

/// Fixes the open dimensions that `shapes` names; those along `free_axis` count as open. Throws
/// Error(bad_input), also where the model's inside does not go along.
void fix_shapes(ov::Model& model, const std::map<std::string, Shape>& shapes, std::optional<std::size_t> free_axis,
                const std::string& where);

/// Makes every tensor between operators an output: those that `graph` knows, under its names. What an importer put
/// inside of an operator is no tensor of the model. Without a graph (null) all, as far as they have names.
void show_all_tensors(ov::Model& model, const Graph* graph);

/// Writes NAME.xml and NAME.bin, each atomically. Throws Error(bad_input) for another extension, Error(io).
void write_model(const std::shared_ptr<ov::Model>& model, const std::filesystem::path& path);

}  // namespace takt::openvino
