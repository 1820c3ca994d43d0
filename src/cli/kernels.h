// The commands of `takt kernels`.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/command_group.h"
#include "cli/line/command_line.h"
#include "predict/kernels/file.h"
#include "measure/open/run_settings.h"

namespace takt {

int run_kernels_bench(std::span<const std::string> arguments);
int run_kernels_dag(std::span<const std::string> arguments);
int run_kernels_extract(std::span<const std::string> arguments);
int run_kernels_list(std::span<const std::string> arguments);
int run_kernels_record(std::span<const std::string> arguments);

CommandDescription describe_kernels_bench();
CommandDescription describe_kernels_dag();
CommandDescription describe_kernels_extract();
CommandDescription describe_kernels_list();
CommandDescription describe_kernels_record();

extern const CommandGroup kernels_commands;

/// How a model's kernels are found: what the commands share.
struct KernelOptions {
  std::vector<std::filesystem::path> paths;  ///< models, folders of them, files of kernels
  RunSettings run;
  std::vector<std::string> inputs;
};

/// MODEL, --runtime, --device, --input, --batch-size.
void add_kernel_options(CommandLine& line, KernelOptions& o, const std::string& meaning_of_paths,
                        bool needs_one = true);

/// The folder that results go to where none is named, and its part for records (docs/formats.md).
inline constexpr const char* prediction_folder = "prediction";
std::filesystem::path records_folder(const std::filesystem::path& out);  ///< OUT/ort_analysis/ort_kernel_record
std::filesystem::path dags_folder(const std::filesystem::path& out);     ///< OUT/graph_model/model_DAG
std::filesystem::path kernels_folder(const std::filesystem::path& out);  ///< OUT/kernel_model/kernel_onnx

/// Reads what --input says.
void settle(KernelOptions& o);

/// The paths with each folder replaced by the .onnx files in it, sorted. Throws Error(bad_input) for a folder without.
std::vector<std::filesystem::path> kernel_sources(const KernelOptions& o);

/// The kernels of all paths: files are read, models opened. `each` is called as soon as one is known.
KernelFile kernels_in(const KernelOptions& o, const std::function<void(const KernelFile&)>& each = {});

}  // namespace takt
