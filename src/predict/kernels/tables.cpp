#include "predict/kernels/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "measure/operators/columns.h"

namespace takt {
namespace {

struct KernelRow {
  std::string model, node, id;
  std::optional<std::int64_t> number;
  const KernelRecord* record = nullptr;
};

/// "1x64x56x56, 1x64x56x56"; numbers that are constants apart.
std::string shapes_of(const std::vector<KernelTensor>& tensors, KernelInput kind) {
  std::string text;
  for (const KernelTensor& tensor : tensors)
    if (tensor.kind == kind) text += (text.empty() ? "" : ", ") + shape_text({tensor});
  return text;
}

/// Of the first tensor that was not left out: inputs, then outputs.
std::string types_of(const KernelRecord& record) {
  const KernelTensor* first = nullptr;
  for (const auto* list : {&record.inputs, &record.outputs})
    for (const KernelTensor& tensor : *list)
      if (!first && tensor.kind != KernelInput::left_out) first = &tensor;
  return first ? std::string(type_name(first->type)) : std::string();
}

Cell word_or_missing(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

constexpr ColumnText kernel_bytes_column{"kernel_bytes", "Bytes",
                                         "Bytes that a kernel reads and writes once: activations in and out, and "
                                         "weights; for several kernels, their sum. Empty if a shape is unknown."};

constexpr Column<KernelRow> kernels_columns[] = {
    {kernel_columns::number, [](const KernelRow& r) { return optional_cell(r.number); }},
    {kernel_columns::name, [](const KernelRow& r) -> Cell { return r.record->name; }},
    {"kernel_layout", "Layout", [](const KernelRow& r) { return word_or_missing(r.record->layout); },
     "Memory layout of the kernel's tensors if it differs from the model's: nchwc (blocks of channels), nhwc (channels "
     "last)."},
    {"kernel_inputs", "Inputs",
     [](const KernelRow& r) { return word_or_missing(shapes_of(r.record->inputs, KernelInput::activation)); },
     "Shapes of the kernel's input activations, from other kernels or from the model's inputs."},
    {"kernel_weights", "Weights",
     [](const KernelRow& r) { return word_or_missing(shapes_of(r.record->inputs, KernelInput::weight)); },
     "Shapes of the kernel's constants."},
    {"kernel_outputs", "Outputs",
     [](const KernelRow& r) { return word_or_missing(shapes_of(r.record->outputs, KernelInput::activation)); },
     "Shapes of the kernel's outputs."},
    {"kernel_dtype", "Data type", [](const KernelRow& r) { return word_or_missing(types_of(*r.record)); },
     "Element type of the kernel's first input."},
    {operator_columns::flops, [](const KernelRow& r) { return optional_cell(r.record->cost.flops); }},
    {kernel_bytes_column, [](const KernelRow& r) { return optional_cell(r.record->cost.bytes); }},
    {kernel_columns::node, [](const KernelRow& r) { return word_or_missing(r.node); }},
    {"kernel_type", "Node type",
     [](const KernelRow& r) -> Cell {
       return r.record->domain.empty() ? r.record->type : r.record->domain + "." + r.record->type;
     },
     "Type of the kernel's node in the runtime's graph, with its domain."},
    {kernel_columns::record, [](const KernelRow& r) -> Cell { return r.id; }},
    {"kernel_obstacle", "Not extractable", [](const KernelRow& r) { return word_or_missing(r.record->obstacle); },
     "Why the kernel cannot be extracted as a model from its record alone; empty if it can."},
    {"kernel_model", "Model", [](const KernelRow& r) { return word_or_missing(r.model); },
     "File of the kernel's model."},
};

constexpr TableDefinition<KernelRow> kernels_definition{
    "kernels", "Kernels that the runtime executes for each model: a row per kernel, in order.", kernels_columns};

struct NameRow {
  std::string name;
  std::int64_t kernels = 0, records = 0;
  std::optional<double> flops = 0.0;
  std::optional<std::int64_t> bytes = 0;
};

constexpr Column<NameRow> names_columns[] = {
    {kernel_columns::name, [](const NameRow& r) -> Cell { return r.name; }},
    {"kernel_count", "Kernels", [](const NameRow& r) -> Cell { return r.kernels; },
     "Number of kernels of the models with the canonical name."},
    {"record_count", "Records", [](const NameRow& r) -> Cell { return r.records; },
     "Number of different kernels (kernel_record) with the canonical name."},
    {operator_columns::flops, [](const NameRow& r) { return optional_cell(r.flops); }},
    {kernel_bytes_column, [](const NameRow& r) { return optional_cell(r.bytes); }},
};

constexpr TableDefinition<NameRow> names_definition{
    "kernel_names", "Kernels by what they compute: a row per canonical name, most work first.", names_columns};

std::vector<KernelRow> rows_of(const KernelFile& file) {
  std::vector<KernelRow> rows;
  for (const KernelGraph& model : file.models)
    for (std::size_t i = 0; i < model.kernels.size(); ++i) {
      const KernelInstance& kernel = model.kernels[i];
      rows.push_back(
          {model.model, kernel.name, kernel.record, static_cast<std::int64_t>(i) + 1, &file.records.at(kernel.record)});
    }
  if (file.models.empty())
    for (const auto& [id, record] : file.records) rows.push_back({{}, {}, id, std::nullopt, &record});
  return rows;
}

template <typename Number>
void add_known(std::optional<Number>& sum, const std::optional<Number>& value) {
  if (sum && value)
    *sum += *value;
  else
    sum.reset();
}

std::vector<NameRow> names_of(const std::vector<KernelRow>& rows) {
  std::map<std::string, NameRow> names;
  std::set<std::string> seen;
  for (const KernelRow& row : rows) {
    NameRow& of = names[row.record->name];
    of.name = row.record->name;
    ++of.kernels;
    if (seen.insert(row.id).second) ++of.records;
    add_known(of.flops, row.record->cost.flops);
    add_known(of.bytes, row.record->cost.bytes);
  }
  std::vector<NameRow> list;
  for (auto& [name, row] : names) list.push_back(std::move(row));
  std::stable_sort(list.begin(), list.end(),
                   [](const NameRow& a, const NameRow& b) { return a.flops.value_or(0) > b.flops.value_or(0); });
  return list;
}

constexpr Column<ExtractedKernel> extracted_columns[] = {
    {kernel_columns::record, [](const ExtractedKernel& r) -> Cell { return r.id; }},
    {kernel_columns::name, [](const ExtractedKernel& r) -> Cell { return r.name; }},
    {"weights_of", "Weights of", [](const ExtractedKernel& r) { return word_or_missing(r.kernel); },
     "Kernel of the model whose weights the extracted kernel has; empty if its weights are random."},
    {"kernel_runs", "Runs",
     [](const ExtractedKernel& r) -> Cell { return r.runs ? Cell(*r.runs ? "yes" : "no") : Cell(); },
     "Whether the extracted kernel ran when it was tried; empty if it was not tried."},
    {"kernel_difference", "Difference", [](const ExtractedKernel& r) { return optional_cell(r.difference); },
     "Largest difference between the outputs of the extracted kernel and those inside the model, for the same inputs, "
     "over the largest number. Empty if they were not compared."},
    {"kernel_file", "File", [](const ExtractedKernel& r) { return word_or_missing(r.file.filename().string()); },
     "Model file of the extracted kernel; empty if none was written."},
    {"kernel_problem", "Problem", [](const ExtractedKernel& r) { return optional_cell(r.problem); },
     "Why the kernel was not extracted, or why it does not run."},
};

constexpr TableDefinition<ExtractedKernel> extracted_definition{
    "extracted", "Kernels extracted from models as separate models: a row per kernel.", extracted_columns};

}  // namespace

std::vector<Table> kernel_tables(const KernelFile& file) {
  const std::vector<KernelRow> rows = rows_of(file);
  return {kernels_definition.make(rows), names_definition.make(names_of(rows))};
}

std::vector<TableSchema> kernel_schemas() { return {kernels_definition.schema(), names_definition.schema()}; }

std::vector<Table> extract_tables(const std::vector<ExtractedKernel>& extracted) {
  return {extracted_definition.make(extracted)};
}

std::vector<TableSchema> extract_schemas() { return {extracted_definition.schema()}; }

}  // namespace takt
