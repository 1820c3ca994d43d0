#include "cli/plan/sweep_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "cli/line/tables.h"
#include "cli/machine/load_options.h"
#include "model/runtime/device_choice.h"
#include "model/sim/simulated.h"
#include "plan/gnn/edge_list.h"

namespace takt {
namespace {

void add_steps(CommandLine& line, SweepOptions& o) {
  line.add({.names = "--export", .meaning = "Write the models to DIR/exported_models"}, &o.do_export);
  line.add({.names = "--measure", .meaning = "Measure every stage on every device and size; existing rows are kept"},
           &o.do_measure);
  line.add({.names = "--analyze",
            .meaning = "Write the cost tables of what was measured: lookup_table.json, bandwidth_table.json, "
                       "raw_measurements.json and profiling_report.txt in DIR/results"},
           &o.do_analyze);
  line.add({.names = "--measure-interference",
            .older = "--interference",
            .meaning = "Measure how much stages on devices with shared resources slow each other down, by loads of "
                       "known levels, and write results/interference.json, which plans use"},
           &o.do_interference);
  line.add({.names = "--measurements",
            .older = "--from",
            .value = "FILE",
            .meaning = "With --analyze: use this raw_measurements.json instead of this sweep's rows"},
           &o.from);
  line.add({.names = "--all", .meaning = "Run all steps; interference only if devices share resources"}, &o.do_all);
  line.add({.names = "--out",
            .value = "DIR",
            .meaning = "The folder of the sweep",
            .fallback = o.out.string(),
            .makes = Makes::folder},
           &o.out);
}

void add_what(CommandLine& line, SweepOptions& o) {
  line.add({.names = "--networks",
            .older = "--models",
            .value = "LIST",
            .meaning = "The networks, separated by commas: sage, gcn, gat",
            .fallback = o.models,
            .offered = network_names()},
           &o.models);
  line.add({.names = "--ranges", .meaning = "Also all fused ranges of stages, 28 for 7 stages"}, &o.ranges);
  line.add({.names = "--cases",
            .value = "SET|FILE",
            .meaning = fmt::format("The sizes of graphs: a set by its number of cases ({}), or a JSON file",
                                   fmt::join(case_sets(), ", ")),
            .fallback = o.cases,
            .offered = case_sets(),
            .names_a_file = true},
           &o.cases);
  line.add({.names = "--graph",
            .value = "KIND|FILE",
            .meaning = "How edges are distributed over nodes: uniform, power-law, or your edge list (CSV), whose size "
                       "is then the only one",
            .fallback = o.graph.kind,
            .offered = {"uniform", "power-law"},
            .names_a_file = true},
           &o.graph.kind);
  line.add({.names = "--seed", .value = "N", .meaning = "Seed of random edges and values", .fallback = "42"},
           &o.graph.seed);
}

void add_measuring(CommandLine& line, SweepOptions& o) {
  line.add({.names = "--devices",
            .value = "LIST",
            .meaning = "Devices, separated by commas, e.g. CPU,GPU or sim:CPU,sim:NPU; NPU=sim:edge if the name does "
                       "not contain the kind",
            .fallback = "those of CPU, GPU and NPU that are available"},
           &o.devices);
  line.add({.names = "--fallback",
            .value = "RUNTIME",
            .meaning = "Use this runtime where OpenVINO does not support a stage; the row names it",
            .one_of = {"onnxruntime"}},
           &o.fallback);
  line.add({.names = "--warmup-iter",
            .older = "--warmup",
            .value = "N",
            .meaning = "Warm-up runs of each row",
            .fallback = "10, or that of the file of --cases",
            .range = NumberRange{0, 1e6}},
           &o.warmup);
  line.add({.names = "--iter",
            .older = "--iterations",
            .value = "N",
            .meaning = "Measured runs of each row",
            .fallback = "50, or that of the file of --cases",
            .range = NumberRange{1, 1e6}},
           &o.iterations);
  line.add({.names = "--rounds",
            .value = "N",
            .meaning = "Split the measured runs of each row over N passes, so that a temporary slowdown of the machine "
                       "affects all rows equally",
            .fallback = "3; 1 if all devices are simulated",
            .range = NumberRange{1, 1000}},
           &o.rounds);
  line.add({.names = "--timeout",
            .older = "--row-limit",
            .value = "DURATION",
            .meaning = "Time limit of a row; a row that takes longer fails",
            .fallback = o.timeout},
           &o.timeout);
  line.add({.names = "--retry", .meaning = "Measure failed rows again"}, &o.retry);
  line.add(
      {.names = "--shard",
       .value = "I/N",
       .meaning = "Measure shard I of N; the others may run on other machines of the same kind, with the same folder"},
      &o.shard);
}

/// Returns the devices that can be used here, each kind once.
std::vector<SweepDevice> devices_here(const std::vector<std::string>& runtimes) {
  std::vector<SweepDevice> devices;
  for (const DeviceStatus& status : make_runtime(runtimes.front())->devices()) {
    if (status.reason) continue;
    const SweepDevice device = parse_sweep_device(status.device);
    const auto same = [&](const SweepDevice& other) { return other.unit == device.unit; };
    if (std::none_of(devices.begin(), devices.end(), same)) devices.push_back(device);
  }
  return devices;
}

/// "AUTO", "MULTI:CPU,GPU": OpenVINO chooses.
bool is_kind_of_openvino(const std::string& device) {
  return device.find(':') != std::string::npos || upper_case(device) == "AUTO";
}

/// Why no runtime of the list can use the device here; empty: one can.
std::string reason_against_all(const SweepDevice& device, const std::vector<std::string>& runtimes) {
  std::vector<std::string> reasons;
  for (const std::string& name : runtimes) {
    const std::string reason = reason_against(make_runtime(name)->devices(), device.device);
    if (reason.empty()) return "";
    reasons.push_back(fmt::format("{}: {}", name, reason));
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

/// Of several devices some may be missing: their rows say so.
void check_any_is_here(const std::vector<SweepDevice>& devices, const std::vector<std::string>& runtimes) {
  std::vector<std::string> missing;
  for (const SweepDevice& device : devices) {
    if (is_simulated(device.device) || is_kind_of_openvino(device.device)) return;
    const std::string reason = reason_against_all(device, runtimes);
    if (reason.empty()) return;
    missing.push_back(fmt::format("{} cannot be used ({})", device.device, reason));
  }
  if (!missing.empty())
    throw Error(ErrorKind::unsupported,
                fmt::format("sweep: --devices: {}; 'takt devices' lists those that can", fmt::join(missing, "; ")));
}

}  // namespace

CommandLine declare(SweepOptions& o) {
  CommandLine line(
      "sweep",
      "Measures the stages of graph neural networks (GraphSAGE, GCN, GAT) on every device and size. takt generates a "
      "model of each stage: with dynamic size for CPUs (f32) and GPUs (f16), one per size for NPUs (f16), as ONNX and, "
      "if this binary has OpenVINO, as its IR. Existing models and rows are neither written nor measured again. 'takt "
      "sweep merge DIR... --out DIR' merges parts that were measured in separate folders.",
      "takt sweep --all --devices CPU,sim:GPU,sim:NPU --out profiling", o.log);
  add_steps(line, o);
  add_what(line, o);
  add_measuring(line, o);
  add_output(line, o.output, table_names("sweep"));
  add_report(line, o.output);
  return line;
}

std::vector<Network> networks_in(std::string_view text) {
  const auto names = network_names();
  std::vector<Network> networks;
  for (const std::string& part : words_in(text)) {
    const std::string word = lower_case(part);
    const auto network = network_named(word);
    if (!network)
      throw UsageError(fmt::format("sweep: --networks: '{}' is not a network that takt builds; {}", printable(part),
                                   suggestion(word, names, fmt::format("use {}", one_of(names)))));
    if (std::find(networks.begin(), networks.end(), *network) == networks.end()) networks.push_back(*network);
  }
  return networks;
}

std::vector<std::string> runtimes_for(const SweepOptions& o) {
  std::vector<std::string> runtimes;
  const std::string first = runtime_that(&RuntimeTraits::uses_ir);
  if (!first.empty() || o.fallback.empty()) runtimes.push_back(first.empty() ? missing_runtime_names().front() : first);
  if (!o.fallback.empty()) runtimes.push_back(lower_case(o.fallback));
  return runtimes;
}

std::vector<SweepDevice> devices_in(const SweepOptions& o) {
  if (o.devices.empty()) return devices_here(runtimes_for(o));
  std::vector<SweepDevice> devices;
  for (const std::string& word : words_in(o.devices)) {
    const SweepDevice device = parse_sweep_device(word);
    for (const SweepDevice& other : devices)
      if (other.unit == device.unit)
        throw UsageError(fmt::format("sweep: --devices: '{}' and '{}' are both {}; a sweep has one of each kind",
                                     printable(other.device), printable(device.device), device.unit));
    if (!is_simulated(device.device)) make_runtime(runtimes_for(o).front());  // says so where this binary lacks it
    devices.push_back(device);
  }
  check_any_is_here(devices, runtimes_for(o));
  return devices;
}

Nanoseconds row_limit_of(const SweepOptions& o) {
  return positive_time(number_in<double>(o.timeout) ? o.timeout + "s" : o.timeout, "--timeout");
}

int rounds_of(const SweepOptions& o, const SweepCases& cases, const std::vector<SweepDevice>& devices) {
  constexpr std::int64_t usual = 3;
  if (o.rounds && *o.rounds > cases.iterations)
    throw UsageError(fmt::format("sweep: --rounds: {} rounds cannot share {} iterations", *o.rounds, cases.iterations));
  if (o.rounds) return *o.rounds;
  const bool is_any_real = std::any_of(devices.begin(), devices.end(),
                                       [](const SweepDevice& device) { return !is_simulated(device.device); });
  return is_any_real ? static_cast<int>(std::min(usual, cases.iterations)) : 1;
}

SweepCases cases_of(const SweepOptions& o) {
  SweepCases cases = sweep_cases(o.cases);
  if (o.warmup) cases.warmup = *o.warmup;
  if (o.iterations) cases.iterations = *o.iterations;
  if (!o.graph.is_drawn()) {
    const EdgeList edges = read_edge_list(o.graph.kind);
    cases.sizes = {{edges.nodes, edges.edges()}};
  }
  return cases;
}

}  // namespace takt
