#include "cli/pipeline/recorded_batches.h"

#include <utility>

#include "base/basics/error.h"
#include "base/system/log.h"

namespace takt {
namespace {

/// The journal is next to a trace that is a file; a trace in a pipe or a device has none.
std::optional<std::filesystem::path> journal_beside(const std::filesystem::path& trace) {
  std::error_code ignored;
  const auto status = std::filesystem::status(trace, ignored);
  if (trace.empty() || (exists(status) && !is_regular_file(status))) return std::nullopt;
  return std::filesystem::path(trace) += ".journal";
}

}  // namespace

RecordedBatches::RecordedBatches(std::filesystem::path trace, RunJournal::TellProvenance tell_provenance)
    : trace_(std::move(trace)), tell_provenance_(std::move(tell_provenance)) {}

void RecordedBatches::open(const PipelineRun& planned, std::optional<std::int64_t> warmup) {
  const auto path = journal_beside(trace_);
  if (!path) return open_temporary(planned, warmup);
  journal_.emplace(*path, tell_provenance_).open(planned, warmup);
  if (!journal_->found().empty()) log_warning(journal_->found());
}

void RecordedBatches::open_temporary(const PipelineRun& planned, std::optional<std::int64_t> warmup) {
  try {
    folder_.emplace("takt-run");
    journal_.emplace(folder_->path() / "run.journal").open(planned, warmup);
  } catch (const Error&) {  // nobody asked for a file
    journal_.reset();
    folder_.reset();
    kept_.open(planned, warmup);
  }
}

void RecordedBatches::end(PipelineRun& run) {
  spill_.emplace();
  sink().end(run);
}

std::optional<std::filesystem::path> RecordedBatches::journal() const {
  return journal_ && !folder_ ? std::optional(journal_->path()) : std::nullopt;
}

void RecordedBatches::remove() {
  if (journal_) journal_->remove();
}

}  // namespace takt
