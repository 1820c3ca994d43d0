#include "predict/kernels/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/system/watched_work.h"
#include "model/inputs/tensor_distance.h"
#include "model/runtime/generated_values.h"
#include "model/runtime/ports.h"

namespace takt {
namespace {

namespace fs = std::filesystem;
using TensorValues = std::unordered_map<std::string, HostTensor>;

/// Opens and runs models of kernels, all of them through one file.
class KernelRuns {
 public:
  KernelRuns(const std::string& runtime, SessionSettings settings)
      : runtime_(make_runtime(runtime)), settings_(std::move(settings)), folder_("takt") {}

  /// With values by the name of the input.
  std::vector<HostTensor> run(const OnnxModel& model, const TensorValues& values) {
    const fs::path file = folder_.path() / "kernel.onnx";
    write_onnx(model, file);
    const auto session = open(file, model.graph);
    std::vector<HostTensor> inputs;
    for (const Port& port : session->inputs()) {
      const auto found = values.find(port.name);
      inputs.push_back(found != values.end() ? found->second
                                             : generate_values(port, concrete(port.shape).value_or(Shape()), 1));
      inputs.back().name = port.name;
    }
    session->set_inputs(inputs);
    begin_step("running the model of a kernel");
    session->run();
    return session->outputs_of_last_run();
  }

  /// Every tensor of the model in one inference.
  TensorValues run_all(const OptimisedKernels& kernels) {
    const fs::path file = folder_.path() / "model.onnx";
    write_onnx(kernels.model, file);
    SessionSettings all = as_written(kernels);
    all.all_tensors = true;
    TensorValues values;
    for (const HostTensor& tensor : kernels.input_values) values.emplace(tensor.name, tensor);
    for (HostTensor& tensor : saying_of(kernels.graph.model, file, [&] { return all_tensors(kernels, file, all); }))
      values.insert_or_assign(tensor.name, std::move(tensor));
    return values;
  }

 private:
  std::vector<HostTensor> all_tensors(const OptimisedKernels& kernels, const fs::path& file,
                                      const SessionSettings& settings) {
    const auto session = runtime_->open(file, &kernels.model.graph, settings);
    session->set_inputs(kernels.input_values);
    begin_step("running the model once");
    session->run();
    return session->outputs_of_last_run();
  }

  std::unique_ptr<Session> open(const fs::path& file, const Graph& graph) {
    SessionSettings settings = settings_;
    settings.input_shapes.clear();
    return runtime_->open(file, &graph, settings);
  }

  std::unique_ptr<Runtime> runtime_;
  SessionSettings settings_;
  TemporaryFolder folder_;
};

/// Writes the model unless it is there already.
void write_extracted(const OnnxModel& model, const fs::path& folder, ExtractedKernel& extracted) {
  if (folder.empty()) return;
  make_folders(folder);
  extracted.file = kernel_model_path(folder, extracted.id);
  const std::string bytes = serialize_onnx(*model.proto);
  std::error_code error;
  if (fs::is_regular_file(extracted.file, error) && read_file(extracted.file) == bytes) return;
  write_file_atomically(extracted.file, bytes);
  extracted.is_new = true;
}

/// The inputs of a kernel's model under the names that they have there, from the tensors of the whole model.
TensorValues inputs_for(const KernelInstance& kernel, const OnnxModel& model, bool is_saved,
                        const TensorValues& values) {
  TensorValues inputs;
  for (const TensorId id : model.graph.inputs) {
    const std::string& name = model.graph.tensor(id).name;
    std::string of_model = name;
    if (is_saved) of_model = kernel.inputs[*number_in<std::size_t>(std::string_view(name).substr(1))];
    if (const auto found = values.find(of_model); found != values.end()) inputs.emplace(name, found->second);
  }
  return inputs;
}

/// nullopt: the model has none of them to compare with.
std::optional<double> compare_outputs(const KernelInstance& kernel, bool is_saved, const std::vector<HostTensor>& got,
                                      const TensorValues& values) {
  std::optional<double> largest;
  for (const HostTensor& output : got) {
    std::string of_model = output.name;
    if (is_saved) of_model = kernel.outputs[*number_in<std::size_t>(std::string_view(output.name).substr(1))];
    const auto wanted = values.find(of_model);
    if (wanted == values.end()) continue;
    largest = std::max(largest.value_or(0), distance_of(wanted->second, output).share);
  }
  return largest;
}

void look_at_stop(const ExtractSettings& settings, std::size_t done, std::size_t total) {
  if (settings.progress) settings.progress(done, total);
  if (settings.stop && *settings.stop)
    throw Error(ErrorKind::runtime,
                fmt::format("stopped after {} of {} kernels; the same command resumes from here", done, total));
}

/// Calls `work`; what it throws is the row's problem. A full disk ends everything.
template <typename Work>
void noting_problems(ExtractedKernel& extracted, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;
    extracted.problem = error.what();
  }
}

}  // namespace

std::vector<ExtractedKernel> extract_kernels(const OptimisedKernels& kernels, const ExtractSettings& settings) {
  KernelRuns runs(kernels.graph.runtime, as_written(kernels));
  const bool has_values = settings.run && kernels.is_saved;
  const TensorValues values = has_values ? runs.run_all(kernels) : TensorValues();
  std::vector<std::size_t> chosen;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < kernels.graph.kernels.size(); ++i) {
    const std::string& id = kernels.graph.kernels[i].record;
    if (id.starts_with(settings.record) && (seen.insert(id).second || settings.all_kernels)) chosen.push_back(i);
  }
  std::vector<ExtractedKernel> result;
  for (const std::size_t i : chosen) {
    look_at_stop(settings, result.size(), chosen.size());
    const KernelInstance& kernel = kernels.graph.kernels[i];
    ExtractedKernel& extracted = result.emplace_back();
    extracted.id = kernel.record, extracted.kernel = kernel.name;
    extracted.name = kernels.records.at(kernel.record).name;
    noting_problems(extracted, [&] {
      const OnnxModel model = kernel_model(kernels, i);
      write_extracted(model, settings.folder, extracted);
      if (!settings.run) return;
      extracted.runs = false;
      const auto outputs = runs.run(model, inputs_for(kernel, model, kernels.is_saved, values));
      extracted.runs = true;
      if (has_values) extracted.difference = compare_outputs(kernel, kernels.is_saved, outputs, values);
    });
  }
  return result;
}

std::vector<ExtractedKernel> extract_records(const KernelFile& file, const std::string& device,
                                             const ExtractSettings& settings) {
  std::optional<KernelRuns> runs;
  if (settings.run) {
    const LoneKernels lone = lone_kernels(device);
    runs.emplace(lone.runtime, lone.settings);
  }
  std::vector<ExtractedKernel> result;
  for (const auto& [id, of_id] : file.records) {
    const KernelRecord& record = of_id;
    if (!id.starts_with(settings.record)) continue;
    look_at_stop(settings, result.size(), file.records.size());
    ExtractedKernel& extracted = result.emplace_back();
    extracted.id = id, extracted.name = record.name;
    noting_problems(extracted, [&] {
      const OnnxModel model = kernel_model(record, {}, settings.seed);
      write_extracted(model, settings.folder, extracted);
      if (!runs) return;
      extracted.runs = false;
      runs->run(model, {});
      extracted.runs = true;
    });
  }
  return result;
}

}  // namespace takt
