#include "cli/line/commands.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/interrupt.h"
#include "base/system/progress.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "predict/zoo/export.h"

namespace takt {
namespace {

constexpr const char* usual_folder = "prediction/model_zoo/models";

struct ZooOptions {
  std::filesystem::path config;
  std::filesystem::path out;  ///< empty: usual_folder
  bool optimised = false;
  OutputOptions output;
  LogOptions log;
};

void add_config(CommandLine& line, ZooOptions& o) {
  line.add({.names = "--config",
            .value = "FILE",
            .meaning = "A YAML file that selects families, depths, widths, batches and inputs",
            .fallback = "every architecture once, at batch 1"},
           &o.config);
}

CommandLine declare_zoo_list(ZooOptions& o) {
  CommandLine line("zoo list", "Lists the models of takt's zoo, or those that a configuration selects.",
                   "takt zoo list --config examples/zoo.yaml", o.log);
  add_config(line, o);
  add_output(line, o.output, {"zoo"});
  return line;
}

CommandLine declare_zoo_export(ZooOptions& o) {
  CommandLine line("zoo export",
                   "Generates the models of the zoo and writes them as ONNX, with random weights in one file that they "
                   "share. Existing files are kept, so a stopped export resumes.",
                   "takt zoo export --config examples/zoo.yaml --out zoo", o.log);
  add_config(line, o);
  line.add({.names = "--out",
            .older = "-o",
            .value = "DIR",
            .meaning = "The folder of the models",
            .fallback = std::string(usual_folder) + " with --config; without, a folder has to be named",
            .makes = Makes::folder},
           &o.out);
  line.add({.names = "--optimised",
            .older = "--optimized",
            .meaning = "Also write each model as ONNX Runtime optimises it for this machine, with separate weights"},
           &o.optimised);
  line.add({.names = "--format",
            .value = "FORMAT",
            .meaning = "How the list of models is printed",
            .fallback = "table",
            .one_of = output_formats()},
           &o.output.format);
  return line;
}

ZooConfig config_of(const ZooOptions& o) {
  return o.config.empty() ? ZooConfig{1, usual_zoo()} : read_zoo_config(o.config);
}

std::string counted(const std::vector<ExportedZooModel>& models) {
  std::set<std::string> architectures, families;
  for (const auto& one : models) {
    architectures.insert(one.what.architecture());
    families.insert(one.what.family);
  }
  return fmt::format("{} models of {} architectures in {} families", models.size(), architectures.size(),
                     families.size());
}

/// All of the zoo is written only where it was asked for.
void settle_folder(ZooOptions& o) {
  if (!o.out.empty()) return;
  if (o.config.empty())
    throw UsageError(
        "zoo export: writes every architecture, about 175 MB; name their folder with --out DIR, or choose some with "
        "--config FILE");
  o.out = usual_folder;
}

int run_export(ZooOptions& o, Arguments arguments) {
  settle_folder(o);
  const ZooConfig config = config_of(o);
  const Interrupt interrupt;
  Progress bar("exporting models");
  const auto models =
      export_zoo(config, {.folder = o.out,
                          .optimised = o.optimised,
                          .progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); },
                          .stop = &interrupt.requested()});
  const auto tables = zoo_tables(models);
  const auto written = std::count_if(models.begin(), models.end(), [](auto& one) { return one.is_new; });
  const Table usual = some_columns(tables[0], {"zoo_model", "zoo_parameters", "zoo_written", "zoo_optimised"});
  print(o.output, tables, provenance_of("zoo export", arguments),
        to_text(o.optimised ? usual : without_columns(usual, {"zoo_optimised"}), o.output.style()) +
            fmt::format("\n{} in {}, {} of them written now\n", counted(models), printable(o.out.string()), written));
  return 0;
}

int run_list(ZooOptions& o, Arguments arguments) {
  const ZooConfig config = config_of(o);
  std::vector<ExportedZooModel> models;
  for (const ZooModel& model : config.models)
    models.push_back({model, {}, build_zoo_model(model, config.seed).parameters, false, {}, {}});
  const auto tables = zoo_tables(models);
  const Table usual = without_columns(tables[0], {"zoo_written", "zoo_optimised", "zoo_optimised_by"});
  print(o.output, tables, provenance_of("zoo list", arguments),
        to_text(usual, o.output.style()) + "\n" + counted(models) + "\n");
  return 0;
}

}  // namespace

constinit const Command zoo_list_command =
    command<ZooOptions, declare_zoo_list, run_list>("zoo list", "list the zoo's models");

constinit const Command zoo_export_command =
    command<ZooOptions, declare_zoo_export, run_export>("zoo export", "write the zoo's models as ONNX files");

}  // namespace takt
