#include "pipeline/stages/stage_model.h"

#include <fmt/format.h>

#include "measure/open/prepared_model.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

ModelBuilder matmul_builder(std::int64_t edge, bool open_rows) {
  ModelBuilder builder("matmul");
  const Shape square{edge, edge};
  const auto x = open_rows ? builder.symbolic_input("x", ElementType::f32, fmt::format("rows,{}", edge))
                           : builder.input("x", ElementType::f32, square);
  const auto y = builder.node("MatMul", {x, builder.weight(square, "w")}, {}, {"matmul", "", {"y"}, {}});
  if (open_rows)
    builder.output(y);
  else
    builder.output(y, ElementType::f32, square);
  return builder;
}

}  // namespace

std::string model_name(const StageSpec& stage) {
  if (!stage.dummy) return stage.model.filename().string();
  if (waits(stage)) return fmt::format("wait {}", format_duration(*stage.dummy->wait));
  if (const auto time = busy_time(stage)) return fmt::format("busy {}", format_duration(*time));
  return stage.dummy->matmul ? fmt::format("dummy MatMul {}", *stage.dummy->matmul) : "dummy";
}

std::vector<InputSpec> input_specs(const StageSpec& stage) {
  std::vector<InputSpec> specs;
  for (const auto& [name, text] : stage.inputs)
    for (auto& spec : parse_input_specs(text)) {
      if (spec.name.empty()) spec.name = name;
      specs.push_back(std::move(spec));
    }
  for (const auto& value : stage.given) specs.push_back(generated(value->name, value->shape));
  for (const auto& [name, data] : stage.data)
    if (!data.files.empty()) specs.push_back({name, data.files.front(), data.files.front().string()});
  return specs;
}

std::vector<std::string> input_texts(const StageSpec& stage) {
  std::vector<std::string> texts;
  for (const auto& [name, text] : stage.inputs)
    for (const auto& spec : parse_input_specs(text))
      texts.push_back(spec.name.empty() ? escape_input_name(name) + ":" + spec.text : spec.text);
  for (const auto& value : stage.given) texts.push_back(input_text(value->name, value->shape));
  return texts;
}

std::string input_text(const std::string& name, const Shape& shape) {
  return escape_input_name(name) + ":" + to_string(shape);
}

InputSpec generated(const std::string& name, const Shape& shape) { return {name, shape, to_string(shape)}; }

Graph matmul_graph(std::int64_t edge) { return matmul_builder(edge, false).build().graph; }

std::string matmul_file(std::int64_t edge) { return matmul_builder(edge, true).serialize(); }

std::optional<Graph> simulated_graph(const StageSpec& stage, const std::string& device, std::uint64_t seed) {
  if (stage.dummy) return stage.dummy->matmul ? std::optional(matmul_graph(*stage.dummy->matmul)) : std::nullopt;
  RunSettings settings;
  settings.device = device;
  settings.inputs = input_specs(stage);
  settings.seed = seed;
  PreparedModel prepared(stage.model, settings);
  return prepared.result().graph;
}

}  // namespace takt
