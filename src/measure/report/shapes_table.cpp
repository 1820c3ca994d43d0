#include "measure/report/shapes_table.h"

#include <algorithm>
#include <vector>

#include "measure/report/statistic_cell.h"

namespace takt {
namespace {

struct ShapesRow {
  const InputTurn* turn;
  std::vector<Nanoseconds> samples = {};
  std::optional<std::int64_t> resident = {};  ///< at most
};

constexpr Column<ShapesRow> shapes_columns[] = {
    {"turn_shapes", "Inputs", [](const ShapesRow& r) -> Cell { return r.turn->shapes; },
     "Shapes of the model's inputs in the runs of the row, where files of different shapes take turns."},
    {"turn_runs", "Runs", [](const ShapesRow& r) -> Cell { return static_cast<std::int64_t>(r.samples.size()); },
     "Measured runs with inputs of the row's shapes."},
    {"turn_first_us", "First",
     [](const ShapesRow& r) { return r.samples.empty() ? Cell() : time_cell(r.samples.front()); },
     "Time of the first measured run with the row's shapes; runtimes choose kernels and plan memory again for shapes "
     "that are new to them."},
    {"turn_median_us", "Median", [](const ShapesRow& r) { return statistic_cell(r.samples, &Summary::median); },
     "Median time of the runs with the row's shapes."},
    {"turn_max_us", "Max", [](const ShapesRow& r) { return statistic_cell(r.samples, &Summary::max); },
     "Longest run with the row's shapes."},
    {"turn_resident_bytes", "Resident", [](const ShapesRow& r) { return optional_cell(r.resident); },
     "Resident bytes of the whole program after a run with the row's shapes, at most. A runtime that keeps memory for "
     "the next run carries what larger shapes needed over to smaller ones. Empty on simulated devices, and if the "
     "system does not report it."},
    {"turn_activation_bytes", "Activations", [](const ShapesRow& r) { return optional_cell(r.turn->activations); },
     "Maximum bytes of tensors other than weights that are needed at the same time with the row's shapes, as "
     "activation_peak_bytes. Empty if the size of one tensor is unknown."},
};

constexpr TableDefinition<ShapesRow> shapes_definition{
    "shapes",
    "Time and memory by the shapes of the inputs, where files of different shapes take turns: a row per shape.",
    shapes_columns};

ShapesRow& row_with(std::vector<ShapesRow>& rows, const InputTurn& turn) {
  const auto known =
      std::find_if(rows.begin(), rows.end(), [&](const ShapesRow& row) { return row.turn->shapes == turn.shapes; });
  return known != rows.end() ? *known : rows.emplace_back(ShapesRow{&turn});
}

}  // namespace

std::optional<Table> shapes_table(const RunResult& result) {
  const auto& pass = result.plain ? result.plain : result.profiled;
  if (result.turns.empty() || !pass || result.throughput || !result.instances.empty()) return std::nullopt;
  std::vector<ShapesRow> rows;
  for (std::size_t i = 0; i < pass->samples.size(); ++i) {
    ShapesRow& row = row_with(rows, result.turns[i % result.turns.size()]);
    row.samples.push_back(pass->samples[i]);
    if (i < pass->resident.size()) row.resident = std::max(row.resident, pass->resident[i]);
  }
  return shapes_definition.make(rows);
}

TableSchema shapes_schema() { return shapes_definition.schema(); }

}  // namespace takt
