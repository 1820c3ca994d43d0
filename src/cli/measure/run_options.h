// The command line of `takt run`.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/line/command_line.h"
#include "cli/line/output.h"
#include "measure/open/run_settings.h"

namespace takt {

constexpr int usual_state_steps = 20;  ///< of --keep-state without a number of runs

struct RunOptions {
  std::vector<std::filesystem::path> models;
  std::filesystem::path model;  ///< the first of `models`
  RunSettings run;
  std::vector<std::string> inputs, properties, vary;
  int top = 10;
  bool keep_state = false, all_ops = false, no_ops = false, model_info = false, verbose = false;
  std::filesystem::path profile, profile_host, trace, iterations, io_dump, bin_io_dump, bin_out_dump;
  std::string cores, range, repeat, precision, column_text, hint, time, warmup_time, percentile_text;
  std::vector<double> percentiles;
  std::vector<std::string> columns;  ///< of the operators; empty: the default ones
  OutputOptions output;
  LogOptions log;
};

/// Returns the options that fill `o`, which must outlive them.
CommandLine declare_run(RunOptions& o);

/// Parses the values that are strings so far, and refuses contradictions. Throws UsageError.
void validate(RunOptions& o);

}  // namespace takt
