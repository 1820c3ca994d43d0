#include "plan/costs/lookup_tables.h"

#include <fmt/format.h>

#include "base/table/common_columns.h"

namespace takt {
namespace {

template <typename Value>
Cell cell_of(const AnsweredCost& one, Value value) {
  return one.answer.cost ? value(*one.answer.cost) : Cell();
}

Cell text_cell(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

constexpr Column<AnsweredCost> costs_columns[] = {
    {"unit", "Unit", [](const AnsweredCost& one) -> Cell { return one.range.unit; },
     "The kind of device that a plan chooses: CPU, GPU or NPU."},
    {"stages", "Stages",
     [](const AnsweredCost& one) -> Cell {
       const UnitRange& range = one.range;
       return range.first == range.last ? std::to_string(range.first) : fmt::format("{}-{}", range.first, range.last);
     },
     "The numbers of the network's stages, from 1; two with a dash are all stages between them, fused into one model."},
    {"stage_work", "Operation",
     [](const AnsweredCost& one) -> Cell {
       const UnitRange& range = one.range;
       if (range.first != range.last) return Cell();
       return std::string(stages_of(one.network)[static_cast<std::size_t>(range.first) - 1].name);
     },
     "The operation of the stage, such as GATHER or REDUCE_SUM."},
    {"cost_us", "Cost",
     [](const AnsweredCost& one) { return cell_of(one, [](const StageCost& c) { return Cell(c.mean); }); },
     "Mean time of one inference at the requested size: measured, or from a cost model fitted to other sizes. Empty if "
     "there is none; missing_because gives the reason."},
    {"cost_low_us", "Low",
     [](const AnsweredCost& one) { return cell_of(one, [](const StageCost& c) { return optional_cell(c.low); }); },
     "Lower end of the 90 % interval of the mean time. Empty if the time was measured and its samples are unknown."},
    {"cost_high_us", "High",
     [](const AnsweredCost& one) { return cell_of(one, [](const StageCost& c) { return optional_cell(c.high); }); },
     "Upper end of the 90 % interval of the mean time. Empty if the time was measured and its samples are unknown."},
    {"cost_origin", "Source",
     [](const AnsweredCost& one) {
       return cell_of(one, [](const StageCost& c) { return Cell(std::string(origin_name(c.origin))); });
     },
     "measured: at exactly the requested size; fitted: by a cost model, between measured sizes; extrapolated: by the "
     "cost model, outside the range of measured nodes, edges or edges per node."},
    {common::runtime,
     [](const AnsweredCost& one) { return cell_of(one, [](const StageCost& c) { return text_cell(c.runtime); }); }},
    {common::device,
     [](const AnsweredCost& one) { return cell_of(one, [](const StageCost& c) { return text_cell(c.device); }); }},
    {"missing_because", "Reason", [](const AnsweredCost& one) { return text_cell(one.answer.reason); },
     "Why there is no cost: the measurement was unsupported or failed, or there are too few sizes for a cost model."},
};

constexpr TableDefinition<AnsweredCost> costs_definition{
    "costs", "Stage times at a graph size: a row for each unit and stage.", costs_columns};

}  // namespace

Table costs_table(const std::vector<AnsweredCost>& costs) { return costs_definition.make(costs); }
TableSchema costs_schema() { return costs_definition.schema(); }

}  // namespace takt
