#include "cli/pipeline/options.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "cli/line/tables.h"

namespace takt {
namespace {

Nanoseconds read_timeout(const std::string& text) try {
  const auto timeout = parse_duration(text);
  if (timeout < Duration(1) || timeout > Duration(std::chrono::hours(24)))
    throw UsageError("--timeout: give a time from 1us to 86400s, e.g. 30s");
  return std::chrono::duration_cast<Nanoseconds>(timeout);
} catch (const Error& error) {
  throw UsageError(fmt::format("--timeout {}", error.what()));
}

}  // namespace

void add_file_and_simulate(CommandLine& line, PipelineOptions& o) {
  line.add({.names = "FILE", .meaning = "The pipeline, a YAML file (docs/formats.md)"}, &o.file);
  line.add({.names = "--simulate",
            .value = "[virtual|real]",
            .meaning = "Simulate every device. On the virtual clock the whole run completes immediately; in real time "
                       "it takes as long as it would",
            .fallback = "virtual",
            .offered = {"virtual", "real"},
            .may_stand_alone = true},
           &o.simulate);
}

void add_timeout(CommandLine& line, PipelineOptions& o) {
  line.add({.names = "--timeout",
            .value = "DURATION",
            .meaning = "Time limit of one execution, e.g. 30s",
            .fallback = "the file's, or 60s"},
           &o.timeout);
}

void add_seed(CommandLine& line, PipelineOptions& o) {
  line.add(
      {.names = "--seed", .value = "N", .meaning = "Seed of generated inputs, simulated noise and random arrivals"},
      &o.seed);
}

void settle(PipelineOptions& o) {
  if (!o.simulate) return;
  const std::string& word = *o.simulate;
  o.clock = PipelineClock::virtual_time;
  if (word == "real") {
    o.clock = PipelineClock::real_time;
  } else if (word.ends_with(".yaml") || word.ends_with(".yml")) {
    if (!o.file.empty())
      throw UsageError(
          fmt::format("'{}' and '{}': one pipeline at a time", printable(o.file.string()), printable(word)));
    o.file = word;
  } else if (word != "virtual" && !word.empty()) {
    static const std::vector<std::string> clocks{"virtual", "real"};
    throw UsageError(
        fmt::format("--simulate '{}': {}", printable(word), suggestion(word, clocks, "write virtual or real")));
  }
}

PipelineSpec spec_of(const PipelineOptions& o) {
  if (o.file.empty() && !o.simulate)
    throw UsageError("name a pipeline file, or simulate the built-in pipeline with --simulate");
  PipelineSpec spec = o.file.empty() ? dummy_pipeline() : read_pipeline(o.file);
  if (o.simulate) spec = simulated(std::move(spec));
  if (o.batches) {
    spec.batches = o.batches;
    spec.duration.reset();
  }
  if (!o.timeout.empty()) spec.timeout = read_timeout(o.timeout);
  if (o.seed) spec.seed = *o.seed;
  return spec;
}

std::vector<LongTable> printed(const Accounts& accounts, const OutputOptions& output, std::string_view command) {
  std::vector<LongTable> list;
  for (const std::string& name : printed_tables(output, table_names(command)))
    list.push_back(long_table(accounts, name));
  return list;
}

}  // namespace takt
