#include <fmt/format.h>

#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/predict/kernels.h"
#include "predict/kernels/tables.h"

namespace takt {
namespace {

struct KernelsListOptions {
  KernelOptions kernels;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(KernelsListOptions& o) {
  CommandLine line("kernels list",
                   "Lists the kernels that a runtime executes for models, in execution order: canonical name, layout, "
                   "shapes and work.",
                   "takt kernels list model.onnx", o.log);
  add_kernel_options(line, o.kernels, "Models, folders with .onnx files, or files of 'takt kernels record'");
  add_output(line, o.output, table_names("kernels list"));
  return line;
}

int run(KernelsListOptions& o, Arguments arguments) {
  settle(o.kernels);
  const KernelFile file = kernels_in(o.kernels);
  const auto tables = kernel_tables(file);
  const Table usual = some_columns(
      tables[0], {"kernel_number", "kernel_name", "kernel_layout", "kernel_inputs", "kernel_outputs", "flops"});
  print(o.output, tables, provenance_of("kernels list", arguments),
        to_text(usual, o.output.style()) + "\n" + to_text(tables[1], o.output.style()));
  return 0;
}

}  // namespace

constinit const Command kernels_list_command =
    command<KernelsListOptions, declare, run>("kernels list", "list the kernels a runtime executes for a model");

}  // namespace takt
