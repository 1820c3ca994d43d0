#include "cli/pipeline_options.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "core/error.h"
#include "core/text.h"

namespace takt {
namespace {

Nanoseconds read_timeout(const std::string& text) try {
  const auto timeout = parse_duration(text);
  if (timeout < Duration(1) || timeout > Duration(std::chrono::hours(24)))
    throw UsageError("--timeout: give a time from 1us to 86400s, as in 30s");
  return std::chrono::duration_cast<Nanoseconds>(timeout);
} catch (const Error& error) {
  throw UsageError(fmt::format("--timeout {}", error.what()));
}

}  // namespace

void add_file_and_simulate(CLI::App& app, PipelineOptions& o) {
  app.add_option("FILE", o.file, "The pipeline, a YAML file (docs/formats.md)");
  app.add_option("--simulate", o.simulate,
                 "Every device becomes a simulated one. On the virtual clock the whole run is there at once; in real "
                 "time it takes as long as it would. Default: virtual")
      ->type_name("[virtual|real]")
      ->expected(0, 1);
}

void add_timeout(CLI::App& app, PipelineOptions& o) {
  app.add_option("--timeout", o.timeout, "One execution may take this long, as in 30s. Default: the file's, or 60s")
      ->type_name("TIME");
}

void add_seed(CLI::App& app, PipelineOptions& o) {
  app.add_option("--seed", o.seed, "Of generated inputs, simulated noise and random arrivals")->type_name("N");
}

void settle(const CLI::App& app, PipelineOptions& o) {
  o.simulated = app.count("--simulate") > 0;
  if (!o.simulated) return;
  o.clock = PipelineClock::virtual_time;
  for (const auto& word : o.simulate) {
    if (word == "real") {
      o.clock = PipelineClock::real_time;
    } else if (word.ends_with(".yaml") || word.ends_with(".yml")) {
      if (!o.file.empty())
        throw UsageError(
            fmt::format("'{}' and '{}': one pipeline at a time", printable(o.file.string()), printable(word)));
      o.file = word;
    } else if (word != "virtual" && !word.empty()) {
      const auto near = nearest_word(word, std::vector<std::string>{"virtual", "real"});
      throw UsageError(fmt::format("--simulate '{}': {}", printable(word),
                                   near ? fmt::format("did you mean '{}'?", *near) : "write virtual or real"));
    }
  }
}

PipelineSpec spec_of(const PipelineOptions& o) {
  if (o.file.empty() && !o.simulated)
    throw UsageError("name a pipeline file, or simulate the built-in pipeline with --simulate");
  PipelineSpec spec = o.file.empty() ? dummy_pipeline() : read_pipeline(o.file);
  if (o.simulated) spec = simulated(std::move(spec));
  if (o.batches) {
    spec.batches = o.batches;
    spec.duration.reset();
  }
  if (!o.timeout.empty()) spec.timeout = read_timeout(o.timeout);
  if (o.seed) spec.seed = *o.seed;
  return spec;
}

void end_abandoned(const std::string& why) {
  std::fflush(stdout);
  std::fprintf(stderr, "takt: %s\n", why.c_str());
  std::_Exit(1);
}

}  // namespace takt
