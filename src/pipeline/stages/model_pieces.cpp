#include "pipeline/stages/model_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "measure/open/model_shapes.h"
#include "model/graph/run_order.h"
#include "model/graph/types.h"
#include "model/registry/asked.h"
#include "model/runtime/precision.h"
#include "model/runtime/runtime.h"
#include "pipeline/spec/described_devices.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

/// Whether the type of something that is computed is in doubt: the rules are those of ONNX's own operators.
bool has_uncertain_types(const Graph& graph) {
  Graph typed = graph;
  infer_types(typed);
  for (const int number : run_order(graph).ops) {
    const Op& op = graph.ops[index(number)];
    for (const TensorId id : op.outputs)
      if (id != no_tensor && graph.tensor(id).type == ElementType::undefined)
        if (!op.domain.empty() || typed.tensor(id).type == ElementType::undefined) return true;
  }
  return false;
}

/// As the runtimes have them that open the model, the one of its own format first.
void take_types(const OnnxModel& model, Graph& graph) {
  std::vector<std::string> names = runtimes_that_tell();
  const std::string own = runtime_for(model.graph.path).name;
  std::stable_partition(names.begin(), names.end(), [&](const std::string& name) { return name == own; });
  for (const std::string& name : names) {
    if (!has_uncertain_types(graph)) return;
    for (const auto& [tensor, type] : types_told_apart(name, model.graph.path, model.graph))
      if (const auto id = graph.find_tensor(tensor); id && graph.tensor(*id).type == ElementType::undefined)
        graph.tensor(*id).type = type;
  }
}

bool holds(const std::vector<TensorId>& ids, TensorId id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

/// Calls `use` with each input of the whole model that several pieces read, and with the first of these.
template <typename Use>
void for_shared_inputs(const Graph& graph, std::vector<Piece>& pieces, const Use& use) {
  for (const TensorId id : graph.inputs) {
    const auto reads = [&](const Piece& piece) { return holds(piece.inputs, id); };
    if (std::count_if(pieces.begin(), pieces.end(), reads) > 1)
      use(id, *std::find_if(pieces.begin(), pieces.end(), reads));
  }
}

std::string stage_name(std::size_t piece) { return fmt::format("piece{}", piece + 1); }

class PipelineFile {
 public:
  PipelineFile(const Graph& graph, const WrittenPieces& written, const PieceSettings& settings)
      : graph_(graph), written_(written), settings_(settings) {}

  std::string text(const std::string& model) const {
    std::string text =
        fmt::format("# {} in {} pieces that run one after another.\n", printable(model), written_.pieces.size());
    std::vector<std::string> devices;
    for (const PieceUnit& unit : settings_.units) devices.push_back(unit.device);
    text +=
        fmt::format("name: {}\n{}stages:\n", json_quote(written_.pipeline.stem().string()), described_devices(devices));
    for (std::size_t piece = 0; piece < written_.pieces.size(); ++piece) text += stage(piece);
    return text;
  }

 private:
  std::string stage(std::size_t piece) const {
    const PieceUnit& unit = settings_.units[std::min(piece, settings_.units.size() - 1)];
    std::string text = fmt::format("  - name: {}\n    model: {}\n    device: {}\n", stage_name(piece),
                                   json_quote(written_.models[piece].filename().string()), json_quote(unit.device));
    if (!unit.runtime.empty()) text += fmt::format("    runtime: {}\n", json_quote(unit.runtime));
    if (unit.threads) text += fmt::format("    threads: {}\n", *unit.threads);
    if (unit.precision) text += fmt::format("    precision: {}\n", precision_name(*unit.precision));
    std::map<std::string, std::string> inputs, connect, data;
    for (const TensorId id : written_.pieces[piece].inputs) {
      const std::string& name = graph_.tensor(id).name;
      if (const auto from = maker_of(id, piece); !from.empty())
        connect[name] = from + "." + name;
      else if (const auto file = settings_.data.find(name); file != settings_.data.end())
        data[name] = file->second;
      else if (const auto shape = settings_.input_shapes.find(name); shape != settings_.input_shapes.end())
        inputs[name] = to_string(shape->second);
    }
    if (!data.empty()) text += fmt::format("    data: {}\n", flow_mapping(data));
    if (!inputs.empty()) text += fmt::format("    inputs: {}\n", flow_mapping(inputs));
    if (piece > 0) text += fmt::format("    connect: {}\n", flow_mapping(connect));
    if (piece > 0 && connect.empty()) text += "    after: source\n";
    return text;
  }

  /// The stage that makes the tensor or hands it on; empty: it is an input of the whole model.
  std::string maker_of(TensorId id, std::size_t before) const {
    for (std::size_t piece = 0; piece < before; ++piece)
      if (holds(written_.pieces[piece].outputs, id)) return stage_name(piece);
    return {};
  }

  const Graph& graph_;
  const WrittenPieces& written_;
  const PieceSettings& settings_;
};

}  // namespace

Graph with_known_tensors(const OnnxModel& model, const std::map<std::string, Shape>& input_shapes) {
  for (const auto& [name, shape] : input_shapes) {
    const auto& inputs = model.graph.inputs;
    if (std::none_of(inputs.begin(), inputs.end(),
                     [&, &wanted = name](TensorId id) { return model.graph.tensor(id).name == wanted; }))
      refuse_input(fmt::format("{}: the input '{}' does not exist; give shapes of the model's inputs",
                               printable(model.graph.path.string()), printable(name)));
  }
  Graph graph = model.graph;
  take_types(model, graph);
  return with_inferred_shapes(graph, nullptr, model.graph.path, input_shapes);
}

WrittenPieces write_pieces(const OnnxModel& model, const Graph& graph, const std::vector<Cut>& cuts,
                           const PieceSettings& settings) {
  if (settings.units.empty()) refuse_input("name a device for the pieces of a model");
  if (settings.units.size() > cuts.size() + 1)
    refuse_input(fmt::format("{} pieces of a model cannot run on {} devices; make more pieces, or name fewer devices",
                             cuts.size() + 1, settings.units.size()));
  std::error_code error;
  fs::create_directories(settings.folder, error);
  if (error)
    throw Error(ErrorKind::io,
                fmt::format("cannot make the folder {}: {}", printable(settings.folder.string()), error.message()));
  WrittenPieces written;
  written.pieces = pieces_of(graph, cuts);
  if (settings.hand_on_inputs)
    for_shared_inputs(graph, written.pieces, [](TensorId id, Piece& first) {
      if (!holds(first.outputs, id)) first.outputs.push_back(id);
    });
  written.models = write_piece_models(model, graph, written.pieces, settings.folder, settings.most_weights_inside);
  const std::string stem = model.graph.path.stem().string();
  written.pipeline = settings.folder / ((stem.empty() ? "model" : stem) + "_pieces.yaml");
  write_file_atomically(written.pipeline,
                        PipelineFile(graph, written, settings).text(model.graph.path.filename().string()));
  return written;
}

}  // namespace takt
