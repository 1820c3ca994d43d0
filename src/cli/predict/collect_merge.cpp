#include <fmt/format.h>

#include "base/basics/text.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/predict/predict_options.h"
#include "predict/collect/collect.h"

namespace takt {
namespace {

struct CollectMergeOptions {
  std::vector<std::filesystem::path> files;
  std::filesystem::path out;
  LogOptions log;
};

CommandLine declare(CollectMergeOptions& o) {
  CommandLine line("collect merge", "Merges datasets that were collected separately; each model occurs once.",
                   "takt collect merge a.csv b.csv -o all.csv", o.log);
  line.add({.names = "FILE", .meaning = "The datasets", .required = true}, &o.files);
  line.add({.names = "-o,--output",
            .value = "FILE",
            .meaning = "The merged dataset, compressed if it ends in .gz",
            .required = true,
            .makes = Makes::file},
           &o.out);
  return line;
}

int run(CollectMergeOptions& o, Arguments) {
  const Dataset all = merge_datasets(o.files);
  write_dataset(all, o.out);
  fmt::print("{} kernels of {} models in {}\n", all.kernel_count(), all.models.size(), printable(o.out.string()));
  return 0;
}

}  // namespace

constinit const Command collect_merge_command =
    command<CollectMergeOptions, declare, run>("collect merge", "merge datasets that were collected separately");

}  // namespace takt
