// Where the batches of a run go that a command measures: to a journal, so that memory does not grow with their number.
// Beside the trace that is asked for it is what a killed run leaves; where there is none it lies in a folder for
// temporary files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files/temporary_folder.h"
#include "base/memory/spill.h"
#include "pipeline/record/kept_batches.h"
#include "pipeline/record/run_journal.h"

namespace takt {

/// The batches of one run. They are kept in memory if there is no trace and no temporary file can be made.
class RecordedBatches final : public BatchSink {
 public:
  /// `trace`: the trace that will be written; empty: none. A pipe or a device as trace has no journal next to it.
  RecordedBatches(std::filesystem::path trace, RunJournal::TellProvenance tell_provenance);

  /// Logs what happened to the journal of an earlier run. Throws as RunJournal::open() does for the journal next to
  /// the trace.
  void open(const PipelineRun& planned, std::optional<std::int64_t> warmup) override;
  void start(Nanoseconds base_time) override { sink().start(base_time); }
  void take(const BatchPassage& batch) override { sink().take(batch); }
  std::optional<std::string> failure() const override { return journal_ ? journal_->failure() : std::nullopt; }
  /// From here on, as nothing is measured any longer, long lists go to disk.
  void end(PipelineRun& run) override;

  /// Returns the journal that users find; nullopt if nothing was written next to the trace.
  std::optional<std::filesystem::path> journal() const;
  /// Returns the number of batches in the journal, after end().
  std::int64_t batches_in_journal() const { return journal_ ? journal_->batches_in_file() : 0; }
  /// Removes the journal. Call after end(), when its content is in the trace.
  void remove();

 private:
  BatchSink& sink() { return journal_ ? static_cast<BatchSink&>(*journal_) : kept_; }
  void open_temporary(const PipelineRun& planned, std::optional<std::int64_t> warmup);

  std::filesystem::path trace_;
  RunJournal::TellProvenance tell_provenance_;
  std::optional<TemporaryFolder> folder_;  ///< of a journal that no user asked for
  std::optional<RunJournal> journal_;
  KeptBatches kept_;
  std::optional<Spill> spill_;
};

}  // namespace takt
