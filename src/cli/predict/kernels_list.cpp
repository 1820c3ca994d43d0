#include <fmt/format.h>

#include "cli/kernels.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "kernels/kernel_tables.h"

namespace takt {
namespace {

struct KernelsListOptions {
  KernelOptions kernels;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(KernelsListOptions& o) {
  CommandLine line("kernels list",
                   "Shows what a runtime executes of models: every kernel with its canonical name, layout, shapes and "
                   "work, in the order of execution.",
                   "takt kernels list model.onnx", o.log);
  add_kernel_options(line, o.kernels, "Models, folders with .onnx files, or files of 'takt kernels record'");
  add_output(line, o.output, table_names("kernels list"));
  return line;
}

}  // namespace

CommandDescription describe_kernels_list() {
  KernelsListOptions o;
  return declare(o).description();
}

int run_kernels_list(std::span<const std::string> arguments) {
  KernelsListOptions o;
  if (!declare(o).parse(arguments)) return 0;
  settle(o.kernels);
  const KernelFile file = kernels_in(o.kernels);
  const auto tables = kernel_tables(file);
  const Table usual = some_columns(
      tables[0], {"kernel_number", "kernel_name", "kernel_layout", "kernel_inputs", "kernel_outputs", "flops"});
  print(o.output, tables, provenance_of("kernels list", arguments),
        to_text(usual, o.output.style()) + "\n" + to_text(tables[1], o.output.style()));
  return 0;
}

}  // namespace takt
