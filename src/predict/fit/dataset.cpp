#include "predict/fit/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "base/basics/error.h"
#include "base/basics/quoted.h"
#include "base/basics/text.h"
#include "base/table/csv.h"
#include "trace/events/byte_source.h"
#include "trace/write/trace_output.h"

namespace takt {
namespace {

/// A number in as few digits as name it.
std::string number_cell(double value) { return std::isnan(value) ? std::string() : fmt::format("{}", value); }
std::string number_cell(const std::optional<double>& value) { return value ? number_cell(*value) : std::string(); }

/// One row under way: its cells one after the other, in the order of dataset_columns().
class RowReader {
 public:
  RowReader(const CsvRow& row, std::string_view where) : row_(row), where_(where) {}

  [[noreturn]] void refuse(const std::string& what) const {
    refuse_input(fmt::format("{}:{}: {}", where_, row_.line, what));
  }
  std::string text() { return row_.cells[place_++]; }
  std::string some_text(std::string_view name) {
    if (row_.cells[place_].empty()) refuse(fmt::format("'{}' is empty; give a string", name));
    return text();
  }
  std::optional<double> maybe(std::string_view name, double least = 0) {
    const std::string& cell = row_.cells[place_];
    if (cell.empty()) return ++place_, std::nullopt;
    const auto value = number_in<double>(cell);
    if (!value || !std::isfinite(*value) || *value < least)
      refuse(fmt::format("'{}' is '{}'; give a number from {}, or nothing", name, quoted_part(cell), least));
    return ++place_, value;
  }
  double positive(std::string_view name) {
    const std::string cell = row_.cells[place_];
    const auto value = maybe(name);
    if (!value || *value <= 0) refuse(fmt::format("'{}' is '{}'; give a number above 0", name, quoted_part(cell)));
    return *value;
  }
  int count(std::string_view name) {
    const auto value = number_in<int>(row_.cells[place_]);
    if (!value || *value < 1 || *value > 1'000'000)
      refuse(fmt::format("'{}' is '{}'; give a whole number from 1", name, quoted_part(row_.cells[place_])));
    return ++place_, *value;
  }
  std::string group() const { return row_.cells[place_]; }
  std::string place() const { return fmt::format("{}:{}", where_, row_.line); }

 private:
  const CsvRow& row_;
  std::string_view where_;
  std::size_t place_ = 0;
};

std::vector<std::string> dataset_columns() {
  std::vector<std::string> names{"Kernel_ID",      "OpType",      "Input_Shape", "stress", "stress_kind",
                                 "stress_threads", "others_busy", "run_delay",   "steal",  "canary"};
  for (const std::string_view name : seen_load_features()) names.emplace_back(name);
  for (const char* name :
       {"Latency_ms",   "latency_noise",    "model",           "architecture", "family",  "model_latency_ms",
        "model_noise",  "model_io_bytes",   "rounds",          "kernel",       "layout",  "number_type",
        "kernel_group", "runtime",          "runtime_version", "device",       "machine", "takt_version",
        "measured_at",  "peak_flops_per_s", "peak_bytes_per_s"})
    names.emplace_back(name);
  for (const FeatureText& feature : feature_texts()) names.emplace_back(feature.name);
  return names;
}

std::vector<std::string> cells_of(const CollectedModel& model, const CollectedKernel& kernel) {
  const LoadReadings& load = model.load;
  std::vector<std::string> cells{kernel.facts.id,
                                 kernel.facts.op_type,
                                 kernel.facts.input_shape,
                                 number_cell(load.asked.level),
                                 load.asked.kind,
                                 std::to_string(load.asked.threads),
                                 number_cell(load.others_busy),
                                 number_cell(load.run_delay),
                                 number_cell(load.steal),
                                 number_cell(load.canary)};
  for (const std::string_view name : seen_load_features()) {
    const auto found = load.seen.find(name);
    cells.push_back(found == load.seen.end() ? std::string() : number_cell(found->second));
  }
  for (std::string& cell : std::vector<std::string>{number_cell(kernel.latency_ms),
                                                    number_cell(kernel.noise),
                                                    model.model,
                                                    model.architecture,
                                                    model.family,
                                                    number_cell(model.latency_ms),
                                                    number_cell(model.noise),
                                                    number_cell(model.io_bytes),
                                                    std::to_string(model.rounds),
                                                    kernel.kernel,
                                                    kernel.facts.layout,
                                                    kernel.facts.number_type,
                                                    std::string(name_of(kernel.facts.group)),
                                                    model.runtime,
                                                    model.runtime_version,
                                                    model.device,
                                                    model.machine,
                                                    model.takt_version,
                                                    model.measured_at,
                                                    number_cell(model.constants.flops_per_s),
                                                    number_cell(model.constants.bytes_per_s)})
    cells.push_back(std::move(cell));
  for (const double feature : kernel.facts.features) cells.push_back(number_cell(feature));
  return cells;
}

AskedLoad load_in(RowReader& row) {
  AskedLoad load;
  load.level = row.maybe("stress").value_or(0);
  load.kind = row.text();
  const double threads = row.maybe("stress_threads").value_or(0);
  load.threads = threads <= 4096 ? static_cast<int>(threads) : -1;
  const bool is_one = is_stress_kind(load.kind) && load.level > 0 && load.level <= 1 && load.threads >= 1;
  const bool is_none = load.kind.empty() && load.level == 0 && load.threads == 0;
  if (!is_one && !is_none)
    row.refuse(
        "'stress', 'stress_kind' and 'stress_threads' are not a load; give a level up to 1, one of compute, memory and "
        "cache, and a number of threads; or 0, nothing and 0");
  return load;
}

/// A row as a model of this one kernel. In the order of dataset_columns().
CollectedModel model_in(RowReader row) {
  CollectedModel model;
  CollectedKernel kernel;
  kernel.facts.id = row.some_text("Kernel_ID");
  kernel.facts.op_type = row.some_text("OpType");
  kernel.facts.input_shape = row.text();
  model.load.asked = load_in(row);
  model.load.others_busy = row.maybe("others_busy"), model.load.run_delay = row.maybe("run_delay");
  model.load.steal = row.maybe("steal"), model.load.canary = row.maybe("canary");
  for (const std::string_view name : seen_load_features())
    if (const auto value = row.maybe(name)) model.load.seen.emplace(name, *value);
  kernel.latency_ms = row.positive("Latency_ms");
  kernel.noise = row.maybe("latency_noise");
  model.model = row.some_text("model");
  model.architecture = row.some_text("architecture");
  model.family = row.some_text("family");
  model.latency_ms = row.positive("model_latency_ms");
  model.noise = row.maybe("model_noise"), model.io_bytes = row.maybe("model_io_bytes");
  model.rounds = row.count("rounds");
  kernel.kernel = row.some_text("kernel");
  kernel.facts.layout = row.text();
  kernel.facts.number_type = row.text();
  const std::string place = row.place();
  kernel.facts.group = kernel_group_named(row.group(), place);
  row.text();
  model.runtime = row.some_text("runtime");
  model.runtime_version = row.text();
  model.device = row.some_text("device");
  model.machine = row.some_text("machine");
  model.takt_version = row.text(), model.measured_at = row.text();
  model.constants = {row.positive("peak_flops_per_s"), row.positive("peak_bytes_per_s")};
  for (const FeatureText& feature : feature_texts())
    kernel.facts.features.push_back(row.maybe(feature.name).value_or(std::numeric_limits<double>::quiet_NaN()));
  for (const Feature bytes : {Feature::input_bytes, Feature::output_bytes, Feature::weight_bytes, Feature::threads})
    if (std::isnan(kernel.facts[bytes]))
      row.refuse(fmt::format("'{}' is empty; give a number", feature_texts()[static_cast<std::size_t>(bytes)].name));
  model.threads = static_cast<int>(kernel.facts[Feature::threads]);
  model.kernels.push_back(std::move(kernel));
  return model;
}

bool is_same(const LoadReadings& a, const LoadReadings& b) {
  return a.asked == b.asked && a.seen == b.seen && a.others_busy == b.others_busy && a.run_delay == b.run_delay &&
         a.steal == b.steal && a.canary == b.canary;
}

/// Whether two rows say the same of their model.
bool agree(const CollectedModel& a, const CollectedModel& b) {
  return a.architecture == b.architecture && a.family == b.family && a.runtime == b.runtime &&
         a.runtime_version == b.runtime_version && a.device == b.device && a.machine == b.machine &&
         a.takt_version == b.takt_version && a.measured_at == b.measured_at && a.threads == b.threads &&
         a.rounds == b.rounds && a.constants == b.constants && is_same(a.load, b.load) &&
         a.latency_ms == b.latency_ms && a.noise == b.noise && a.io_bytes == b.io_bytes;
}

void check_heading(const CsvRow& heading, std::string_view where) {
  const auto columns = dataset_columns();
  for (std::size_t i = 0; i < std::max(columns.size(), heading.cells.size()); ++i) {
    const std::string wanted = i < columns.size() ? columns[i] : "",
                      found = i < heading.cells.size() ? heading.cells[i] : "";
    if (wanted == found) continue;
    refuse_input(
        fmt::format("{}:1: column {} is '{}' instead of '{}'; a dataset is what 'takt collect' of this version "
                    "writes",
                    where, i + 1, quoted_part(found), wanted));
  }
}

/// Of the first bytes of a file.
void check_beginning(std::string_view csv, std::string_view where) {
  const std::size_t end = csv.find('\n');
  const auto rows = parse_csv(csv.substr(0, end), where);
  if (!rows.empty()) check_heading(rows.front(), where);
}

}  // namespace

ByLoad divided_by_load(Dataset dataset) {
  ByLoad parts;
  for (CollectedModel& model : dataset.models)
    (model.load.asked.is_quiet() ? parts.quiet : parts.loaded).models.push_back(std::move(model));
  return parts;
}

std::size_t Dataset::kernel_count() const {
  std::size_t count = 0;
  for (const CollectedModel& model : models) count += model.kernels.size();
  return count;
}

std::string dataset_csv(const Dataset& dataset) {
  std::string text = fmt::format("{}\n", fmt::join(dataset_columns(), ","));
  for (const CollectedModel& model : dataset.models)
    for (const CollectedKernel& kernel : model.kernels) {
      bool first = true;
      for (const std::string& cell : cells_of(model, kernel)) {
        if (!first) text += ',';
        text += csv_cell(cell);
        first = false;
      }
      text += '\n';
    }
  return text;
}

Dataset parse_dataset(std::string_view csv, std::string_view where) {
  const auto rows = parse_csv(csv, where);
  if (rows.empty()) refuse_input(fmt::format("{}: is empty; 'takt collect' writes datasets", where));
  check_heading(rows.front(), where);
  Dataset dataset;
  std::unordered_set<std::string> seen;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const RowReader reader(rows[i], where);
    CollectedModel row = model_in(reader);
    const bool goes_on = !dataset.models.empty() && dataset.models.back().model == row.model &&
                         dataset.models.back().load.asked == row.load.asked;
    if (!goes_on) {
      if (!seen.insert(row.model + " " + to_string(row.load.asked)).second)
        reader.refuse(fmt::format("the rows of model '{}' are not adjacent; keep them together", printable(row.model)));
      dataset.models.push_back(std::move(row));
      continue;
    }
    CollectedModel& model = dataset.models.back();
    if (!agree(model, row))
      reader.refuse(fmt::format("contradicts the previous row of model '{}'", printable(row.model)));
    model.kernels.push_back(std::move(row.kernels.front()));
  }
  if (dataset.models.empty()) refuse_input(fmt::format("{}: has no rows; collect models first", where));
  return dataset;
}

Dataset read_dataset(const std::filesystem::path& path) {
  const std::string where = printable(path.string());
  const auto source = open_source(path);
  std::string csv, piece(std::size_t{1} << 16, '\0');
  for (std::size_t count = piece.size(); count == piece.size();) {
    count = source->read(piece);
    csv.append(piece, 0, count);
    // What is no dataset is refused before all of it is in memory.
    if (csv.size() == count && (count == piece.size() || csv.find('\n') != csv.npos)) check_beginning(csv, where);
  }
  if (const std::string damage = source->damage(); !damage.empty())
    refuse_input(fmt::format("{}: {}; fetch or collect it again", where, damage));
  return parse_dataset(csv, where);
}

void write_dataset(const Dataset& dataset, const std::filesystem::path& path) {
  TraceOutput file(path);
  file.append(dataset_csv(dataset));
  file.commit();
}

}  // namespace takt
