#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/machine/op_figures.h"
#include "cli/measure/run_options.h"
#include "measure/report/percentiles.h"
#include "model/runtime/precision.h"

namespace takt {
namespace {

void read_cores(RunOptions& o) {
  if (o.cores.empty()) return;
  for (const auto& part : split(o.cores, ',')) {
    const auto core = number_in<int>(trim(part));
    if (!core || *core < 0)
      throw UsageError(fmt::format("--core-ids '{}': '{}' is not a core; write numbers, e.g. 0,1", printable(o.cores),
                                   printable(part)));
    if (std::find(o.run.cores.begin(), o.run.cores.end(), *core) != o.run.cores.end())
      throw UsageError(fmt::format("--core-ids '{}': core {} is listed twice", printable(o.cores), *core));
    o.run.cores.push_back(*core);
  }
  const auto count = o.run.cores.size(), instances = static_cast<std::size_t>(o.run.instances);
  const auto threads = static_cast<std::size_t>(o.run.threads.value_or(1));
  if (o.run.threads ? count != threads * instances : count % instances != 0)
    throw UsageError(
        o.run.threads
            ? fmt::format("--core-ids lists {} cores for {} x {} threads (--instances x --threads); list {}", count,
                          instances, threads, instances * threads)
            : fmt::format("--core-ids lists {} cores for {} instances; each needs the same number", count, instances));
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
    throw UsageError(fmt::format("--check-var-value '{}': write I or I:S, e.g. 10 or 10:1", printable(o.repeat)));
  o.run.repeat_check = RepeatCheck{*every, *from};
}

void read_precision(RunOptions& o) {
  if (o.precision.empty()) return;
  o.run.precision = precision_named(o.precision);
  if (!o.run.precision)
    throw UsageError(fmt::format("--precision '{}': write f32, f16 or bf16", printable(o.precision)));
}

void read_properties(RunOptions& o) {
  for (const auto& text : o.properties) {
    const auto equals = text.find('=');
    const auto key = std::string(trim(std::string_view(text).substr(0, equals)));
    if (equals == std::string::npos || key.empty())
      throw UsageError(fmt::format("--property '{}': write KEY=VALUE", printable(text)));
    const auto value = std::string(trim(std::string_view(text).substr(equals + 1)));
    if (!o.run.properties.emplace(key, value).second)
      throw UsageError(fmt::format("--property: {} is given twice", printable(key)));
  }
}

std::optional<Duration> duration_of(std::string_view option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  try {
    const auto duration = parse_duration(text);
    if (duration.count() > 0) return duration;
  } catch (const Error&) {  // said in one sentence below
  }
  throw UsageError(
      fmt::format("{} '{}': write a time above 0 with its unit, e.g. 500ms, 60s or 2min", option, printable(text)));
}

void read_load(RunOptions& o) {
  o.run.time = duration_of("--time", o.time);
  o.run.warmup_time = duration_of("--warmup-time", o.warmup_time);
  if (!o.hint.empty()) o.run.hint = lower_case(o.hint) == "latency" ? Hint::latency : Hint::throughput;
  if (!o.run.measures_throughput()) return;
  const auto refuse = [](std::string_view option, std::string_view why) {
    throw UsageError(fmt::format("{} {}; leave it out with --requests, --streams and --hint throughput", option, why));
  };
  if (o.run.instances > 1) refuse("--instances", "runs independent copies of the model, not requests of one");
  if (o.run.fit) refuse("--fitting", "compares runs one after another");
  if (o.run.range || o.run.repeat_check)
    refuse(o.run.range ? "--range" : "--check-var-value", "checks the outputs of one run after another");
}

/// Steps are those of one session that runs alone.
void read_state(RunOptions& o) {
  if (o.keep_state && !o.run.state_steps) o.run.state_steps = o.run.iterations.value_or(usual_state_steps);
  if (!o.run.state_steps) return;
  const auto refuse = [](std::string_view option, std::string_view why) {
    throw UsageError(fmt::format("{} {}; leave it out with --keep-state", option, why));
  };
  if (o.run.measures_throughput())
    refuse("--requests, --streams or --hint throughput", "runs several inferences at once");
  if (o.run.instances > 1) refuse("--instances", "runs copies of the model that each have a state of their own");
  if (o.run.fit) refuse("--fitting", "compares runs that are alike");
  if (o.run.repeat_check) refuse("--check-var-value", "compares with the outputs of the first run");
}

}  // namespace

void validate(RunOptions& o) {
  for (const auto& text : o.inputs)
    for (auto& spec : parse_input_specs(text)) o.run.inputs.push_back(std::move(spec));
  bool wants_ops = !o.profile.empty() || !o.profile_host.empty() || !o.trace.empty();
  if (o.no_ops && wants_ops)
    throw UsageError("--no-ops leaves out what --profile, --profile-host and --trace write; drop one of the two");
  if (number_in<double>(o.iterations.string()))
    throw UsageError(
        fmt::format("--run-times {}: names the file for the time of every run; for the number of runs use --iter {}",
                    o.iterations.string(), o.iterations.string()));
  read_cores(o);
  read_checks(o);
  read_precision(o);
  read_load(o);
  read_state(o);
  read_properties(o);
  o.run.keep_tensors = !o.io_dump.empty() || !o.bin_io_dump.empty() || !o.bin_out_dump.empty();
  if (!o.percentile_text.empty()) o.percentiles = parse_percentiles(o.percentile_text);
  if (!o.column_text.empty()) o.columns = parse_column_names(o.column_text);
  if (o.no_ops && o.output.format == "model-explorer")
    throw UsageError("--no-ops leaves out the times that --format model-explorer shows; drop one of the two");
  if (o.no_ops && !o.columns.empty()) throw UsageError("--no-ops leaves out the operators that --columns chooses from");
}

}  // namespace takt
