#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/tables.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/log.h"
#include "core/progress.h"
#include "core/text.h"
#include "sweep/export.h"

namespace takt {
namespace {

struct SweepOptions {
  bool do_export = false;
  std::filesystem::path out = "profiling";
  std::string cases = case_sets().front();
  std::string models = std::string(network_name(Network::sage));
  OutputOptions output;
  LogOptions log;
};

std::vector<std::string> names_of_networks() {
  std::vector<std::string> names;
  for (const Network network : all_networks) names.emplace_back(network_name(network));
  return names;
}

CommandLine declare(SweepOptions& o) {
  CommandLine line(
      "sweep",
      "Builds the stages of graph neural networks (GraphSAGE, GCN, GAT) as models: for CPUs (f32) and GPUs "
      "(f16) of open size, for NPUs (f16) one per size, as ONNX and, where this binary has OpenVINO, as its "
      "IR. What is in the folder already is not written again.",
      "takt sweep --export --models sage,gat --out profiling", o.log);
  line.add({.names = "--export", .meaning = "Write the models to DIR/exported_models"}, &o.do_export);
  line.add({.names = "--out",
            .value = "DIR",
            .meaning = "The folder of the sweep",
            .fallback = o.out.string(),
            .makes = Makes::folder},
           &o.out);
  line.add({.names = "--cases",
            .value = "SET|FILE",
            .meaning = fmt::format("The sizes of graphs: a set by its number of cases ({}), or a JSON file",
                                   fmt::join(case_sets(), ", ")),
            .fallback = o.cases,
            .offered = case_sets(),
            .names_a_file = true},
           &o.cases);
  line.add({.names = "--models",
            .value = "LIST",
            .meaning = "The networks, separated by commas: sage, gcn, gat",
            .fallback = o.models,
            .offered = names_of_networks()},
           &o.models);
  add_output(line, o.output, table_names("sweep"));
  return line;
}

/// Each once, in the order that they were named in.
std::vector<Network> networks_in(std::string_view text) {
  const auto names = names_of_networks();
  std::vector<Network> networks;
  for (const std::string& part : split(text, ',')) {
    const std::string word = lower_case(trim(part));
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end())
      throw UsageError(fmt::format("sweep: --models: '{}' is not a network that takt builds; {}", printable(part),
                                   suggestion(word, names, fmt::format("use {}", one_of(names)))));
    const Network network = all_networks[static_cast<std::size_t>(found - names.begin())];
    if (std::find(networks.begin(), networks.end(), network) == networks.end()) networks.push_back(network);
  }
  return networks;
}

/// The runtime that writes IR; null where this binary lacks it.
std::unique_ptr<Runtime> ir_converter() {
  const auto names = runtime_names();
  if (std::find(names.begin(), names.end(), "openvino") != names.end()) return make_runtime("openvino");
  log_warning("no IR is written: this binary lacks OpenVINO; configure with -DTAKT_WITH_OPENVINO=ON");
  return nullptr;
}

}  // namespace

CommandDescription describe_sweep() {
  SweepOptions o;
  return declare(o).description();
}

int run_sweep(std::span<const std::string> arguments) {
  SweepOptions o;
  if (!declare(o).parse(arguments)) return 0;
  if (!o.do_export) throw UsageError("sweep: say what to do: --export writes the models");
  const auto exports = stage_exports(networks_in(o.models), sweep_cases(o.cases));
  const auto converter = ir_converter();

  const Interrupt interrupt;
  std::vector<Table> tables;
  {
    Progress bar("exporting models");
    tables = export_tables(
        export_models(exports, {.folder = o.out,
                                .converter = converter.get(),
                                .progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); },
                                .stop = &interrupt.requested()}));
  }
  print(o.output, tables, provenance_of("sweep", arguments),
        fmt::format("{}\nin {}\n", to_text(tables.front(), o.output.style()),
                    printable((o.out / "exported_models").string())));
  return 0;
}

}  // namespace takt
