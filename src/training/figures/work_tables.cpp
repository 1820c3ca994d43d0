#include "training/figures/work_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/table/common_columns.h"
#include "training/figures/memory_peak.h"
#include "training/figures/modules.h"
#include "training/figures/operators.h"
#include "training/figures/phases.h"
#include "training/figures/tensor_cores.h"
#include "training/steps/breakdown.h"

namespace takt {
namespace {

constexpr ColumnText phase{
    "phase", "Phase",
    "Phase of the training step: forward, backward (operators of autograd), optimizer, data_wait (the loop waits for "
    "its next batch), other (the rest of the step), idle (nothing runs on a device)."};
constexpr ColumnText call_count{"call_count", "Calls", "Number of calls in the whole trace."};

struct PhaseRow {
  std::string file, phase;
  std::optional<double> host_ns, device_ns;  // per step
  std::optional<double> launched, flops;     // per step
  bool has_device = false;
};

std::optional<double> rate(const std::optional<double>& flops, const std::optional<double>& ns) {
  if (!flops || !ns || *ns <= 0) return std::nullopt;
  return *flops / *ns;  // operations per nanosecond: GFLOP/s
}

Cell time_of(const std::optional<double>& ns) { return ns ? Cell(Duration(*ns / 1000)) : Cell(); }

constexpr ColumnText counted_gflops_per_s{
    "counted_gflops_per_s", "GFLOP/s",
    "Floating-point operations by recorded shapes per second in which the work ran, in 10^9: on devices, without one "
    "in the program. Products of matrices, convolutions and attention count, others have none."};

constexpr Column<PhaseRow> phase_columns[] = {
    {common::trace_file, [](const PhaseRow& r) -> Cell { return r.file; }},
    {phase, [](const PhaseRow& r) -> Cell { return r.phase; }},
    {"phase_host_us", "Host", [](const PhaseRow& r) { return time_of(r.host_ns); },
     "Mean time per training step that the program is in the phase; the column adds up to its step."},
    {"phase_device_us", "On device", [](const PhaseRow& r) { return time_of(r.device_ns); },
     "Mean time per training step that a device works on what the phase launched; with idle the column adds up to the "
     "device's step."},
    {"launches_per_step", "Launches", [](const PhaseRow& r) { return optional_cell(r.launched); },
     "Mean number per training step of kernels, copies and fills that the phase launched."},
    {"gflop_per_step", "GFLOP", [](const PhaseRow& r) -> Cell { return r.flops ? Cell(*r.flops / 1e9) : Cell(); },
     "Floating-point operations per training step by recorded shapes, in 10^9; empty without record_shapes=True."},
    {counted_gflops_per_s,
     [](const PhaseRow& r) { return optional_cell(rate(r.flops, r.has_device ? r.device_ns : r.host_ns)); }},
};

struct OperatorRow {
  std::string file, name;
  OperatorFigure figure;
};

constexpr Column<OperatorRow> operator_columns[] = {
    {common::trace_file, [](const OperatorRow& r) -> Cell { return r.file; }},
    {"op", "Operator", [](const OperatorRow& r) -> Cell { return r.name; },
     "Operator of the framework; [none] is device work that no operator launched."},
    {call_count, [](const OperatorRow& r) -> Cell { return r.figure.calls; }},
    {"self_host_us", "Self host", [](const OperatorRow& r) -> Cell { return Duration(Nanoseconds(r.figure.self_ns)); },
     "Total time of the operator in the program, without operators that it calls."},
    {"self_device_us", "Self device",
     [](const OperatorRow& r) -> Cell {
       return r.figure.device_ns ? Cell(Duration(Nanoseconds(*r.figure.device_ns))) : Cell();
     },
     "Total time of the device work that the operator launched itself; the column adds up to all work of devices."},
    {"total_gflop", "GFLOP",
     [](const OperatorRow& r) -> Cell { return r.figure.flops ? Cell(*r.figure.flops / 1e9) : Cell(); },
     "Floating-point operations of all calls by recorded shapes, in 10^9; empty for operators that are not counted."},
    {counted_gflops_per_s,
     [](const OperatorRow& r) { return optional_cell(rate(r.figure.flops, static_cast<double>(r.figure.flops_ns))); }},
};

struct ModuleRow {
  std::string file;
  ModuleFigure figure;
  double share = 0;
};

constexpr Column<ModuleRow> module_columns[] = {
    {common::trace_file, [](const ModuleRow& r) -> Cell { return r.file; }},
    {"module", "Module",
     [](const ModuleRow& r) -> Cell { return r.figure.name.empty() ? std::string("[none]") : r.figure.name; },
     "Module of the network (nn.Module) by class and number; [none] is what belongs to no module."},
    {"inside_module", "Inside",
     [](const ModuleRow& r) -> Cell { return r.figure.inside.empty() ? Cell() : r.figure.inside; },
     "The module that calls it; empty for the outermost one, or if several call it."},
    {call_count, [](const ModuleRow& r) -> Cell { return r.figure.calls > 0 ? Cell(r.figure.calls) : Cell(); }},
    {"forward_us", "Forward", [](const ModuleRow& r) -> Cell { return Duration(Nanoseconds(r.figure.forward_ns)); },
     "Total time of the module's own forward pass, without the modules inside: of the device work that it launched; "
     "without a device, of its operators."},
    {"backward_us", "Backward", [](const ModuleRow& r) -> Cell { return Duration(Nanoseconds(r.figure.backward_ns)); },
     "Total time of the module's own backward pass, matched by autograd's sequence numbers."},
    {"module_share", "Share", [](const ModuleRow& r) -> Cell { return r.share; },
     "Fraction of the time of all modules and [none], 0 to 1: its own forward and backward pass."},
    {"with_inner_us", "With inner", [](const ModuleRow& r) -> Cell { return Duration(Nanoseconds(r.figure.all_ns)); },
     "Forward and backward pass of the module and of all modules inside."},
    {"module_host_us", "Host",
     [](const ModuleRow& r) -> Cell {
       return r.figure.calls > 0 ? Cell(Duration(Nanoseconds(r.figure.host_ns))) : Cell();
     },
     "Total time of the module's calls in the program, with the modules inside."},
};

struct MemoryRow {
  std::string file;
  const MemoryPeak* peak = nullptr;
  HeldMemory held;
  std::string name;
};
constexpr double bytes_per_mb = 1e6;

constexpr Column<MemoryRow> memory_columns[] = {
    {common::trace_file, [](const MemoryRow& r) -> Cell { return r.file; }},
    {"memory_of", "Memory", [](const MemoryRow& r) -> Cell { return r.peak->device; },
     "The memory: of the host or of a device, by its number."},
    {phase,
     [](const MemoryRow& r) -> Cell { return r.held.phase ? Cell(std::string(name_of(*r.held.phase))) : Cell(); }},
    {"taken_by", "Taken by", [](const MemoryRow& r) -> Cell { return r.name; },
     "The operator that took the memory, as the program called it; [none] is the program itself, [before] what was "
     "in use when the trace began or whose block the trace does not tell."},
    {"held_blocks", "Blocks",
     [](const MemoryRow& r) -> Cell { return r.held.blocks > 0 ? Cell(r.held.blocks) : Cell(); },
     "Number of blocks in use at the peak."},
    {"held_mb", "In use (MB)",
     [](const MemoryRow& r) -> Cell { return static_cast<double>(r.held.bytes) / bytes_per_mb; },
     "Memory in use at the peak, in 10^6 bytes; the column adds up to the peak of each memory."},
    {"memory_share", "Share",
     [](const MemoryRow& r) -> Cell {
       return r.peak->bytes == 0 ? Cell()
                                 : Cell(static_cast<double>(r.held.bytes) / static_cast<double>(r.peak->bytes));
     },
     "Fraction of the memory in use at the peak, 0 to 1."},
    {"peak_at_us", "Peak at", [](const MemoryRow& r) -> Cell { return Duration(Nanoseconds(r.peak->time)); },
     "When most memory was in use, since the trace's first event."},
    {"peak_step", "In step", [](const MemoryRow& r) { return optional_cell(r.peak->step); },
     "Number of the training step in which most memory was in use; empty if it was in none."},
    {"grown_mb", "Grown (MB)",
     [](const MemoryRow& r) -> Cell { return static_cast<double>(r.peak->grown) / bytes_per_mb; },
     "Memory in use at the end of the trace above that at its beginning, in 10^6 bytes: what steps leave behind."},
};

struct MatrixUnitRow {
  std::string file, unit, longest;
  MatrixUnitFigure figure;
  double share = 0;
};

constexpr Column<MatrixUnitRow> matrix_unit_columns[] = {
    {common::trace_file, [](const MatrixUnitRow& r) -> Cell { return r.file; }},
    {"matrix_unit", "Matrix units", [](const MatrixUnitRow& r) -> Cell { return r.unit; },
     "Use of matrix units (tensor cores) by kernels: used (by the kernel's name), eligible (launched by an "
     "operator for which there are such kernels, without one), none (others), not_told (the launching operator is not "
     "in the trace)."},
    {"unit_kernels", "Kernels", [](const MatrixUnitRow& r) -> Cell { return r.figure.kernels; },
     "Number of kernel executions in the whole trace."},
    {"kernel_time_us", "Time", [](const MatrixUnitRow& r) -> Cell { return Duration(Nanoseconds(r.figure.time_ns)); },
     "Total time of the kernels; the column adds up to that of all computing kernels."},
    {"kernel_share", "Share", [](const MatrixUnitRow& r) -> Cell { return r.share; },
     "Fraction of the time of all computing kernels, 0 to 1."},
    {"longest_kernel", "Longest", [](const MatrixUnitRow& r) -> Cell { return r.longest; },
     "Name of the kernel that takes most of the time."},
};

constexpr TableDefinition<PhaseRow> phases_definition{
    "phases", "What forward pass, backward pass and optimizer take of a mean step: a row per trace and phase.",
    phase_columns};
constexpr TableDefinition<OperatorRow> operators_definition{
    "operators", "The framework's operators, most expensive first: a row per trace and name.", operator_columns};
constexpr TableDefinition<ModuleRow> modules_definition{
    "modules", "The network's modules, most expensive first: a row per trace and module.", module_columns};
constexpr TableDefinition<MemoryRow> memory_definition{
    "memory", "What held memory when most was in use: a row per trace, memory, phase and operator.", memory_columns};
constexpr TableDefinition<MatrixUnitRow> matrix_units_definition{
    "matrix_units", "How much of the kernels' time used matrix units (tensor cores): a row per trace and kind of use.",
    matrix_unit_columns};

void add_phases(const NamedTrace& named, const Activity& activity, std::vector<PhaseRow>& rows) {
  if (activity.host.empty() && activity.device.empty()) return;
  const PhaseFigures figures = phase_figures(named.read.trace, activity, find_steps(activity));
  const double steps = static_cast<double>(std::max<std::int64_t>(figures.steps, 1));
  for (const PhaseFigure& one : figures.list) {
    PhaseRow& row = rows.emplace_back();
    row.file = named.file, row.phase = name_of(one.phase), row.has_device = activity.has_device();
    row.host_ns = static_cast<double>(one.host_ns) / steps;
    if (one.device_ns) row.device_ns = static_cast<double>(*one.device_ns) / steps;
    if (one.device_ns) row.launched = static_cast<double>(one.launched) / steps;
    if (one.flops) row.flops = *one.flops / steps;
  }
  if (!figures.device_idle_ns) return;
  PhaseRow& idle = rows.emplace_back();
  idle.file = named.file, idle.phase = "idle", idle.has_device = true;
  idle.device_ns = static_cast<double>(*figures.device_idle_ns) / steps;
}

void add_operators(const NamedTrace& named, const Activity& activity, std::vector<OperatorRow>& rows) {
  for (const OperatorFigure& one : operator_figures(named.read.trace, activity))
    rows.push_back({named.file, one.name ? named.read.trace.text(*one.name) : "[none]", one});
}

void add_modules(const NamedTrace& named, const Activity& activity, std::vector<ModuleRow>& rows) {
  std::vector<ModuleFigure> figures = module_figures(named.read.trace, activity);
  double all = 0;
  for (const ModuleFigure& one : figures) all += static_cast<double>(one.forward_ns + one.backward_ns);
  for (ModuleFigure& one : figures) {
    const double own = static_cast<double>(one.forward_ns + one.backward_ns);
    rows.push_back({named.file, std::move(one), all > 0 ? own / all : 0});
  }
}

void add_matrix_units(const NamedTrace& named, const Activity& activity, std::vector<MatrixUnitRow>& rows) {
  const auto figures = matrix_unit_figures(named.read.trace, activity);
  double all = 0;
  for (const MatrixUnitFigure& one : figures) all += static_cast<double>(one.time_ns);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const MatrixUnitFigure& one = figures[i];
    if (one.kernels == 0) continue;
    rows.push_back({named.file, std::string(name_of(static_cast<MatrixUnit>(i))), named.read.trace.text(*one.longest),
                    one, all > 0 ? static_cast<double>(one.time_ns) / all : 0});
  }
}

/// "autograd::engine::evaluate_function: MulBackward0" is MulBackward0 to who reads it.
std::string without_engine(const std::string& name) {
  constexpr std::string_view engine = "autograd::engine::evaluate_function: ";
  return name.starts_with(engine) ? name.substr(engine.size()) : name;
}

void add_memory(const NamedTrace& named, std::span<const MemoryPeak> peaks, std::vector<MemoryRow>& rows) {
  for (const MemoryPeak& peak : peaks) {
    for (const HeldMemory& held : peak.held) {
      const std::string name = held.name    ? without_engine(named.read.trace.text(*held.name))
                               : held.phase ? std::string("[none]")
                                            : std::string("[before]");
      rows.push_back({named.file, &peak, held, name});
    }
  }
}

Table memory_table(std::span<const NamedTrace> traces, std::span<const Activity> activities) {
  std::vector<std::vector<MemoryPeak>> peaks;
  for (std::size_t i = 0; i < traces.size(); ++i)
    peaks.push_back(memory_peaks(traces[i].read.trace, activities[i], find_steps(activities[i])));
  std::vector<MemoryRow> rows;
  for (std::size_t i = 0; i < traces.size(); ++i) add_memory(traces[i], peaks[i], rows);
  return memory_definition.make(rows);
}

template <typename Row>
Table table_of(const TableDefinition<Row>& definition, std::span<const NamedTrace> traces,
               std::span<const Activity> activities,
               void (*add)(const NamedTrace&, const Activity&, std::vector<Row>&)) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < traces.size(); ++i) add(traces[i], activities[i], rows);
  return definition.make(rows);
}

}  // namespace

const std::vector<std::string>& work_table_names() {
  static const std::vector<std::string> names{"phases", "operators", "modules", "memory", "matrix_units"};
  return names;
}

std::optional<Table> work_table(std::string_view name, std::span<const NamedTrace> traces,
                                std::span<const Activity> activities) {
  if (name == "phases") return table_of(phases_definition, traces, activities, add_phases);
  if (name == "operators") return table_of(operators_definition, traces, activities, add_operators);
  if (name == "modules") return table_of(modules_definition, traces, activities, add_modules);
  if (name == "memory") return memory_table(traces, activities);
  if (name == "matrix_units") return table_of(matrix_units_definition, traces, activities, add_matrix_units);
  return std::nullopt;
}

std::vector<TableSchema> work_table_schemas() {
  return {phases_definition.schema(), operators_definition.schema(), modules_definition.schema(),
          memory_definition.schema(), matrix_units_definition.schema()};
}

std::string peak_sentences(const Table& memory) {
  const auto column = [&](std::string_view name) {
    const auto found = std::find_if(memory.columns.begin(), memory.columns.end(),
                                    [&](const ColumnSchema& one) { return one.name == name; });
    return static_cast<std::size_t>(found - memory.columns.begin());
  };
  const std::size_t file = column("file"), of = column("memory_of"), held = column("held_mb");
  std::string text;
  for (std::size_t i = 0; i < memory.rows.size();) {
    const auto& first = memory.rows[i];
    double peak = 0;
    for (; i < memory.rows.size() && memory.rows[i][file] == first[file] && memory.rows[i][of] == first[of]; ++i)
      peak += std::get<double>(memory.rows[i][held]);
    const Cell& step = first[column("peak_step")];
    const double grown = std::get<double>(first[column("grown_mb")]);
    text += fmt::format("{}: peak {:.4g} MB, {} after the first event{}; ", std::get<std::string>(first[of]), peak,
                        format_duration(std::get<Duration>(first[column("peak_at_us")])),
                        std::holds_alternative<std::int64_t>(step)
                            ? fmt::format(" in step {}", std::get<std::int64_t>(step))
                            : std::string());
    text += grown == 0 ? std::string("as much in use at the end as at the beginning\n")
                       : fmt::format("{:.4g} MB {} in use at the end than at the beginning\n", std::abs(grown),
                                     grown > 0 ? "more" : "less");
  }
  return text;
}

std::string_view what_to_record(std::string_view table) {
  if (table == "modules") return "the trace names no modules; record with_stack=True";
  if (table == "memory") return "the trace has no memory events; record with profile_memory=True";
  if (table == "matrix_units") return "the trace has no kernels of a device";
  return {};
}

}  // namespace takt
