#include "predict/kernels/file.h"

#include <fmt/format.h>

#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"
#include "predict/kernels/record_json.h"

namespace takt {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

constexpr std::int64_t known_kernels_version = 1;

std::string line_of(const Ordered& json) { return json.dump(-1, ' ', false, Ordered::error_handler_t::replace); }

Ordered instance_json(const KernelInstance& kernel) {
  return {{"name", kernel.name},          {"record", kernel.record},       {"inputs", kernel.inputs},
          {"outputs", kernel.outputs},    {"producers", kernel.producers}, {"consumers", kernel.consumers},
          {"model_ops", kernel.model_ops}};
}

template <typename Items, typename Line>
std::string lines_of(const Items& items, const Line& line) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "\n" : ",\n") + line(item);
  return text.empty() ? text : text + "\n";
}

std::string model_text(const KernelGraph& graph) {
  const Ordered head{{"model", graph.model},   {"runtime", graph.runtime}, {"runtime_version", graph.version},
                     {"device", graph.device}, {"inputs", graph.inputs},   {"outputs", graph.outputs}};
  std::string text = line_of(head);
  text.pop_back();
  return text + ",\n\"kernels\": [" +
         lines_of(graph.kernels, [](const KernelInstance& kernel) { return line_of(instance_json(kernel)); }) + "]}";
}

KernelGraph model_in(const Json& json, const std::string& where, const KernelFile& file) {
  const JsonObject object(json, where,
                          {"model", "runtime", "runtime_version", "device", "inputs", "outputs", "kernels"});
  KernelGraph graph;
  graph.model = object.text("model"), graph.runtime = object.text("runtime");
  graph.version = object.text("runtime_version"), graph.device = object.text("device");
  graph.inputs = object.texts("inputs"), graph.outputs = object.texts("outputs");
  std::vector<std::pair<Json, Json>> told;
  std::set<std::string> names;
  for (const Json& one : object.list("kernels")) {
    const JsonObject kernel(one, fmt::format("{}: kernel {}", where, graph.kernels.size()),
                            {"name", "record", "inputs", "outputs", "producers", "consumers", "model_ops"});
    KernelInstance instance;
    instance.name = kernel.text("name"), instance.record = kernel.text("record");
    instance.inputs = kernel.texts("inputs"), instance.outputs = kernel.texts("outputs");
    instance.model_ops = kernel.texts("model_ops");
    if (!names.insert(instance.name).second) kernel.refuse("has the same name as another one");
    const auto record = file.records.find(instance.record);
    if (record == file.records.end())
      kernel.refuse(fmt::format("has the record '{}', which is not in the file", printable(instance.record)));
    if (record->second.inputs.size() != instance.inputs.size() ||
        record->second.outputs.size() != instance.outputs.size())
      kernel.refuse("differs from its record in the number of tensors");
    told.emplace_back(kernel.list("producers"), kernel.list("consumers"));
    graph.kernels.push_back(std::move(instance));
  }
  connect(graph);
  for (std::size_t i = 0; i < told.size(); ++i)
    if (Json(graph.kernels[i].producers) != told[i].first || Json(graph.kernels[i].consumers) != told[i].second)
      refuse_input(fmt::format("{}: kernel {}: 'producers' or 'consumers' do not match its tensors", where, i));
  return graph;
}

std::string stem_of(const KernelGraph& graph) { return fs::path(graph.model).stem().string(); }

/// Writes unless the file says the same already, whoever made it.
void write_kernels_once(const fs::path& path, const KernelFile& file, const Provenance& provenance) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) try {
      if (kernel_file_json(read_kernel_file(path), {}) == kernel_file_json(file, {})) return;
    } catch (const Error&) {  // something else has its name
    }
  write_file_atomically(path, kernel_file_json(file, provenance));
}

}  // namespace

std::string kernel_file_json(const KernelFile& file, const Provenance& provenance) {
  return "{\"takt\": " + to_json(provenance) + ",\n\"takt_kernels\": 1,\n\"records\": {" +
         lines_of(file.records,
                  [](const auto& one) { return json_quote(one.first) + ": " + line_of(record_json(one.second)); }) +
         "},\n\"models\": [" + lines_of(file.models, model_text) + "]}\n";
}

KernelFile parse_kernel_file(std::string_view text, std::string_view where) {
  const std::string place(where);
  const Json json = parse_strictly(text, where);
  if (!json.is_object() || !json.contains("takt_kernels"))
    refuse_input(fmt::format("{}: is not a file of kernels; 'takt kernels record' writes them", where));
  const JsonObject object(json, place, {"takt", "takt_kernels", "records", "models"});
  if (!json["takt"].is_object()) refuse_input(fmt::format("{} is not an object", object.place_of("takt")));
  const auto version = object.integer("takt_kernels", 1, 1'000'000);
  if (version > known_kernels_version)
    refuse_input(fmt::format("{}: 'takt_kernels' is {}, and this version of takt reads {}; use a newer one", where,
                             version, known_kernels_version));
  KernelFile file;
  for (const auto& [id, one] : object.object("records").items()) {
    const std::string of = fmt::format("{}: record '{}'", where, printable(id));
    KernelRecord record = record_in(one, of);
    if (id_of(record) != id)
      refuse_input(fmt::format("{} has the wrong name: its content makes it '{}'", of, printable(id_of(record))));
    file.records.emplace(id, std::move(record));
  }
  for (const Json& model : object.list("models"))
    file.models.push_back(model_in(model, fmt::format("{}: model {}", where, file.models.size()), file));
  return file;
}

KernelFile read_kernel_file(const fs::path& path) {
  return parse_kernel_file(read_file(path), printable(path.string()));
}

bool is_kernel_file(const fs::path& path) { return lower_case(path.extension().string()) == ".json"; }

std::vector<fs::path> write_kernel_files(const KernelFile& file, const fs::path& folder, const Provenance& provenance) {
  std::vector<fs::path> paths;
  std::set<std::string> stems;
  for (const KernelGraph& graph : file.models)
    if (!stems.insert(stem_of(graph)).second)
      refuse_input(
          fmt::format("two models have the name {}; record them into separate folders", printable(stem_of(graph))));
  for (const KernelGraph& graph : file.models) {
    KernelFile own{{}, {graph}};
    make_folders(folder / stem_of(graph));
    for (const KernelInstance& kernel : graph.kernels) {
      const KernelRecord& record = file.records.at(kernel.record);
      if (!own.records.emplace(kernel.record, record).second) continue;
      write_kernels_once(folder / stem_of(graph) / (kernel.record + ".json"), {{{kernel.record, record}}, {}},
                         provenance);
    }
    paths.push_back(folder / (stem_of(graph) + ".kernels.json"));
    write_kernels_once(paths.back(), own, provenance);
  }
  return paths;
}

}  // namespace takt
