#include "cli/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "core/error.h"
#include "core/text.h"
#include "profile/op_figures.h"

namespace takt {
namespace {

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

constexpr const char* input_meaning =
    "[NAME:]DATA of an input: a file (.npy, .json, .ppm, .pgm), values (1,2,3 or [[1,2],[3,4]]) or a shape to fill "
    "({1,3,224,224}); repeat it or separate by ';'. Inputs that are not given are generated";

void declare_measurement(CLI::App* app, RunOptions& o) {
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
  app->add_option("--input", o.inputs, input_meaning)
      ->type_name("SPEC")
      ->expected(1)
      ->allow_extra_args(false)  // else CLI11 takes [1,2] apart
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app->add_option("--batch-size", o.run.batch_size, "First dimension of every input; given values are repeated to it")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000'000));
  app->add_option("--seed", o.run.seed, "Of generated inputs and simulated noise. Default: 1")->type_name("N");
}

void declare_settings(CLI::App* app, RunOptions& o) {
  app->add_option("--thread", o.run.instances,
                  "Run N independent instances of the model at once, each in a thread of its own. Default: 1")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  app->add_option("--core-ids", o.cores, "Pin to these logical cores, as in 0,1: one for each thread of each instance")
      ->type_name("A,B")
      ->expected(1);
  app->add_flag("--copy-to-host", o.run.copy_to_host, "A run includes copying its outputs to takt's memory");
  app->add_flag("--fitting", o.run.fit,
                "Try settings of the runtime first (threads, spinning, memory...) and measure with the fastest");
  app->add_option("--precision", o.precision,
                  "Compute in f32, f16 or bf16, where the runtime can; a note says what really was. Default: the "
                  "device's own choice")
      ->type_name("TYPE");
  app->add_option("--cache", o.run.cache, "Keep the compiled model in this folder, and take it from there")
      ->type_name("DIR");
  app->add_option("--optimized-model-out", o.run.optimised_model,
                  "Write the model as the runtime optimised it: .onnx from onnxruntime, .xml and .bin from openvino")
      ->type_name("FILE");
}

void declare_checks(CLI::App* app, RunOptions& o) {
  app->add_option("--range", o.range, "Fail unless every floating-point output value v has |v| < R; NaN fails")
      ->type_name("R");
  app->add_option(
         "--check-var-value", o.repeat,
         "Every I runs compare the outputs, from number S on, with those of the first run; fail if they differ")
      ->type_name("I[:S]");
  app->add_option("--io-dump", o.io_dump,
                  "Write every tensor of one run as text: where it comes from, first values, statistics")
      ->type_name("FILE");
  app->add_option("--bin-io-dump", o.bin_io_dump, "Write every tensor of one run to a file of this folder")
      ->type_name("DIR");
  app->add_option("--bin-out-dump", o.bin_out_dump, "Write every output of one run to a file of this folder")
      ->type_name("DIR");
}

void declare_output(CLI::App* app, RunOptions& o) {
  app->add_option("--profile", o.profile, "Write operator times, footprint and samples to this JSON file")
      ->type_name("FILE");
  app->add_option("--profile-host", o.profile_host, "The same with host times only")->type_name("FILE");
  app->add_option("--trace", o.trace, "Write a Chrome trace of the profiled runs; opens in ui.perfetto.dev")
      ->type_name("FILE");
  app->add_option("--top", o.top, "Operators to show, slowest first; 0 shows all. Default: 10")
      ->type_name("N")
      ->check(CLI::Range(0, 10'000'000));
  app->add_option("--columns", o.column_text,
                  "Operator columns to show, such as name,mean_us,p99_us,intensity,roofline,peak_share, or all; 'takt "
                  "explain' says what they mean")
      ->type_name("NAMES");
  app->add_flag("--no-ops", o.no_ops, "Measure whole runs only, without the profiled pass");
  app->add_flag("--model-info", o.model_info, "Also show the model's inputs and outputs");
  app->add_flag("--verbose", o.verbose, "Show every column, and what is done");
  app->add_option("--format", o.output.format, "table, csv, json or markdown. Default: table")->type_name("FORMAT");
  app->add_option("--table", o.output.table,
                  "With csv: summary, operators, instability, instances or fitting. Default: summary")
      ->type_name("NAME");
  app->add_option("-o,--output", o.output.file, "Write the result to this file instead of stdout")->type_name("FILE");
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

void read_cores(RunOptions& o) {
  if (o.cores.empty()) return;
  for (const auto& part : split(o.cores, ',')) {
    const auto core = number_in<int>(trim(part));
    if (!core || *core < 0)
      throw UsageError(fmt::format("--core-ids '{}': '{}' is no core; write numbers as in 0,1", printable(o.cores),
                                   printable(part)));
    if (std::find(o.run.cores.begin(), o.run.cores.end(), *core) != o.run.cores.end())
      throw UsageError(fmt::format("--core-ids '{}': core {} is named twice", printable(o.cores), *core));
    o.run.cores.push_back(*core);
  }
  const auto count = o.run.cores.size(), instances = static_cast<std::size_t>(o.run.instances);
  const auto threads = static_cast<std::size_t>(o.run.threads.value_or(1));
  if (o.run.threads ? count != threads * instances : count % instances != 0)
    throw UsageError(
        o.run.threads
            ? fmt::format("--core-ids names {} cores for {} x {} threads (--thread x --threads); name {}", count,
                          instances, threads, instances * threads)
            : fmt::format("--core-ids names {} cores for {} instances; each needs the same number", count, instances));
}

void read_checks(RunOptions& o) {
  if (!o.range.empty()) {
    o.run.range = number_in<double>(o.range);
    if (!o.run.range || !(*o.run.range > 0))
      throw UsageError(fmt::format("--range '{}': write a number above 0", printable(o.range)));
  }
  if (o.repeat.empty()) return;
  const auto colon = o.repeat.find(':');
  const auto every = number_in<std::size_t>(o.repeat.substr(0, colon));
  const auto from = colon == std::string::npos ? 0 : number_in<std::size_t>(o.repeat.substr(colon + 1));
  if (!every || *every == 0 || !from)
    throw UsageError(fmt::format("--check-var-value '{}': write I or I:S, as in 10 or 10:1", printable(o.repeat)));
  o.run.repeat_check = RepeatCheck{*every, *from};
}

void read_precision(RunOptions& o) {
  if (o.precision.empty()) return;
  static const std::map<std::string, ElementType> types{
      {"f32", ElementType::f32}, {"f16", ElementType::f16}, {"bf16", ElementType::bf16}};
  const auto found = types.find(lower_case(o.precision));
  if (found == types.end())
    throw UsageError(fmt::format("--precision '{}': write f32, f16 or bf16", printable(o.precision)));
  o.run.precision = found->second;
}

}  // namespace

std::unique_ptr<CLI::App> declare_run(RunOptions& o) {
  auto app = make_app("run", "Loads a model, runs it, and shows where its time goes.",
                      "takt run model.onnx --profile model.profile.json", o.log);
  declare_measurement(app.get(), o);
  declare_settings(app.get(), o);
  declare_checks(app.get(), o);
  declare_output(app.get(), o);
  return app;
}

std::vector<std::string> with_dashes(std::span<const std::string> arguments) {
  std::vector<std::string> result(arguments.begin(), arguments.end());
  for (auto& word : result)
    if (word.starts_with("--"))
      std::replace(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(std::min(word.find('='), word.size())), '_',
                   '-');
  return result;
}

void validate(RunOptions& o) {
  check(o.output, {"summary", "operators", "instability", "instances", "fitting"});
  for (const auto& text : o.inputs)
    for (auto& spec : parse_input_specs(text)) o.run.inputs.push_back(std::move(spec));
  bool wants_ops = !o.profile.empty() || !o.profile_host.empty() || !o.trace.empty();
  if (o.no_ops && wants_ops)
    throw UsageError("--no-ops leaves out what --profile, --profile-host and --trace write; drop one of the two");
  read_cores(o);
  read_checks(o);
  read_precision(o);
  o.run.keep_tensors = !o.io_dump.empty() || !o.bin_io_dump.empty() || !o.bin_out_dump.empty();
  if (!o.column_text.empty()) o.columns = parse_column_names(o.column_text);
  if (o.no_ops && !o.columns.empty()) throw UsageError("--no-ops leaves out the operators that --columns chooses from");
  o.run.runtime = lower_case(o.run.runtime);
  if (!o.run.runtime.empty()) check_runtime(o.run.runtime);
}

}  // namespace takt
