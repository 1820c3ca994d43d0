// The file that a pipeline run leaves while it goes on: takt's own, appended to and never rewritten, so that a run that
// is killed leaves every batch that was delivered. Block by block: what runs, when it began, batches as they were
// delivered, and at last how it ended. docs/formats.md specifies it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/files/block_file.h"
#include "base/files/file_lock.h"
#include "pipeline/record/batch_passage.h"

namespace takt {

/// The writing end. take() only packs the batch into memory; a thread of its own writes what came several times a
/// second, so nothing that is measured waits for a disk. take() and failure() may be called beside that thread; all
/// else is not thread-safe.
class RunJournal final : public BatchSink {
 public:
  /// What the record says of where it comes from: PipelineRun::provenance_json.
  using TellProvenance = std::function<std::string(const PipelineRun& planned)>;

  /// Touches no file yet.
  explicit RunJournal(std::filesystem::path path, TellProvenance tell_provenance = {});
  ~RunJournal() override;  ///< the file stays, unless it was removed

  /// A journal that lies there is kept under another name: found() says so. Throws Error(io) where it cannot be
  /// written, Error(bad_input) where there is a file of another kind or another program writes this journal; then
  /// nothing is left behind.
  void open(const PipelineRun& planned, std::optional<std::int64_t> warmup) override;
  void start(Nanoseconds base_time) override;
  void take(const BatchPassage& batch) override;
  /// A write that failed; what came until then is in the file or in memory, and none of it is lost to end().
  std::optional<std::string> failure() const override;
  void end(PipelineRun& run) override;

  /// After end(), when its content is elsewhere.
  void remove();
  const std::filesystem::path& path() const { return path_; }
  /// What became of a journal that lay there, in a sentence; empty: none did.
  const std::string& found() const { return found_; }
  /// Batches that the file has, after end(): all of them but where failure() says that the disk is full.
  std::int64_t batches_in_file() const { return batches_in_file_; }

 private:
  void take_lock();
  void write_along();
  /// Writes what came since the last time. `lock` is of mutex_ and open meanwhile.
  void write_news(std::unique_lock<std::mutex>& lock);
  void stop_writing();
  void write_end(const PipelineRun& run);

  std::filesystem::path path_;
  TellProvenance tell_provenance_;
  std::string found_;
  std::int64_t batches_in_file_ = 0;
  std::optional<FileLock> lock_;
  std::optional<BlockWriter> writer_;  ///< of the thread, once it runs
  std::size_t stages_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::string news_, unwritten_;  ///< packed batches; the second: that could not be written
  bool ends_ = false;
  std::optional<std::string> failure_;
  std::thread thread_;
};

/// What such files begin with.
std::string_view run_journal_magic();
std::string_view run_journal_family();  ///< in every version
bool is_run_journal(const std::filesystem::path& path);

struct JournalledRun {
  PipelineRun run;            ///< without an end in the file it is interrupted
  bool ended = false;         ///< false: the run was killed, or still goes on
  std::int64_t left_out = 0;  ///< batches that were delivered although one before them was not
  bool damaged = false;       ///< blocks in the middle were passed over: the run is the longest stretch without a gap
  std::int64_t first = 0;     ///< number that its first batch had when it ran; 0 unless it is damaged
};

/// What the file has, up to where it is whole, also while somebody still writes it. A block that is damaged is passed
/// over where others follow. Throws Error(io), and
/// Error(bad_input) for a file of another kind or version, one that ends before it says what ran, and one whose batches
/// cannot be.
JournalledRun read_run_journal(const std::filesystem::path& path);
/// The same of bytes in memory.
JournalledRun parse_run_journal(std::string_view bytes, const std::string& name);

}  // namespace takt
