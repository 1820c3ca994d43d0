#include "measure/report/run_facts.h"

#include "measure/operators/columns.h"

namespace takt {
namespace {

struct InputRow {
  const HostTensor* input;
  std::string origin;
};

constexpr Column<InputRow> input_columns[] = {
    {"input", "Input", [](const InputRow& r) -> Cell { return r.input->name; }, "Name of the model's input."},
    {"shape", "Shape", [](const InputRow& r) -> Cell { return to_string(r.input->shape); },
     "Shape that was measured: {1,3,224,224}. A note says which sizes takt chose."},
    {"element_type", "Element type", [](const InputRow& r) -> Cell { return std::string(type_name(r.input->type)); },
     "Type of the input's values."},
    {"origin", "Origin", [](const InputRow& r) -> Cell { return r.origin; },
     "Where the input's values come from: generated (the seed is in the provenance), or a file or values that the user "
     "gave."},
};

constexpr Column<std::string> note_columns[] = {
    {"note", "Note", [](const std::string& text) -> Cell { return text; },
     "What to know when reading the numbers: sizes that takt chose, the precision of the computation, limits of the "
     "runtime's clock."},
};

struct Iteration {
  const RunPass* pass;
  std::size_t number;
};

constexpr Column<Iteration> iteration_columns[] = {
    {operator_columns::pass,
     [](const Iteration& r) -> Cell { return std::string(r.pass->profiled ? "profiled" : "plain"); }},
    {"iteration", "Iteration", [](const Iteration& r) -> Cell { return static_cast<std::int64_t>(r.number); },
     "Number of the measured run in its pass, from 0."},
    {"start_us", "Start",
     [](const Iteration& r) -> Cell {
       return r.number < r.pass->starts.size() ? time_cell(r.pass->starts[r.number]) : Cell();
     },
     "When the run began, since the first measured run of its pass and instance."},
    {"run_time_us", "Time", [](const Iteration& r) -> Cell { return Duration(r.pass->samples[r.number]); },
     "Time of the run, from the runtime's call to its return."},
    {"host_run_time_us", "Host time",
     [](const Iteration& r) -> Cell { return Duration(r.pass->host_samples.at(r.number)); },
     "Time from before the call until control returned to takt: the run and the overhead of takt's call."},
};

constexpr TableDefinition<InputRow> inputs_definition{"inputs", "The inputs of the measured model: a row per input.",
                                                      input_columns};
constexpr TableDefinition<std::string> notes_definition{
    "notes", "What to know when reading the numbers: a row per sentence.", note_columns};
constexpr TableDefinition<Iteration> iterations_definition{
    "iterations", "Every measured run: a row per run, the plain ones first. Present with --verbose or on request.",
    iteration_columns};

}  // namespace

Table inputs_table(const RunResult& result) {
  std::vector<InputRow> rows;
  for (std::size_t i = 0; i < result.input_values.size(); ++i)
    rows.push_back({&result.input_values[i], result.input_origins.at(i)});
  return inputs_definition.make(rows);
}

Table notes_table(const RunResult& result) { return notes_definition.make(all_notes(result)); }

Table iterations_table(const RunResult& result) {
  std::vector<Iteration> rows;
  for (const auto* pass : {&result.plain, &result.profiled})
    for (std::size_t i = 0; *pass && i < (*pass)->samples.size(); ++i) rows.push_back({&**pass, i});
  return iterations_definition.make(rows);
}

std::vector<TableSchema> run_facts_schemas() {
  return {inputs_definition.schema(), notes_definition.schema(), iterations_definition.schema()};
}

}  // namespace takt
