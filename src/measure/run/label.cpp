#include "measure/run/label.h"

#include <fmt/format.h>

#include <iterator>
#include <set>

namespace takt {
namespace {

/// "x {1,3,224,224} float32, mask {1,16} int64".
std::string inputs_of(const RunResult& result) {
  std::string text;
  for (const HostTensor& input : result.input_values)
    text +=
        fmt::format("{}{} {} {}", text.empty() ? "" : ", ", input.name, to_string(input.shape), type_name(input.type));
  return text;
}

Cell text_or_nothing(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

constexpr Column<RunResult> label_columns[] = {
    {model_column, [](const RunResult& r) -> Cell { return r.model.string(); }},
    {"model_hash", "Model hash", [](const RunResult& r) { return r.content ? Cell(r.content->fingerprint) : Cell(); },
     "64 bits of the contents of the model's file and of its weights' files: the same for equal models, regardless of "
     "their names and folders."},
    {"precision", "Precision", [](const RunResult& r) { return text_or_nothing(precision_of(r)); },
     "The type that floating-point operations were computed in, as the runtime reports it; otherwise the types of the "
     "model's operators' results, joined by +."},
    {"inputs", "Inputs", [](const RunResult& r) -> Cell { return inputs_of(r); },
     "The model's inputs with the shapes and types that were measured. The table inputs says where they come from."},
};

constexpr TableDefinition<RunResult> label_definition{"", "", label_columns};

bool is_arithmetic(ElementType type) {
  switch (type) {
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::f32:
    case ElementType::f64:
    case ElementType::i8:
    case ElementType::u8:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string precision_of(const RunResult& result) {
  if (result.precision) return std::string(type_name(*result.precision));
  if (!result.graph) return "";
  std::set<std::string_view> types;
  for (const Op& op : result.graph->ops) {
    if (is_folded(*result.graph, op)) continue;
    for (const TensorId id : op.outputs)
      if (id != no_tensor && is_arithmetic(result.graph->tensor(id).type))
        types.insert(type_name(result.graph->tensor(id).type));
  }
  return fmt::format("{}", fmt::join(types, "+"));
}

Table labelled(Table table, const RunResult& result) {
  const Table label = label_definition.make(std::span(&result, 1));
  table.columns.insert(table.columns.end(), label.columns.begin(), label.columns.end());
  for (auto& row : table.rows) row.insert(row.end(), label.rows[0].begin(), label.rows[0].end());
  return table;
}

TableSchema labelled(TableSchema schema) {
  for (auto& column : label_definition.column_schemas()) schema.columns.push_back(std::move(column));
  return schema;
}

Table without_labels(const Table& table) {
  return without_columns(table, {"model", "model_hash", "precision", "inputs"});
}

}  // namespace takt
