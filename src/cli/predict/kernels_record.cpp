#include <fmt/format.h>

#include "base/basics/text.h"
#include "base/files/file.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/predict/kernels.h"

namespace takt {
namespace {

struct KernelsRecordOptions {
  KernelOptions kernels;
  std::filesystem::path out = prediction_folder, file;
  LogOptions log;
};

CommandLine declare(KernelsRecordOptions& o) {
  CommandLine line("kernels record",
                   "Writes the kernels of models as JSON: a record of each different kernel and, per model, the "
                   "connections between kernels.",
                   "takt kernels record model.onnx -o kernels.json", o.log);
  add_kernel_options(line, o.kernels, "Models, or folders with .onnx files");
  line.add({.names = "--out",
            .value = "DIR",
            .meaning = "The folder of results; records go to ort_analysis/ort_kernel_record in it",
            .fallback = o.out.string(),
            .makes = Makes::folder},
           &o.out);
  line.add({.names = "-o,--output",
            .value = "FILE",
            .meaning = "Write one file with all models and records instead of a folder",
            .makes = Makes::file},
           &o.file);
  return line;
}

int run(KernelsRecordOptions& o, Arguments arguments) {
  settle(o.kernels);
  const Provenance provenance = provenance_of("kernels record", arguments);
  const auto folder = records_folder(o.out);
  // Each model's file is there as soon as the model is done.
  const KernelFile all = kernels_in(o.kernels, [&](const KernelFile& one) {
    if (o.file.empty()) write_kernel_files(one, folder, provenance);
  });
  if (!o.file.empty()) write_file_atomically(o.file, kernel_file_json(all, provenance));
  std::size_t kernels = 0;
  for (const KernelGraph& model : all.models) kernels += model.kernels.size();
  fmt::print("{} kernels of {} models, {} different ones, in {}\n", kernels, all.models.size(), all.records.size(),
             printable((o.file.empty() ? folder : o.file).string()));
  return 0;
}

}  // namespace

constinit const Command kernels_record_command =
    command<KernelsRecordOptions, declare, run>("kernels record", "write the kernels of models as JSON");

}  // namespace takt
