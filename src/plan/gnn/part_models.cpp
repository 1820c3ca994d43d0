#include "plan/gnn/part_models.h"

#include <fmt/format.h>

#include <numeric>

#include "base/basics/index.h"
#include "base/basics/text.h"
#include "model/onnx/builder.h"

namespace takt {
namespace {

constexpr int opset = 17;

/// Dimensions of a tensor of a part, or of the whole: rows, then the others.
Shape shape_with(const StageTensor& tensor, std::int64_t rows, const StageModelSettings& settings) {
  Shape shape = shape_of(tensor, {rows, rows}, settings.features);
  if (shape.size() == 2 && tensor.dims.back() == 'H') shape[1] = settings.hidden;
  return shape;
}

std::int64_t rows_of(const StageTensor& tensor, const EdgeList& graph) {
  return tensor.is_per_node() ? graph.nodes : graph.edges();
}

/// Which rows of the whole a part has of a tensor.
std::vector<std::int64_t> rows_of(const StageTensor& tensor, const GraphPart& part, bool is_table) {
  if (is_table) return part.rows;
  if (!tensor.is_per_node()) return part.edges;
  std::vector<std::int64_t> own(index(part.own()));
  std::iota(own.begin(), own.end(), part.first);
  return own;
}

bool is_run(const std::vector<std::int64_t>& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i] != rows[i - 1] + 1) return false;
  return true;
}

/// Rows of a tensor in this order, cheaper where they follow each other.
void add_rows(ModelBuilder& builder, const std::string& tensor, const std::vector<std::int64_t>& rows,
              const std::string& output) {
  const auto last = rows.empty() ? 0 : rows.back() + 1;
  if (is_run(rows)) {
    const auto number = [&](std::int64_t value) { return builder.integers({value}); };
    builder.node("Slice", {tensor, number(rows.empty() ? 0 : rows.front()), number(last), number(0)}, {},
                 {.outputs = {output}});
    return;
  }
  const auto count = static_cast<std::int64_t>(rows.size());
  builder.node("Gather", {tensor, builder.integers(rows, {count})}, {{"axis", std::int64_t{0}}}, {.outputs = {output}});
}

/// Where the rows of the parts, one behind the other, belong: inverse[i] is the place of row i among them.
std::vector<std::int64_t> places_of(const StageTensor& tensor, const EdgeList& graph,
                                    const std::vector<GraphPart>& parts) {
  std::vector<std::int64_t> places(index(rows_of(tensor, graph)));
  std::int64_t place = 0;
  for (const GraphPart& part : parts)
    for (const std::int64_t row : rows_of(tensor, part, false)) places[index(row)] = place++;
  return places;
}

}  // namespace

std::string part_name(std::string_view tensor, std::size_t part) { return fmt::format("{}_{}", tensor, part + 1); }

OnnxModel part_model(const StageRange& range, StageModelSettings settings, const GraphPart& part) {
  settings.size = part.size();
  if (!table_of(range).empty()) settings.table_rows = part.local.nodes;
  return stage_model(range, settings);
}

std::optional<OnnxModel> partition_model(const StageRange& range, const StageModelSettings& settings,
                                         const EdgeList& graph, const std::vector<GraphPart>& parts) {
  ModelBuilder builder(to_string(range) + "_partition");
  bool any = false;
  for (const StageTensor& tensor : ports_of(range).inputs) {
    if (tensor.holds == Holds::indices) continue;
    any = true;
    const std::string name(tensor.name);
    builder.input(name, ElementType::f32, shape_with(tensor, rows_of(tensor, graph), settings));
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto rows = rows_of(tensor, parts[p], tensor.name == table_of(range));
      add_rows(builder, name, rows, part_name(name, p));
      builder.output(part_name(name, p), ElementType::f32,
                     shape_with(tensor, static_cast<std::int64_t>(rows.size()), settings));
    }
  }
  if (!any) return std::nullopt;
  return builder.build(opset);
}

OnnxModel merge_model(const StageRange& range, const StageModelSettings& settings, const EdgeList& graph,
                      const std::vector<GraphPart>& parts) {
  ModelBuilder builder(to_string(range) + "_merge");
  for (const StageTensor& tensor : ports_of(range).outputs) {
    const std::string name(tensor.name);
    std::vector<std::string> of_parts;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto rows = static_cast<std::int64_t>(rows_of(tensor, parts[p], false).size());
      of_parts.push_back(builder.input(part_name(name, p), ElementType::f32, shape_with(tensor, rows, settings)));
    }
    const auto places = places_of(tensor, graph, parts);
    const std::vector<NamedAttribute> rows{{"axis", std::int64_t{0}}};
    if (is_run(places))
      builder.node("Concat", of_parts, rows, {.outputs = {name}});
    else
      add_rows(builder, builder.node("Concat", of_parts, rows), places, name);
    builder.output(name, ElementType::f32, shape_with(tensor, rows_of(tensor, graph), settings));
  }
  return builder.build(opset);
}

}  // namespace takt
