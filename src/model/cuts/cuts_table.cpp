#include "model/cuts/cuts_table.h"

#include <fmt/format.h>

#include "base/basics/index.h"
#include "model/graph/run_order.h"

namespace takt {
namespace {

struct CutRow {
  std::int64_t number = 0;
  const Graph* graph = nullptr;
  const Cut* cut = nullptr;
  const SummedCost* whole = nullptr;
  std::string after, before;  ///< names of operators
};

std::string names_of_tensors(const Graph& graph, const std::vector<TensorId>& ids) {
  std::string names;
  for (const TensorId id : ids) names += (names.empty() ? "" : ", ") + graph.tensor(id).name;
  return names;
}

Cell text_or_missing(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

Cell sum_cell(double sum, const SummedCost& of) { return of.unknown == of.operators ? Cell() : Cell(sum); }

constexpr Column<CutRow> cut_columns[] = {
    {"cut", "Cut", [](const CutRow& r) -> Cell { return r.number; },
     "Number of a possible cut of the model, from 1, in the order in which its operators run."},
    {"cut_after", "Last op", [](const CutRow& r) -> Cell { return r.after; },
     "The last operator before the cut of a model."},
    {"cut_before", "First op", [](const CutRow& r) -> Cell { return r.before; },
     "The first operator after the cut of a model."},
    {"cut_tensors", "Tensors",
     [](const CutRow& r) { return text_or_missing(names_of_tensors(*r.graph, r.cut->tensors)); },
     "The tensors that go across a cut: computed before it and read after it. Empty if the two sides are independent."},
    {"tensors_across", "Tensor count",
     [](const CutRow& r) -> Cell { return static_cast<std::int64_t>(r.cut->tensors.size()); },
     "How many tensors go across a cut of a model."},
    {"cut_bytes", "Bytes", [](const CutRow& r) { return optional_cell(r.cut->bytes); },
     "Bytes of the tensors that go across a cut of a model; empty if the size of one is unknown."},
    {"late_inputs", "Inputs after",
     [](const CutRow& r) { return text_or_missing(names_of_tensors(*r.graph, r.cut->late_inputs)); },
     "Inputs of the whole model that operators after the cut read: they come from outside, not across the cut."},
    {"early_outputs", "Outputs before",
     [](const CutRow& r) { return text_or_missing(names_of_tensors(*r.graph, r.cut->early_outputs)); },
     "Outputs of the whole model that are computed before the cut."},
    {"ops_before", "Ops before", [](const CutRow& r) -> Cell { return r.cut->before.operators; },
     "How many operators run before the cut of a model; those that only produce constants are not counted."},
    {"flops_before", "FLOPs before", [](const CutRow& r) { return sum_cell(r.cut->before.flops, r.cut->before); },
     "Floating-point operations before the cut of a model, of the operators whose cost is known."},
    {"flops_share", "Share",
     [](const CutRow& r) { return r.whole->flops > 0 ? Cell(r.cut->before.flops / r.whole->flops) : Cell(); },
     "The part of a model's known floating-point operations that is before the cut, from 0 to 1."},
    {"unknown_before", "Unknown cost", [](const CutRow& r) -> Cell { return r.cut->before.unknown; },
     "Number of operators before the cut of a model whose cost is unknown; the sums leave them out."},
};

constexpr TableDefinition<CutRow> cuts_definition{
    "cuts", "Where a model can be split into models that run one after another: a row per possible cut.", cut_columns};

}  // namespace

Table cuts_table(const Graph& graph, const std::vector<Cut>& cuts) {
  const RunOrder order = run_order(graph);
  const SummedCost whole = cost_of_run(graph);
  const auto name_at = [&](std::size_t place) { return graph.ops[index(order.ops[place])].name; };
  std::vector<CutRow> rows;
  for (const Cut& cut : cuts)
    rows.push_back(
        {static_cast<std::int64_t>(rows.size()) + 1, &graph, &cut, &whole, name_at(cut.place - 1), name_at(cut.place)});
  return cuts_definition.make(rows);
}

TableSchema cuts_schema() { return cuts_definition.schema(); }

}  // namespace takt
