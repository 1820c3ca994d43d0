#include "base/basics/error.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "predict/answer/evaluated_file.h"
#include "predict/answer/tables.h"

namespace takt {
namespace {

struct EvaluateMergeOptions {
  std::vector<std::filesystem::path> files;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(EvaluateMergeOptions& o) {
  CommandLine line("evaluate merge",
                   "Merges evaluations of different models, such as the shards of one: the errors over all of them.",
                   "takt evaluate merge part-1.json part-2.json", o.log);
  line.add({.names = "FILE", .meaning = "What 'takt evaluate --format json' wrote", .required = true}, &o.files);
  add_output(line, o.output, table_names("evaluate"));
  add_report(line, o.output);
  return line;
}

int run(EvaluateMergeOptions& o, Arguments arguments) {
  const Evaluation all = merge_evaluations(o.files);
  print(o.output, evaluate_tables(all), provenance_of("evaluate merge", arguments),
        evaluation_text(all, o.output.style()));
  return 0;
}

}  // namespace

constinit const Command evaluate_merge_command =
    command<EvaluateMergeOptions, declare, run>("evaluate merge", "merge evaluations of different models");

}  // namespace takt
