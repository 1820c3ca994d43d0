#include "cli/predict/kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "model/inputs/spec.h"
#include "model/onnx/onnx.h"
#include "model/runtime/runtime.h"
#include "predict/kernels/optimised_kernels.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> models_in(const fs::path& folder) {
  std::vector<fs::path> models;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && is_onnx_file(entry.path())) models.push_back(entry.path());
  std::sort(models.begin(), models.end());
  if (models.empty())
    refuse_input(fmt::format("{}: contains no .onnx file; name a folder with models", printable(folder.string())));
  return models;
}

}  // namespace

void add_kernel_options(CommandLine& line, KernelOptions& o, const std::string& meaning_of_paths, bool needs_one) {
  line.add({.names = "MODEL", .meaning = meaning_of_paths, .required = needs_one}, &o.paths);
  line.add({.names = "--runtime",
            .value = "NAME",
            .meaning = "The runtime that optimises the model; by default the one that 'takt run' uses"},
           &o.run.runtime);
  line.add({.names = "--device", .value = "NAME", .meaning = "The device to optimise for", .fallback = "CPU"},
           &o.run.device);
  line.add({.names = "--input",
            .value = "SPEC",
            .meaning = "An input as for 'takt run', e.g. 'x:{1,3,224,224}' to set a dynamic shape"},
           &o.inputs);
  line.add({.names = "--batch-size",
            .value = "N",
            .meaning = "First dimension of every input",
            .range = NumberRange{1, 10'000'000}},
           &o.run.batch_size);
}

fs::path records_folder(const fs::path& out) { return out / "ort_analysis" / "ort_kernel_record"; }
fs::path dags_folder(const fs::path& out) { return out / "graph_model" / "model_DAG"; }
fs::path kernels_folder(const fs::path& out) { return out / "kernel_model" / "kernel_onnx"; }

void settle(KernelOptions& o) {
  for (const std::string& text : o.inputs)
    for (InputSpec& spec : parse_input_specs(text)) o.run.inputs.push_back(std::move(spec));
}

std::vector<fs::path> kernel_sources(const KernelOptions& o) {
  std::vector<fs::path> sources;
  for (const fs::path& path : o.paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      sources.push_back(path);
      continue;
    }
    for (fs::path& model : models_in(path)) sources.push_back(std::move(model));
  }
  return sources;
}

KernelFile kernels_in(const KernelOptions& o, const std::function<void(const KernelFile&)>& each) {
  KernelFile all;
  const auto sources = kernel_sources(o);
  Progress bar("finding kernels");
  for (std::size_t i = 0; i < sources.size(); ++i) {
    bar.update(i, sources.size());
    KernelFile one;
    if (is_kernel_file(sources[i])) {
      one = read_kernel_file(sources[i]);
    } else {
      OptimisedKernels kernels = kernels_of(sources[i], o.run);
      for (const std::string& note : kernels.notes) log_info(note);
      add(one, std::move(kernels.graph), std::move(kernels.records));
    }
    if (each) each(one);
    all.records.merge(one.records);
    for (KernelGraph& model : one.models) all.models.push_back(std::move(model));
  }
  return all;
}

}  // namespace takt
