// What the commands that run a pipeline from its file have in common.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/account/account.h"
#include "cli/line/command_line.h"
#include "cli/line/output.h"
#include "pipeline/spec/pipeline_spec.h"

namespace takt {

enum class PipelineClock { as_described, virtual_time, real_time };

/// FILE, --simulate, --batches, --timeout and --seed.
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

/// After parse(): the word after --simulate is its mode or already the file. Throws UsageError.
void settle(PipelineOptions& options);

/// The file's pipeline, or the built-in one, with what the options say instead. Throws UsageError when there is
/// neither, Error for a wrong file.
PipelineSpec spec_of(const PipelineOptions& options);

/// Of an account, the tables that print() will look at; it must outlive them. `command`: one that has them (tables.h).
std::vector<LongTable> printed(const Accounts& accounts, const OutputOptions& output, std::string_view command);

}  // namespace takt
