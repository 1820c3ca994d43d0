#include <fmt/format.h>

#include "cli/line/output.h"
#include "cli/predict_options.h"
#include "base/basics/text.h"
#include "predict/collect/collect.h"

namespace takt {
namespace {

struct CollectMergeOptions {
  std::vector<std::filesystem::path> files;
  std::filesystem::path out;
  LogOptions log;
};

CommandLine declare(CollectMergeOptions& o) {
  CommandLine line("collect merge", "Puts datasets together that were collected apart: every model once.",
                   "takt collect merge a.csv b.csv -o all.csv", o.log);
  line.add({.names = "FILE", .meaning = "The datasets", .required = true}, &o.files);
  line.add({.names = "-o,--output",
            .value = "FILE",
            .meaning = "The dataset of all, compressed if it ends in .gz",
            .required = true,
            .makes = Makes::file},
           &o.out);
  return line;
}

}  // namespace

int run_collect_merge(std::span<const std::string> arguments) {
  CollectMergeOptions o;
  if (!declare(o).parse(arguments)) return 0;
  const Dataset all = merge_datasets(o.files);
  write_dataset(all, o.out);
  fmt::print("{} kernels of {} models in {}\n", all.kernel_count(), all.models.size(), printable(o.out.string()));
  return 0;
}

}  // namespace takt
