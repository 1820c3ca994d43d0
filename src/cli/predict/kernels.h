// What the commands of `takt kernels` share.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/line/command_line.h"
#include "measure/open/run_settings.h"
#include "predict/kernels/file.h"

namespace takt {

/// Options that the kernel commands share: how to find a model's kernels.
struct KernelOptions {
  std::vector<std::filesystem::path> paths;  ///< models, folders of them, files of kernels
  RunSettings run;
  std::vector<std::string> inputs;
};

/// Adds MODEL, --runtime, --device, --input and --batch-size.
void add_kernel_options(CommandLine& line, KernelOptions& o, const std::string& meaning_of_paths,
                        bool needs_one = true);

/// The default folder of results, and its subfolders (docs/formats.md).
inline constexpr const char* prediction_folder = "prediction";
std::filesystem::path records_folder(const std::filesystem::path& out);  ///< OUT/ort_analysis/ort_kernel_record
std::filesystem::path dags_folder(const std::filesystem::path& out);     ///< OUT/graph_model/model_DAG
std::filesystem::path kernels_folder(const std::filesystem::path& out);  ///< OUT/kernel_model/kernel_onnx

/// Reads the values of --input.
void settle(KernelOptions& o);

/// Returns the paths, with each folder replaced by its .onnx files, sorted. Throws Error(bad_input) for a folder
/// without such files.
std::vector<std::filesystem::path> kernel_sources(const KernelOptions& o);

/// Returns the kernels of all paths: reads files, opens models. Calls `each` for every path as soon as it is done.
KernelFile kernels_in(const KernelOptions& o, const std::function<void(const KernelFile&)>& each = {});

}  // namespace takt
