#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/progress.h"
#include "core/text.h"
#include "profile/op_profile.h"
#include "profile/peer_writer.h"
#include "profile/run.h"
#include "profile/run_text.h"
#include "profile/run_trace.h"
#include "trace/chrome_writer.h"

namespace takt {
namespace {

struct RunOptions {
  std::filesystem::path model;
  RunSettings run;
  std::vector<std::string> inputs;
  int top = 10;
  bool all_ops = false, no_ops = false, model_info = false, verbose = false;
  std::filesystem::path profile, profile_host, trace;
  OutputOptions output;
  LogOptions log;
};

std::unique_ptr<CLI::App> declare(RunOptions& o) {
  auto app = make_app("run", "Loads a model, runs it, and shows where its time goes.",
                      "takt run model.onnx --profile model.profile.json", o.log);
  app->add_option("MODEL", o.model, "An ONNX (.onnx) or OpenVINO IR (.xml) file")->required();
  app->add_option("--runtime", o.run.runtime,
                  "onnxruntime, openvino or sim. Default: onnxruntime for .onnx, openvino for .xml")
      ->type_name("NAME");
  app->add_option("--device", o.run.device, "CPU, GPU, NPU or sim:NAME; 'takt devices' lists what works. Default: CPU")
      ->type_name("NAME");
  app->add_option("--threads", o.run.threads, "Threads inside an operator. Default: the runtime's choice")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  app->add_option("--iter", o.run.iterations, "Measured runs. Default: as many as fit in 1 s, 10 to 1000")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000'000));
  app->add_option("--warmup-iter", o.run.warmup_iterations, "Runs before measuring. Default: 3")
      ->type_name("N")
      ->check(CLI::Range(0, 10'000'000));
  app->add_option("--input", o.inputs,
                  "Shape of an input, [NAME:]{1,3,224,224}; repeat it or separate by ';'. The values are generated")
      ->type_name("SPEC")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--seed", o.run.seed, "Of generated inputs and simulated noise. Default: 1")->type_name("N");
  app->add_option("--profile", o.profile, "Write operator times, footprint and samples to this JSON file")
      ->type_name("FILE");
  app->add_option("--profile-host", o.profile_host, "The same with host times only")->type_name("FILE");
  app->add_option("--trace", o.trace, "Write a Chrome trace of the profiled runs; opens in ui.perfetto.dev")
      ->type_name("FILE");
  app->add_option("--top", o.top, "Operators to show, slowest first; 0 shows all. Default: 10")
      ->type_name("N")
      ->check(CLI::Range(0, 10'000'000));
  app->add_flag("--no-ops", o.no_ops, "Measure whole runs only, without the profiled pass");
  app->add_flag("--model-info", o.model_info, "Also show the model's inputs and outputs");
  app->add_flag("--verbose", o.verbose, "Show every column, and what is done");
  app->add_option("--format", o.output.format, "table, csv, json or markdown. Default: table")->type_name("FORMAT");
  app->add_option("--table", o.output.table, "With csv: summary or operators. Default: summary")->type_name("NAME");
  app->add_option("-o,--output", o.output.file, "Write the result to this file instead of stdout")->type_name("FILE");
  return app;
}

/// A misspelt name is a wrong command line; one that was left out of this binary is make_runtime's to explain.
void check_runtime(const std::string& name) {
  std::vector<std::string> known = runtime_names();
  for (const auto& missing : missing_runtime_names()) known.push_back(missing);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  auto nearest = nearest_word(name, known);
  throw UsageError(fmt::format("--runtime '{}': not one of {}{}", printable(name), fmt::join(known, ", "),
                               nearest ? fmt::format("; did you mean '{}'?", *nearest) : ""));
}

void validate(RunOptions& o) {
  check(o.output, {"summary", "operators"});
  for (const auto& text : o.inputs)
    for (auto& spec : parse_input_specs(text)) o.run.inputs.push_back(std::move(spec));
  bool wants_ops = !o.profile.empty() || !o.profile_host.empty() || !o.trace.empty();
  if (o.no_ops && wants_ops)
    throw UsageError("--no-ops leaves out what --profile, --profile-host and --trace write; drop one of the two");
  o.run.runtime = lower_case(o.run.runtime);
  if (!o.run.runtime.empty()) check_runtime(o.run.runtime);
}

Provenance describe(const RunOptions& o, const RunResult& result, std::span<const std::string> arguments) {
  std::vector<std::string> command{"takt", "run"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Provenance provenance = make_provenance(std::move(command));
  provenance.runtime = result.runtime;
  provenance.runtime_version = result.runtime_version;
  provenance.device = result.device;
  auto number = [](auto optional) { return optional ? std::to_string(*optional) : std::string("default"); };
  provenance.settings = {{"iterations", number(o.run.iterations)},
                         {"warmup_iterations", std::to_string(o.run.warmup_iterations)},
                         {"threads", number(o.run.threads)},
                         {"seed", std::to_string(o.run.seed)}};
  return provenance;
}

/// Returns lines saying what was written.
std::vector<std::string> write_files(const RunOptions& o, const RunResult& result, const OpProfile& ops,
                                     const Provenance& provenance) {
  std::vector<std::string> lines;
  auto said = [&](std::string_view what, const std::filesystem::path& path) {
    lines.push_back(fmt::format("wrote {} {}", what, printable(path.string())));
  };
  if (!o.profile.empty()) {
    write_file_atomically(o.profile, to_peer_json(result, ops, provenance, ProfileContent::device_and_host));
    said("profile", o.profile);
  }
  if (!o.profile_host.empty()) {
    write_file_atomically(o.profile_host, to_peer_json(result, ops, provenance, ProfileContent::host_only));
    said("host profile", o.profile_host);
  }
  if (!o.trace.empty()) {
    write_chrome_trace(make_trace(result, provenance), o.trace);
    said("trace", o.trace);
  }
  return lines;
}

RunResult measure(const RunOptions& o) {
  std::unique_ptr<Progress> bar;
  std::string drawn;
  auto progress = [&](std::string_view phase, std::uint64_t done, std::uint64_t total) {
    if (drawn != phase) drawn = phase, bar = std::make_unique<Progress>(fmt::format("{} runs", phase));
    bar->update(done, total);
  };
  return run_model(o.model, o.run, o.no_ops ? RunPasses::plain : RunPasses::both, progress);
}

}  // namespace

int run_run(std::span<const std::string> arguments) {
  RunOptions o;
  auto app = declare(o);
  if (!parse(*app, arguments)) return 0;
  validate(o);
  if (o.verbose) o.log.level = "debug";
  apply(o.log);
  if (auto warning = build_warning(); !warning.empty()) log_warning(warning);

  RunResult result = measure(o);
  // Files describe the profiled runs; with one asked for, the summary shows those first too.
  bool profiled_first = !o.profile.empty() || !o.profile_host.empty();
  std::vector<Table> tables{summary_table(result, profiled_first)};
  Provenance provenance = describe(o, result, arguments);
  std::vector<std::string> written;
  RunTextSettings text{o.top == 0 ? std::nullopt : std::optional(o.top), o.model_info, o.verbose};
  std::string shown;
  if (result.profiled) {
    OpProfile ops = profile_ops(result);
    tables.push_back(operators_table(ops, std::nullopt));
    written = write_files(o, result, ops, provenance);
    shown = to_text(result, &ops, text);
  } else {
    shown = to_text(result, nullptr, text);
  }
  bool stdout_is_text = o.output.format == "table" && o.output.file.empty();
  for (const auto& line : written)
    if (stdout_is_text)
      shown += line + "\n";
    else
      log_info(line);
  print(o.output, tables, provenance, shown);
  return 0;
}

}  // namespace takt
