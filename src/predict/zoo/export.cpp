#include "predict/zoo/export.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <map>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "measure/open/prepared_model.h"
#include "plan/gnn/stage_model.h"
#include "predict/kernels/optimised_kernels.h"
#include "predict/zoo/writer.h"

namespace takt {
namespace {

namespace fs = std::filesystem;
using Writer = void (*)(ZooWriter&);

const std::map<std::string_view, Writer>& writers() {
  static const std::map<std::string_view, Writer> all{{"resnet", write_resnet},
                                                      {"vgg", write_vgg},
                                                      {"mobilenetv2", write_mobilenet},
                                                      {"squeezenet", write_squeezenet},
                                                      {"densenet", write_densenet},
                                                      {"efficientnet", write_efficientnet},
                                                      {"inception", write_inception},
                                                      {"transformer", write_transformer},
                                                      {"mlp", write_mlp},
                                                      {random_chains_family, write_random_chain}};
  return all;
}

void check_zoo_model(const ZooModel& model) {
  const ZooFamily* family = zoo_family(model.family);
  if (!family) refuse_input(fmt::format("'{}' is not a family of the zoo", printable(model.family)));
  if (std::find(family->depths.begin(), family->depths.end(), model.depth) == family->depths.end())
    refuse_input(fmt::format("{}: the depth {} is not one of {}", model.family, model.depth, depths_text(*family)));
  if (model.batch < 1 || model.input < family->least_input || !(model.width > 0))
    refuse_input(fmt::format("{}: batch and width must be above 0, and the input at least {}", model.name(),
                             family->least_input));
}

void say(onnx::ModelProto& model, const std::string& key, const std::string& value) {
  auto& entry = *model.add_metadata_props();
  entry.set_key("takt." + key), entry.set_value(value);
}

std::string said(const onnx::ModelProto& model, const std::string& key) {
  for (const auto& entry : model.metadata_props())
    if (entry.key() == "takt." + key) return entry.value();
  return {};
}

/// One whole layer; as many graphs of `input` nodes as the batch says, four edges for each node.
onnx::ModelProto graph_network(const ZooModel& model, Network network, std::uint64_t seed) {
  StageModelSettings settings;
  settings.features = settings.hidden = std::max<std::int64_t>(1, std::lround(500 * model.width));
  settings.size = GraphSize{model.input * model.batch, 4 * model.input * model.batch};
  settings.seed = seed;
  return *stage_model({network, 1, static_cast<int>(stages_of(network).size())}, settings).proto;
}

std::int64_t parameters_in(const onnx::GraphProto& graph) {
  std::int64_t count = 0;
  for (const auto& tensor : graph.initializer())
    if (tensor.data_type() == onnx::TensorProto::FLOAT)
      count += element_count({tensor.dims().begin(), tensor.dims().end()}).value_or(0);
  return count;
}

/// Writes unless the file has these bytes.
bool write_unless_there(const fs::path& path, const std::string& bytes) {
  std::error_code error;
  if (fs::is_regular_file(path, error) && fs::file_size(path, error) == bytes.size() && read_file(path) == bytes)
    return false;
  write_file_atomically(path, bytes);
  return true;
}

/// Saves models as ONNX Runtime optimises them.
class Optimiser {
 public:
  Optimiser() {
    settings_.runtime = lone_kernels("CPU").runtime;
    const auto runtime = make_runtime(settings_.runtime);
    for (const DeviceStatus& device : runtime->devices())
      if (device.device == "GPU" && !device.reason) settings_.device = "GPU";
    made_by_ =
        fmt::format("{} {} on {}", settings_.runtime, runtime->version(), settings_.device == "GPU" ? "CUDA" : "CPU");
  }

  const std::string& made_by() const { return made_by_; }

  /// Writes FOLDER/`name`, unless it was made of the same model by the same runtime.
  fs::path save(const fs::path& model, const std::string& source, const fs::path& folder,
                const std::string& name) const {
    const fs::path file =
        fs::path("optimised") / fmt::format("{}.{}.onnx", name, settings_.device == "GPU" ? "cuda" : "cpu");
    std::error_code error;
    if (fs::is_regular_file(folder / file, error)) try {
        const auto there = read_onnx_structure(folder / file).proto;
        if (said(*there, "source") == source && said(*there, "optimised_by") == made_by_) return file;
      } catch (const Error&) {  // something else has its name
      }
    const TemporaryFolder temporary("takt");
    PreparedModel prepared(model, settings_);
    SessionSettings session = prepared.session_settings(false);
    session.optimised_model = temporary.path() / "optimised.onnx";
    prepared.open(session);
    const OnnxModel optimised = read_saved_graph(session.optimised_model, *prepared.result().graph);
    say(*optimised.proto, "source", source);
    say(*optimised.proto, "optimised_by", made_by_);
    make_folders(folder / "optimised");
    write_onnx(optimised, folder / file);
    return file;
  }

 private:
  RunSettings settings_;
  std::string made_by_;
};

constexpr Column<ExportedZooModel> zoo_columns[] = {
    {"zoo_model", "Model", [](const ExportedZooModel& r) -> Cell { return r.what.name(); },
     "Model of the zoo: family, depth, width, batch and input; also the name of its file."},
    {"zoo_family", "Family", [](const ExportedZooModel& r) -> Cell { return r.what.family; },
     "Family of architectures of a model of the zoo."},
    {"zoo_depth", "Depth", [](const ExportedZooModel& r) -> Cell { return std::int64_t{r.what.depth}; },
     "Depth of a model of the zoo, in its family's unit: layers, blocks or modules."},
    {"zoo_width", "Width", [](const ExportedZooModel& r) -> Cell { return r.what.width; },
     "Width of a model of the zoo (channels, features), as a multiple of its family's standard width."},
    {"zoo_batch", "Batch", [](const ExportedZooModel& r) -> Cell { return r.what.batch; },
     "Batch size of a model of the zoo."},
    {"zoo_input", "Input", [](const ExportedZooModel& r) -> Cell { return r.what.input; },
     "Input size of a model of the zoo: side of an image, words, numbers, or nodes of a graph."},
    {"zoo_parameters", "Parameters", [](const ExportedZooModel& r) -> Cell { return r.parameters; },
     "Number of weights of a model of the zoo."},
    {"zoo_written", "Written",
     [](const ExportedZooModel& r) -> Cell { return r.file.empty() ? Cell() : Cell(r.is_new ? "yes" : "there"); },
     "Whether the file was written now (yes) or a byte-identical one already existed (there); empty if nothing is "
     "exported."},
    {"zoo_optimised", "Optimised",
     [](const ExportedZooModel& r) -> Cell {
       return r.optimised.empty() ? Cell() : Cell(r.optimised.filename().string());
     },
     "File of the model as the runtime optimizes it; empty if that was not requested."},
    {"zoo_optimised_by", "Optimised by",
     [](const ExportedZooModel& r) -> Cell { return r.optimised_by.empty() ? Cell() : Cell(r.optimised_by); },
     "Runtime and device that the model was optimized by."},
};

constexpr TableDefinition<ExportedZooModel> zoo_definition{"zoo", "Models of takt's zoo: a row per model.",
                                                           zoo_columns};

}  // namespace

BuiltZooModel build_zoo_model(const ZooModel& model, std::uint64_t seed) {
  check_zoo_model(model);
  onnx::ModelProto proto;
  BuiltZooModel built;
  if (const auto network = network_named(model.family)) {
    proto = graph_network(model, *network, seed);
    built.parameters = parameters_in(proto.graph());
  } else {
    ZooWriter writer(model, seed);
    writers().at(model.family)(writer);
    proto.ParseFromString(writer.bytes());
    built.parameters = writer.parameters(), built.weight_bytes = writer.weight_bytes();
  }
  say(proto, "family", model.family);
  say(proto, "architecture", model.architecture());
  say(proto, "batch", std::to_string(model.batch));
  say(proto, "input", std::to_string(model.input));
  say(proto, "seed", std::to_string(seed));
  built.bytes = serialize_onnx(proto);
  return built;
}

std::vector<ExportedZooModel> export_zoo(const ZooConfig& config, const ZooExportSettings& settings) {
  make_folders(settings.folder);
  // First, so that no model is there without its weights.
  std::int64_t weight_bytes = 0;
  for (const ZooModel& model : config.models)
    weight_bytes = std::max(weight_bytes, build_zoo_model(model, config.seed).weight_bytes);
  if (weight_bytes > 0) write_zoo_weights(settings.folder, config.seed, weight_bytes);
  std::optional<Optimiser> optimiser;
  if (settings.optimised) optimiser.emplace();
  std::vector<ExportedZooModel> exported;
  for (const ZooModel& model : config.models) {
    if (settings.progress) settings.progress(exported.size(), config.models.size());
    if (settings.stop && *settings.stop)
      throw Error(ErrorKind::runtime, fmt::format("stopped after {} of {} models; the same command resumes from here",
                                                  exported.size(), config.models.size()));
    const BuiltZooModel built = build_zoo_model(model, config.seed);
    ExportedZooModel& one = exported.emplace_back();
    one.what = model, one.parameters = built.parameters;
    one.file = model.name() + ".onnx";
    one.is_new = write_unless_there(settings.folder / one.file, built.bytes);
    if (!optimiser) continue;
    one.optimised_by = optimiser->made_by();
    one.optimised = optimiser->save(settings.folder / one.file, fmt::format("{:016x}", fingerprint(built.bytes)),
                                    settings.folder, model.name());
  }
  return exported;
}

std::vector<Table> zoo_tables(const std::vector<ExportedZooModel>& models) { return {zoo_definition.make(models)}; }

std::vector<TableSchema> zoo_schemas() { return {zoo_definition.schema()}; }

}  // namespace takt
