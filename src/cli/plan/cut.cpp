#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "model/cuts/cuts.h"
#include "model/cuts/cuts_table.h"
#include "model/inputs/inputs.h"
#include "model/inputs/spec.h"
#include "model/onnx/onnx.h"
#include "model/runtime/ports.h"
#include "pipeline/stages/model_pieces.h"

namespace takt {
namespace {

struct PlanCutOptions {
  std::filesystem::path model, out;
  int pieces = 2, most_tensors = 3;
  std::string devices = "CPU", runtime;
  std::vector<std::string> inputs;
  bool list = false;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(PlanCutOptions& o) {
  CommandLine line("plan cut",
                   "Cuts an ONNX model into pieces of about equal work that run one after another, and writes a model "
                   "for each piece and a pipeline for 'takt pipeline run'.",
                   "takt plan cut model.onnx --pieces 3 --devices CPU,GPU --out pieces", o.log);
  line.add({.names = "MODEL", .meaning = "The ONNX file", .required = true}, &o.model);
  line.add(
      {.names = "--pieces", .value = "N", .meaning = "How many pieces", .fallback = "2", .range = NumberRange{2, 1000}},
      &o.pieces);
  line.add({.names = "--tensors",
            .value = "N",
            .meaning = "Maximum number of tensors that cross a cut",
            .fallback = "3",
            .range = NumberRange{0, 100}},
           &o.most_tensors);
  line.add({.names = "--devices",
            .value = "LIST",
            .meaning = "Devices of the pieces, in order, separated by commas; the last one runs all remaining pieces",
            .fallback = o.devices},
           &o.devices);
  line.add({.names = "--runtime",
            .value = "NAME",
            .meaning = "The runtime of all pieces; by default the one that 'takt run' uses"},
           &o.runtime);
  line.add({.names = "--input",
            .value = "SPEC",
            .meaning = "The shape of an input with dynamic dimensions, e.g. 'x:{1,3,224,224}': for bytes and work"},
           &o.inputs);
  line.add({.names = "--list", .meaning = "List every possible cut of the model, and write nothing"}, &o.list);
  line.add({.names = "--out",
            .value = "DIR",
            .meaning = "The folder of the pieces",
            .fallback = "MODEL_pieces",
            .makes = Makes::folder},
           &o.out);
  add_output(line, o.output, {"cuts"});
  return line;
}

/// What --input says, which may leave the name of an only input out.
std::map<std::string, Shape> shapes_in(const PlanCutOptions& o, const Graph& graph) {
  std::vector<InputSpec> specs;
  for (const std::string& text : o.inputs)
    for (InputSpec& spec : parse_input_specs(text)) specs.push_back(std::move(spec));
  std::vector<std::string> notes;
  return settle_inputs(ports_of(graph, graph.inputs), read_inputs(specs), std::nullopt, notes).shapes;
}

std::vector<PieceUnit> units_in(const PlanCutOptions& o) {
  std::vector<PieceUnit> units;
  for (const std::string& device : words_in(o.devices)) units.push_back({.device = device, .runtime = o.runtime});
  return units;
}

std::filesystem::path folder_of(const PlanCutOptions& o) {
  return o.out.empty() ? std::filesystem::path(o.model.stem().string() + "_pieces") : o.out;
}

int run(PlanCutOptions& o, Arguments arguments) {
  const OnnxModel model = read_onnx_structure(o.model);
  const auto shapes = shapes_in(o, model.graph);
  const Graph sized = with_known_tensors(model, shapes);
  std::vector<Cut> cuts = find_cuts(sized, static_cast<std::size_t>(o.most_tensors));
  std::string end = fmt::format("{} possible cuts of {}\n", cuts.size(), printable(o.model.string()));
  if (!o.list) {
    cuts = choose_cuts(sized, cuts, {.pieces = static_cast<std::size_t>(o.pieces)});
    // What the pieces declare is open where the model is.
    const Graph open = shapes.empty() ? sized : with_known_tensors(model);
    const WrittenPieces written =
        write_pieces(model, open, cuts, {.folder = folder_of(o), .units = units_in(o), .input_shapes = shapes});
    end = fmt::format("{} pieces in {}; run them with: takt pipeline run {}\n", written.models.size(),
                      printable(folder_of(o).string()), printable(written.pipeline.string()));
  }
  const std::vector<Table> tables{cuts_table(sized, cuts)};
  const Table usual =
      some_columns(tables.front(), {"cut", "cut_after", "cut_before", "cut_tensors", "cut_bytes", "flops_share"});
  print(o.output, tables, provenance_of("plan cut", arguments), to_text(usual, o.output.style()) + "\n" + end);
  return 0;
}

}  // namespace

constinit const Command plan_cut_command =
    command<PlanCutOptions, declare, run>("plan cut", "cut a model into pieces that run as a pipeline");

}  // namespace takt
