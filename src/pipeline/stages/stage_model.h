// The model of a stage: a file with its inputs settled, or what stands for one.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/graph/graph.h"
#include "model/inputs/inputs.h"
#include "pipeline/spec/pipeline_spec.h"

namespace takt {

/// "gather.onnx", "dummy MatMul 512", "wait 5.00 ms", "busy 5.00 ms", "dummy".
std::string model_name(const StageSpec& stage);

/// The stage's `inputs` as `takt run --input` reads them, the shapes of what it was given, and the first files of its
/// data.
std::vector<InputSpec> input_specs(const StageSpec& stage);

/// The same as settings of an executor have them, without the data.
std::vector<std::string> input_texts(const StageSpec& stage);

/// The text of a shape to be filled with generated values.
std::string input_text(const std::string& name, const Shape& shape);

/// A shape to be filled with generated values.
InputSpec generated(const std::string& name, const Shape& shape);

/// A square MatMul of that edge, rows × edge, with input "x" and output "y".
Graph matmul_graph(std::int64_t edge);
/// The same as the bytes of an ONNX file; the number of rows is open ("rows").
std::string matmul_file(std::int64_t edge);

/// The stage's graph with all shapes that can be known on its (simulated) device; nullopt: `dummy: {time}`, which has
/// none. Throws as PreparedModel does.
std::optional<Graph> simulated_graph(const StageSpec& stage, const std::string& device, std::uint64_t seed);

}  // namespace takt
