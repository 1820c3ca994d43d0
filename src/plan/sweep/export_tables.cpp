#include <algorithm>

#include "base/table/common_columns.h"
#include "plan/sweep/export.h"
#include "plan/sweep/stage_columns.h"

namespace takt {
namespace {

std::string precision_text(const StageExport& what) {
  return what.settings.precision == ElementType::f16 ? "f16" : "f32";
}

/// The models of a network for one kind of device.
struct ExportGroup {
  StageExport what;
  std::int64_t models = 0, written = 0, converted = 0;
};

constexpr ColumnText made_for{"made_for", "Device kind", "The kind of device for which the model is made."};
constexpr ColumnText model_type{
    "model_type", "Type",
    "The type of the model's features and weights; counts are f32 and indices i64 in all models."};

constexpr Column<ExportGroup> summary_columns[] = {
    {stage_columns::network,
     [](const ExportGroup& g) -> Cell { return std::string(network_title(g.what.stage.network)); }},
    {made_for, [](const ExportGroup& g) -> Cell { return g.what.device; }},
    {model_type, [](const ExportGroup& g) -> Cell { return precision_text(g.what); }},
    {"exported", "Models", [](const ExportGroup& g) -> Cell { return g.models; }, "The number of models."},
    {"written", "Written", [](const ExportGroup& g) -> Cell { return g.written; },
     "How many of them were written now; the others already existed, byte-identical."},
    {"with_ir", "With IR", [](const ExportGroup& g) -> Cell { return g.converted; },
     "How many of them also exist as OpenVINO IR."},
};

constexpr Column<ExportedModel> model_columns[] = {
    {stage_columns::network,
     [](const ExportedModel& m) -> Cell { return std::string(network_title(m.what.stage.network)); }},
    {stage_columns::number, [](const ExportedModel& m) -> Cell { return stages_text(m.what.stage); }},
    {stage_columns::work, [](const ExportedModel& m) -> Cell { return work_text(m.what.stage); }},
    {made_for, [](const ExportedModel& m) -> Cell { return m.what.device; }},
    {model_type, [](const ExportedModel& m) -> Cell { return precision_text(m.what); }},
    {"nodes", "Nodes",
     [](const ExportedModel& m) { return m.what.settings.size ? Cell(m.what.settings.size->nodes) : Cell(); },
     "The number of nodes of the model's graphs; empty: any number."},
    {"edges", "Edges",
     [](const ExportedModel& m) { return m.what.settings.size ? Cell(m.what.settings.size->edges) : Cell(); },
     "The number of edges of the model's graphs; empty: any number."},
    {"onnx_file", "ONNX", [](const ExportedModel& m) -> Cell { return m.onnx.generic_string(); },
     "The ONNX file, in the folder of --out."},
    {"ir_file", "IR", [](const ExportedModel& m) { return m.ir ? Cell(m.ir->generic_string()) : Cell(); },
     "The file of the model as OpenVINO IR, in the folder of --out; its weights are next to it in a .bin file. Empty "
     "if this binary was built without OpenVINO."},
    {"is_new", "New", [](const ExportedModel& m) -> Cell { return std::string(m.is_new ? "yes" : "no"); },
     "yes: the model was written now; no: it already existed, byte-identical."},
};

constexpr TableDefinition<ExportGroup> summary_definition{
    "exports", "Models of stages, counted: a row per network and kind of device.", summary_columns};
constexpr TableDefinition<ExportedModel> models_definition{"models", "Every exported model: a row for each.",
                                                           model_columns};

std::vector<ExportGroup> grouped(const std::vector<ExportedModel>& models) {
  std::vector<ExportGroup> groups;
  for (const ExportedModel& model : models) {
    auto found = std::find_if(groups.begin(), groups.end(), [&](const ExportGroup& group) {
      return group.what.stage.network == model.what.stage.network && group.what.device == model.what.device;
    });
    if (found == groups.end()) found = groups.insert(groups.end(), ExportGroup{model.what});
    ++found->models;
    found->written += model.is_new ? 1 : 0;
    found->converted += model.ir ? 1 : 0;
  }
  return groups;
}

}  // namespace

std::vector<Table> export_tables(const std::vector<ExportedModel>& models) {
  return {summary_definition.make(grouped(models)), models_definition.make(models)};
}

std::vector<TableSchema> export_schemas() { return {summary_definition.schema(), models_definition.schema()}; }

}  // namespace takt
