// What the commands that run a pipeline from its file have in common.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line/command_line.h"
#include "cli/line/output.h"
#include "pipeline/account/account.h"
#include "pipeline/spec/pipeline_spec.h"

namespace takt {

enum class PipelineClock { as_described, virtual_time, real_time };

/// The values of FILE, --simulate, --batches, --timeout and --seed.
struct PipelineOptions {
  std::filesystem::path file;
  std::optional<std::string> simulate;  ///< what followed --simulate; empty: nothing did
  PipelineClock clock = PipelineClock::as_described;
  std::optional<std::int64_t> batches;
  std::string timeout;
  std::optional<std::uint64_t> seed;
};

void add_file_and_simulate(CommandLine& line, PipelineOptions& options);
void add_timeout(CommandLine& line, PipelineOptions& options);
void add_seed(CommandLine& line, PipelineOptions& options);

/// Call after parse(): decides whether the word after --simulate is its mode or the file. Throws UsageError.
void settle(PipelineOptions& options);

/// Returns the file's pipeline, or the built-in one, with the values that options override. Throws UsageError if there
/// is neither, Error for an invalid file.
PipelineSpec spec_of(const PipelineOptions& options);

/// Returns the tables of an account that print() needs; the account must outlive them. `command` is one that has these
/// tables (tables.h).
std::vector<LongTable> printed(const Accounts& accounts, const OutputOptions& output, std::string_view command);

}  // namespace takt
